"""Which campaigns of an experiment are its main line, and which stand apart from it.

Apart is a campaign of a pull request, and one of another branch than the main one, where that is
known: the branch that the experiment names as base (`gate: {base: branch:main}`), else the
repository's default branch as it was told last. An experiment of which nothing was measured on its
main line has one line, of all its campaigns.
"""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.bases import BaseChoice

from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.series.repository import SeriesRepository


@dataclass(frozen=True)
class MainLineService:
    """Tells campaigns of the main line from others."""

    repository: SeriesRepository
    experiments: ExperimentService

    def mark(self, experiment_id: UUID) -> list[UUID]:
        """Mark the points of an experiment that stand apart from its main line. Idempotent.

        What is told with one campaign may say so of earlier ones.

        :returns: the series with points that were marked otherwise before.
        """
        return self.repository.mark_apart(experiment_id, self._branch(experiment_id))

    def apart(self, experiment_id: UUID, campaign_ids: Collection[UUID]) -> set[UUID]:
        """Those of some campaigns that stand apart, with points or without."""
        return self.repository.apart(experiment_id, self._branch(experiment_id), campaign_ids)

    def _branch(self, experiment_id: UUID) -> str | None:
        document = self.experiments.current_documents([experiment_id]).get(experiment_id)
        if document is not None:
            base = BaseChoice.parse(document.gate.base).earlier
            if base.kind == "branch":
                return base.name
        return self.repository.default_branch(experiment_id)
