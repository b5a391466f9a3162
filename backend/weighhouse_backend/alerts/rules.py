"""A project's rule: tried on what is stored, saved, and followed from then on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from weighhouse_judging.series.change_points import find_changes
from weighhouse_judging.series.changes import RULE, Known, same_change
from weighhouse_judging.series.course import Kind
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.text import AS_KEPT

from weighhouse_backend.alerts.alert_repository import AlertRowRepository
from weighhouse_backend.alerts.alert_writer import wanted
from weighhouse_backend.alerts.models import AlertRule, ChangePoint
from weighhouse_backend.alerts.repository import AlertRepository
from weighhouse_backend.alerts.rule_schemas import (
    AlertRuleRead,
    AlertRuleWrite,
    TrialAlert,
    TrialRead,
)
from weighhouse_backend.alerts.words import change_is_better, change_title
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.etags import etag, require_match
from weighhouse_backend.kit.problems import FieldProblem, Invalid
from weighhouse_backend.series.history import HistoryService, watched_points
from weighhouse_backend.series.models import Series
from weighhouse_backend.series.schemas import ExperimentOfSeries
from weighhouse_backend.series.stored_points import StoredPoint

Member = tuple[ChangePoint, Series]
MOST = 100
"""Causes that a trial tells of."""
LONGEST = 60
"""Campaigns after a shift within which the one is looked for that made it known."""


@dataclass(frozen=True)
class RuleService:
    """Keeps and tries rules of alerts."""

    repository: AlertRowRepository
    changes: AlertRepository
    history: HistoryService
    experiments: ExperimentService
    clock: Clock

    def read(self, caller: Caller, project_id: UUID | None) -> AlertRuleRead:
        """A project's rule; the detector's own limits where none was saved."""
        row = self.repository.rule(caller.project_or_only(project_id))
        if row is None:
            return AlertRuleRead(version=0, updated_by=None, updated_at=None)
        return _read(row)

    def save(
        self, caller: Caller, project_id: UUID | None, rule: AlertRuleWrite, if_match: str | None
    ) -> AlertRuleRead:
        """Follow a rule from now on; takes a maintainer.

        :raises Changed: when another one was saved meanwhile.
        :raises Invalid: when it names a figure that no series has.
        """
        project = caller.project_or_only(project_id)
        caller.require(project, Role.MAINTAINER)
        _require_known(rule)
        row = self.repository.lock_rule(project)
        require_match(if_match, etag(row.version if row else 0))
        before = _plain(row) if row else None
        if row is None:
            row = AlertRule(project_id=project, version=0)
        for name, value in rule.model_dump(mode="json").items():
            setattr(row, name, value)
        row.version += 1
        row.updated_by = caller.name
        row.updated_at = self.clock.now()
        self.repository.session.add(row)
        self.repository.session.flush()
        audit.record(
            self.repository.session,
            self.clock,
            actor=caller.name,
            action="alert_rule.saved",
            subject="rule of alerts",
            project_id=project,
            before=before,
            after=_plain(row),
        )
        return _read(row)

    def attempt(self, caller: Caller, project_id: UUID | None, rule: AlertRuleWrite) -> TrialRead:
        """What a rule would have raised of the changes that are known; nothing is changed.

        When a change was known is worked out by looking at its series again after each campaign.

        :raises Invalid: when it names a figure that no series has.
        """
        project = caller.project_or_only(project_id)
        _require_known(rule)
        causes = self._causes(project)
        row = AlertRule(**rule.model_dump(mode="json"))
        kept = {cause[0][0].id for cause in causes if any(wanted(row, *one) for one in cause)}
        shown = causes[:MOST]
        names = self.experiments.get_many({cause[0][1].experiment_id for cause in shown})
        numbers = self.changes.campaign_numbers({cause[0][0].campaign_id for cause in shown})
        return TrialRead(
            causes_count=len(causes),
            raised_count=len(kept),
            alerts=[
                self._trial(
                    cause,
                    names[cause[0][1].experiment_id].name,
                    numbers[cause[0][0].campaign_id],
                    raised=cause[0][0].id in kept,
                )
                for cause in shown
            ],
        )

    def _causes(self, project_id: UUID) -> list[list[Member]]:
        """Confirmed changes by cause, the leading one first; the latest cause first."""
        found = self.changes.confirmed_in(project_id)
        groups: dict[UUID, list[Member]] = {}
        for row, series in found:
            groups.setdefault(row.downstream_of_id or row.id, []).append((row, series))
        causes = [
            sorted(group, key=lambda one: one[0].downstream_of_id is not None)
            for group in groups.values()
        ]
        return sorted(causes, key=lambda cause: cause[0][0].at, reverse=True)

    def _trial(
        self, cause: Sequence[Member], experiment: str, number: int, *, raised: bool
    ) -> TrialAlert:
        row, series = cause[0]
        points = self._segment(series.id, row.campaign_id)
        known = self._known_after(points, row) if raised else None
        return TrialAlert(
            title=change_title(row, series, self.history.names.of([series])[series.id]),
            alert_id=row.alert_id,
            series_id=series.id,
            experiment=ExperimentOfSeries(id=series.experiment_id, name=experiment),
            at=row.at,
            campaign_id=row.campaign_id,
            campaign_number=number,
            better=change_is_better(row, series),
            others=len(cause) - 1,
            raised=raised,
            confirmed_number=None if known is None else points[known].campaign_number,
            campaigns_late=None if known is None else known - _first(points, row) + 1,
        )

    def _segment(self, series_id: UUID, campaign_id: UUID) -> list[StoredPoint]:
        return next(
            (
                points
                for points in self.history.segments(series_id)
                if any(point.campaign_id == campaign_id for point in points)
            ),
            [],
        )

    def _known_after(self, points: Sequence[StoredPoint], row: ChangePoint) -> int | None:
        """The place of the point after which a change was confirmed, its series looked at alone,
        with what was confirmed before it; None: not within LONGEST points.
        """
        order = {point.campaign_id: index for index, point in enumerate(points)}
        index = order.get(row.campaign_id)
        if index is None:
            return None
        seen = watched_points(points)
        known = [
            Known(cast("Kind", one.kind), order[one.campaign_id])
            for one in self.changes.change_points(row.series_id)
            if one.status == "confirmed" and order.get(one.campaign_id, index) < index
        ]
        for size in range(index + RULE.points_after, min(len(seen), index + LONGEST) + 1):
            found = find_changes(seen[:size], known)[len(known) :]
            if any(one.status == "confirmed" and same_change(one.index, index) for one in found):
                return size - 1
        return None


def _first(points: Sequence[StoredPoint], row: ChangePoint) -> int:
    """The place of the first point after a change."""
    place = [point.campaign_id for point in points].index(row.campaign_id)
    return place + 1 if row.kind == "drift" else place


def _require_known(rule: AlertRuleWrite) -> None:
    watched = [one.name for one in CATALOGUE.in_series]
    unknown = sorted(set(rule.metrics or ()) - set(watched))
    if unknown:
        problem = FieldProblem(
            path="metrics",
            message=f"no series is of {unknown[0]!r}",
            expected=", ".join(watched),
        )
        raise Invalid(f"{problem.path}: {problem.message}", errors=[problem])


def _plain(row: AlertRule) -> dict[str, object]:
    return {name: getattr(row, name) for name in AlertRuleWrite.model_fields}


def _read(row: AlertRule) -> AlertRuleRead:
    return AlertRuleRead.model_validate(
        {name: getattr(row, name) for name in AlertRuleRead.model_fields}, context=AS_KEPT
    )
