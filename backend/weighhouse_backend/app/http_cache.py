"""Answers that browsers keep and ask for again: what needs a login is never shown without one."""

import hashlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weighhouse_backend.kit.etags import ASK_AGAIN, is_known

MOST_BYTES = 32 * 1024 * 1024
"""A longer answer goes out as it comes, and is not kept."""
OF_THE_BODY = ("content-length", "content-type", "content-disposition")


class Revalidation:
    """ASGI middleware: an answer that says `ASK_AGAIN` gets a tag of its content, where it has
    none, and is not sent again to who has it. Who asks is known by then, as for each answer.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        asked = Headers(scope=scope).get("If-None-Match")
        await self._app(scope, receive, _Answering(asked, send))


class _Answering:
    """Sends one answer on, or what stands in its place."""

    def __init__(self, asked: str | None, send: Send) -> None:
        """:param asked: the tags that who asks has."""
        self._asked, self._send = asked, send
        self._held: list[Message] = []
        self._known = False

    async def __call__(self, message: Message) -> None:
        """What the application sends."""
        if message["type"] == "http.response.start" and _is_kept(message):
            if "ETag" in Headers(raw=message["headers"]):
                await self._tagged(message)
            else:
                self._held.append(message)
        elif self._held:
            await self._hold(message)
        elif not self._known:
            await self._send(message)

    async def _tagged(self, start: Message) -> None:
        """What has a tag goes out as it comes: files are long."""
        self._known = _is_known(start, self._asked)
        await self._send(start)
        if self._known:
            await self._send({"type": "http.response.body", "body": b""})

    async def _hold(self, message: Message) -> None:
        self._held.append(message)
        if not message.get("more_body", False):
            await _answer(self._held, self._asked, self._send)
        elif sum(len(each.get("body", b"")) for each in self._held) > MOST_BYTES:
            MutableHeaders(scope=self._held[0])["Cache-Control"] = "no-store"
            for each in self._held:
                await self._send(each)
            self._held.clear()


def _is_kept(start: Message) -> bool:
    return start["status"] == 200 and (  # noqa: PLR2004 - OK of HTTP
        Headers(raw=start["headers"]).get("Cache-Control") == ASK_AGAIN
    )


def _is_known(start: Message, asked: str | None) -> bool:
    """Whether who asks has an answer already; if so, its start becomes one that says it."""
    headers = MutableHeaders(scope=start)
    headers.add_vary_header("Cookie, Authorization")
    if not is_known(asked, headers["ETag"]):
        return False
    for name in OF_THE_BODY:
        del headers[name]
    start["status"] = 304
    return True


async def _answer(held: list[Message], asked: str | None, send: Send) -> None:
    start, *pieces = held
    body = b"".join(each.get("body", b"") for each in pieces)
    MutableHeaders(scope=start)["ETag"] = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    if _is_known(start, asked):
        body = b""
    await send(start)
    await send({"type": "http.response.body", "body": body})
