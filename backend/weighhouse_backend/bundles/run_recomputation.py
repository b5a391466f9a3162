"""A run of a bundle worked out again, from its intervals to its findings. Pure."""

import base64
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
from pydantic import TypeAdapter
from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_judging.findings.run_checks import check_run
from weighhouse_judging.findings.steadiness import Course
from weighhouse_protocol.bundles.archive import BundleError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.bundles.json_differences import differing
from weighhouse_backend.bundles.opened import Opened
from weighhouse_backend.bundles.stored_rows import columns, row_of
from weighhouse_backend.findings.evidence import observation
from weighhouse_backend.findings.schemas import FindingRead
from weighhouse_backend.measurements.models import (
    ResourceSample,
    RunRecord,
    RunSummary,
    TimelineMark,
)
from weighhouse_backend.measurements.packed_intervals import (
    ALL,
    DriverUse,
    StoredInterval,
    cut,
    unpack,
)
from weighhouse_backend.measurements.records import AttemptRecord, merged
from weighhouse_backend.measurements.summaries import QUANTILES, sum_phases
from weighhouse_backend.results.figures import RunFigures, run_figures
from weighhouse_backend.results.settlement import summary_row
from weighhouse_backend.results.sources import is_asked_of_histogram, percentiles
from weighhouse_backend.runs.models import AttemptMember, Cell, Run
from weighhouse_backend.runs.states import RunStatus

COURSE: TypeAdapter[Course] = TypeAdapter(Course)
HISTOGRAMS = ("histogram", "service_histogram", "asked_histogram")
OF_SUMMARY = tuple(
    name
    for name in columns(RunSummary)
    if name not in {"attempt_id", "phase", "operation", *HISTOGRAMS}
)
OF_HISTOGRAM = tuple(name for name in OF_SUMMARY if name.endswith("_us"))
"""In the order of the columns: the mean, the quantiles, the largest."""


@dataclass
class Recomputed:
    """What came of working a bundle out again."""

    counts: dict[str, int] = field(default_factory=dict)
    """What was worked out → how many."""
    differs: list[str] = field(default_factory=list)
    """What is told otherwise than it comes to, each in a sentence."""
    left: list[str] = field(default_factory=list)
    """What could not be worked out, and why."""

    def count(self, what: str, number: int = 1) -> None:
        """Count what was worked out."""
        self.counts[what] = self.counts.get(what, 0) + number


@dataclass(frozen=True)
class RunAgain:
    """A run as it comes to."""

    figures: RunFigures
    findings: Sequence[FindingRead]


def run_again(
    bundle: Opened,
    run: Run,
    cell: Cell,
    document: Experiment,
    manifest: Manifest | None,
    found: Recomputed,
) -> RunAgain:
    """A run's figures and findings, out of what its drivers reported.

    :param document: as it was measured.
    :param found: what differs, and what was counted, is added to it.
    :raises BundleError: when a file of it cannot be read.
    """
    where = f"runs/{run.id}"
    if run.status != RunStatus.COMPLETED or run.result_attempt_id is None:
        return RunAgain(_figures(run, cell, {}, None), [])
    try:
        facts = bundle.json(f"{where}/facts.json")
        told = bundle.json(f"{where}/summaries.json")
        summaries = [row_of(RunSummary, one) for one in told]
        record = merged([row_of(RunRecord, one) for one in facts["records"]])
        _hold_summaries(bundle, where, facts, summaries, found)
        figures = _figures(run, cell, _totals(run, summaries), record)
        found.count("figures", len(figures.figures))
        seen = observation(
            document,
            cell,
            summaries,
            record,
            COURSE.validate_python(facts["course"]),
            [row_of(ResourceSample, one) for one in facts["samples"]],
            [row_of(AttemptMember, one) for one in facts["members"]],
            manifest,
            [row_of(TimelineMark, one) for one in facts["marks"]],
        )
        findings = [] if seen is None else [FindingRead.of(one) for one in check_run(seen)]
        _hold_findings(where, facts["findings"], findings, found)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, BundleError):
            raise
        raise BundleError(f"{where}: it cannot be read: {error}") from error
    return RunAgain(figures, findings)


def _figures(
    run: Run,
    cell: Cell,
    totals: Mapping[tuple[UUID, str], RunSummary],
    record: AttemptRecord | None,
) -> RunFigures:
    row = SimpleNamespace(
        id=run.id, campaign_id=run.campaign_id, cell_id=run.cell_id, repetition=run.repetition,
        block=run.block, twin=run.twin, status=run.status, failure=run.failure,
        result_attempt_id=run.result_attempt_id, target=cell.target, workload=cell.workload,
        load_kind=cell.load_kind, load_value=cell.load_value, load_label=cell.load_label,
    )  # fmt: skip
    asked = [one for one in CATALOGUE if is_asked_of_histogram(one)]
    measured = [one for (_, phase), one in totals.items() if phase == "measure"]
    encoded = measured[0].histogram if measured else None
    return run_figures(row, totals, record, percentiles(asked, encoded))


def _totals(run: Run, summaries: Sequence[RunSummary]) -> dict[tuple[UUID, str], RunSummary]:
    return {
        (one.attempt_id, one.phase): one
        for one in summaries
        if one.operation == ALL and one.attempt_id == run.result_attempt_id
    }


def _hold_summaries(
    bundle: Opened,
    where: str,
    facts: Mapping[str, Any],
    summaries: Sequence[RunSummary],
    found: Recomputed,
) -> None:
    """Figures of phases against their histograms, and these against those of the intervals."""
    for one in summaries:
        histogram = Histogram.merged([one.histogram])
        p50, p95, p99, p999, p9999 = histogram.quantiles_us(QUANTILES)
        values = (histogram.mean_us, p50, p95, p99, p999, p9999, histogram.max_us)
        found.count("percentiles and means", len(values))
        for name, value in zip(OF_HISTOGRAM, values, strict=True):
            place = f"{where}: {one.phase}, {one.operation}: {name}"
            found.differs += differing(getattr(one, name), value, place)
    if facts["of_intervals"]:
        found.left.append(f"{where}: {facts['of_intervals']}")
        return
    phases = sum_phases(_intervals(bundle, f"{where}/intervals.jsonl", found))
    told = {(one.phase, one.operation): one for one in summaries}
    again: dict[tuple[str, str], dict[str, Any]] = {
        (phase.phase, name): summary_row(UUID(int=0), UUID(int=0), phase, name, operation)
        for phase in phases.values()
        for name, operation in [*phase.operations.items(), (ALL, phase.everything())]
    }
    for phase, operation in [*told, *(key for key in again if key not in told)]:
        place = f"{where}: {phase}, {operation}"
        if (phase, operation) not in told or (phase, operation) not in again:
            found.differs.append(f"{place} is in its summaries or its intervals alone")
            continue
        row, new = told[phase, operation], again[phase, operation]
        found.count("sums of intervals", len(OF_SUMMARY))
        for name in OF_SUMMARY:
            found.differs += differing(getattr(row, name), new[name], f"{place}: {name}")
        for name in HISTOGRAMS:
            if not _alike(getattr(row, name), new[name]):
                found.differs.append(f"{place}: {name} is not the sum of its intervals'")


def _intervals(bundle: Opened, name: str, found: Recomputed) -> Iterator[StoredInterval]:
    for one in bundle.lines(name):
        blob = base64.b64decode(one["histograms"], validate=True)
        found.count("intervals")
        yield StoredInterval(
            phase=one["phase"],
            phase_index=one["phase_index"],
            start_us=one["start_us"],
            duration_us=one["duration_us"],
            operations=unpack(one["operations"], blob),
            lag=cut(blob, one["lag"]),
            driver=DriverUse(**one["driver"]),
        )


def interval_told(member: int, interval: StoredInterval, packed: tuple[Any, ...]) -> dict[str, Any]:
    """An interval as a line of a bundle has it.

    :param packed: as `packed_intervals.pack` has it.
    """
    operations, blob, lag = packed
    return {
        "member": member,
        "phase": interval.phase,
        "phase_index": interval.phase_index,
        "start_us": interval.start_us,
        "duration_us": interval.duration_us,
        "operations": operations,
        "histograms": base64.b64encode(blob).decode(),
        "lag": lag,
        "driver": dataclasses.asdict(interval.driver),
    }


def _alike(told: bytes | None, found: bytes | None) -> bool:
    if told is None or found is None:
        return told is found
    return all(
        np.array_equal(*pair)
        for pair in zip(
            Histogram.merged([told]).filled(), Histogram.merged([found]).filled(), strict=True
        )
    )


def _hold_findings(
    where: str, told: Sequence[Any], findings: Sequence[FindingRead], found: Recomputed
) -> None:
    found.count("findings", len(findings))
    by_id = {str(one["id"]): one for one in told}
    again = {one.id: one.model_dump(mode="json") for one in findings}
    for name in [*by_id, *(one for one in again if one not in by_id)]:
        if name not in again:
            found.differs.append(f"{where}: the finding {name} is told, and no check finds it")
        elif name not in by_id:
            found.differs.append(f"{where}: a check finds {name}, and it is not told")
        else:
            found.differs += differing(by_id[name], again[name], f"{where}: finding {name}")
