"""Waiting for something to happen: Redis wakes at once, and polling does when Redis is away."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

POLL_SECONDS = 5.0
"""Longest wait while Redis answers; covers a message that was lost."""
POLL_WITHOUT_REDIS_SECONDS = 1.0
AWAY = (RedisError, OSError, asyncio.TimeoutError)


class Waker:
    """One listener on one channel; survives Redis being away, emptied, or coming back."""

    def __init__(self, redis: Redis, channel: str) -> None:
        """:param redis: shared client; the listener takes a connection of its own."""
        self._redis = redis
        self._channel = channel
        self._pubsub: PubSub | None = None

    async def wait(self, seconds: float) -> dict[str, Any] | None:
        """Wait for a message, at most so long.

        :returns: the message `{id, kind, data}`; None when time is up, or nobody knows: look.
        """
        try:
            pubsub = await self._subscribed()
            message = await pubsub.get_message(
                ignore_subscribe_messages=True, timeout=min(seconds, POLL_SECONDS)
            )
        except AWAY as error:
            log.info("redis_away", channel=self._channel, error=repr(error))
            await self.close()
            await asyncio.sleep(min(seconds, POLL_WITHOUT_REDIS_SECONDS))
            return None
        if message is None:
            return None
        with contextlib.suppress(ValueError, TypeError):
            decoded = json.loads(message["data"])
            if isinstance(decoded, dict):
                return decoded
        return None

    async def listen(self) -> None:
        """Begin to listen; what is published from now on is heard."""
        try:
            await self._subscribed()
        except AWAY as error:
            log.info("redis_away", channel=self._channel, error=repr(error))
            await self.close()

    async def close(self) -> None:
        """Give the connection back."""
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is not None:
            with contextlib.suppress(*AWAY):
                await pubsub.aclose()  # type: ignore[no-untyped-call]

    async def _subscribed(self) -> PubSub:
        if self._pubsub is None:
            pubsub = self._redis.pubsub()
            self._pubsub = pubsub
            await pubsub.subscribe(self._channel)
        return self._pubsub


@asynccontextmanager
async def listening(redis: Redis, channel: str) -> AsyncIterator[Waker]:
    """Listen to a channel; look at the database only afterwards, and nothing falls between."""
    waker = Waker(redis, channel)
    await waker.listen()
    try:
        yield waker
    finally:
        await waker.close()
