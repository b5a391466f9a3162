"""Searches for reading: points, steps, and what the judge makes of them. Pure."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from weighhouse_judging.scenarios import scenario
from weighhouse_judging.scenarios.calibrate import Calibration, OperatingPoint
from weighhouse_judging.scenarios.knees import Efficiency
from weighhouse_judging.scenarios.peak import Peak
from weighhouse_judging.scenarios.points import Estimate
from weighhouse_judging.scenarios.scalability import NotSaid, Parameter, Scalability
from weighhouse_judging.scenarios.scenario import Step
from weighhouse_judging.scenarios.sweep import Curve
from weighhouse_protocol.experiment import Experiment

from weighhouse_backend.campaigns.courses import SearchStep
from weighhouse_backend.campaigns.documents import level_read
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.runs.models import CampaignLook
from weighhouse_backend.scenarios.planners import Planner
from weighhouse_backend.scenarios.schemas import (
    LawPointRead,
    OperatingPointRead,
    ParameterRead,
    PointEstimateRead,
    ScalabilityRead,
    SearchPointRead,
    SearchRead,
    SearchStepRead,
)
from weighhouse_backend.scenarios.searches import Search


def search_read(
    document: Experiment, search: Search, asked: Planner, looks: Sequence[CampaignLook]
) -> SearchRead:
    """A search as the API shows it.

    :param asked: the search's planner.
    :param looks: of its campaign, in their order.
    """
    answer = asked.advance(search.measured)
    result = None if isinstance(answer, Step) else answer
    found = None if result is None else result.figures
    curve = asked.curve(search.measured)
    law, ladder = curve.scalability, asked.ladder(search.measured)
    steps = _steps(search, looks)
    begun = document.begun(search.load_index)
    return SearchRead(
        target=document.targets[search.target_index].name,
        workload=document.workloads[search.workload_index].name,
        load_level=level_read(begun),
        axis=search.axis,
        latency=asked.latency,
        envelope_us=asked.envelope_us,
        over=result is not None,
        outcome=None if result is None else result.outcome,
        sentence=answer.reason.sentence if result or not steps else steps[-1].reason,
        points=_points(search, curve, ladder),
        steps=steps,
        knee=_value(search, curve, curve.knee),
        knee_inside=curve.knee_inside,
        saturation=_value(search, curve, curve.saturation),
        scalability=law_read(law) if isinstance(law, Scalability) else None,
        scalability_note=law.sentence if isinstance(law, NotSaid) else "",
        operating_point=_operating(found.point) if isinstance(found, Calibration) else None,
        best=None if ladder is None else _value(search, curve, ladder.best),
    )


def _points(search: Search, curve: Curve, ladder: Peak | None) -> list[SearchPointRead]:
    runs: dict[float, list[RunFigures]] = {}
    for run, value in zip(search.runs, search.values, strict=True):
        runs.setdefault(scenario.rounded(search.axis, value), []).append(run)
    bought = {} if ladder is None else {one.depth: one for one in ladder.bought}
    efficiencies = {one.level: one for one in curve.efficiencies if search.axis == "clients"}
    return [
        SearchPointRead(
            load_level=_level_of(runs[point.level][0]),
            value=_measured_at(search, point.level),
            throughput=_estimate(point.throughput),
            latency_us=_estimate(point.latency_us),
            mean_us=_estimate(point.mean_us),
            **efficiency_read(efficiencies.get(point.level)),
            throughput_times=bought[point.level].throughput if point.level in bought else None,
            latency_times=bought[point.level].latency if point.level in bought else None,
            failures=list(point.failures),
            runs=[run.run_id for run in runs[point.level]],
        )
        for point in curve.points
    ]


def efficiency_read(found: Efficiency | None) -> dict[str, Any]:
    """The scaling efficiency of a point, by the fields that tell it."""
    bounds = None if found is None else found.bounds
    return {
        "efficiency": None if found is None else found.share,
        "efficiency_low": None if bounds is None else bounds.low,
        "efficiency_high": None if bounds is None else bounds.high,
        "efficiency_is_interval": found is not None and found.is_interval,
    }


def _level_of(run: RunFigures) -> LoadLevelRead:
    return LoadLevelRead(kind=run.load_kind, value=run.load_value, label=run.load_label)


def _steps(search: Search, looks: Sequence[CampaignLook]) -> list[SearchStepRead]:
    place = search.target_index, search.workload_index, search.load_index
    return [
        SearchStepRead(
            look=look.number, value=step.value, reason=step.reason, decided_at=look.looked_at
        )
        for look in looks
        for step in map(SearchStep.model_validate, look.steps)
        if (step.target_index, step.workload_index, step.load_index) == place
    ]


def _estimate(found: Estimate | None) -> PointEstimateRead | None:
    return None if found is None else PointEstimateRead(**asdict(found))


def _value(search: Search, curve: Curve, place: int | None) -> float | None:
    """The load of a point, as it was measured."""
    if place is None:
        return None
    return _measured_at(search, curve.points[place].level)


def _measured_at(search: Search, level: float) -> float:
    """What the runs of a planner's level were measured at."""
    return next(value for value in search.values if scenario.rounded(search.axis, value) == level)


def _operating(point: OperatingPoint | None) -> OperatingPointRead | None:
    if point is None:
        return None
    return read_of(OperatingPointRead, point, value=point.level)


def law_read(law: Scalability) -> ScalabilityRead:
    """A fitted law as the API shows it."""
    peak = law.peak
    line = law.line()
    fewest, first = line[0]
    return ScalabilityRead(
        throughput_of_one=law.throughput_of_one,
        contention=_parameter(law.contention),
        coherency=_parameter(law.coherency),
        r_squared=law.r_squared,
        peak_clients=None if isinstance(peak, NotSaid) else _parameter(peak.clients),
        note=peak.sentence if isinstance(peak, NotSaid) else "",
        line=[
            LawPointRead(
                clients=clients,
                throughput=throughput,
                efficiency=throughput / (clients / fewest * first),
            )
            for clients, throughput in line
        ],
    )


def _parameter(found: Parameter) -> ParameterRead:
    return ParameterRead(value=found.value, low=found.low, high=found.high)
