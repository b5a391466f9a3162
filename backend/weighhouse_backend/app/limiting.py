"""Limits before anything else is done with a request: how often, how much, how long an address."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weighhouse_backend.kit.problems import AddressTooLong, BodyTooLarge, Problem, answer_to
from weighhouse_backend.kit.rates import SCOPE_KEY, Rates, Visit, client_address, digest_of

AGENTS, PEOPLE = "/agent/", "/api/"
LOGIN = "/api/v1/sessions"
ARTIFACT = "/artifacts/"
MOST_QUERY_BYTES = 16 * 1024
BEYOND_SUCCESS = 300


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
        if scope["type"] != "http" or not scope["path"].startswith((AGENTS, PEOPLE)):
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


class SizeLimits:
    """ASGI middleware: refuses bodies and queries that are larger than anything of use.

    A body whose length is known is refused unread; one whose length is not, as soon as it is too
    long. Starlette's own middleware would answer with plain text.
    """

    def __init__(self, app: ASGIApp, people_bytes: int, agents_bytes: int) -> None:
        self._app = app
        self._most = {AGENTS: agents_bytes, PEOPLE: people_bytes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if len(scope["query_string"]) > MOST_QUERY_BYTES:
            problem = AddressTooLong(f"a query may have {MOST_QUERY_BYTES:,} bytes")
            await _refuse(problem, scope, receive, send)
            return
        if scope["path"].startswith(AGENTS) and ARTIFACT in scope["path"]:
            # Whoever takes files bounds them piece by piece, and has larger ones in mind.
            await self._app(scope, receive, send)
            return
        most = self._most[AGENTS if scope["path"].startswith(AGENTS) else PEOPLE]
        too_large = f"a body may have {most:,} bytes here"
        length = Headers(scope=scope).get("Content-Length", "")
        if length.isdecimal() and int(length) > most:
            await _refuse(BodyTooLarge(too_large), scope, receive, send)
            return
        received = 0

        async def receive_within() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                # FastAPI lets this one through where it makes a 400 of any other error.
                raise HTTPException(BodyTooLarge.status, too_large)
            return message

        await self._app(scope, receive_within, send)


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
