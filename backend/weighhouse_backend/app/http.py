"""HTTP as uvicorn speaks it, with bounds from the first byte: how long a head may be, and may take.

Before the application hears of a request, nobody else bounds it. Named to uvicorn by
`--http weighhouse_backend.app.http:BoundedHttp`.
"""

import asyncio
import json

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from weighhouse_backend.kit.problems import Problem, Unavailable

MOST_HEAD_BYTES = 32 * 1024
MOST_HEADERS = 100
MOST_CONNECTIONS = 2000
"""Beyond it requests are refused; streams and agents' questions hold one each."""
SHARE = 4
"""Beside a body may come as much as a head may have, and a quarter of the body."""
HEAD_SECONDS = 15.0
"""From the connection, or the first byte, to the end of the head."""


class HeadTooLarge(Problem, status=431, title="The request's headers are too large"):
    """More headers, or longer ones, than are taken."""


class _Refusal:
    """Answers whatever is asked with one problem, and ends the connection."""

    def __init__(self, problem: Problem) -> None:
        self._status = problem.status
        self._content = json.dumps(problem.document().model_dump(exclude_none=True)).encode()
        self._headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(self._content)).encode()),
            (b"connection", b"close"),
            *((name.encode(), value.encode()) for name, value in problem.headers.items()),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Over ASGI."""
        del scope, receive
        start = {"type": "http.response.start", "status": self._status, "headers": self._headers}
        await send(start)
        await send({"type": "http.response.body", "body": self._content})

    def raw(self) -> bytes:
        """As it stands on the wire, where no request has come about."""
        lines = b"".join(b"%s: %s\r\n" % pair for pair in self._headers)
        return b"HTTP/1.1 %d \r\n%s\r\n%s" % (self._status, lines, self._content)


_TOO_LARGE = _Refusal(
    HeadTooLarge(f"address and headers may have {MOST_HEAD_BYTES:,} bytes, and be {MOST_HEADERS}")
)
_TOO_MANY = _Refusal(Unavailable("too many are connected", headers={"Retry-After": "5"}))


class BoundedHttp(HttpToolsProtocol):
    """One connection."""

    _head_bytes = 0
    """Of the head that is arriving, as far as it came in earlier pieces."""
    _in_head = True
    _has_head = False
    """Whether a head ended within the latest piece."""
    _body_bytes = 0
    _beside_bytes = 0
    """What came behind a head and was no body: lengths of its pieces, and lines behind the last."""
    _ends: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there; they have a while to ask."""
        super().connection_made(transport)
        self._begin_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """They went away."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A piece came. A head that is too long before it ends is refused unparsed, and so is what
        comes beside a body.
        """
        most = MOST_HEAD_BYTES + (0 if self._in_head else self._body_bytes // SHARE)
        if (self._head_bytes if self._in_head else self._beside_bytes) > most:
            self._stop()
            if self._in_head or not self.cycle.response_started:
                self.transport.write(_TOO_LARGE.raw())
            self.transport.close()
            return
        head, body, self._has_head = self._head_bytes, self._body_bytes, False
        super().data_received(data)
        if self._in_head and self._head_bytes == head:
            self._head_bytes += len(data)
        elif not self._has_head:
            self._beside_bytes += len(data) - (self._body_bytes - body)

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._begin_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A line of a head; those behind a body say nothing here, and are not kept."""
        if self._in_head:
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """A piece of a body."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_headers_complete(self) -> None:
        """A head has ended."""
        self._stop()
        self._in_head, self._head_bytes = False, 0
        self._has_head, self._body_bytes, self._beside_bytes = True, 0, 0
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        right = self.app
        if size > MOST_HEAD_BYTES or len(self.headers) > MOST_HEADERS:
            self.app = _TOO_LARGE
        elif len(self.connections) > MOST_CONNECTIONS:
            self.app = _TOO_MANY
        try:
            super().on_headers_complete()
        finally:
            self.app = right

    def _begin_head(self) -> None:
        self._stop()
        self._in_head, self._head_bytes = True, 0
        self._ends = self.loop.call_later(HEAD_SECONDS, self.timeout_keep_alive_handler)

    def _stop(self) -> None:
        if self._ends is not None:
            self._ends.cancel()
            self._ends = None
