"""What surrounds every request: an id in logs and answer, careful headers, quiet goodbyes."""

import re

import structlog
from anyio import BrokenResourceError, ClosedResourceError
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.traces import Tracing, Untraced
from weighhouse_backend.kit.whence import comes_from

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "font-src 'self' data:; connect-src 'self'; object-src 'none'; frame-ancestors 'none'; "
        "base-uri 'self'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
OF_PARTS = ("X-Content-Type-Options", "Strict-Transport-Security")
"""What stands with parts of pages too, of which there are many: the rest binds pages."""


class Surroundings:
    """ASGI middleware; passes streams through as they are.

    A caller's own `X-Request-Id` is kept when it is plain, so that a request can be followed
    through several programs' logs. What one person may see is never kept by a shared cache: an
    answer that says nothing of caching is `no-store`.
    """

    def __init__(self, app: ASGIApp, hsts_seconds: int = 0, tracing: Tracing | None = None) -> None:
        """:param hsts_seconds: how long browsers are told to use HTTPS alone; 0: not told.
        :param tracing: says to which trace a request belongs; none: to none.
        """
        self._app = app
        self._tracing = tracing or Untraced()
        self._headers = dict(SECURITY_HEADERS)
        if hsts_seconds:
            self._headers["Strict-Transport-Security"] = f"max-age={hsts_seconds}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = Headers(scope=scope).get("X-Request-Id", "")
        request_id = sent if REQUEST_ID.fullmatch(sent) else str(new_id())
        comes_from(scope)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id, **self._tracing.words())

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                headers.setdefault("Cache-Control", "no-store")
                # Who may frame a page with a policy of its own, its policy says.
                framed = "frame-ancestors" in headers.get("Content-Security-Policy", "")
                is_part = "immutable" in headers["Cache-Control"]
                for name, value in self._headers.items():
                    if (framed and name == "X-Frame-Options") or (is_part and name not in OF_PARTS):
                        continue
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class Departures:
    """ASGI middleware: a reader of a stream who goes away is no fault of the platform.

    FastAPI's streams of events close their ends one after the other when their reader has gone;
    what was just being handed on then meets a closed end, and would be told as an error.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        begun = False

        async def send_and_see(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_and_see)
        except* (BrokenResourceError, ClosedResourceError):
            if not begun:
                raise
