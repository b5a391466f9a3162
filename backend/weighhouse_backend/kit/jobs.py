"""Work for later, by name: the port, and Celery behind it."""

from typing import Any, Protocol

from celery import Celery
from sqlalchemy.orm import Session

from weighhouse_backend.kit.unit_of_work import after_commit


class Jobs(Protocol):
    """Sends work by name. A job may be sent twice or be lost; receivers and sweep allow for it."""

    def send(self, name: str, **arguments: Any) -> None:
        """Have a job done soon.

        :param name: as the worker knows it, for example `campaigns.allocate`.
        :param arguments: JSON values.
        """
        ...


class CeleryJobs:
    """Jobs that leave when the session's transaction is committed."""

    def __init__(self, celery: Celery, session: Session) -> None:
        """:param celery: any app with the broker's address; tasks are named, never imported."""
        self._celery = celery
        self._session = session

    def send(self, name: str, **arguments: Any) -> None:
        """Send after commit; a broker that is away is logged, not raised."""
        after_commit(
            self._session,
            lambda: (
                self._celery.send_task(name, kwargs=arguments, ignore_result=True, retry=False)
                and None
            ),
        )


def make_celery(redis_url: str) -> Celery:
    """A Celery app that can send; answers within two seconds even when the broker is away."""
    app = Celery("weighhouse", broker=redis_url)
    app.conf.update(
        broker_transport_options={"socket_timeout": 2, "socket_connect_timeout": 2},
        broker_connection_timeout=2,
        task_ignore_result=True,
    )
    return app
