"""Distributions of cells: which runs counted in them, and their merged histograms."""

import datetime
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.plan import AGAIN
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.measurements.histogram_kinds import HistogramKind
from weighhouse_backend.measurements.repository import ResultRepository, StoredHistogram
from weighhouse_backend.results import views
from weighhouse_backend.runs.models import Cell, Run
from weighhouse_backend.runs.states import RunStatus

MEASURED = "measure"

Block = tuple[UUID, int, int]
"""Campaign, block and twin: what two sides have in common when they were measured together."""


@dataclass(frozen=True)
class CountedRun:
    """A completed run of a cell: one observation of its distribution."""

    run_id: UUID
    repetition: int
    started_at: datetime.datetime | None
    campaign_id: UUID
    target: str
    workload: str
    load_level: LoadLevelRead
    attempt_id: UUID
    block: Block

    @classmethod
    def of(cls, run: Run, cell: Cell) -> Self | None:
        """A run as it counts; None when it gave no result."""
        if run.result_attempt_id is None or run.status != RunStatus.COMPLETED:
            return None
        return cls(
            run.id,
            run.repetition,
            run.started_at,
            run.campaign_id,
            cell.target,
            cell.workload,
            views.load_level(cell),
            run.result_attempt_id,
            (run.campaign_id, run.block, run.twin),
        )


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
                Run.twin != AGAIN,
                Cell.workload == workload,
                Cell.load_label == load_label,
            )
            .order_by(Run.campaign_id, Cell.target_index, Run.repetition, Run.twin)
        )
        return [counted for run, cell in rows if (counted := CountedRun.of(run, cell)) is not None]

    def operations(self, runs: Iterable[CountedRun], phase: str = MEASURED) -> list[str]:
        """Names of the operations that runs have figures of; one query."""
        return self.repository.operations_of({run.attempt_id for run in runs}, phase)

    def histograms(
        self,
        runs: Collection[CountedRun],
        operation: str,
        kind: HistogramKind = "response",
        phase: str = MEASURED,
    ) -> dict[UUID, StoredHistogram]:
        """Merged histograms as they are stored, by run; one query."""
        found = self.repository.histograms_of(
            {run.attempt_id for run in runs}, phase, operation, kind
        )
        return {run.run_id: found[run.attempt_id] for run in runs if run.attempt_id in found}
