"""Readers of streams who go away in the middle, as the server's interface tells it."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest
from fastapi import FastAPI
from fastapi.sse import EventSourceResponse, ServerSentEvent
from weighhouse_backend.app.surroundings import Departures


def platform() -> FastAPI:
    app = FastAPI()

    @app.get("/events", response_class=EventSourceResponse)
    async def events() -> AsyncIterator[ServerSentEvent]:
        while True:
            yield ServerSentEvent(raw_data="1")

    @app.get("/broken", response_class=EventSourceResponse)
    async def broken() -> AsyncIterator[ServerSentEvent]:
        yield ServerSentEvent(raw_data="1")
        raise RuntimeError("of the platform's own")

    return app


async def read(app: Callable[..., Any], path: str, most: int) -> None:
    """Ask for a stream, take what comes slowly, and go away in the middle."""
    taken = 0
    gone = anyio.Event()

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal taken
        if message["type"] == "http.response.body":
            taken += 1
            if taken >= most:
                gone.set()
            await anyio.sleep(0.01)

    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1",
        "method": "GET", "scheme": "http", "path": path, "raw_path": path.encode(),
        "query_string": b"", "root_path": "", "headers": [], "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2), "state": {},
    }  # fmt: skip
    await app(scope, receive, send)


def often(app: FastAPI) -> None:
    for _ in range(50):
        anyio.run(read, app, "/events", 3)


def test_a_reader_who_goes_away_is_no_fault() -> None:
    bare = platform()
    with pytest.raises(BaseExceptionGroup):  # what this is for; else it is no longer needed
        often(bare)
    app = platform()
    app.add_middleware(Departures)
    often(app)


def test_faults_of_a_stream_are_told() -> None:
    app = platform()
    app.add_middleware(Departures)
    with pytest.raises(BaseExceptionGroup) as told:
        anyio.run(read, app, "/broken", 9)
    assert told.value.subgroup(RuntimeError) is not None
