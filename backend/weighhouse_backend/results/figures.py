"""Figures of runs for comparing: one row a run, out of summaries and records."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.models import Cell, Run
from weighhouse_backend.campaigns.planning import AGAIN
from weighhouse_backend.campaigns.states import RunStatus
from weighhouse_backend.results import views
from weighhouse_backend.results.models import RunSummary
from weighhouse_backend.results.packing import ALL
from weighhouse_backend.results.records import AttemptRecord
from weighhouse_backend.results.repository import ResultRepository


@dataclass(frozen=True)
class RunFigures:
    """A run of a cell, with the figures people compare; None where it gave none.

    Latencies in µs over all operations, throughput in successes a second, memory in bytes.
    """

    run_id: UUID
    campaign_id: UUID
    cell_id: UUID
    target: str
    workload: str
    load_kind: Literal["closed", "open"]
    load_value: float
    load_label: str
    repetition: int
    block: int
    """Which runs of its campaign were measured together with it."""
    twin: int
    """Which of the two runs of its cell in a block of an A/A campaign; else 0."""
    status: RunStatus
    failure: dict[str, Any] | None
    """A `weighhouse_protocol.report.Failure`."""
    throughput: float | None = None
    mean_us: float | None = None
    p50_us: float | None = None
    p95_us: float | None = None
    p99_us: float | None = None
    p999_us: float | None = None
    p9999_us: float | None = None
    memory_before_bytes: float | None = None
    memory_after_load_bytes: float | None = None
    memory_after_bytes: float | None = None
    """After the measured phase."""
    load_throughput: float | None = None
    operations: int | None = None
    failed_operations: int | None = None
    """In the measured phase; not found is no failure."""
    record: AttemptRecord | None = None
    """The facts it was measured under."""

    @property
    def failure_kind(self) -> str | None:
        """Why it failed, in one word."""
        return None if self.failure is None else str(self.failure.get("kind", "infrastructure"))

    @property
    def cell(self) -> tuple[str, str]:
        """Workload and load level: what has to agree for two sides to be compared."""
        return self.workload, self.load_label


@dataclass(frozen=True)
class FigureService:
    """Reads the figures of campaigns, for features above, which check access."""

    session: Session
    repository: ResultRepository

    def of_campaigns(
        self, campaign_ids: Collection[UUID], *, beside: bool = False
    ) -> list[RunFigures]:
        """Every run of some campaigns in document order; queries do not grow with their number.
        Not those that measured a cell again: they are no repeats of it.

        :param beside: those of bases that were measured again, instead of the campaigns' own.
        """
        return self._read(campaign_ids, Run.twin != AGAIN, Cell.beside.is_(beside))

    def again(self, campaign_id: UUID) -> list[RunFigures]:
        """The runs that measured again what seemed worse in a campaign, in document order."""
        return self._read([campaign_id], Run.twin == AGAIN)

    def _read(
        self, campaign_ids: Collection[UUID], *which: ColumnElement[bool]
    ) -> list[RunFigures]:
        rows = self.session.execute(
            select(Run, Cell)
            .join(Cell, Cell.id == Run.cell_id)
            .where(Run.campaign_id.in_(list(campaign_ids)), *which)
            .order_by(
                Run.campaign_id,
                Cell.workload_index,
                Cell.load_index,
                Cell.target_index,
                Run.repetition,
                Run.twin,
            )
        ).all()
        winners = {run.result_attempt_id for run, _ in rows if run.result_attempt_id is not None}
        summaries = self.repository.summaries(winners)
        records = self.repository.records(winners)
        return [
            _figures(
                run,
                cell,
                summaries.get(run.result_attempt_id, []) if run.result_attempt_id else [],
                records.get(run.result_attempt_id) if run.result_attempt_id else None,
            )
            for run, cell in rows
        ]


def _figures(
    run: Run, cell: Cell, summaries: Sequence[RunSummary], record: AttemptRecord | None
) -> RunFigures:
    totals = {row.phase: row for row in summaries if row.operation == ALL}
    counts = run.status == RunStatus.COMPLETED
    measured = totals.get("measure") if counts else None
    loaded = totals.get("load") if counts else None
    memory = None if record is None or not counts else views.memory_of_run(record)
    return RunFigures(
        run_id=run.id,
        campaign_id=run.campaign_id,
        cell_id=run.cell_id,
        target=cell.target,
        workload=cell.workload,
        load_kind="open" if cell.load_kind == "open" else "closed",
        load_value=cell.load_value,
        load_label=cell.load_label,
        repetition=run.repetition,
        block=run.block,
        twin=run.twin,
        status=RunStatus(run.status),
        failure=run.failure,
        throughput=None if measured is None else measured.throughput,
        mean_us=None if measured is None else measured.mean_us,
        p50_us=None if measured is None else measured.p50_us,
        p95_us=None if measured is None else measured.p95_us,
        p99_us=None if measured is None else measured.p99_us,
        p999_us=None if measured is None else measured.p999_us,
        p9999_us=None if measured is None else measured.p9999_us,
        memory_before_bytes=None if memory is None else _number(memory.before_bytes),
        memory_after_load_bytes=None if memory is None else _number(memory.after_load_bytes),
        memory_after_bytes=None if memory is None else _number(memory.after_bytes),
        load_throughput=None if loaded is None else loaded.throughput,
        operations=None
        if measured is None
        else measured.ok + measured.not_found + measured.errors + measured.verify_failed,
        failed_operations=None if measured is None else measured.errors + measured.verify_failed,
        record=record,
    )


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)
