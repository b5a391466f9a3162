"""How sides scale: efficiency, knee and law of each side's loads. Pure."""

from collections.abc import Iterator, Sequence

from weighhouse_judging.scenarios import scenario, sweep
from weighhouse_judging.scenarios.scalability import Scalability
from weighhouse_judging.scenarios.sweep import Curve
from weighhouse_protocol.load import ClosedLoad, OpenLoad

from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.scaling_schemas import (
    ScaledLineRead,
    ScaledPointRead,
    ScalingRead,
)
from weighhouse_backend.comparisons.sides import Side
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.repeats import values
from weighhouse_backend.runs.states import RunStatus
from weighhouse_backend.scenarios.search_views import efficiency_read, law_read
from weighhouse_backend.scenarios.searches import measurement

FEWEST_LOADS = 2
"""One load scales to nothing."""


def scaling_read(comparison: Comparison, *, law: bool = True) -> ScalingRead:
    """Every line of two loads or more, side by side and workload by workload.

    :param law: whether to fit the law, which takes some 50 ms a line.
    :raises ComparisonUnclear: when no side has the cell that was asked for.
    """
    lines = [line for side in comparison.shown.sides for line in scaled(side, law=law)]
    return ScalingRead(completeness=comparison.completeness, lines=lines)


def scaled(side: Side, *, law: bool = True) -> Iterator[ScaledLineRead]:
    """The lines of one side. A load of a side's own is on none: it is no step of a ladder."""
    levels = {
        level.label: level
        for level in side.document.load_levels
        if isinstance(level, ClosedLoad | OpenLoad)
    }
    lines: dict[tuple[str, str, str], list[RunFigures]] = {}
    for run in side.runs:
        level = levels.get(run.load_label)
        if level is not None and run.status == RunStatus.COMPLETED:
            lines.setdefault((run.workload, level.model, _besides(level)), []).append(run)
    for (workload, _, _), runs in lines.items():
        found = _line(side.key, workload, variant_of(levels[runs[0].load_label]), runs, law)
        if found is not None:
            yield found


def variant_of(level: ClosedLoad | OpenLoad) -> str:
    """What a load has besides its clients or rate, in words; empty mostly."""
    told = level.label.split(" ", 1)[1]
    return told.removeprefix("clients").removeprefix("client").removeprefix("constant").strip(" ,")


def _besides(level: ClosedLoad | OpenLoad) -> str:
    """All of a load but its size: loads that agree in it stand on one line."""
    if isinstance(level, ClosedLoad):
        return level.model_copy(update={"clients": 1}).model_dump_json()
    # By operation, rates grow together; how many may wait grows with them.
    kept = {"connections", "max_in_flight", "rate_per_second"}
    shares = {name: rate / level.rate_per_second for name, rate in level.operation_rates.items()}
    bare = level.model_dump(mode="json", exclude=kept)
    return str({**bare, "operation_rates": shares})


def _line(
    side: str, workload: str, variant: str, runs: Sequence[RunFigures], fits: bool
) -> ScaledLineRead | None:
    closed = runs[0].load_kind == "closed"
    axis: scenario.Axis = "clients" if closed else "rate"
    loads = {scenario.rounded(axis, run.load_value): run for run in runs}
    if len(loads) < FEWEST_LOADS:
        return None
    plan = sweep.Plan(axis, min(loads), max(loads), most_measurements=1000)
    measured = [measurement(run, run.load_value) for run in runs]
    curve = sweep.curve(plan, measured, law=fits)
    efficiencies = {one.level: one for one in curve.efficiencies if closed}
    by_load: dict[float, list[RunFigures]] = {}
    for run in runs:
        by_load.setdefault(scenario.rounded(axis, run.load_value), []).append(run)
    points = [
        ScaledPointRead(
            load_level=estimates.load_level(loads[point.level]),
            throughput=estimate,
            **efficiency_read(efficiencies.get(point.level)),
        )
        for point in curve.points
        if (estimate := estimates.estimate(values(by_load[point.level], "throughput")))
        and point.usable
    ]
    if len(points) < FEWEST_LOADS:
        return None
    law = curve.scalability
    return ScaledLineRead(
        side=side,
        workload=workload,
        load_kind="closed" if closed else "open",
        variant=variant,
        points=points,
        knee=_label(curve, curve.knee, loads),
        knee_inside=curve.knee_inside,
        saturation=_label(curve, curve.saturation, loads),
        scalability=law_read(law) if isinstance(law, Scalability) else None,
        scalability_note="" if isinstance(law, Scalability) else law.sentence,
    )


def _label(curve: Curve, place: int | None, loads: dict[float, RunFigures]) -> str | None:
    return None if place is None else loads[curve.points[place].level].load_label
