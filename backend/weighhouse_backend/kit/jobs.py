"""Work for later, by name: the port, and Celery behind it."""

import contextlib
from typing import Any, Protocol

from celery import Celery
from kombu.exceptions import OperationalError as BrokerAway
from redis import Redis
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisError
from sqlalchemy.orm import Session

from weighhouse_backend.kit.events import PassingRedis
from weighhouse_backend.kit.unit_of_work import after_commit


class Jobs(Protocol):
    """Sends work by name. A job may be sent twice or be lost; receivers and sweep allow for it."""

    def send(self, name: str, **arguments: Any) -> None:
        """Have a job done soon.

        :param name: as the worker knows it, for example `campaigns.allocate`.
        :param arguments: JSON values.
        """
        ...


COALESCED = frozenset({"campaigns.allocate"})
"""Jobs that look at everything there is: one that waits in the queue does for all who send it."""
PENDING_SECONDS = 2.0
"""A waiting job is taken for lost after so long, and sent again."""


class CeleryJobs:
    """Jobs that leave when the session's transaction is committed."""

    def __init__(self, celery: Celery, session: Session, redis: PassingRedis | None = None) -> None:
        """:param celery: any app with the broker's address; tasks are named, never imported.
        :param redis: remembers which coalesced jobs wait, and whether the broker is away; None:
            each is sent.
        """
        self._celery = celery
        self._session = session
        self._redis = redis
        self._sent: set[str] = set()

    def send(self, name: str, **arguments: Any) -> None:
        """Send after commit; a broker that is away is logged, not raised."""
        if name in COALESCED:
            if name in self._sent:
                return
            self._sent.add(name)
        after_commit(self._session, lambda: self._send(name, arguments))

    def _send(self, name: str, arguments: dict[str, Any]) -> None:
        if name in COALESCED and self._redis is not None:
            lifetime_ms = round(PENDING_SECONDS * 1000)
            if not self._redis.set(_pending(name), 1, nx=True, px=lifetime_ms):
                return  # it will look after our commit
        if self._redis is not None and self._redis.is_away:
            raise NoConnection(f"{name} was not sent: Redis did not answer a moment ago")
        try:
            self._celery.send_task(name, kwargs=arguments, ignore_result=True, retry=False)
        except BrokerAway:
            if self._redis is not None:
                self._redis.note_away()
            raise


def job_begins(redis: Redis, name: str) -> None:
    """A job begins to look: from now on a sender needs another one. To be called before it reads.

    When Redis was emptied or is away there is nothing to forget.
    """
    if name in COALESCED:
        with contextlib.suppress(RedisError):
            redis.delete(_pending(name))


def _pending(name: str) -> str:
    return f"job:{name}:waits"


def make_celery(redis_url: str) -> Celery:
    """A Celery app that can send; answers within two seconds even when the broker is away."""
    app = Celery("weighhouse", broker=redis_url)
    app.conf.update(
        broker_transport_options={"socket_timeout": 2, "socket_connect_timeout": 2},
        broker_connection_timeout=2,
        task_ignore_result=True,
    )
    return app
