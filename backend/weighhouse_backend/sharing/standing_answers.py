"""Answers to strangers, given again for some seconds as long as they stand.

What is public is asked for by many at a time. The first of them is answered by the endpoints; the
others are given the same answer, once one short query has said that nothing changed of what
decides whether it may be shown: the share itself, and all that the publication policy rests on.
"""

import re
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sharing.repository import ShareRepository

AGAIN_SECONDS = 5.0
"""After so long the endpoints are asked again."""
MOST_BYTES, MOST_ANSWERS = 16 * 1024 * 1024, 512
"""Of all that is kept by a process; one answer may take an eighth."""
FRONT_PAGE = "/public"
_ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_PAGE = re.compile(rf"/(?:public/({_ID})|embed/({_ID})|(?:pictures|badges/series)/({_ID})\.svg)")
_DOCUMENTS = re.compile(r"/api/v1/shared(?:/[a-z]+)?")
_COUNTED = re.compile(r"/embed/.*|/api/v1/shared")
"""What counts as an opening."""


@dataclass(frozen=True, slots=True)
class _Asked:
    share_id: UUID | None
    """None: the front page."""
    counts: bool
    key: Hashable


@dataclass(frozen=True, slots=True)
class _Answer:
    start: Message
    body: bytes
    route: Any
    campaigns: tuple[UUID, ...]
    stands: str
    """Of what decides whether it may be shown, as it was before the answer was made."""
    made_at: float


class StandingAnswers:
    """ASGI middleware. Whatever is not public, refused or unknown is the endpoints' alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: OrderedDict[Hashable, _Answer] = OrderedDict()
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        asked = _asked(scope)
        if asked is None:
            await self._app(scope, receive, send)
            return
        state = scope["app"].state
        now = state.renderings.now()
        found = self._kept.get(asked.key)
        if found is not None and now - found.made_at >= AGAIN_SECONDS:
            self._forget(asked.key)
            found = None
        try:
            async with state.session_turns:
                campaigns, stands = await run_in_threadpool(
                    _standing, state.session_factory, asked, found
                )
        except SQLAlchemyError:
            await self._app(scope, receive, send)  # where outages are told of
            return
        if found is not None and found.stands == stands:
            self._kept.move_to_end(asked.key)
            scope["route"] = found.route
            await send({**found.start, "headers": list(found.start["headers"])})
            await send({"type": "http.response.body", "body": found.body})
            return
        answering = _Answering(send)
        await self._app(scope, receive, answering)
        if answering.body is not None and answering.start is not None:
            self._keep(
                asked.key,
                _Answer(
                    answering.start, answering.body, scope.get("route"), campaigns, stands, now
                ),
            )

    def _keep(self, key: Hashable, answer: _Answer) -> None:
        self._forget(key)
        self._kept[key] = answer
        self._bytes += len(answer.body)
        while self._bytes > MOST_BYTES or len(self._kept) > MOST_ANSWERS:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: Hashable) -> None:
        if (former := self._kept.pop(key, None)) is not None:
            self._bytes -= len(former.body)


class _Answering:
    """Sends an answer on, and has it whole in the end where it may be given again."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._pieces: list[bytes] | None = []
        self.start: Message | None = None
        self.body: bytes | None = None

    async def __call__(self, message: Message) -> None:
        """What the endpoint sends."""
        if message["type"] == "http.response.start":
            self.start = {**message, "headers": list(message["headers"])}
            if message["status"] != 200:  # noqa: PLR2004 - OK of HTTP
                self._pieces = None
        elif self._pieces is not None:
            self._pieces.append(message.get("body", b""))
            if sum(map(len, self._pieces)) > MOST_BYTES // 8:
                self._pieces = None
            elif not message.get("more_body", False):
                self.body = b"".join(self._pieces)
        await self._send(message)


def _asked(scope: Scope) -> _Asked | None:
    """What a stranger asks for, if it is among what many ask for."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    path, query = scope["path"], scope.get("query_string", b"")
    if path == FRONT_PAGE:
        found = None
    elif match := _PAGE.fullmatch(path):
        found = UUID(match[match.lastindex or 0])
    elif query and _DOCUMENTS.fullmatch(path):
        named = parse_qs(query.decode("latin-1")).get("share", [])
        if len(named) != 1 or not re.fullmatch(_ID, named[0]):
            return None
        found = UUID(named[0])
    else:
        return None
    return _Asked(found, _COUNTED.fullmatch(path) is not None, (path, query, *_surroundings(scope)))


def _surroundings(scope: Scope) -> tuple[Hashable, ...]:
    """What else an answer depends on: who frames it, and how the installation is set."""
    settings: Settings = scope["app"].state.settings
    headers = Headers(scope=scope)
    framed = headers.get("Sec-Fetch-Dest") in {"iframe", "frame"}
    return (headers.get("Referer") if framed else None, framed, settings.public_page,
            settings.embed_origins)  # fmt: skip


def _standing(
    sessions: SessionFactory, asked: _Asked, found: _Answer | None
) -> tuple[tuple[UUID, ...], str]:
    """The campaigns that a share names, and what decides whether it may be shown."""
    with unit_of_work(sessions) as session:
        repository = ShareRepository(session)
        if asked.share_id is None:
            return (), repository.standing_of_front_page()
        campaigns = found.campaigns if found else repository.named_by(asked.share_id)
        stands = repository.standing(asked.share_id, campaigns)
        if asked.counts and found is not None and found.stands == stands:
            repository.note_seen(asked.share_id, SystemClock().now())
        return campaigns, stands
