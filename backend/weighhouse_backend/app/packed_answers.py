"""Answers are sent packed to who can unpack them."""

import gzip

from anyio.to_thread import run_sync
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weighhouse_backend.kit.codings import accepted_codings

SMALLEST = 1000
"""Below this a head says as much as is saved, bytes."""
LARGE = 32 * 1024
"""From this on packing would keep the loop, and is done beside it, bytes."""
LEVEL = 5
PACKED_TYPES = frozenset({
    "application/json", "application/problem+json", "application/ld+json", "image/svg+xml",
    "text/html", "text/markdown", "text/plain", "text/yaml", "application/yaml",
})  # fmt: skip


class PackedAnswers:
    """ASGI middleware: texts that are answered to a GET in one piece go out as gzip. What comes in
    pieces stays as it is: streams of events, files of exports. No answer to a GET has a secret in
    it, so that what stands beside one tells nothing by its length.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        accepted = accepted_codings(Headers(scope=scope).get("Accept-Encoding", ""))
        await self._app(scope, receive, _Packing(send, packs="gzip" in accepted))


class _Packing:
    """Sends one answer on."""

    def __init__(self, send: Send, *, packs: bool) -> None:
        self._send, self._packs = send, packs
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        """What the application sends."""
        if message["type"] == "http.response.start" and _is_text(message):
            MutableHeaders(scope=message).add_vary_header("Accept-Encoding")
            if self._packs:
                self._start = message
                return
        elif self._start is not None:
            start, self._start = self._start, None
            message = await _packed(start, message)
            await self._send(start)
        await self._send(message)


def _is_text(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    kind = headers.get("Content-Type", "").partition(";")[0].strip()
    return kind in PACKED_TYPES and "Content-Encoding" not in headers


async def _packed(start: Message, message: Message) -> Message:
    body = message.get("body", b"")
    if message.get("more_body", False) or len(body) < SMALLEST:
        return message
    packed = await run_sync(_gzip, body) if len(body) >= LARGE else _gzip(body)
    headers = MutableHeaders(scope=start)
    headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(packed))
    return {**message, "body": packed}


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, LEVEL, mtime=0)
