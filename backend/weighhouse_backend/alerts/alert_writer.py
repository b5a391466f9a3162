"""Causes become alerts, once each, and keep them whatever later looks find."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.arithmetic.statistics import median
from weighhouse_judging.series.changes import RULE
from weighhouse_protocol import pages
from weighhouse_protocol.digits import number

from weighhouse_backend.alerts.alert_reader import lead_of
from weighhouse_backend.alerts.alert_repository import AlertRowRepository
from weighhouse_backend.alerts.models import Alert, AlertRule, ChangePoint
from weighhouse_backend.alerts.states import CONTRADICTED, AlertKind, AlertState, EventKind
from weighhouse_backend.alerts.words import change_is_better, change_title
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.kinds import NoticeKind
from weighhouse_backend.series.history import HistoryService
from weighhouse_backend.series.models import Series

PROFILES = ("watch", "strict")


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
    """Raises alerts of changes, and opens them again."""

    repository: AlertRowRepository
    history: HistoryService
    clock: Clock

    def tell(self, told: Told) -> Alert | None:
        """See that a cause has its alert; none where the project's rule keeps it quiet. Idempotent.

        A change keeps the alert that told of it first. Where changes that were told by several
        alerts turn out to have one cause, the one that people spoke of (else the oldest) stands for
        it, and those that nobody spoke of are downstream of it. A change that contradicts what was
        said of an earlier one opens its alert again, and is told by it.
        """
        known = {row.alert_id for row, _ in told.members if row.alert_id is not None}
        alerts = sorted(self.repository.alerts(known), key=_standing)
        alert = alerts[0] if alerts else self._new(told)
        if alert is None:
            return None
        for row, _ in told.members:
            if row.alert_id is None:
                row.alert_id = alert.id
        for other in alerts[1:]:
            if other.state == AlertState.UNTRIAGED:
                self._explain(other, alert)
        return alert

    def look_at_fixed(self, series_ids: Collection[UUID]) -> None:
        """Open alerts again that are said to be fixed, when the level did not come back.

        It did not when at least as many campaigns as confirm a step (`RULE.points_after`) have been
        measured since, no change to the other side is confirmed, and their median is nearer to the
        level after the change than to the one before (on a scale of ratios).
        """
        for alert in self.repository.fixed_of(series_ids):
            found = lead_of(alert, self.repository.members([alert.id]))
            if found is None or found[0].kind == "spread":
                continue  # whether noise went is for another change of it to say
            if AlertState.FIXED in self._quiet(alert.project_id):
                continue
            lead, series = found
            since = self._since(alert, lead, series.id)
            if len(since) >= RULE.points_after and _stayed(lead, since):
                reason = (
                    f"{len(since)} campaigns after it was said to be fixed, the level is still "
                    f"{number(median(since), 4)}; it was {number(lead.before, 4)} before the change"
                )
                self._reopen(alert, reason)
                if change_is_better(lead, series) is False:
                    self._tell(alert, lead, series, reason)

    def _new(self, told: Told) -> Alert | None:
        rule = self.repository.rule(told.lead.project_id)
        if rule is not None and not any(tells_of(rule, *member) for member in told.members):
            return None
        contradicted = self._contradicted(told, rule)
        if contradicted is None:
            return self._raised(told)
        row, series, alert = contradicted
        reason = (
            f"{self._title(row, series)} once more, in {series.workload} with "
            f"{series.load_label}: this contradicts “{alert.state.replace('_', ' ')}”"
        )
        self._reopen(alert, reason)
        self._tell(alert, row, series, reason)
        return alert

    def _contradicted(
        self, told: Told, rule: AlertRule | None
    ) -> tuple[ChangePoint, Series, Alert] | None:
        """The closed alert that a cause contradicts: of the change before it in one of its series,
        which went the same bad way, with nothing to the other side in between.
        """
        quiet = set(rule.quiet_states) if rule else set()
        for row, series in told.members:
            if change_is_better(row, series) is not False:
                continue
            found = self.repository.change_before(row)
            if found is None:
                continue
            before, alert = found
            same_way = (before.relative > 0) == (row.relative > 0)
            if same_way and alert.state in CONTRADICTED and alert.state not in quiet:
                return row, series, alert
        return None

    def _since(self, alert: Alert, lead: ChangePoint, series_id: UUID) -> list[float]:
        """Figures of the campaigns since an alert was closed, in its segment; none, when there is a
        later change: then it is for that change to say.
        """
        for points in self.history.segments(series_id):
            if any(point.campaign_id == lead.campaign_id for point in points):
                later = [point for point in points if point.at > alert.state_at]
                if self.repository.changed_after(lead):
                    return []
                return [point.value for point in later]
        return []

    def _quiet(self, project_id: UUID) -> Collection[str]:
        rule = self.repository.rule(project_id)
        return rule.quiet_states if rule else ()

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
        self.repository.note(alert, EventKind.RAISED, now, reason=self._title(*told.members[0]))
        for row, series in told.members:  # the lead may be better, and what follows it worse
            if change_is_better(row, series) is False:
                self._tell(alert, row, series)
                break
        return alert

    def _tell(self, alert: Alert, row: ChangePoint, series: Series, reason: str = "") -> None:
        """Notify of what became worse; once more each time it is opened again."""
        notify(
            self.repository.session,
            self.clock,
            project_id=alert.project_id,
            kind=NoticeKind.REGRESSION,
            cause=f"alert:{alert.id}:{alert.version}",
            title=self._title(row, series),
            words=reason or f"In {series.workload} with {series.load_label}, confirmed.",
            path=pages.alert(alert.id),
        )

    def _title(self, row: ChangePoint, series: Series) -> str:
        return change_title(row, series, self.history.names.of([series])[series.id])

    def _reopen(self, alert: Alert, reason: str) -> None:
        self.repository.change_state(
            alert, AlertState.UNTRIAGED, EventKind.REOPENED, self.clock.now(), reason
        )

    def _explain(self, alert: Alert, by: Alert) -> None:
        alert.downstream_of_id = by.id
        self.repository.change_state(
            alert,
            AlertState.DOWNSTREAM,
            EventKind.EXPLAINED,
            self.clock.now(),
            "it has the cause of another one",
        )


def tells_of(rule: AlertRule, row: ChangePoint, series: Series) -> bool:
    """Whether a project's rule wants to hear of a confirmed change. Of what was confirmed before
    the rule was saved, nothing new is told.
    """
    return (
        row.confirmed_at is not None
        and row.confirmed_at >= rule.updated_at
        and wanted(rule, row, series)
    )


def wanted(rule: AlertRule, row: ChangePoint, series: Series) -> bool:
    """The same, whenever it was confirmed."""
    return (
        PROFILES.index(row.profile or "watch") >= PROFILES.index(rule.profile)
        and abs(row.relative) >= rule.smallest_shift
        and (rule.metrics is None or series.metric in rule.metrics)
        and (rule.systems is None or series.system_id in rule.systems)
        and (rule.direction == "any" or change_is_better(row, series) is not True)
    )


def _stayed(lead: ChangePoint, since: Sequence[float]) -> bool:
    now = median(since)
    if min(now, lead.before, lead.after) > 0:
        return abs(math.log(now / lead.after)) < abs(math.log(now / lead.before))
    return abs(now - lead.after) < abs(now - lead.before)


def _standing(alert: Alert) -> tuple[bool, bool, UUID]:
    return alert.state == AlertState.DOWNSTREAM, alert.state == AlertState.UNTRIAGED, alert.id
