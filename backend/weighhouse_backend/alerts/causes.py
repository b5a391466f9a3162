"""One cause is one alert: changes of an experiment's series, grouped, kept so, and told."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from weighhouse_judging.series.causes import Sighting, causes
from weighhouse_judging.series.course import Kind

from weighhouse_backend.alerts.alert_writer import RaisingService, Told
from weighhouse_backend.alerts.models import ChangePoint
from weighhouse_backend.alerts.repository import AlertRepository
from weighhouse_backend.series.models import Series


@dataclass(frozen=True)
class CauseService:
    """Names which changes follow from which, and has each cause told."""

    repository: AlertRepository
    raising: RaisingService

    def group(self, experiment_ids: Collection[UUID]) -> None:
        """Name, for each confirmed change of experiments, the one that explains it, and see that
        each cause has its alert. Idempotent.
        """
        found = self.repository.confirmed_of(sorted(set(experiment_ids)))
        rows = {str(row.id): (row, series) for row, series in found}
        numbers = self.repository.campaign_numbers({row.campaign_id for row, _ in found})
        told = causes([_sighting(row, series, numbers) for row, series in found])
        for cause in told:
            lead, series = rows[cause.lead]
            lead.downstream_of_id = None
            for change in cause.downstream:
                rows[change][0].downstream_of_id = lead.id
            members = [rows[change] for change in (cause.lead, *cause.downstream)]
            self.raising.tell(Told(series.experiment_id, members))
        self.repository.session.flush()


def _sighting(row: ChangePoint, series: Series, numbers: dict[UUID, int]) -> Sighting:
    return Sighting(
        change=str(row.id),
        subject=f"{series.experiment_id}/{series.target}",
        cell=f"{series.workload}/{series.load_label}",
        figure=series.metric,
        kind=cast("Kind", row.kind),
        order=numbers[row.campaign_id],
        p_value=row.p_value,
    )
