"""From repeats of cells to estimates, differences and unmatched cells. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.arithmetic.intervals import CONFIDENCE, levels
from weighhouse_judging.arithmetic.rates import Rate, wilson
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.sides import Judgement, Opposed, judge_each, with_family
from weighhouse_protocol.figures import CATALOGUE, Figure
from weighhouse_protocol.gate import Thresholds

from weighhouse_backend.campaigns.schemas import FailureRead, LoadLevelRead
from weighhouse_backend.comparisons.estimate_schemas import (
    EstimateRead,
    FigureRead,
    FormerCell,
    FormerRepeat,
)
from weighhouse_backend.comparisons.floors import NOTHING_KNOWN, SideNoise
from weighhouse_backend.comparisons.schemas import (
    ComparedCellRead,
    DifferenceRead,
    FailedRunRead,
    RateRead,
    RepeatRead,
    UnmatchedRead,
)
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.repeats import CellKey, attempts, blocks
from weighhouse_backend.runs.states import RunStatus

OPEN = frozenset({RunStatus.QUEUED, RunStatus.ALLOCATED, RunStatus.RUNNING, RunStatus.SETTLING})


@dataclass(frozen=True)
class SideCells:
    """A side's runs by cell, in document order."""

    key: str
    cells: Mapping[CellKey, Sequence[RunFigures]]
    left_out: Mapping[CellKey, str] = field(default_factory=dict)
    """Why a cell is not in its experiment, where the experiment says so."""
    _blocks: dict[tuple[CellKey, str], Repeats] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def blocks(self, cell: CellKey, metric: str) -> Repeats:
        """A figure of a cell's repeats, by the block they were measured in; gathered once, however
        many sides this one is set against.
        """
        asked = cell, metric
        if asked not in self._blocks:
            self._blocks[asked] = blocks(self.cells.get(cell, ()), metric)
        return self._blocks[asked]


def estimate(repeats: Sequence[float]) -> EstimateRead | None:
    """The median with its interval, or with the range below four repeats; None without repeats."""
    return estimates_of(repeats)[0]


def estimates_of(*each: Sequence[float]) -> list[EstimateRead | None]:
    """The same of several, worked out at once; in their order."""
    told = iter(told_each([repeats for repeats in each if repeats]))
    return [EstimateRead(**next(told)) if repeats else None for repeats in each]


def told_each(each: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    """The same of many, as the fields of an `EstimateRead`; none of them is empty."""
    return [
        {
            "median": statistics.median(repeats),
            "low": min(repeats) if bounds is None else bounds.low,
            "high": max(repeats) if bounds is None else bounds.high,
            "kind": "range" if bounds is None else "interval",
            "repeats": len(repeats),
            "confidence": None if bounds is None else CONFIDENCE,
        }
        for repeats, bounds in zip(each, levels(each), strict=True)
    ]


def figures_read(done: Sequence[RunFigures]) -> dict[str, FigureRead]:
    """Every figure that completed repeats gave, in the catalogue's order; percentiles that were
    asked for by name behind it.
    """
    names = dict.fromkeys(one.name for one in CATALOGUE)
    names |= dict.fromkeys(name for run in done for name in run.figures)
    given = {
        name: repeats
        for name in names
        if (repeats := [one for run in done if (one := run.figures.get(name)) is not None])
    }
    told = told_each([[one.value for one in repeats] for repeats in given.values()])
    found = {}
    for (name, repeats), said in zip(given.items(), told, strict=True):
        way, *others = {one.statistic for one in repeats}
        found[name] = FigureRead(**said, statistic="mixed" if others else way)
    return found


def cell_status(
    runs: Sequence[RunFigures],
) -> Literal["completed", "partial", "failed", "pending"]:
    """How a cell stands: pending while a run is open."""
    if any(run.status in OPEN for run in runs):
        return "pending"
    completed = sum(run.status == RunStatus.COMPLETED for run in runs)
    if completed == len(runs):
        return "completed"
    return "partial" if completed else "failed"


def compared_cell(side: str, runs: Sequence[RunFigures]) -> ComparedCellRead:
    """A cell of one side as it is shown; failed repeats are listed, never dropped."""
    done = [run for run in runs if run.status == RunStatus.COMPLETED]
    ended = [run for run in runs if run.status in {RunStatus.FAILED, RunStatus.CANCELLED}]
    tried, figures = attempts(runs), figures_read(done)
    return ComparedCellRead(
        side=side,
        workload=runs[0].workload,
        load_level=load_level(runs[0]),
        status=cell_status(runs),
        repeats=[_repeat(run) for run in done],
        failed_runs=[
            FailedRunRead(
                run_id=run.run_id,
                repetition=run.repetition,
                status=run.status,
                failure=None if run.failure is None else FailureRead.model_validate(run.failure),
            )
            for run in ended
        ],
        failed_repeats=_rate(tried.repeats),
        failed_operations=_rate(tried.failed_operations),
        figures=figures,
        **{name: figures.get(name) for name in FormerCell.model_fields},
    )


def differences(
    pairs: Sequence[tuple[SideCells, SideCells]],
    thresholds: Mapping[str, float],
    noise: SideNoise = NOTHING_KNOWN,
    *,
    looked_at: bool = False,
    figures: Collection[Figure] | None = None,
) -> list[DifferenceRead]:
    """Every metric of every cell that both sides of a pair have: the primary figures first, memory
    last; within a figure those that are told apart first, by how surely.

    Each pair is (baseline, other). Holm's adjustment is over all differences returned.

    :param noise: what is known of it; of two sides, the noisier counts.
    :param looked_at: whether somebody saw figures while they grew.
    :param figures: by which they are judged; default: those of the catalogue that say what
        clients see.
    """
    asked = [
        Asked((baseline, other), cell, metric)
        for baseline, other in pairs
        for cell in other.cells
        for metric in (CATALOGUE.judged_in("performance") if figures is None else figures)
    ]
    judged = judged_together(asked, thresholds, noise, looked_at=looked_at)
    shown = [
        difference_read(
            judgement, one.sides[0].key, one.sides[1].key, one.sides[1].cells[one.cell][0]
        )
        for one, judgement in judged
    ]
    return sorted(shown, key=lambda one: (CATALOGUE[one.metric].read_at, -one.significance))


@dataclass(frozen=True)
class Asked:
    """Two sides, the baseline first, in one figure of one cell."""

    sides: tuple[SideCells, SideCells]
    cell: CellKey
    metric: Figure


def judged_together(
    asked: Sequence[Asked],
    thresholds: Mapping[str, float],
    noise: SideNoise,
    *,
    looked_at: bool,
) -> list[tuple[Asked, Judgement]]:
    """The second side of each against the first, corrected as one table; without those where one
    has no figure.
    """
    found = judge_each([_opposed(one, thresholds, noise) for one in asked], looked_at=looked_at)
    told = [(one, said) for one, said in zip(asked, found, strict=True) if said is not None]
    adjusted = with_family([said for _, said in told])
    return [(one, said) for (one, _), said in zip(told, adjusted, strict=True)]


def _opposed(asked: Asked, thresholds: Mapping[str, float], noise: SideNoise) -> Opposed:
    cell, metric = asked.cell, asked.metric.name
    a, b = (side.blocks(cell, metric) for side in asked.sides)
    keys = [side.key for side in asked.sides]
    return Opposed(
        asked.metric,
        a,
        b,
        threshold=thresholds.get(metric),
        floor=noise.floor(keys, cell, metric),
        between=None if a.keys() & b.keys() else noise.between(keys, cell, metric),
    )


def difference_read(
    judgement: Judgement, baseline_side: str, side: str, run: RunFigures
) -> DifferenceRead:
    """A judgement as it is shown."""
    return DifferenceRead(
        metric=judgement.metric,
        workload=run.workload,
        load_level=load_level(run),
        baseline_side=baseline_side,
        side=side,
        baseline_median=judgement.baseline_median,
        median=judgement.median,
        relative=judgement.relative,
        low=judgement.range_low if judgement.low is None else judgement.low,
        high=judgement.range_high if judgement.high is None else judgement.high,
        kind="range" if judgement.low is None else "interval",
        equality_low=judgement.equality_low,
        equality_high=judgement.equality_high,
        method=judgement.method,
        baseline_repeats=judgement.baseline_repeats,
        repeats=judgement.repeats,
        left_out=judgement.left_out,
        p_value=judgement.p_value,
        p_holm=judgement.p_family,
        verdict=judgement.verdict,
        decided_by=judgement.decided_by,
        better=judgement.better,
        significance=judgement.significance,
        threshold=judgement.threshold,
        floor=judgement.floor,
        resolution=judgement.resolution,
        repeats_needed=judgement.repeats_needed,
    )


def unmatched(sides: Sequence[SideCells]) -> list[UnmatchedRead]:
    """Cells that some side lacks or has no figure of, with the reason."""
    everywhere: dict[CellKey, RunFigures] = {}
    for side in sides:
        for cell, runs in side.cells.items():
            everywhere.setdefault(cell, runs[0])
    found = []
    for cell, run in everywhere.items():
        for side in sides:
            reason = _reason(side.cells.get(cell))
            if reason is not None:
                found.append(
                    UnmatchedRead(
                        workload=run.workload,
                        load_level=load_level(run),
                        side=side.key,
                        reason=reason,
                        because=side.left_out.get(cell, ""),
                    )
                )
    return found


def thresholds_of(wanted: Thresholds, figures: Iterable[Figure] | None = None) -> dict[str, float]:
    """Practical thresholds of an experiment by figure, relative.

    :param figures: default: all of the catalogue that sides are judged by.
    """
    return {
        one.name: wanted.of(one) / 100 for one in (CATALOGUE.judged if figures is None else figures)
    }


def _rate(rate: Rate) -> RateRead | None:
    bounds = wilson(rate)
    if bounds is None:
        return None
    return RateRead(failed=rate.failed, total=rate.total, low=bounds.low, high=bounds.high)


def load_level(run: RunFigures) -> LoadLevelRead:
    """A run's load level."""
    return LoadLevelRead(kind=run.load_kind, value=run.load_value, label=run.load_label)


def _repeat(run: RunFigures) -> RepeatRead:
    return RepeatRead(
        run_id=run.run_id,
        repetition=run.repetition,
        figures={name: one.value for name, one in run.figures.items()},
        **{name: run.of(name) for name in FormerRepeat.model_fields},
    )


def _reason(
    runs: Sequence[RunFigures] | None,
) -> Literal["not planned", "failed", "pending"] | None:
    if not runs:
        return "not planned"
    if any(run.status == RunStatus.COMPLETED for run in runs):
        return None
    return "pending" if any(run.status in OPEN for run in runs) else "failed"
