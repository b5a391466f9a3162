"""Wake-ups and live samples through Redis; never the only place where something is kept."""

import json
import time
from typing import Any, Protocol

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import TimeoutError as NoAnswer
from redis.retry import Retry
from sqlalchemy.orm import Session

from weighhouse_backend.kit.unit_of_work import after_commit


class Events(Protocol):
    """Tells whoever listens now."""

    def publish(self, channel: str, event_id: int | None, kind: str, data: dict[str, Any]) -> None:
        """Tell a channel.

        :param event_id: of the stored event; None for what is only live.
        """
        ...


class RedisEvents:
    """Events that leave when the session's transaction is committed."""

    def __init__(self, redis: Redis, session: Session) -> None:
        """:param redis: with short time-outs; when it is away, events are lost, not requests."""
        self._redis = redis
        self._session = session

    def publish(self, channel: str, event_id: int | None, kind: str, data: dict[str, Any]) -> None:
        """Publish after commit."""
        message = json.dumps({"id": event_id, "kind": kind, "data": data}, default=str)

        def publish() -> None:
            self._redis.publish(channel, message)

        after_commit(self._session, publish)


ANSWER_SECONDS = 2.0
AGAIN_SECONDS = 2.0
"""One that did not answer is not asked for so long: else each request would wait for it anew."""


class PassingRedis(Redis):
    """A client for what may be lost: gives up soon, and for a while does not try again."""

    _ask_again_at = 0.0

    @property
    def is_away(self) -> bool:
        """Whether it did not answer a moment ago."""
        return time.monotonic() < self._ask_again_at

    def note_away(self) -> None:
        """It did not answer somebody else."""
        self._ask_again_at = time.monotonic() + AGAIN_SECONDS

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """As Redis' own.

        :raises RedisError: at once while it is away.
        """
        if self.is_away:
            raise NoConnection("Redis did not answer a moment ago")
        try:
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        except (NoConnection, NoAnswer):
            self.note_away()
            raise


def make_redis(redis_url: str) -> PassingRedis:
    """A client for publishing."""
    made: PassingRedis = PassingRedis.from_url(  # type: ignore[assignment]
        redis_url, retry=Retry(NoBackoff(), 0),
        socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS,
    )  # fmt: skip
    return made
