"""Alerts as they are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.alerts.alert_repository import AlertRowRepository
from weighhouse_backend.alerts.models import Alert, ChangePoint
from weighhouse_backend.alerts.schemas import AlertMemberRead, AlertRead, ChangeRead
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.series.models import Series
from weighhouse_backend.series.schemas import ExperimentOfSeries

Members = Sequence[tuple[ChangePoint, Series]]


@dataclass(frozen=True)
class AlertReading:
    """Lists alerts and shows one."""

    repository: AlertRowRepository
    experiments: ExperimentService

    def listed(
        self, caller: Caller, query: PageQuery, *, experiment_id: UUID | None = None
    ) -> Page[AlertRead]:
        """Alerts of the caller's projects, the latest raised first."""
        page: Page[Alert] = page_of(
            self.repository.session,
            self.repository.listed(caller.project_ids, experiment_id=experiment_id),
            Alert.id,
            query,
            lambda row: row,
        )
        return Page[AlertRead](items=self._reads(page.items), next_cursor=page.next_cursor)

    def _reads(self, alerts: Sequence[Alert]) -> list[AlertRead]:
        """Alerts as they stand in a list; as many queries for all as for one."""
        members = self.repository.members([alert.id for alert in alerts])
        found = self.experiments.get_many(
            {alert.experiment_id for alert in alerts if alert.experiment_id is not None}
        )
        names = {key: one.name for key, one in found.items()}
        return [_read(alert, members, names) for alert in alerts]


def lead_of(alert: Alert, members: Members) -> tuple[ChangePoint, Series] | None:
    """The change that stands for an alert: the latest one that explains others; none: all went."""
    mine = [one for one in members if one[0].alert_id == alert.id]
    leading = [one for one in mine if one[0].downstream_of_id is None] or mine
    # Members come with the most evident first, and the maximum is the first of equals.
    return max(leading, key=lambda one: one[0].at, default=None)


def _read(alert: Alert, members: Members, names: Mapping[UUID, str]) -> AlertRead:
    experiment = alert.experiment_id
    return AlertRead.model_validate(
        {
            "id": alert.id,
            "kind": alert.kind,
            "state": alert.state,
            "version": alert.version,
            "raised_at": alert.raised_at,
            "state_at": alert.state_at,
            "experiment": None
            if experiment is None
            else ExperimentOfSeries(id=experiment, name=names[experiment]),
            "change": _change_read(alert, members),
        }
    )


def _change_read(alert: Alert, members: Members) -> ChangeRead | None:
    found = lead_of(alert, members)
    if found is None:
        return None
    lead, series = found
    return ChangeRead.model_validate(
        {
            "kind": lead.kind,
            "at": lead.at,
            "campaign_id": lead.campaign_id,
            "target": series.target,
            "system_id": series.system_id,
            "profile": lead.profile,
            "lead": _member_read(lead, series),
            "downstream": [
                _member_read(row, of) for row, of in members if row.downstream_of_id == lead.id
            ],
        }
    )


def _member_read(row: ChangePoint, series: Series) -> AlertMemberRead:
    return AlertMemberRead(
        change_point_id=row.id,
        series_id=series.id,
        metric=series.metric,
        workload=series.workload,
        load_level=LoadLevelRead.model_validate(
            {"kind": series.load_kind, "value": series.load_value, "label": series.load_label}
        ),
        campaign_id=row.campaign_id,
        relative=row.relative,
        p_value=row.p_value,
    )
