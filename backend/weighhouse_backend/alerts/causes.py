"""One cause is one alert: changes of an experiment's series, grouped, kept so, and read."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.series.causes import Sighting, causes

from weighhouse_backend.alerts.models import ChangePoint
from weighhouse_backend.alerts.repository import AlertRepository
from weighhouse_backend.alerts.schemas import AlertMemberRead, AlertRead
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.series.models import Series
from weighhouse_backend.series.schemas import ExperimentOfSeries


@dataclass(frozen=True)
class CauseService:
    """Names which changes follow from which."""

    repository: AlertRepository
    experiments: ExperimentService

    def group(self, experiment_ids: Collection[UUID]) -> None:
        """Name, for each confirmed change of experiments, the one that explains it. Idempotent."""
        found = self.repository.confirmed_of(sorted(set(experiment_ids)))
        rows = {str(row.id): row for row, _ in found}
        numbers = self.repository.campaign_numbers({row.campaign_id for row, _ in found})
        told = causes([_sighting(row, series, numbers) for row, series in found])
        for cause in told:
            rows[cause.lead].downstream_of_id = None
            for change in cause.downstream:
                rows[change].downstream_of_id = rows[cause.lead].id
        self.repository.session.flush()

    def listed(
        self, caller: Caller, query: PageQuery, *, experiment_id: UUID | None = None
    ) -> Page[AlertRead]:
        """Alerts of the caller's projects, the latest found first."""
        page: Page[ChangePoint] = page_of(
            self.repository.session,
            self.repository.leads(caller.project_ids, experiment_id=experiment_id),
            ChangePoint.id,
            query,
            lambda row: row,
        )
        members = self.repository.members([row.id for row in page.items])
        names = self.experiments.get_many({series.experiment_id for _, series in members})
        return Page[AlertRead](
            items=[
                _alert_read(lead, members, {key: one.name for key, one in names.items()})
                for lead in page.items
            ],
            next_cursor=page.next_cursor,
        )


def _sighting(row: ChangePoint, series: Series, numbers: dict[UUID, int]) -> Sighting:
    return Sighting(
        change=str(row.id),
        subject=f"{series.experiment_id}/{series.target}",
        cell=f"{series.workload}/{series.load_label}",
        figure=series.metric,
        kind="drift" if row.kind == "drift" else "step",
        order=numbers[row.campaign_id],
        p_value=row.p_value,
    )


def _alert_read(
    lead: ChangePoint, members: Collection[tuple[ChangePoint, Series]], names: dict[UUID, str]
) -> AlertRead:
    series = next(series for row, series in members if row.id == lead.id)
    return AlertRead.model_validate(
        {
            "id": lead.id,
            "kind": lead.kind,
            "at": lead.at,
            "campaign_id": lead.campaign_id,
            "experiment": ExperimentOfSeries(
                id=series.experiment_id, name=names[series.experiment_id]
            ),
            "target": series.target,
            "system_id": series.system_id,
            "profile": lead.profile,
            "state": lead.state,
            "lead": _member_read(lead, series),
            "downstream": [
                _member_read(row, series)
                for row, series in members
                if row.downstream_of_id == lead.id
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
