"""All queries of alerts, their history and rules."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, exists, or_, select
from sqlalchemy.orm import Session

from weighhouse_backend.alerts.models import Alert, AlertEvent, ChangePoint
from weighhouse_backend.alerts.states import AlertKind, AlertState, EventKind
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.series.models import Series


@dataclass(frozen=True)
class AlertRowRepository:
    """Reads and writes alerts and what became of them."""

    session: Session

    def new_id(self) -> UUID:
        """An identifier for a row that is referred to before it is written."""
        return new_id()

    def add(self, alert: Alert) -> None:
        """Keep a new alert, so that others can refer to it."""
        self.session.add(alert)
        self.session.flush()

    def alerts(self, alert_ids: Collection[UUID]) -> Sequence[Alert]:
        """Alerts by id."""
        return self.session.scalars(select(Alert).where(Alert.id.in_(list(alert_ids)))).all()

    def note(
        self,
        alert: Alert,
        kind: EventKind,
        at: datetime.datetime,
        *,
        actor: str | None = None,
        changes: dict[str, Any] | None = None,
        reason: str = "",
    ) -> None:
        """Add a line to an alert's history."""
        self.session.add(
            AlertEvent(
                id=new_id(),
                project_id=alert.project_id,
                alert_id=alert.id,
                kind=kind,
                actor=actor,
                changes=changes or {},
                reason=reason,
                at=at,
            )
        )

    def change_state(
        self,
        alert: Alert,
        state: AlertState,
        kind: EventKind,
        at: datetime.datetime,
        reason: str,
    ) -> None:
        """Bring an alert into another state for the platform, and say so in its history."""
        changes = {"state": [alert.state, str(state)]}
        alert.state = state
        alert.state_at = at
        alert.version += 1
        self.note(alert, kind, at, changes=changes, reason=reason)

    def listed(self, project_ids: Collection[UUID], *, experiment_id: UUID | None) -> Select[Any]:
        """Alerts of projects. Of a change whose points are all gone, nothing is left to tell."""
        tells = exists().where(ChangePoint.alert_id == Alert.id)
        statement = select(Alert).where(
            Alert.project_id.in_(list(project_ids)), or_(Alert.kind != AlertKind.CHANGE, tells)
        )
        if experiment_id is not None:
            statement = statement.where(Alert.experiment_id == experiment_id)
        return statement

    def members(self, alert_ids: Collection[UUID]) -> Sequence[tuple[ChangePoint, Series]]:
        """The changes that alerts tell of, those that they explain in others among them, with
        their series; the most evident first.
        """
        told = select(ChangePoint.id).where(ChangePoint.alert_id.in_(list(alert_ids)))
        found = self.session.execute(
            select(ChangePoint, Series)
            .join(Series, Series.id == ChangePoint.series_id)
            .where(ChangePoint.id.in_(told) | ChangePoint.downstream_of_id.in_(told))
            .order_by(ChangePoint.p_value, ChangePoint.id)
        )
        return [(row[0], row[1]) for row in found]
