"""Asked by whoever is about to use something: whether there is room.

Who takes one place of several (enrols, starts, gives out, stores) holds a lock of the
organization's from then on, so that two at once cannot both take the last one. Where nothing is
limited nobody locks, and nothing is counted.
"""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.membership.projects import insist_on_use
from weighhouse_backend.quotas.errors import QuotaExceeded
from weighhouse_backend.quotas.kinds import (
    MEANINGS,
    SECONDS_PER_HOUR,
    SPENT,
    Kind,
    Unit,
    month_of,
    words,
)
from weighhouse_backend.quotas.repository import Limits, QuotaRepository

Scope = Literal["project", "organization"]
WHO_RAISES = {
    "project": "an owner of the organization may raise it",
    "organization": "the operator of the installation may raise it",
}


@dataclass(frozen=True, slots=True)
class Full:
    """A quota that has no room."""

    kind: Kind
    scope: Scope
    limit: float
    used: float

    @property
    def words(self) -> str:
        """`2 of 2 concurrent runs of the organization`."""
        meaning = MEANINGS[self.kind]
        name = meaning.name.lower()
        return f"{of(self.used, self.limit, meaning.unit)} {name} of the {self.scope}"


@dataclass(frozen=True)
class QuotaGuard:
    """Refuses what goes beyond a quota."""

    session: Session
    clock: Clock

    @property
    def repository(self) -> QuotaRepository:
        """The feature's queries."""
        return QuotaRepository(self.session)

    def take(self, kind: Kind, project_id: UUID, amount: float = 0) -> None:
        """Ask whether something fits; nobody else of the organization takes any until the
        transaction ends. No lock of a row may be waited for after it, so it is asked last.

        :param amount: what is not stored yet; 0: it is stored, in this transaction.
        :raises QuotaExceeded: when it does not fit.
        """
        limits = self._limits(kind, project_id)
        if limits is None:
            return
        self.repository.lock(kind, limits.organization_id)
        self._refuse(self._full(kind, project_id, limits, amount))

    def may_spend(self, project_id: UUID) -> None:
        """Ask before work begins that uses machines and storage: as much as it will.

        :raises ProjectArchived: when the project is archived.
        :raises QuotaExceeded: when the month's machine-hours are spent, or storage is full.
        """
        insist_on_use(self.session, project_id)
        for kind in SPENT:
            limits = self._limits(kind, project_id)
            if limits is not None:
                self._refuse(self._full(kind, project_id, limits, 0, spent=True))

    def why_waiting(self, project_id: UUID) -> str | None:
        """Ask, without waiting, before a run is given out; nobody else of the organization may give
        one out until the transaction ends.

        :returns: why it has to wait; empty: somebody else is giving out; None: there is room.
        """
        kind = Kind.CONCURRENT_RUNS
        limits = self._limits(kind, project_id)
        if limits is None:
            return None
        if not self.repository.try_lock(kind, limits.organization_id):
            return ""
        full = self._full(kind, project_id, limits, 1)
        return None if full is None else f"waits for a place: {full.words} are under way (quota)"

    def _limits(self, kind: Kind, project_id: UUID) -> Limits | None:
        found = self.repository.limits(project_id)
        return found if found is not None and found.any_of(kind) else None

    def _full(
        self, kind: Kind, project_id: UUID, limits: Limits, amount: float, *, spent: bool = False
    ) -> Full | None:
        now = self.clock.now()
        own, shared = self.repository.used(kind, project_id, month_of(now)[0], now)
        if kind is Kind.MACHINE_HOURS:
            own, shared = own / SECONDS_PER_HOUR, shared / SECONDS_PER_HOUR
        each: tuple[tuple[Scope, float, float | None], ...] = (
            ("organization", shared, limits.of_organization.of(kind)),
            ("project", own, limits.of_project.of(kind)),
        )
        for scope, used, limit in each:
            if limit is not None and (used >= limit if spent else used + amount > limit):
                return Full(kind, scope, limit, used)
        return None

    def _refuse(self, full: Full | None) -> None:
        if full is None:
            return
        meaning = MEANINGS[full.kind]
        headers = {
            "Quota-Kind": full.kind.value,
            "Quota-Scope": full.scope,
            "Quota-Limit": f"{full.limit:.10g}",
            "Quota-Used": f"{full.used:.10g}",
        }
        if full.kind is Kind.MACHINE_HOURS:
            now = self.clock.now()
            left = (month_of(now)[1] - now).total_seconds()
            headers["Quota-Reset"] = str(-int(-left // 1))
        raise QuotaExceeded(
            f"{full.words} are used: {meaning.effect}. To go on, {meaning.mend}, or ask: "
            f"{WHO_RAISES[full.scope]}",
            headers=headers,
        )


def of(used: float, limit: float | None, unit: Unit) -> str:
    """`84.0 h of 100.0 h`."""
    return words(used, unit) if limit is None else f"{words(used, unit)} of {words(limit, unit)}"
