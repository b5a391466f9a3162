"""How much of large bodies a process holds at a time: in all, and of each sender."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from weighhouse_backend.kit.at_rest import resting
from weighhouse_backend.kit.problems import Problem, Unavailable

COME_AGAIN = {"Retry-After": "2"}
MOST_WAITING = 64
"""Of one sender: each is looked at whenever room is given back."""


class TooManyBodies(
    Problem, status=429, title="Too many large bodies at a time; wait as long as Retry-After says"
):
    """One sender has as much under way as it may."""


@dataclass(eq=False, slots=True)
class _Waiting:
    whose: Hashable
    size: int
    turn: asyncio.Future[None]


class Underway:
    """Gives large bodies their room; whoever finds none waits with theirs unread.

    Of one event loop, and not safe to share by threads.
    """

    def __init__(self, most_bytes: int, share_bytes: int, wait_seconds: float) -> None:
        """:param most_bytes: of all together.
        :param share_bytes: of one sender; no body may be larger.
        :param wait_seconds: how long one waits before it is told to come again.
        """
        self._most, self._share, self._wait = most_bytes, share_bytes, wait_seconds
        self._held: Counter[Hashable] = Counter()
        self._waiting: list[_Waiting] = []

    @property
    def held_bytes(self) -> int:
        """What is under way."""
        return self._held.total()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @asynccontextmanager
    async def hold(self, whose: Hashable, size: int) -> AsyncIterator[None]:
        """Have room for a body of somebody's.

        :raises TooManyBodies: when it is their own that fill their share.
        :raises Unavailable: when all room stayed taken.
        """
        await self._enter(whose, size)
        try:
            yield
        finally:
            self._leave(whose, size)

    async def _enter(self, whose: Hashable, size: int) -> None:
        if sum(one.whose == whose for one in self._waiting) >= MOST_WAITING:
            raise TooManyBodies(f"{MOST_WAITING} wait already", headers=COME_AGAIN)
        turn = asyncio.get_running_loop().create_future()
        waiting = _Waiting(whose, size, turn)
        self._waiting.append(waiting)
        self._let_in()
        try:
            async with resting(), asyncio.timeout(self._wait):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                self._leave(whose, size)  # its turn came at that very moment
            else:
                self._waiting.remove(waiting)
                self._let_in()
            if not isinstance(error, TimeoutError):
                raise
            raise self._full(whose, size) from None

    def _full(self, whose: Hashable, size: int) -> Problem:
        if self._held[whose] + size > self._share:
            return TooManyBodies(
                f"{self._share:,} bytes may be under way at a time; this has {size:,}",
                headers=COME_AGAIN,
            )
        return Unavailable("too many large bodies are under way", headers=COME_AGAIN)

    def _leave(self, whose: Hashable, size: int) -> None:
        self._held[whose] -= size
        if not self._held[whose]:
            del self._held[whose]
        self._let_in()

    def _let_in(self) -> None:
        """In the order they came; who waits for their own share holds nobody else up."""
        for one in list(self._waiting):
            if one.turn.done() or self._held[one.whose] + one.size > self._share:
                continue
            if self.held_bytes + one.size > self._most:
                return
            self._waiting.remove(one)
            self._held[one.whose] += one.size
            one.turn.set_result(None)
