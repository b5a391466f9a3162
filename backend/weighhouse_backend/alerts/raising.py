"""Causes become alerts, once each, and keep them whatever later looks find."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.alerts.alert_repository import AlertRowRepository
from weighhouse_backend.alerts.models import Alert, ChangePoint
from weighhouse_backend.alerts.states import AlertKind, AlertState, EventKind
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.series.models import Series


@dataclass(frozen=True)
class Told:
    """A cause: what changed by it, the leading change first."""

    experiment_id: UUID
    members: Sequence[tuple[ChangePoint, Series]]

    @property
    def lead(self) -> ChangePoint:
        """The change that stands for all."""
        return self.members[0][0]


@dataclass(frozen=True)
class RaisingService:
    """Raises alerts of changes."""

    repository: AlertRowRepository
    clock: Clock

    def tell(self, told: Told) -> Alert | None:
        """See that a cause has its alert. Idempotent.

        A change keeps the alert that told of it first. Where changes that were told by several
        alerts turn out to have one cause, the one that people spoke of (else the oldest) stands for
        it, and those that nobody spoke of are downstream of it.
        """
        known = {row.alert_id for row, _ in told.members if row.alert_id is not None}
        alerts = sorted(self.repository.alerts(known), key=_standing)
        alert = alerts[0] if alerts else self._raised(told)
        for row, _ in told.members:
            if row.alert_id is None:
                row.alert_id = alert.id
        for other in alerts[1:]:
            if other.state == AlertState.UNTRIAGED:
                self._explain(other, alert)
        return alert

    def _raised(self, told: Told) -> Alert:
        now = self.clock.now()
        alert = Alert(
            id=self.repository.new_id(),
            project_id=told.lead.project_id,
            kind=AlertKind.CHANGE,
            experiment_id=told.experiment_id,
            details={},
            state=AlertState.UNTRIAGED,
            note="",
            version=1,
            raised_at=now,
            state_at=now,
        )
        self.repository.add(alert)
        self.repository.note(alert, EventKind.RAISED, now)
        return alert

    def _explain(self, alert: Alert, by: Alert) -> None:
        now = self.clock.now()
        alert.downstream_of_id = by.id
        self.repository.change_state(
            alert,
            AlertState.DOWNSTREAM,
            EventKind.EXPLAINED,
            now,
            "it has the cause of another one",
        )


def _standing(alert: Alert) -> tuple[bool, bool, UUID]:
    return alert.state == AlertState.DOWNSTREAM, alert.state == AlertState.UNTRIAGED, alert.id
