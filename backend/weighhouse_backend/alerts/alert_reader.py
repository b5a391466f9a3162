"""Alerts as they are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.git import commits_page

from weighhouse_backend.alerts.alert_repository import AlertFilter, AlertRowRepository
from weighhouse_backend.alerts.alert_schemas import (
    AgentOfAlert,
    AlertChangeRead,
    AlertCounts,
    AlertDetailRead,
    AlertEventRead,
    AlertMemberRead,
    AlertRead,
    EndOfRangeRead,
    MissedRead,
    PersonRead,
    RangeRead,
)
from weighhouse_backend.alerts.errors import AlertNotFound
from weighhouse_backend.alerts.models import Alert, ChangePoint
from weighhouse_backend.alerts.repository import AlertRepository
from weighhouse_backend.alerts.states import AlertKind, AlertState
from weighhouse_backend.alerts.words import change_is_better, change_title, missed_title
from weighhouse_backend.campaigns.commits import CommitService, GitRead
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.membership.service import MembershipService
from weighhouse_backend.series.history import HistoryService
from weighhouse_backend.series.models import Series
from weighhouse_backend.series.schemas import ExperimentOfSeries
from weighhouse_backend.series.stored_points import StoredPoint

Members = Sequence[tuple[ChangePoint, Series]]


@dataclass(frozen=True)
class _Named:
    """What the alerts of a list are of, by id."""

    members: Members
    sides: Mapping[UUID, str]
    """Names of series' sides, by series."""
    numbers: Mapping[UUID, int]
    experiments: Mapping[UUID, str]
    agents: Mapping[UUID, str]
    people: Mapping[UUID, str]


@dataclass(frozen=True)
class AlertReading:
    """Lists alerts and shows one."""

    repository: AlertRowRepository
    changes: AlertRepository
    history: HistoryService
    commits: CommitService
    experiments: ExperimentService
    fleet: FleetService
    people: MembershipService

    def listed(
        self, caller: Caller, query: PageQuery, wanted: AlertFilter | None = None
    ) -> Page[AlertRead]:
        """Alerts of the caller's projects, the latest raised first."""
        page: Page[Alert] = page_of(
            self.repository.session,
            self.repository.listed(caller.project_ids, wanted or AlertFilter()),
            Alert.id,
            query,
            lambda row: row,
        )
        return page.of(self.reads(page.items))

    def read(self, caller: Caller, alert_id: UUID) -> AlertDetailRead:
        """An alert.

        :raises AlertNotFound: when it is not the caller's to see.
        """
        alert = next(iter(self.repository.alerts([alert_id])), None)
        if alert is None or alert.project_id not in caller.project_ids:
            raise AlertNotFound
        (found,) = self.reads([alert])
        events = self.repository.events(alert.id)
        return AlertDetailRead(
            **dict(found),
            range=self._range(alert),
            history=[AlertEventRead.model_validate(one, from_attributes=True) for one in events],
        )

    def counts(self, caller: Caller, project_id: UUID | None = None) -> AlertCounts:
        """How many alerts one of the caller's projects has, or all of them.

        :raises NotFound: when the project is not the caller's.
        """
        if project_id is not None:
            caller.require(project_id)
        projects = caller.project_ids if project_id is None else [project_id]
        found = self.repository.counts(projects)
        mine = 0
        if caller.kind == "user":
            mine = self.repository.open_of(projects, caller.id)
        return AlertCounts(
            states={state: found.get(state, 0) for state in AlertState},
            mine=mine,
        )

    def reads(self, alerts: Sequence[Alert]) -> list[AlertRead]:
        """Alerts as they stand in a list; as many queries for all as for one."""
        members = self.repository.members([alert.id for alert in alerts])
        experiments = self.experiments.get_many(
            {alert.experiment_id for alert in alerts if alert.experiment_id is not None}
        )
        agents = {alert.agent_id for alert in alerts if alert.agent_id is not None}
        people = {alert.assignee_id for alert in alerts if alert.assignee_id is not None}
        named = _Named(
            members,
            self.history.names.of(series for _, series in members),
            self.changes.campaign_numbers({row.campaign_id for row, _ in members}),
            {key: one.name for key, one in experiments.items()},
            self.fleet.names(agents) if agents else {},
            self.people.names(people) if people else {},
        )
        return [_read(alert, named) for alert in alerts]

    def _range(self, alert: Alert) -> RangeRead | None:
        """Between which campaigns of its segment the leading change began."""
        found = lead_of(alert, self.repository.members([alert.id]))
        if found is None:
            return None
        lead, series = found
        points = next(
            (
                points
                for points in self.history.segments(series.id)
                if any(point.campaign_id == lead.campaign_id for point in points)
            ),
            [],
        )
        if not points:  # its campaign turned out to stand apart from the main line
            return None
        place = [point.campaign_id for point in points].index(lead.campaign_id)
        first = place + 1 if lead.kind == "drift" else place
        before = points[first - 1] if first > 0 else None
        after = points[first] if first < len(points) else None
        ends = [one.campaign_id for one in (before, after) if one is not None]
        commits = self.commits.of(ends)
        return RangeRead(
            before=_end(before, commits),
            first=_end(after, commits),
            commits_url=_commits_url(before, after, commits),
        )


def lead_of(alert: Alert, members: Members) -> tuple[ChangePoint, Series] | None:
    """The change that stands for an alert: the latest one that explains others; none: all went."""
    return next(iter(_leading(alert, members)), None)


def _leading(alert: Alert, members: Members) -> list[tuple[ChangePoint, Series]]:
    """Changes of an alert that lead, the latest first, and of equals the most evident."""
    mine = [one for one in members if one[0].alert_id == alert.id]
    leading = [one for one in mine if one[0].downstream_of_id is None] or mine
    return sorted(leading, key=lambda one: one[0].at, reverse=True)


def _read(alert: Alert, named: _Named) -> AlertRead:
    experiment = named.experiments.get(alert.experiment_id) if alert.experiment_id else None
    agent = named.agents.get(alert.agent_id) if alert.agent_id else None
    leading = _leading(alert, named.members)
    title = (
        change_title(*leading[0], named.sides[leading[0][1].id])
        if leading
        else missed_title(alert, experiment or "an experiment", agent or "")
    )
    is_change = alert.kind == AlertKind.CHANGE
    assignee = named.people.get(alert.assignee_id) if alert.assignee_id else None
    return AlertRead.model_validate(
        {
            "id": alert.id,
            "kind": alert.kind,
            "title": title,
            "state": alert.state,
            "downstream_of_id": alert.downstream_of_id,
            "version": alert.version,
            "raised_at": alert.raised_at,
            "state_at": alert.state_at,
            "ended_at": alert.ended_at,
            "assignee": assignee and PersonRead(id=alert.assignee_id, name=assignee),
            "due_on": alert.due_on,
            "note": alert.note,
            "link": alert.link,
            "experiment": experiment
            and ExperimentOfSeries(id=alert.experiment_id, name=experiment),
            "agent": agent and AgentOfAlert(id=alert.agent_id, name=agent),
            "change": _change_read(leading, named) if leading else None,
            "missed": None if is_change else MissedRead.model_validate(alert.details),
        }
    )


def _change_read(leading: Members, named: _Named) -> AlertChangeRead:
    lead, series = leading[0]
    member = _member_read(lead, series, named)
    return AlertChangeRead.model_validate(
        {
            "kind": lead.kind,
            "at": lead.at,
            "campaign_id": lead.campaign_id,
            "campaign_number": member.campaign_number,
            "target": series.target,
            "target_name": named.sides[series.id],
            "system_id": series.system_id,
            "profile": lead.profile,
            "better": member.better,
            "lead": member,
            "downstream": [
                _member_read(row, of, named)
                for row, of in named.members
                if row.downstream_of_id == lead.id
            ],
            "earlier": [_member_read(row, of, named) for row, of in leading[1:]],
        }
    )


def _member_read(row: ChangePoint, series: Series, named: _Named) -> AlertMemberRead:
    return read_of(
        AlertMemberRead,
        row,
        change_point_id=row.id,
        series_id=series.id,
        metric=series.metric,
        workload=series.workload,
        load_level=LoadLevelRead.model_validate(
            {"kind": series.load_kind, "value": series.load_value, "label": series.load_label}
        ),
        campaign_number=named.numbers[row.campaign_id],
        better=change_is_better(row, series),
    )


def _end(point: StoredPoint | None, commits: Mapping[UUID, GitRead]) -> EndOfRangeRead | None:
    if point is None:
        return None
    return read_of(EndOfRangeRead, point, git=commits.get(point.campaign_id))


def _commits_url(
    before: StoredPoint | None, after: StoredPoint | None, commits: Mapping[UUID, GitRead]
) -> str | None:
    ends = [commits.get(one.campaign_id) if one else None for one in (before, after)]
    first, last = ends
    if first is None or last is None or first.repository != last.repository:
        return None
    if first.commit == last.commit:
        return None
    return commits_page(last.repository, first.commit, last.commit)
