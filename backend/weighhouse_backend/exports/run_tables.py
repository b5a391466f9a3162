"""Tables of runs: what was measured of them, interval by interval, operation by operation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.exports.tables import Column, Row, Table
from weighhouse_backend.measurements.interval_rows import MeasuredRowService
from weighhouse_backend.measurements.packed_intervals import ALL, StoredInterval
from weighhouse_backend.measurements.summaries import (
    QUANTILES,
    US_PER_SECOND,
    OperationSum,
    PhaseSum,
)
from weighhouse_backend.results.schemas import OperationSummary, RunListed
from weighhouse_backend.runs.instants import instant

SHOWN = sorted(
    (one for one in CATALOGUE.latencies if one.quantile in QUANTILES),
    key=lambda one: one.quantile or 0.0,
)
PERCENTILES = [Column(one.name, "number") for one in SHOWN]
COUNTS = [
    Column(name, "integer") for name in ("ok", "not_found", "errors", "verify_failed", "never_sent")
]
_OF_RUN = [
    Column("run_id"), Column("target"), Column("workload"), Column("load_level"),
    Column("repetition", "integer"),
]  # fmt: skip
INTERVALS = [
    *_OF_RUN, Column("member", "integer"), Column("phase"), Column("drain", "flag"),
    Column("started_at", "instant"), Column("duration_us", "integer"), Column("operation"),
    *COUNTS, Column("throughput", "number"), Column("mean_us", "number"), *PERCENTILES,
    Column("max_us", "number"),
]  # fmt: skip
OPERATIONS = [
    *_OF_RUN, Column("phase"), Column("operation"), *COUNTS, Column("throughput", "number"),
    Column("mean_us", "number"), *PERCENTILES, Column("max_us", "number"),
]  # fmt: skip
RESOURCES = [
    *_OF_RUN, Column("member", "integer"), Column("at", "instant"),
    Column("cpu_percent", "number"), Column("resident_bytes", "integer"),
    Column("disk_bytes", "integer"), Column("driver_cpu_percent", "number"),
    Column("driver_resident_bytes", "integer"), Column("machine_cpu_percent", "number"),
    Column("steal_percent", "number"),
]  # fmt: skip
CLOCKS = (
    "started_at and at are by the clock of the machine that measured; member says which",
    "percentiles are of one interval's successes; those of several come out of merged histograms",
)


@dataclass(frozen=True)
class Shown:
    """A run with the attempt that it is shown by."""

    run: RunListed
    attempt_id: UUID | None


def intervals(rows: MeasuredRowService, runs: Iterable[Shown]) -> Table:
    """A row an interval and operation, as drivers reported them; `all` is their sum."""
    return Table("intervals", INTERVALS, _intervals(rows, runs))


def operations(runs: Iterable[RunListed]) -> Table:
    """A row a phase and operation, out of merged histograms; of settled runs."""
    return Table("operations", OPERATIONS, _operations(runs))


def resources(rows: MeasuredRowService, runs: Iterable[Shown]) -> Table:
    """A row a sample of what system, driver and machine used."""
    return Table("resources", RESOURCES, _resources(rows, runs))


def _of_run(run: RunListed) -> Row:
    cell = run.cell
    return (
        str(run.id), cell.target, cell.workload, cell.load_level.label, run.repetition,
    )  # fmt: skip


def _intervals(rows: MeasuredRowService, runs: Iterable[Shown]) -> Iterator[Row]:
    for one in runs:
        if one.attempt_id is None:
            continue
        of_run = _of_run(one.run)
        for member, interval in rows.intervals(one.attempt_id):
            for operation, told in summed(interval):
                yield (
                    *of_run,
                    member,
                    interval.phase,
                    interval.driver.drain,
                    instant(interval.start_us),
                    interval.duration_us,
                    operation,
                    *_figures(told, _rate(interval, told)),
                )


def summed(interval: StoredInterval) -> Iterator[tuple[str, OperationSum]]:
    """Each operation of an interval, and their sum.

    :raises HistogramError: when a histogram cannot be read.
    """
    whole = PhaseSum(interval.phase, interval.start_us, interval.start_us + interval.duration_us)
    whole.add(interval)
    told = list(whole.operations.items())
    yield from told
    yield ALL, told[0][1] if len(told) == 1 else whole.everything()


def _rate(interval: StoredInterval, told: OperationSum) -> float | None:
    """What comes back after its phase is part of no rate."""
    if interval.driver.drain or interval.duration_us <= 0:
        return None
    return told.ok / (interval.duration_us / US_PER_SECOND)


def _figures(told: OperationSum, rate: float | None) -> Row:
    return (
        told.ok, told.not_found, told.errors, told.verify_failed, told.never_sent, rate,
        told.response.mean_us, *told.response.quantiles_us(QUANTILES), told.response.max_us,
    )  # fmt: skip


def _operations(runs: Iterable[RunListed]) -> Iterator[Row]:
    for run in runs:
        if run.summary is None:
            continue
        phases: dict[str, dict[str, OperationSummary]] = {"measure": run.summary.operations}
        if run.summary.load is not None:
            phases = {"load": {ALL: run.summary.load}, **phases}
        for phase, told in phases.items():
            for name, one in told.items():
                yield (
                    *_of_run(run), phase, name,
                    one.ok, one.not_found, one.errors, one.verify_failed, one.never_sent,
                    one.throughput, one.mean_us,
                    *(getattr(one, figure.name) for figure in SHOWN), one.max_us,
                )  # fmt: skip


def _resources(rows: MeasuredRowService, runs: Iterable[Shown]) -> Iterator[Row]:
    for one in runs:
        if one.attempt_id is None:
            continue
        of_run = _of_run(one.run)
        for sample in rows.samples(one.attempt_id):
            yield (
                *of_run, sample.member, sample.at, sample.cpu_percent, sample.resident_bytes,
                sample.disk_bytes, sample.driver_cpu_percent, sample.driver_resident_bytes,
                sample.machine_cpu_percent, sample.steal_percent,
            )  # fmt: skip
