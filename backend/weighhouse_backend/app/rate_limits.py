"""Limits before anything else is done with a request: how often, how long an address; and the end
of what is answered without having been read.
"""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weighhouse_backend.kit.at_rest import having
from weighhouse_backend.kit.problems import AddressTooLong, Problem, answer_to
from weighhouse_backend.kit.rates import (
    REFUSED,
    SCOPE_KEY,
    Rates,
    TooManyRequests,
    Visit,
    client_address,
    digest_of,
)
from weighhouse_backend.kit.shares import SHORT_SECONDS, UNSORTED, Shares, Turn

AGENTS, PEOPLE = "/agent/", "/api/"
OUTSIDE = ("/public", "/embed/", "/badges/", "/pictures/")
"""What whoever comes along is shown, and takes work."""
LOGIN = "/api/v1/sessions"
MOST_QUERY_BYTES = 16 * 1024
REST_BYTES, REST_SECONDS = 1024 * 1024, 2.0
"""Of a body that nobody reads."""
BEYOND_SUCCESS = 300
REMEMBERED, TOLD_AGAIN_SECONDS = 20_000, 60.0
"""Tokens and cookies of which a process knows whose they are, and how long it asks no more."""
SIGNS = "/agent/v1/signs"


class RateLimits:
    """ASGI middleware: counts requests of the API, says what is left, refuses what is too much.

    Pages, files and `/health` are not counted. A login is counted under its address alone, whatever
    comes with it.
    """

    def __init__(self, app: ASGIApp, rates: Rates, session_cookie: str) -> None:
        """:param session_cookie: the name of the cookie of who is signed in."""
        self._app = app
        self._rates = rates
        self._cookie = session_cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or not scope["path"].startswith((AGENTS, PEOPLE, *OUTSIDE)):
            await self._app(scope, receive, send)
            return
        visit = _visit(scope, self._cookie)
        standing = await self._rates.take(visit)
        if standing is not None and standing.wait_seconds > 0:
            problem = standing.problem()
            problem.headers.update(standing.headers())
            await _refuse(problem, scope, receive, send)
            return
        scope[SCOPE_KEY] = visit

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                if visit.surface == "agents" and message["status"] < BEYOND_SUCCESS:
                    visit.who = f"agent:{visit.credential}"  # nothing there is for nobody
                await self._rates.settle(visit, message["status"])
                if standing is not None:
                    MutableHeaders(scope=message).update(standing.headers())
            await send(message)

        await self._app(scope, receive, send_with_headers)


class FairTurns:
    """ASGI middleware: works on requests in an order in which no tenant holds up another.

    Requests of tokens and cookies that nobody has seen valid are strangers': all of them are one
    tenant, in which addresses take turns. Of a tenant agents and people do.
    """

    def __init__(self, app: ASGIApp, shares: Shares) -> None:
        self._app = app
        self._shares = shares
        self._tenants: OrderedDict[str, tuple[Hashable, float]] = OrderedDict()
        """Digest of a token or cookie → whose it is, and when that was told."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        visit: Visit | None = scope.get(SCOPE_KEY)
        if visit is None:
            await self._app(scope, receive, send)
            return
        visit.tenant, told_at = self._tenants.get(visit.credential or "", (None, -math.inf))
        visit.due = time.monotonic() - told_at > TOLD_AGAIN_SECONDS
        if visit.tenant is not None and scope["path"] == SIGNS:
            await self._app(scope, receive, send)  # it costs next to nothing, and may not be late
            return
        who = visit.address if visit.tenant is None and not visit.known else visit.credential
        tenant = UNSORTED if visit.tenant is None and visit.known else visit.tenant
        turn = Turn(self._shares, tenant, visit.surface, who)
        begun = time.monotonic()
        try:
            await self._shares.enter(turn)
            visit.waited_seconds = time.monotonic() - begun
        except TooManyRequests as problem:
            await _refuse(problem, scope, receive, send)
            return
        with having(turn):
            body = _BodyAtRest(scope, receive, turn)
            await self._app(scope, body.receive, self._send_at_rest(send, turn, visit, body))

    def _send_at_rest(self, send: Send, turn: Turn, visit: Visit, body: "_BodyAtRest") -> Send:
        """Whoever takes an answer slowly holds nobody up."""

        async def send_and_rest(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._remember(visit, message["status"])
                await body.end()
            if message.get("more_body", False):
                async with turn.resting():
                    await send(message)
            else:
                with turn.resting_if_long():
                    await send(message)

        return send_and_rest

    def _remember(self, visit: Visit, status: int) -> None:
        if visit.credential is None:
            return
        if status == REFUSED:
            self._tenants.pop(visit.credential, None)
        elif visit.learned:
            self._tenants[visit.credential] = (visit.tenant, time.monotonic())
            self._tenants.move_to_end(visit.credential)
            if len(self._tenants) > REMEMBERED:
                self._tenants.popitem(last=False)


class _BodyAtRest:
    """A request's body: whoever sends it slowly holds nobody up; it is work again once it is there,
    or as soon as there is an answer.
    """

    def __init__(self, scope: Scope, receive: Receive, turn: Turn) -> None:
        headers = Headers(scope=scope)
        self._more = "Transfer-Encoding" in headers or headers.get("Content-Length", "0") != "0"
        self._receive = receive
        self._turn = turn
        self._rests = False

    async def receive(self) -> Message:
        """The next piece."""
        if not self._more:
            return await self._receive()
        timer = asyncio.get_running_loop().call_later(SHORT_SECONDS, self._rest)
        try:
            message = await self._receive()
        finally:
            timer.cancel()
        if self._more and not message.get("more_body", False):
            await self.end()
        return message

    def _rest(self) -> None:
        if self._more and not self._rests:
            self._rests = True
            self._turn.rest()

    async def end(self) -> None:
        """Expect nothing more. Idempotent."""
        self._more = False
        if self._rests:
            self._rests = False
            await self._turn.go_on()


class Remainders:
    """ASGI middleware: what was answered before its body was read ends the connection.

    A little of the rest is still taken, so that the answer arrives with a client that is sending,
    and thrown away; and an address longer than anything of use is refused.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        more = "Transfer-Encoding" in headers or headers.get("Content-Length", "0") != "0"

        async def receive_and_see() -> Message:
            nonlocal more
            message = await receive()
            more = more and bool(message.get("more_body", False))
            return message

        async def send_and_end(message: Message) -> None:
            if not more:
                await send(message)
            elif message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Connection"] = "close"
                await send(message)
            else:
                await send({**message, "more_body": True})
                if not message.get("more_body", False):
                    if headers.get("Expect", "").lower() != "100-continue":
                        await _throw_away(receive)
                    await send({"type": "http.response.body", "body": b""})

        if len(scope["query_string"]) > MOST_QUERY_BYTES:
            problem = AddressTooLong(f"a query may have {MOST_QUERY_BYTES:,} bytes")
            await _refuse(problem, scope, receive, send_and_end)
            return
        await self._app(scope, receive_and_see, send_and_end)


async def _throw_away(receive: Receive) -> None:
    taken = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(REST_SECONDS):
            while taken < REST_BYTES:
                message = await receive()
                taken += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _visit(scope: Scope, session_cookie: str) -> Visit:
    headers = Headers(scope=scope)
    credential = headers.get("Authorization", "").partition(" ")[2].strip()
    if not credential:
        credential = cookie_parser(headers.get("Cookie", "")).get(session_cookie, "")
    if scope["path"] == LOGIN:
        credential = ""
    return Visit(
        credential=digest_of(credential) if credential else None,
        surface="agents" if scope["path"].startswith(AGENTS) else "people",
        address=client_address(scope),
    )


async def _refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    await answer_to(problem, Request(scope))(scope, receive, send)
