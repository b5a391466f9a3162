"""Series from before identities: what their cells were, worked out of what is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.identity.sides import family

from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.results.figures import FigureService
from weighhouse_backend.results.identities import CellSeen, place_of_runs
from weighhouse_backend.results.repeats import by_cell
from weighhouse_backend.series.environments import Environment, environment_of
from weighhouse_backend.series.models import Series, SeriesPoint
from weighhouse_backend.series.repository import SeriesRepository

Named = tuple[str, str, str]
"""Target, workload and load level, as a campaign called them."""


@dataclass(frozen=True)
class Kept:
    """What a cell of an earlier campaign was."""

    cell_identity: str
    side_family: str
    place: str | None
    environment: Environment

    @property
    def key(self) -> tuple[str, str]:
        """What its series is found by."""
        return self.cell_identity, self.side_family


@dataclass(frozen=True)
class CarryingService:
    """Gives series from before identities theirs. Points keep their figures."""

    repository: SeriesRepository
    campaigns: CampaignService
    experiments: ExperimentService
    catalog: CatalogService
    figures: FigureService

    def carry(self, experiment_id: UUID) -> None:
        """Key an experiment's series by what was measured. Idempotent; nothing to do is cheap.

        Where one name stood for several measurements, the latest keeps the series, and each of the
        others becomes one of its own, with its points and the changes that were found among them.
        """
        unkeyed = self.repository.lock_unkeyed(experiment_id)
        if not unkeyed:
            return
        points = {series.id: self.repository.rows(series.id) for series in unkeyed}
        campaigns = {point.campaign_id for mine in points.values() for point in mine}
        known = {campaign_id: self._cells(campaign_id) for campaign_id in campaigns}
        for series in unkeyed:
            self._carry(series, points[series.id], known)

    def _cells(self, campaign_id: UUID) -> dict[Named, Kept]:
        campaign = self.campaigns.get(campaign_id)
        document = document_of(self.experiments, campaign)
        manifests = self.catalog.manifests([campaign.project_id])
        targets = {target.name: target for target in document.targets}
        runs = self.figures.of_campaigns([campaign_id])
        found = {}
        for name, target in targets.items():
            mine = [run for run in runs if run.target == name]
            for (workload, level), cell_runs in by_cell(mine).items():
                seen = CellSeen(document, cell_runs, manifests.get(target.system))
                found[name, workload, level] = Kept(
                    seen.identity().digest,
                    family(target).digest,
                    place_of_runs(cell_runs),
                    environment_of(document, cell_runs),
                )
        return found

    def _carry(
        self,
        series: Series,
        points: Sequence[SeriesPoint],
        known: dict[UUID, dict[Named, Kept]],
    ) -> None:
        name = (series.target, series.workload, series.load_label)
        groups: dict[tuple[str, str], list[SeriesPoint]] = {}
        for point in points:
            kept = known[point.campaign_id][name]
            point.place = kept.place
            point.kernel = kept.environment.kernel
            point.memory_bytes = kept.environment.memory_bytes
            members = groups.setdefault(kept.key, [])
            kinds = dict.fromkeys(one.fingerprint for one in members)
            point.fingerprint = kept.environment.among(kinds)
            members.append(point)
        latest = known[points[-1].campaign_id][name].key if points else None
        for key, members in groups.items():
            if key == latest:
                self._key(series, key)
                continue
            other = self.repository.twin(series)
            self._key(other, key)
            self.repository.move(series.id, other.id, [point.campaign_id for point in members])
        if latest is None:
            self._key(series, (f"/{series.id}", ""))

    def _key(self, series: Series, key: tuple[str, str]) -> None:
        """Cells of two names that were the same measurement keep a series each."""
        identity, side = key
        if self.repository.keyed(series.experiment_id, identity, side, series.metric):
            identity = f"{identity}/{series.id}"
        series.cell_identity = identity
        series.side_family = side
        self.repository.session.flush()
