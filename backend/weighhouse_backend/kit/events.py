"""Wake-ups and live samples through Redis; never the only place where something is kept."""

import json
from typing import Any, Protocol

from redis import Redis
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


def make_redis(redis_url: str) -> Redis:
    """A client for publishing, that gives up within two seconds."""
    return Redis.from_url(redis_url, socket_timeout=2, socket_connect_timeout=2)
