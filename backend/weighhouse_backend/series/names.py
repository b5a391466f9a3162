"""What the sides of series are called: as comparisons call the targets of their experiments."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.identity.names import target_names

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.experiments.models import Experiment
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.series.models import Series


@dataclass(frozen=True)
class SeriesNameService:
    """Names series by the current revisions of their experiments."""

    experiments: ExperimentService
    catalog: CatalogService

    def of(self, series: Iterable[Series]) -> dict[UUID, str]:
        """The name of each one's side. Of a target that its experiment has no more, the system's,
        with the identifier it had.
        """
        wanted = list(series)
        experiments = self.experiments.get_many({one.experiment_id for one in wanted})
        named = {key: self._targets(one) for key, one in experiments.items()}
        return {
            one.id: named[one.experiment_id].get(one.target)
            or self._gone(experiments[one.experiment_id], one)
            for one in wanted
        }

    def _targets(self, experiment: Experiment) -> dict[str, str]:
        revision = self.experiments.revision(experiment.id, experiment.current_revision)
        try:
            document = self.experiments.document(revision.id)
        except ValueError:  # of another day: it cannot be read any more
            return {}
        return target_names(document.targets, self.catalog.manifests([experiment.project_id]))

    def _gone(self, experiment: Experiment, series: Series) -> str:
        manifest = self.catalog.manifests([experiment.project_id]).get(series.system_id)
        return f"{series.system_id if manifest is None else manifest.name} ({series.target})"
