"""What many want at once is read once, and nobody is told what was read before they asked."""

import asyncio
import threading
import time

import pytest
from weighhouse_backend.campaigns import shared_reads
from weighhouse_backend.campaigns.shared_reads import SharedReads


class Table:
    """Counts how often it is read; a read lasts until it is let go."""

    def __init__(self):
        self.rows, self.reads = [], 0
        self.begun = threading.Semaphore(0)
        self.let_go = threading.Event()
        self.let_go.set()

    def read(self):
        self.reads += 1
        found = list(self.rows)
        self.begun.release()
        self.let_go.wait()
        return found


def test_hundreds_who_heard_of_the_same_read_once():
    async def scenario():
        table, reads = Table(), SharedReads()
        table.rows.append("one")
        since = time.monotonic()
        found = await asyncio.gather(
            *(reads.of("campaign", 0, since, table.read) for _ in range(300))
        )
        assert found == [["one"]] * 300
        # Also those who come when it is done, as long as they heard of nothing since.
        assert await reads.of("campaign", 0, since, table.read) == ["one"]
        assert table.reads == 1
        await reads.of("campaign", 1, since, table.read)
        await reads.of("another", 1, since, table.read)
        assert table.reads == 3

    asyncio.run(scenario())


def test_who_heard_of_something_later_is_not_told_what_was_there_before():
    async def scenario():
        table, reads = Table(), SharedReads()
        table.let_go.clear()
        early = asyncio.create_task(reads.of("campaign", 0, time.monotonic(), table.read))
        await asyncio.to_thread(table.begun.acquire)
        table.rows.append("later")
        late = asyncio.create_task(reads.of("campaign", 0, time.monotonic(), table.read))
        await asyncio.to_thread(table.begun.acquire)
        table.let_go.set()
        assert await late == ["later"]
        assert await early == []

    asyncio.run(scenario())


def test_who_leaves_takes_it_from_nobody():
    async def scenario():
        table, reads = Table(), SharedReads()
        table.let_go.clear()
        since = time.monotonic()
        first, second = (
            asyncio.create_task(reads.of("campaign", 0, since, table.read)) for _ in range(2)
        )
        await asyncio.to_thread(table.begun.acquire)
        first.cancel()
        await asyncio.wait([first])
        table.let_go.set()
        assert await second == []
        assert table.reads == 1

    asyncio.run(scenario())


def test_what_fails_is_read_anew(monkeypatch):
    monkeypatch.setattr(shared_reads, "KEPT_SECONDS", 0.0)

    async def scenario():
        table, reads, since = Table(), SharedReads(), time.monotonic()

        def fails():
            raise OSError("the database is away")

        for each in await asyncio.gather(
            *(reads.of("campaign", 0, since, fails) for _ in range(3)), return_exceptions=True
        ):
            assert isinstance(each, OSError)
        assert await reads.of("campaign", 0, since, table.read) == []
        await asyncio.sleep(0.05)
        assert not reads._reads, "nothing is kept of those who have gone"
        with pytest.raises(OSError, match="away"):
            await reads.of("campaign", 0, since, fails)

    asyncio.run(scenario())
