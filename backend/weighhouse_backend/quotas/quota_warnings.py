"""Tells of quotas that are nearly used up, and of those that are; for the worker's sweep."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session
from weighhouse_protocol import pages

from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.kinds import NoticeKind
from weighhouse_backend.quotas.guard import WHO_RAISES, Scope, of
from weighhouse_backend.quotas.kinds import (
    MEANINGS,
    SECONDS_PER_HOUR,
    Kind,
    level_of,
    month_of,
)
from weighhouse_backend.quotas.repository import QuotaRepository

PLACES = frozenset({Kind.CONCURRENT_RUNS})
"""What is used up by working at full speed; nobody has to hear of that."""


@dataclass(frozen=True)
class QuotaWarningService:
    """Tells people of a project of its quotas, and those of an organization's first project of the
    organization's.
    """

    session: Session
    clock: Clock

    def look(self) -> None:
        """Tell of what is near its limit or at it, once a month for each limit. Idempotent."""
        repository = QuotaRepository(self.session)
        now = self.clock.now()
        since = month_of(now)[0]
        for project_id in repository.limited():
            limits = repository.limits(project_id)
            if limits is None:
                continue
            is_first = repository.first_project(limits.organization_id) == project_id
            for kind in Kind:
                if kind in PLACES or not limits.any_of(kind):
                    continue
                own, shared = repository.used(kind, project_id, since, now)
                self._tell(project_id, "project", kind, own, limits.of_project.of(kind))
                if is_first:
                    of_all = limits.of_organization.of(kind)
                    self._tell(project_id, "organization", kind, shared, of_all)

    def _tell(
        self, project_id: UUID, scope: Scope, kind: Kind, used: float, limit: float | None
    ) -> None:
        meaning = MEANINGS[kind]
        used = used / SECONDS_PER_HOUR if kind is Kind.MACHINE_HOURS else used
        level = level_of(used, limit)
        if level not in {"near", "reached"}:
            return
        effect = f"Now {meaning.effect}." if level == "reached" else f"Then {meaning.effect}."
        notify(
            self.session,
            self.clock,
            project_id=project_id,
            kind=NoticeKind.QUOTA,
            cause=f"quota:{scope}:{kind}:{limit}:{level}:{self.clock.now():%Y-%m}",
            title=f"{meaning.name} of the {scope}: {of(used, limit, meaning.unit)}",
            words=f"{effect} To go on, {meaning.mend}; {WHO_RAISES[scope]}.",
            path=pages.settings("usage"),
        )
