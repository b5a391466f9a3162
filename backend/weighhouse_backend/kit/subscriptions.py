"""One subscription to Redis for all who listen in a process, however many they are.

A listener costs an entry in a table, no connection. What Redis tells is a hint to look into the
database, so everything here may be lost: listeners are told to look when the connection breaks,
when their queue runs over, and after a while in any case.
"""

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import redis.asyncio
import structlog
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from weighhouse_backend.kit.at_rest import resting

log = structlog.get_logger(__name__)

LOOK_SECONDS = 5.0
"""Longest wait of a listener while Redis answers; covers a message that was lost."""
LOOK_WITHOUT_REDIS_SECONDS = 1.0
QUEUE = 256
"""Messages kept for a listener that is slow; past that it is told to look instead."""
PING_SECONDS = 10.0
"""A connection that says nothing for so long is asked whether it is there …"""
DEAD_SECONDS = 25.0
"""… and given up after so long without a word."""
RECONNECT_SECONDS = 0.5
STEP_SECONDS = 5.0
"""Longest wait for one call of Redis' client."""
CONFIRM_SECONDS = 2.0
"""Longest wait for Redis to confirm a channel; whoever waited looks all the same."""

Heard = Callable[[str], None]
"""Told the rest of a channel's name after its prefix."""


@dataclass(eq=False)
class Listener:
    """Somebody who waits for messages of one channel."""

    subscriptions: "Subscriptions"
    _messages: deque[dict[str, Any]] = field(default_factory=deque)
    _look: bool = False
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    heard_at: float = 0.0
    """When something was heard last, monotonic, s."""

    async def wait(self, seconds: float) -> dict[str, Any] | None:
        """Wait for a message, at most so long.

        :returns: the message `{id, kind, data}`; None when time is up, or nobody knows: look.
        """
        longest = LOOK_SECONDS if self.subscriptions.connected else LOOK_WITHOUT_REDIS_SECONDS
        if not self._messages and not self._look:
            async with resting():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(min(seconds, longest)):
                        await self._wake.wait()
        self._wake.clear()
        if self._look:
            self._look = False
            self._messages.clear()
            return None
        return self._messages.popleft() if self._messages else None

    def hear(self, message: dict[str, Any] | None) -> None:
        """Take a message; None, or one too many: look."""
        self.heard_at = time.monotonic()
        if message is None or len(self._messages) >= QUEUE:
            self._look = True
        else:
            self._messages.append(message)
        self._wake.set()


class Subscriptions:
    """Hears for a whole process over one connection; makes it anew when it breaks.

    Used from one event loop. Before `run` is called, and while Redis is away, listeners are told
    to look every second.
    """

    def __init__(self, redis_url: str) -> None:
        """:param redis_url: the connection is made by `run`."""
        self._redis = redis.asyncio.Redis.from_url(
            redis_url,
            retry=Retry(NoBackoff(), 0),  # what breaks is told to the listeners first
            socket_timeout=DEAD_SECONDS,
            socket_connect_timeout=2,
            single_connection_client=False,
        )
        self._prefixes: dict[str, Heard] = {}
        self._lost: list[Callable[[], None]] = []
        self._listeners: dict[str, set[Listener]] = {}
        self._confirmations: dict[str, asyncio.Event] = {}
        self._pubsub: PubSub | None = None
        self._asked = asyncio.Event()
        self._unconfirmed = 0
        self.connected = False
        """Whether what is published under a prefix is heard now."""
        self.epoch = 0
        """Grows whenever something may have been missed."""

    def watch(self, prefix: str, heard: Heard, lost: Callable[[], None]) -> None:
        """Hear every channel whose name begins so; to be called before `run`.

        :param lost: called when messages may have been missed.
        """
        self._prefixes[prefix] = heard
        self._lost.append(lost)

    @asynccontextmanager
    async def listening(self, channel: str) -> AsyncIterator[Listener]:
        """Listen to a channel; look at the database only afterwards, and nothing falls between."""
        listener = Listener(self)
        others = self._listeners.setdefault(channel, set())
        others.add(listener)
        try:
            self._asked.set()
            await self._confirmed(channel)
            yield listener
        finally:
            others.discard(listener)
            if not others and self._listeners.get(channel) is others:
                del self._listeners[channel]
                self._asked.set()

    async def run(self) -> None:
        """Hear until cancelled; survives Redis being away, emptied, or coming back."""
        try:
            while True:
                try:
                    await self._hear()
                except Exception as error:  # noqa: BLE001 - whatever it is, a new connection ends it
                    log.info("redis_away", error=repr(error))
                await self._disconnect()
                await asyncio.sleep(RECONNECT_SECONDS)
        finally:
            await self._disconnect()
            await self._redis.aclose()

    async def _hear(self) -> None:
        """Hear over one connection until it breaks; nobody else touches it.

        Redis' client connects anew by itself when a command fails: with several tasks at that, one
        of them reads the other's answers, and neither hears anything from then on.
        """
        pubsub = self._pubsub = self._redis.pubsub()
        self._unconfirmed = len(self._prefixes)
        async with asyncio.timeout(STEP_SECONDS):
            await pubsub.psubscribe(*(f"{prefix}*" for prefix in self._prefixes))
        subscribed = set[str]()
        heard_at = time.monotonic()
        while True:
            self._asked.clear()
            async with asyncio.timeout(STEP_SECONDS):
                subscribed = await self._subscribe(pubsub, subscribed)
            if (mine := asyncio.current_task()) is not None and mine.cancelling():
                raise asyncio.CancelledError  # which Redis' client loses now and then
            message = await self._next(pubsub)
            if message is not None:
                heard_at = time.monotonic()
                self._take(message)
            elif time.monotonic() - heard_at > DEAD_SECONDS:
                raise TimeoutError("nothing was heard of Redis")
            elif not self._asked.is_set():
                async with asyncio.timeout(STEP_SECONDS):
                    await pubsub.ping()

    async def _subscribe(self, pubsub: PubSub, subscribed: set[str]) -> set[str]:
        """Have what is listened to subscribed, and nothing else.

        :param subscribed: what is so far.
        """
        wanted = set(self._listeners)
        if gone := subscribed - wanted:
            for channel in gone:
                self._confirmations.pop(channel, None)
            await pubsub.unsubscribe(*gone)
        if new := wanted - subscribed:
            await pubsub.subscribe(*new)
        return wanted

    async def _next(self, pubsub: PubSub) -> dict[str, Any] | None:
        """The next message; None: none came for a while, or a channel is asked for."""
        reading = asyncio.ensure_future(pubsub.get_message(timeout=PING_SECONDS))
        asked = asyncio.ensure_future(self._asked.wait())
        try:
            await asyncio.wait(
                (reading, asked),
                timeout=PING_SECONDS + STEP_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not reading.done() and not asked.done():
                raise TimeoutError("the connection to Redis does not answer")
        finally:
            # What has been read of a message stays with the connection.
            asked.cancel()
            reading.cancel()
            await asyncio.wait((reading, asked))
        message: dict[str, Any] | None = None if reading.cancelled() else reading.result()
        return message

    def _take(self, message: dict[str, Any]) -> None:
        kind, channel = message["type"], _text(message["channel"])
        if kind == "psubscribe":
            self._unconfirmed -= 1
            self.connected = self._unconfirmed == 0
        elif kind == "subscribe":
            if channel in self._listeners:
                self._confirmations.setdefault(channel, asyncio.Event()).set()
        elif kind == "message":
            decoded = _decoded(message["data"])
            for listener in self._listeners.get(channel, ()):
                listener.hear(decoded)
        elif kind == "pmessage":
            prefix = _text(message["pattern"]).removesuffix("*")
            self._prefixes[prefix](channel.removeprefix(prefix))

    async def _confirmed(self, channel: str) -> None:
        if not self.connected:
            return
        event = self._confirmations.setdefault(channel, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CONFIRM_SECONDS):
                await event.wait()

    async def _disconnect(self) -> None:
        pubsub, self._pubsub = self._pubsub, None
        self.connected = False
        self.epoch += 1
        for waiting in self._confirmations.values():
            waiting.set()
        self._confirmations.clear()
        for listeners in self._listeners.values():
            for listener in listeners:
                listener.hear(None)
        for lost in self._lost:
            lost()
        if pubsub is not None:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(STEP_SECONDS):
                    await pubsub.aclose()  # type: ignore[no-untyped-call]


def _text(value: bytes | str | None) -> str:
    return value.decode() if isinstance(value, bytes) else value or ""


def _decoded(data: bytes | str) -> dict[str, Any] | None:
    """A message as it was sent; None for what is none of ours."""
    try:
        decoded = json.loads(data)
    except (ValueError, TypeError):
        return None
    return decoded if isinstance(decoded, dict) else None
