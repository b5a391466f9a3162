"""The repeats of cells, out of their runs. Pure."""

from collections.abc import Iterable, Sequence

from weighhouse_judging.arithmetic.rates import Rate
from weighhouse_judging.verdicts.failures import Attempts
from weighhouse_judging.verdicts.figures import Repeats

from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.runs.states import RunStatus

CellKey = tuple[str, str]
"""Workload and label of the load level."""


def by_cell(runs: Iterable[RunFigures]) -> dict[CellKey, list[RunFigures]]:
    """Runs gathered by their cell, in the order they come."""
    cells: dict[CellKey, list[RunFigures]] = {}
    for run in runs:
        cells.setdefault(run.cell, []).append(run)
    return cells


def values(runs: Iterable[RunFigures], metric: str) -> list[float]:
    """A metric of each repeat that gave it."""
    found = (run.of(metric) for run in runs if run.status == RunStatus.COMPLETED)
    return [float(value) for value in found if value is not None]


def blocks(runs: Iterable[RunFigures], metric: str) -> Repeats:
    """A metric of each repeat that gave it, by the block it was measured in: pairs of sides are
    those under one key. Keys are of numbers alone: they are looked up thousands of times.
    """
    return {
        (run.campaign_id.int, run.block, run.twin): float(value)
        for run in runs
        if run.status == RunStatus.COMPLETED and (value := run.of(metric)) is not None
    }


def in_time(runs: Iterable[RunFigures], metric: str) -> Repeats:
    """A metric of each repeat that gave it, by its number: cells of one campaign that share no
    block, such as load levels, were measured one after the other in each repetition.
    """
    return {
        (run.campaign_id, run.repetition, run.twin): float(value)
        for run in runs
        if run.status == RunStatus.COMPLETED and (value := run.of(metric)) is not None
    }


def attempts(runs: Sequence[RunFigures]) -> Attempts:
    """What became of a cell's repeats that have ended."""
    done = [run for run in runs if run.status == RunStatus.COMPLETED]
    return Attempts(
        completed=len(done),
        failures=tuple(
            run.failure_kind or str(run.status)
            for run in runs
            if run.status in {RunStatus.FAILED, RunStatus.CANCELLED}
        ),
        operations=tuple(
            Rate(run.failed_operations, run.operations)
            for run in done
            if run.operations is not None and run.failed_operations is not None
        ),
    )
