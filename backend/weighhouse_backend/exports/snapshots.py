"""One snapshot of the database for all that leaves together, read after the request has ended."""

import datetime
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from threading import BoundedSemaphore
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.exports.errors import ExportsBusy
from weighhouse_backend.exports.spool import Spool
from weighhouse_backend.identity.access import CallerDep, ManagerDep
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.services import Services, services_of
from weighhouse_backend.kit.tenancy import confine, confine_to_people

WAIT_SECONDS = 5.0
"""For a turn; after it the caller is asked to come again."""
AGAIN_SECONDS = 5

Kind = TypeVar("Kind")
Confine = Callable[[Session, Iterable[UUID]], None]
"""Lets a transaction see what some projects have, of one kind."""


class Snapshot:
    """What a caller sees at one instant: REPEATABLE READ, read only, confined to their projects.

    Whoever begins to write an export takes it over and closes it; else it ends with the request.
    """

    def __init__(
        self, session: Session, services: Services, at: datetime.datetime, closing: ExitStack
    ) -> None:
        """:param closing: ends all of it, and gives the turn back."""
        self.session = session
        self.at = at
        """When it was taken, by the database's clock."""
        self._services = services
        self._closing = closing
        self._spool: Spool | None = None

    def get(self, kind: type[Kind]) -> Kind:
        """A service over it."""
        return self._services.get(kind)

    def lend(self, spool: Spool) -> None:
        """From here on it is the writer's, who closes it."""
        self._spool = spool

    def close(self) -> None:
        """End it."""
        self._closing.close()

    def leave(self) -> None:
        """The request is over: nobody reads what is being written."""
        if self._spool is None:
            self.close()
        else:
            self._spool.leave()


def _snapshot(request: Request, caller: CallerDep) -> Iterator[Snapshot]:
    yield from _lasting(request, caller.roles, confine)


def _of_people(request: Request, caller: ManagerDep) -> Iterator[Snapshot]:
    yield from _lasting(request, caller.roles, confine_to_people)


def _lasting(request: Request, projects: Iterable[UUID], to: Confine) -> Iterator[Snapshot]:
    turns: BoundedSemaphore = request.app.state.snapshot_turns
    if not turns.acquire(timeout=WAIT_SECONDS):
        raise ExportsBusy(
            "this server writes no more exports at once; ask again in some seconds",
            headers={"Retry-After": str(AGAIN_SECONDS)},
        )
    with ExitStack() as opening:
        opening.callback(turns.release)
        made = _taken(request, projects, to, opening)
    try:
        yield made
    finally:
        made.leave()


def _taken(request: Request, projects: Iterable[UUID], to: Confine, opening: ExitStack) -> Snapshot:
    factory: SessionFactory = request.app.state.session_factory
    session = opening.enter_context(factory())
    session.connection(
        execution_options={"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    )
    at = session.scalars(select(func.transaction_timestamp())).one()
    to(session, projects)
    services = opening.enter_context(services_of(request.app, session))
    return Snapshot(session, services, at, opening.pop_all())


SnapshotDep = Annotated[Snapshot, Depends(_snapshot)]
"""The caller's; it lasts until the answer is out, not only until the endpoint has returned."""
PeopleSnapshotDep = Annotated[Snapshot, Depends(_of_people)]
"""The same of who has access to the caller's projects, and of nothing that was measured."""
