"""All queries of alerts, their history and rules."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.orm import Session

from weighhouse_backend.alerts.models import Alert, AlertEvent, AlertRule, ChangePoint
from weighhouse_backend.alerts.states import OPEN, AlertKind, AlertState, EventKind
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.series.models import Series


@dataclass(frozen=True)
class AlertFilter:
    """Which alerts are wanted; None: whatever they are."""

    project_id: UUID | None = None
    states: Collection[AlertState] | None = None
    kind: AlertKind | None = None
    experiment_id: UUID | None = None
    system_id: str | None = None
    assignee: UUID | Literal["nobody"] | None = None


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

    def lock(self, alert_ids: Collection[UUID]) -> Sequence[Alert]:
        """Alerts by id, locked in one order, as they are now."""
        return self.session.scalars(
            select(Alert)
            .where(Alert.id.in_(list(alert_ids)))
            .order_by(Alert.id)
            .with_for_update()
            .execution_options(populate_existing=True)
        ).all()

    def going_on(self, kind: AlertKind) -> dict[UUID, Alert]:
        """Alerts of what is not over yet, locked, by the experiment or agent that they are of."""
        found = self.session.scalars(
            select(Alert)
            .where(Alert.kind == kind, Alert.ended_at.is_(None))
            .order_by(Alert.id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
        return {
            subject: alert
            for alert in found
            if (subject := alert.experiment_id or alert.agent_id) is not None
        }

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

    def events(self, alert_id: UUID) -> Sequence[AlertEvent]:
        """An alert's history, newest first."""
        return self.session.scalars(
            select(AlertEvent)
            .where(AlertEvent.alert_id == alert_id)
            .order_by(AlertEvent.at.desc(), AlertEvent.id.desc())
        ).all()

    def listed(self, project_ids: Collection[UUID], wanted: AlertFilter) -> Select[Any]:
        """Alerts of projects, filtered."""
        statement = select(Alert).where(*_shown(project_ids))
        if wanted.project_id is not None:
            statement = statement.where(Alert.project_id == wanted.project_id)
        if wanted.states is not None:
            statement = statement.where(Alert.state.in_(list(wanted.states)))
        if wanted.kind is not None:
            statement = statement.where(Alert.kind == wanted.kind)
        if wanted.experiment_id is not None:
            statement = statement.where(Alert.experiment_id == wanted.experiment_id)
        if wanted.system_id is not None:
            of_system = (
                exists()
                .where(ChangePoint.alert_id == Alert.id)
                .where(ChangePoint.series_id == Series.id, Series.system_id == wanted.system_id)
            )
            statement = statement.where(of_system)
        if wanted.assignee == "nobody":
            statement = statement.where(Alert.assignee_id.is_(None))
        elif wanted.assignee is not None:
            statement = statement.where(Alert.assignee_id == wanted.assignee)
        return statement

    def counts(self, project_ids: Collection[UUID]) -> dict[str, int]:
        """How many alerts of projects are in each state."""
        found = self.session.execute(
            select(Alert.state, func.count()).where(*_shown(project_ids)).group_by(Alert.state)
        )
        return {row[0]: row[1] for row in found}

    def open_of(self, project_ids: Collection[UUID], assignee_id: UUID) -> int:
        """How many open alerts somebody looks after."""
        mine = (Alert.assignee_id == assignee_id, Alert.state.in_(list(OPEN)))
        counted = select(func.count()).select_from(Alert).where(*_shown(project_ids), *mine)
        return self.session.scalar(counted) or 0

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

    def change_before(self, row: ChangePoint) -> tuple[ChangePoint, Alert] | None:
        """The confirmed change of the same series before one, with its alert; None: there is none,
        or no alert tells of it.
        """
        found = self.session.execute(
            select(ChangePoint, Alert)
            .outerjoin(Alert, Alert.id == ChangePoint.alert_id)
            .where(
                ChangePoint.series_id == row.series_id,
                ChangePoint.status == "confirmed",
                ChangePoint.at < row.at,
            )
            .order_by(ChangePoint.at.desc())
            .limit(1)
        ).first()
        return None if found is None or found[1] is None else (found[0], found[1])

    def changed_after(self, row: ChangePoint) -> bool:
        """Whether the same series changed again, confirmed, after one change."""
        later = exists().where(
            ChangePoint.series_id == row.series_id,
            ChangePoint.status == "confirmed",
            ChangePoint.at > row.at,
        )
        return bool(self.session.scalar(select(later)))

    def fixed_of(self, series_ids: Collection[UUID]) -> Sequence[Alert]:
        """Alerts that are said to be fixed and tell of a change in some series."""
        told = select(ChangePoint.alert_id).where(ChangePoint.series_id.in_(list(series_ids)))
        return self.session.scalars(
            select(Alert)
            .where(
                Alert.id.in_(told),
                Alert.kind == AlertKind.CHANGE,
                Alert.state == AlertState.FIXED,
            )
            .order_by(Alert.id)
            .with_for_update()
        ).all()

    def rule(self, project_id: UUID) -> AlertRule | None:
        """A project's rule; None: every change becomes an alert."""
        return self.session.get(AlertRule, project_id)

    def lock_rule(self, project_id: UUID) -> AlertRule | None:
        """The same, locked, as it is now."""
        return self.session.scalar(
            select(AlertRule)
            .where(AlertRule.project_id == project_id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )


def _shown(project_ids: Collection[UUID]) -> list[ColumnElement[bool]]:
    """Of a change whose points are all gone, nothing is left to tell."""
    tells = exists().where(ChangePoint.alert_id == Alert.id)
    return [Alert.project_id.in_(list(project_ids)), or_(Alert.kind != AlertKind.CHANGE, tells)]
