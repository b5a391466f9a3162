"""Work that is begun again whenever it ends, and told while it fails."""

import asyncio
import errno
import time
from collections.abc import Callable

from weighhouse_backend.kit import background
from weighhouse_backend.kit.background import Background, keep_looking
from weighhouse_backend.kit.conditions import Conditions
from weighhouse_testing.waits import PATIENCE_SECONDS, until


async def reached(question: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not question():
        assert time.monotonic() < deadline, "not within the time"
        await asyncio.sleep(0.02)


def test_what_ends_is_begun_again_and_told_until_it_goes_on(monkeypatch) -> None:
    monkeypatch.setattr(background, "STEADY_SECONDS", 0.2)
    conditions, begun = Conditions(), 0
    told: list[str] = []

    async def work() -> None:
        nonlocal begun
        begun += 1
        told.extend(one.detail for one in conditions.told())
        if begun == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        if begun == 2:
            raise ValueError("wht_a-secret-that-nobody-is-told")
        if begun > 3:
            await asyncio.sleep(3600)

    async def story() -> None:
        kept = Background(conditions)
        kept.keep("rounds", work)
        async with kept:
            await reached(lambda: begun == 4)
            await reached(lambda: not conditions.told())
            assert kept.failures == {"rounds": 3}

    asyncio.run(story())
    begun_again = "; it is begun again"
    assert told == [
        f"rounds: it ended with OSError: No space left on device{begun_again}",
        f"rounds: it ended with ValueError{begun_again}",
        f"rounds: it ended by itself{begun_again}",
    ]


def test_what_loses_a_cancellation_is_cancelled_again(monkeypatch) -> None:
    monkeypatch.setattr(background, "AGAIN_SECONDS", 0.05)
    lost = 0

    async def work() -> None:
        nonlocal lost
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                lost += 1
                if lost > 2:
                    raise

    async def story() -> None:
        kept = Background(Conditions())
        kept.keep("rounds", work)
        async with kept:
            await asyncio.sleep(0)

    asyncio.run(story())
    assert lost == 3


def test_what_is_cancelled_ends() -> None:
    conditions, ended = Conditions(), []

    async def work() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append(True)

    async def story() -> None:
        kept = Background(conditions)
        kept.keep("rounds", work)
        async with kept:
            await asyncio.sleep(0)

    asyncio.run(story())
    assert ended == [True]
    assert not conditions.told()


def test_a_look_that_fails_is_followed_by_the_next() -> None:
    looks: list[int] = []

    def look() -> None:
        looks.append(1)
        raise OSError(errno.ENOSPC, "No space left on device")

    over = keep_looking("rounds", look, 0.01)
    until("it looks on", lambda: len(looks) > 2)
    over.set()
