"""Requests whose bodies are handed over piece by piece, as far as the application asks for them."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message

PIECE = b" " * 65_536


@dataclass
class Sent:
    """A request under way, and what came of it."""

    taken_bytes: int = 0
    """Of the body, until the answer began."""
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes = b""

    @property
    def problem(self) -> Any:
        """The answer as JSON."""
        return json.loads(self.content)

    @property
    def slug(self) -> str:
        """Which problem it is."""
        return str(self.problem["type"]).rpartition("/")[2]


async def pieces_of(size: int) -> AsyncIterator[bytes]:
    """A body of blanks."""
    while size > 0:
        yield PIECE[:size]
        size -= len(PIECE)


async def send(
    app: ASGIApp,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: AsyncIterator[bytes],
    *,
    length: int | None = None,
    sent: Sent | None = None,
) -> Sent:
    """Ask an application over ASGI.

    :param length: as it is told; None: the body comes in chunks.
    :param sent: to look at meanwhile.
    """
    sent = sent or Sent()
    told = {"content-type": "application/json", **{k.lower(): v for k, v in headers.items()}}
    told |= {"transfer-encoding": "chunked"} if length is None else {"content-length": str(length)}
    url, _, query = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "scheme": "http", "path": url, "raw_path": url.encode(), "query_string": query.encode(),
        "root_path": "", "headers": [(k.encode(), v.encode()) for k, v in told.items()],
        "client": ("203.0.113.7", 1), "server": ("testserver", 80), "state": {},
    }  # fmt: skip

    async def receive() -> Message:
        piece = await anext(body, None)
        if not sent.status:
            sent.taken_bytes += len(piece or b"")
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def take(message: Message) -> None:
        if message["type"] == "http.response.start":
            sent.status = message["status"]
            sent.headers = {k.decode(): v.decode() for k, v in message["headers"]}
        else:
            sent.content += message.get("body", b"")

    await app(scope, receive, take)
    return sent


async def until(what: str, seen: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait on the event loop for a state."""
    async with asyncio.timeout(60):
        while True:
            found = seen()
            if found if isinstance(found, bool) else await found:
                return
            await asyncio.sleep(0.005)
    raise AssertionError(what)
