"""The platform's services over a transaction, as a worker has them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.orm import Session
from weighhouse_backend.app.services import graph
from weighhouse_backend.kit.clock import Clock, SystemClock
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.services import Services, services_over
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work


class Silence:
    """Events and jobs that nobody hears."""

    def publish(self, channel: str, event_id: int | None, kind: str, data: dict[str, Any]) -> None:
        """Lose a wake-up."""

    def send(self, name: str, **arguments: Any) -> None:
        """Lose a job."""


@contextmanager
def transaction_of(
    sessions: SessionFactory,
    settings: Settings,
    *,
    clock: Clock | None = None,
    jobs: Any = None,
    events: Any = None,
) -> Iterator[Services]:
    """The services over a transaction of their own.

    :param jobs: default: none is sent. :param events: default: nobody is woken.
    """
    with (
        unit_of_work(sessions) as session,
        services_in(session, settings, clock=clock, jobs=jobs, events=events) as services,
    ):
        yield services


@contextmanager
def services_in(
    session: Session,
    settings: Settings,
    *,
    clock: Clock | None = None,
    jobs: Any = None,
    events: Any = None,
) -> Iterator[Services]:
    """The services over somebody's transaction."""
    silence = Silence()
    over = services_over(
        graph(), session, clock or SystemClock(), settings, jobs or silence, events or silence
    )
    with over as services:
        yield services
