"""The turn of the request that a task belongs to, for whoever waits in the middle of it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from weighhouse_backend.kit.shares import Turn

_TURN: ContextVar[Turn | None] = ContextVar("turn", default=None)


@contextmanager
def having(turn: Turn) -> Iterator[None]:
    """Work on a request, after it came under work."""
    token = _TURN.set(turn)
    try:
        yield
    finally:
        _TURN.reset(token)
        turn.end()


@asynccontextmanager
async def resting() -> AsyncIterator[None]:
    """Wait for something that is none of the process' work, as part of whatever request."""
    turn = _TURN.get()
    if turn is None:
        yield
        return
    async with turn.resting():
        yield
