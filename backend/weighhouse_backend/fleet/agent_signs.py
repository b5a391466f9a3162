"""Signs of life of agents at work, every second or two: kept in Redis, so that each process knows
how old they are, whichever was told.

A heartbeat costs the database something and comes seldom; a sign costs it nothing. What follows
from silence is that it is shown: who loses their work is a question of leases.
"""

import asyncio
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from uuid import UUID

from anyio import CapacityLimiter, to_thread
from redis import Redis
from redis.exceptions import RedisError

KEPT_SECONDS = 3600
WRITE_SECONDS = 0.5
"""How often a process writes down the signs that it was given."""
LATE_SECONDS = 2.0
"""A process that wrote later than so was held up itself, and tells nobody silent for a while."""
SPARE_SECONDS = 1.0


class AgentSigns:
    """The signs that one process was given, and the ages of all."""

    def __init__(self, redis: Redis, every_seconds: float) -> None:
        """:param every_seconds: how often agents give one; 0: they give none."""
        self._redis = redis
        self._silent_seconds = 3 * every_seconds + SPARE_SECONDS if every_seconds else 0.0
        self._given: set[UUID] = set()
        self._asked: set[UUID] = set()
        self._thread = CapacityLimiter(1)
        self._sound_since: float | None = None
        """Since when this process has written without a fault and in time, monotonic."""

    def give(self, agent_id: UUID) -> None:
        """An agent is there; told in the event loop."""
        self._given.add(agent_id)

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
            given, self._given = self._given, set()
            asked, self._asked = self._asked, set()
            try:
                await to_thread.run_sync(self._write, given, asked, limiter=self._thread)
            except (RedisError, OSError):
                self._sound_since = None
                self._given |= given
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
        if not ids or not self._silent_seconds or since is None:
            return {}
        if time.monotonic() - since < self._silent_seconds:
            return {}
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                for agent_id in ids:
                    pipeline.pttl(_key(agent_id))
                left_ms = pipeline.execute()
        except (RedisError, OSError):
            return {}
        ages = {
            agent_id: KEPT_SECONDS - left / 1000
            for agent_id, left in zip(ids, left_ms, strict=True)
            if left >= 0
        }
        return {agent_id: age for agent_id, age in ages.items() if age > self._silent_seconds}

    def _write(self, given: Collection[UUID], asked: Collection[UUID] = ()) -> None:
        with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.ping()
            for agent_id in asked:
                pipeline.set(_key(agent_id), 1, ex=KEPT_SECONDS, xx=True)
            for agent_id in given:
                pipeline.set(_key(agent_id), 1, ex=KEPT_SECONDS)
            pipeline.execute()


def _key(agent_id: UUID) -> str:
    return f"sign:agent:{agent_id}"
