"""Distributions of cells: which runs counted in them, and their merged histograms."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.models import Cell, Run
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.campaigns.states import RunStatus
from weighhouse_backend.results import views
from weighhouse_backend.results.repository import HistogramKind, ResultRepository

MEASURED = "measure"

Block = tuple[UUID, int, int]
"""Campaign, block and twin: what two sides have in common when they were measured together."""


@dataclass(frozen=True)
class CountedRun:
    """A completed run of a cell: one observation of its distribution."""

    run_id: UUID
    campaign_id: UUID
    target: str
    load_level: LoadLevelRead
    attempt_id: UUID
    block: Block


@dataclass(frozen=True)
class DistributionService:
    """Reads distributions for features above, which check access."""

    session: Session
    repository: ResultRepository

    def runs(
        self, campaign_ids: Collection[UUID], workload: str, load_label: str
    ) -> list[CountedRun]:
        """The completed runs of one workload at one load level, of every target; one query."""
        rows = self.session.execute(
            select(Run, Cell)
            .join(Cell, Cell.id == Run.cell_id)
            .where(
                Run.campaign_id.in_(list(campaign_ids)),
                Run.status == RunStatus.COMPLETED,
                Run.result_attempt_id.is_not(None),
                Cell.workload == workload,
                Cell.load_label == load_label,
            )
            .order_by(Run.campaign_id, Cell.target_index, Run.repetition, Run.twin)
        )
        return [
            CountedRun(
                run.id,
                run.campaign_id,
                cell.target,
                views.load_level(cell),
                run.result_attempt_id,
                (run.campaign_id, run.block, run.twin),
            )
            for run, cell in rows
            if run.result_attempt_id is not None
        ]

    def operations(self, runs: Iterable[CountedRun]) -> list[str]:
        """Names of the operations that runs measured; one query."""
        return self.repository.operations_of({run.attempt_id for run in runs}, MEASURED)

    def histograms(
        self, runs: Collection[CountedRun], operation: str, kind: HistogramKind = "response"
    ) -> dict[UUID, bytes]:
        """Histograms of the measured phase as they are stored, by run; one query."""
        found = self.repository.histograms_of(
            {run.attempt_id for run in runs}, MEASURED, operation, kind
        )
        return {run.run_id: found[run.attempt_id] for run in runs if run.attempt_id in found}
