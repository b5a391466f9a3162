"""One request or task is one transaction; what must follow a commit follows it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias, TypeVar

import structlog
from sqlalchemy.orm import Session, sessionmaker

log = structlog.get_logger(__name__)
_KEY = "after_commit"

Service = TypeVar("Service")
Feature = TypeVar("Feature")
Transactions: TypeAlias = Callable[[], AbstractContextManager[Service]]
"""Begins a transaction, and yields a service over it: for work that takes one transaction each."""


def chosen_of(
    begin: Transactions[Feature], of: Callable[[Feature], Service]
) -> Transactions[Service]:
    """Transactions of one service, where those of a whole feature are there.

    :param of: the service of a feature.
    """

    @contextmanager
    def transaction() -> Iterator[Service]:
        with begin() as feature:
            yield of(feature)

    return transaction


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Do something once the session's transaction is committed; never when it is rolled back."""
    session.info.setdefault(_KEY, []).append(action)


@contextmanager
def unit_of_work(factory: sessionmaker[Session]) -> Iterator[Session]:
    """A session for one transaction: committed at the end, rolled back on an error.

    What was handed to `after_commit` runs after the commit, in order. An action that fails is
    logged and does not undo what was committed: the sweep makes good for it.
    """
    with factory() as session:
        try:
            yield session
            session.commit()
        except BaseException:
            session.rollback()
            raise
        actions: list[Callable[[], None]] = session.info.pop(_KEY, [])
    for action in actions:
        try:
            action()
        except Exception as error:  # noqa: BLE001 - whatever it is, the commit stands
            log.warning("after_commit_failed", error=repr(error))
