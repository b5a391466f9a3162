"""Signs of life of agents at work, every second or two: kept in Redis, so that each process knows
how old they are, whichever was told.

A heartbeat costs the database something and comes seldom; a sign costs it nothing. What follows
from silence is that it is shown: who loses their work is a question of leases.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from uuid import UUID

from anyio import CapacityLimiter, to_thread
from redis import Redis
from redis.exceptions import RedisError

from weighhouse_backend.fleet.pace import Pace

KEPT_SECONDS = 3600
SIGNS_A_SECOND, MOST_PAUSES = 40.0, 5
"""What one process takes of signs, at some 2 ms of its processor each, and how many times as long
as usual they are apart at most where more are given.
"""
WRITE_SECONDS = 0.5
"""How often a process writes down the signs that it was given."""
LATE_SECONDS = 2.0
"""A process that wrote later than so was held up itself, and tells nobody silent for a while."""
SPARE_SECONDS = 1.0


class AgentSigns:
    """The signs that one process was given, and the ages of all."""

    def __init__(
        self, redis: Redis, every_seconds: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        """:param every_seconds: how often agents give one; 0: they give none."""
        self._redis = redis
        self._every = every_seconds
        self._pace = Pace(SIGNS_A_SECOND, every_seconds, MOST_PAUSES * every_seconds, now)
        self._given: dict[UUID, float] = {}
        self._asked: set[UUID] = set()
        self._thread = CapacityLimiter(1)
        self._sound_since: float | None = None
        """Since when this process has written without a fault and in time, monotonic."""

    @property
    def pause_seconds(self) -> float:
        """How long agents at work wait between two signs just now."""
        return self._pace.pause_seconds

    def give(self, agent_id: UUID) -> float | None:
        """An agent is there; told in the event loop.

        :returns: how long until its next sign, s; None: as long as usual.
        """
        pause = self._pace.take() if self._every else None
        self._given[agent_id] = pause or self._every
        return pause

    def ask(self, agent_id: UUID) -> None:
        """An agent asks for work, or is given some: it is there, and silent from now on at the
        earliest, if it gives signs at all; told in the event loop.
        """
        self._asked.add(agent_id)

    def begin(self, agent_id: UUID) -> None:
        """An agent's program begins anew, and may be one that gives no signs: those of before are
        forgotten; safe to call from any thread.
        """
        with suppress(RedisError, OSError):
            self._redis.delete(_key(agent_id))

    async def run(self) -> None:
        """Write them down until cancelled."""
        written_at = time.monotonic()
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            given, self._given = self._given, {}
            asked, self._asked = self._asked, set()
            try:
                await to_thread.run_sync(self._write, given, asked, limiter=self._thread)
            except (RedisError, OSError):
                self._sound_since = None
                self._given = given | self._given
                self._asked |= asked
                continue
            now = time.monotonic()
            if self._sound_since is None or now - written_at > LATE_SECONDS:
                self._sound_since = now
            written_at = now

    def silent(self, agent_ids: Collection[UUID]) -> Mapping[UUID, float]:
        """Of agents at work those that give no sign; safe to call from any thread.

        :returns: agent → seconds since its last one; nothing of an agent that never gave one, and
            nothing at all while this process cannot know: it began, or was held up, just now.
        """
        since = self._sound_since
        ids = list(agent_ids)
        if not ids or not self._every or since is None:
            return {}
        if time.monotonic() - since < _silent_seconds(self.pause_seconds):
            return {}
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                for agent_id in ids:
                    pipeline.pttl(_key(agent_id))
                    pipeline.get(_key(agent_id))
                found = pipeline.execute()
        except (RedisError, OSError):
            return {}
        ages = {
            agent_id: (KEPT_SECONDS - left / 1000, float(promised))
            for agent_id, left, promised in zip(ids, found[::2], found[1::2], strict=True)
            if left >= 0 and promised is not None
        }
        return {
            agent_id: age
            for agent_id, (age, promised) in ages.items()
            if age > _silent_seconds(promised)
        }

    def _write(self, given: Mapping[UUID, float], asked: Collection[UUID] = ()) -> None:
        with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.ping()
            for agent_id in asked:
                pipeline.expire(_key(agent_id), KEPT_SECONDS)
            for agent_id, next_seconds in given.items():
                pipeline.set(_key(agent_id), next_seconds, ex=KEPT_SECONDS)
            pipeline.execute()


def _silent_seconds(every_seconds: float) -> float:
    """How old a sign is at least of an agent that is silent."""
    return 3 * every_seconds + SPARE_SECONDS


def _key(agent_id: UUID) -> str:
    return f"sign:agent:{agent_id}"
