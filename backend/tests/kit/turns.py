"""A process that works on requests by turns, on a clock that the tests turn."""

import asyncio
from dataclasses import dataclass, field

from weighhouse_backend.kit.at_rest import having
from weighhouse_backend.kit.shares import Shares, Turn

ONE, OTHER, THIRD = "one", "other", "third"


@dataclass
class World:
    """Time passes where it is told to; everything that may go on has gone on by then."""

    now: float = 1000.0
    begun: list[str] = field(default_factory=list)
    shares: Shares = field(init=False)
    tasks: list[asyncio.Task] = field(default_factory=list)

    def __post_init__(self):
        self.shares = Shares(wait_seconds=60.0, clock=lambda: self.now)

    def ask(self, tenant, who="somebody", name=None, sort="people"):
        """A request that is under work until its event is set."""
        over = asyncio.Event()

        async def go():
            turn = Turn(self.shares, tenant, sort, who)
            await self.shares.enter(turn)
            self.begun.append(name or tenant)
            with having(turn):
                await over.wait()

        self.tasks.append(asyncio.create_task(go()))
        return over

    async def passes(self, seconds=0.0):
        """Let time pass in small steps."""
        left = seconds
        while True:
            for _ in range(10):
                await asyncio.sleep(0)
            self.shares._let_in()
            for _ in range(10):
                await asyncio.sleep(0)
            if left <= 1e-9:
                return
            step = min(0.01, left)
            self.now += step
            left -= step

    async def busy(self, tenant, seconds, at_once=4, each=0.02):
        """A tenant who asks without end; how many of its requests were worked on."""
        done = 0
        open_ = [self.ask(tenant) for _ in range(at_once)]
        tasks = self.tasks[-at_once:]
        since = [None] * at_once
        for _ in range(round(seconds / 0.01)):
            await self.passes(0.01)
            working = {id(turn) for turn in self.shares._serving}
            assert len(working) <= 64
            for number in range(at_once):
                if since[number] is None and self._works(tasks[number]):
                    since[number] = self.now
                if since[number] is not None and self.now - since[number] >= each - 1e-9:
                    open_[number].set()
                    await self.passes()
                    done += 1
                    open_[number], since[number] = self.ask(tenant), None
                    tasks[number] = self.tasks[-1]
        return done, open_

    def _works(self, task):
        frame = task.get_coro().cr_frame
        return (
            frame is not None
            and "turn" in frame.f_locals
            and frame.f_locals["turn"] in self.shares._serving
        )


def run(coroutine):
    return asyncio.run(coroutine)
