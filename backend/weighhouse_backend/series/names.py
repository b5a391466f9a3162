"""What the sides of series are called: as comparisons call the targets of their experiments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.identity.names import target_names
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.series.models import Series


@dataclass(frozen=True)
class SeriesNameService:
    """Names series by the current revisions of their experiments."""

    experiments: ExperimentService
    catalog: CatalogService

    def of(self, series: Iterable[Series]) -> dict[UUID, str]:
        """The name of each one's side, in as many queries for all as for one. Of a target that its
        experiment has no more, the system's, with the identifier it had.
        """
        wanted = list(series)
        documents = self.experiments.current_documents({one.experiment_id for one in wanted})
        projects = {one.project_id for one in wanted}
        manifests = {one: self.catalog.manifests([one]) for one in projects}
        project_of = {one.experiment_id: one.project_id for one in wanted}
        named = {
            key: target_names(document.targets, manifests[project_of[key]])
            for key, document in documents.items()
        }
        return {
            one.id: named.get(one.experiment_id, {}).get(one.target)
            or _gone(one, manifests[one.project_id])
            for one in wanted
        }


def _gone(series: Series, manifests: Mapping[str, Manifest]) -> str:
    manifest = manifests.get(series.system_id)
    return f"{series.system_id if manifest is None else manifest.name} ({series.target})"
