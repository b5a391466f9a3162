"""Figures of runs for comparing: one row a run, out of summaries and records."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Row, select
from sqlalchemy.orm import Session
from weighhouse_protocol.figures import CATALOGUE, Figure, Figures

from weighhouse_backend.campaigns.plan import AGAIN
from weighhouse_backend.measurements.models import RunSummary
from weighhouse_backend.measurements.packed_intervals import ALL
from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.results import figure_rows
from weighhouse_backend.results.figure_rows import Totals
from weighhouse_backend.results.sources import (
    Measured,
    is_asked_of_histogram,
    percentiles,
    worked_out,
)
from weighhouse_backend.runs.models import Cell, Run
from weighhouse_backend.runs.states import RunStatus


@dataclass(frozen=True)
class RunFigures:
    """A run of a cell, with its figures."""

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
    figures: Figures = field(default_factory=dict)
    """Over all operations; empty of a run that did not complete."""
    operations: int | None = None
    failed_operations: int | None = None
    """In the measured phase; not found is no failure."""
    record: AttemptRecord | None = None
    """The facts it was measured under."""

    def of(self, figure: str) -> float | None:
        """A figure of the catalogue, in its unit; None where the run gave none."""
        found = self.figures.get(figure)
        return None if found is None else found.value

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
        self,
        campaign_ids: Collection[UUID],
        *,
        beside: bool = False,
        also: Collection[Figure] = (),
    ) -> list[RunFigures]:
        """Every run of some campaigns in document order; queries do not grow with their number.
        Not those that measured a cell again: they are no repeats of it.

        :param beside: those of bases that were measured again, instead of the campaigns' own.
        :param also: percentiles that have no place in the catalogue, and are asked for by name.
        """
        return self._read(campaign_ids, also, Run.twin != AGAIN, Cell.beside.is_(beside))

    def again(self, campaign_id: UUID) -> list[RunFigures]:
        """The runs that measured again what seemed worse in a campaign, in document order."""
        return self._read([campaign_id], (), Run.twin == AGAIN)

    def _read(
        self,
        campaign_ids: Collection[UUID],
        also: Collection[Figure],
        *which: ColumnElement[bool],
    ) -> list[RunFigures]:
        rows = self.session.execute(
            select(
                Run.id,
                Run.campaign_id,
                Run.cell_id,
                Run.repetition,
                Run.block,
                Run.twin,
                Run.status,
                Run.failure,
                Run.result_attempt_id,
                Cell.target,
                Cell.workload,
                Cell.load_kind,
                Cell.load_value,
                Cell.load_label,
            )
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
        winners = {row.result_attempt_id for row in rows if row.result_attempt_id is not None}
        totals = figure_rows.totals(self.session, winners)
        records = figure_rows.records(self.session, winners)
        asked = [one for one in (*CATALOGUE, *also) if is_asked_of_histogram(one)]
        histograms = (
            self.repository.histograms_of(winners, "measure", ALL, "response") if asked else {}
        )
        return [
            run_figures(
                row,
                totals,
                records.get(row.result_attempt_id),
                percentiles(
                    asked,
                    None
                    if (stored := histograms.get(row.result_attempt_id)) is None
                    else stored.encoded,
                ),
            )
            for row in rows
        ]


def run_figures(
    row: Row[Any] | SimpleNamespace,
    totals: Mapping[tuple[UUID, str], Totals | RunSummary],
    record: AttemptRecord | None,
    asked: Figures,
) -> RunFigures:
    """A run's figures out of what its attempt came to.

    :param row: the columns of run and cell that `RunFigures` has.
    :param totals: over all operations, by attempt and phase.
    :param asked: percentiles out of its histogram.
    """
    counts = row.status == RunStatus.COMPLETED
    measured, loaded = (
        totals.get((row.result_attempt_id, phase)) if counts else None
        for phase in ("measure", "load")
    )
    return RunFigures(
        run_id=row.id,
        campaign_id=row.campaign_id,
        cell_id=row.cell_id,
        target=row.target,
        workload=row.workload,
        load_kind="open" if row.load_kind == "open" else "closed",
        load_value=row.load_value,
        load_label=row.load_label,
        repetition=row.repetition,
        block=row.block,
        twin=row.twin,
        status=RunStatus(row.status),
        failure=row.failure,
        figures={**worked_out(Measured(measured, loaded, record)), **asked} if counts else {},
        operations=None
        if measured is None
        else measured.ok + measured.not_found + measured.errors + measured.verify_failed,
        failed_operations=None if measured is None else measured.errors + measured.verify_failed,
        record=record,
    )
