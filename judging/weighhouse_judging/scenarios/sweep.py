"""`sweep`: what is the load curve? Pure.

Doubles the load from `start` to `end`, and stops before that when more load does clearly less, when
the percentile passes `stop_at_us`, when a rate is no longer reached, or when the system fails. Then
measures between the neighbours of the knee until they are near each other.

Outcomes: `done` (the range was walked), `stopped` (ended early; the reason says why),
`first_point_failed`, `limit_reached` (`most_measurements`).
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.percent import percent

from weighhouse_judging.scenarios import knees, points, scalability, scenario
from weighhouse_judging.scenarios.points import Estimate, Point
from weighhouse_judging.scenarios.scalability import NotSaid, Scalability
from weighhouse_judging.scenarios.scenario import (
    Axis,
    Measurement,
    Purpose,
    Reason,
    Refusal,
    Result,
    Scenario,
    Step,
)

Outcome = Literal["done", "stopped", "first_point_failed", "limit_reached"]

NEAR = 2.0**0.25
"""Neighbours of the knee that differ by less than this factor are near each other: four steps to a
doubling."""
MATTERS = 0.02
"""Less throughput than this, relative, stops no sweep, however clear it is."""
ERRORS_LIMIT = 0.05
"""Share of failed operations at which a load is more than the system bears."""
REACHED = 0.9
"""Share of a rate that has to be done; or less, where noise is wide."""
NOISES = 3.0
"""Deviations of noise by which a rate may be missed."""


@dataclass(frozen=True)
class Plan:
    """A sweep, as it is asked for."""

    axis: Axis
    """`clients` or `rate`."""
    start: float
    end: float
    stop_at_us: float | None = None
    """Latency past which no more load is tried."""
    latency: str = "p99_us"
    repeats: int = 1
    """Measurements at each level; from four on points have intervals."""
    refinements: int = 3
    """Levels measured around the knee at most."""
    most_measurements: int = 40
    noise: float = scenario.USUAL_NOISE
    """Coefficient of variation that is assumed until repeats tell their own."""


@dataclass(frozen=True)
class Curve:
    """A load curve."""

    axis: Axis
    latency: str
    points: tuple[Point, ...]
    """By rising level, those that failed among them."""
    knee: int | None
    """Place among the points: throughput over response time is greatest."""
    knee_inside: bool
    """Whether levels were measured on both sides of it; else it may lie outside the range."""
    saturation: int | None
    """Place among the points: no other does 5 % more."""
    efficiencies: tuple[knees.Efficiency, ...]
    scalability: Scalability | NotSaid
    noise: float
    """Coefficient of variation of repeats that was reckoned with."""


def refusals(plan: Plan) -> tuple[Refusal, ...]:
    """What is wrong with a plan."""
    found: list[Refusal] = []
    if plan.axis == "depth":
        found.append(Refusal("axis", "a sweep varies clients or rate", "use the scenario peak"))
    found += scenario.bounds_refused(plan.axis, plan.start, plan.end, ("start", "end"))
    found += scenario.count_refused("repeats", plan.repeats, 1, 100)
    found += scenario.count_refused("refinements", plan.refinements, 0, 20)
    found += scenario.count_refused("most_measurements", plan.most_measurements, 1, 1000)
    found += scenario.latency_refused("latency", plan.latency)
    found += scenario.share_refused("noise", plan.noise, 0.001, 0.5)
    if plan.stop_at_us is not None:
        found += scenario.limit_refused("stop_at_us", plan.stop_at_us)
    if not found and plan.most_measurements < (least := len(ladder(plan)) * plan.repeats):
        message = (
            f"{plan.most_measurements} are too few for {len(ladder(plan))} levels of {plan.repeats}"
        )
        mend = f"allow {least}, or sweep a shorter range"
        found.append(Refusal("most_measurements", message, mend))
    return tuple(found)


def curve(plan: Plan, measured: Sequence[Measurement], *, law: bool = True) -> Curve:
    """The load curve of what was measured so far; it may not be over. Raises PlanRefused.

    :param law: whether to fit the scalability law, which takes longer than all else.
    """
    scenario.checked(refusals(plan))
    return _curve(plan, points.gathered(plan.axis, measured), law=law)


def ladder(plan: Plan) -> tuple[float, ...]:
    """The levels from start to end by doubling, the end among them."""
    levels, level = [], plan.start
    while level < plan.end:
        levels.append(scenario.rounded(plan.axis, level))
        level *= 2.0
    return (*levels, scenario.rounded(plan.axis, plan.end))


def advance(plan: Plan, measured: Sequence[Measurement]) -> Step | Result[Curve]:
    """The next level, or the curve. Raises PlanRefused."""
    scenario.checked(refusals(plan))
    levels = points.gathered(plan.axis, measured)
    full = len(measured) >= plan.most_measurements
    rungs = ladder(plan)
    seen: list[float] = []
    ended: Reason | None = None
    for place, level in enumerate(rungs):
        purpose = points.missing(levels.get(level, ()), plan.repeats)
        if purpose is not None:
            return _limit(plan, levels) if full else _climb(plan, rungs, place, purpose)
        seen.append(level)
        ended = _ends(plan, levels, seen)
        if ended is not None:
            break
    found = _curve(plan, levels)
    if ended is not None and ended.kind == "first_point_failed":
        return Result("first_point_failed", ended, found)
    step = _refine(plan, levels, found, rungs)
    if step is not None:
        return _limit(plan, levels) if full else step
    if ended is not None:
        return Result("stopped", ended, found)
    sentence = f"Walked from {_at(plan, rungs[0])} to {_at(plan, rungs[-1])}."
    return Result("done", Reason("range_walked", sentence), found)


SWEEP: Scenario[Plan, Curve] = Scenario("sweep", "What is the load curve?", refusals, advance)


def _at(plan: Plan, level: float) -> str:
    return scenario.in_words(plan.axis, level)


def _climb(plan: Plan, rungs: Sequence[float], place: int, purpose: Purpose) -> Step:
    level = rungs[place]
    if purpose == "again":
        reason = Reason("repeat", f"One more at {_at(plan, level)}.", {"level": level})
        return Step("measure", "again", (level,), reason)
    if place == 0:
        reason = Reason("begin", f"The sweep begins at {_at(plan, level)}.", {"level": level})
        return Step("measure", "first", (level,), reason)
    last = ", the end of the range" if place == len(rungs) - 1 else ""
    sentence = f"{_at(plan, rungs[place - 1])}: nothing ends it; next {_at(plan, level)}{last}."
    return Step("measure", "double", (level,), Reason("double", sentence, {"level": level}))


def _ends(
    plan: Plan, levels: Mapping[float, Sequence[Measurement]], seen: Sequence[float]
) -> Reason | None:
    """Why the latest of these levels is the last; None when it is not."""
    measured = [points.point(level, levels[level], plan.latency) for level in seen]
    last = measured[-1]
    if last.throughput is None:
        return _failed(plan, last, first=len(measured) == 1)
    deviation = points.noise(list(levels.values()), "throughput", plan.noise)
    errors = max(one.error_share for one in levels[last.level])
    return (
        _passed(plan, last)
        or _erred(plan, last, errors)
        or _unreached(plan, last, last.throughput, deviation)
        or _falls(plan, last, last.throughput, measured[:-1], deviation)
    )


def _failed(plan: Plan, last: Point, *, first: bool) -> Reason:
    why = last.failures[-1] if last.failures else "nothing succeeded"
    at, numbers = _at(plan, last.level), {"level": last.level}
    if first:
        sentence = f"The first point, {at}, could not be measured: {why}."
        return Reason("first_point_failed", sentence, numbers)
    return Reason("point_failed", f"{at} could not be measured: {why}.", numbers)


def _passed(plan: Plan, last: Point) -> Reason | None:
    latency = last.latency_us
    if plan.stop_at_us is None or latency is None or latency.median <= plan.stop_at_us:
        return None
    limit = scenario.latency_in_words(plan.latency, plan.stop_at_us)
    said = scenario.latency_in_words(plan.latency, latency.median)
    sentence = f"At {_at(plan, last.level)} a {said} passes the limit, a {limit}."
    return Reason("latency_passed", sentence, {"level": last.level, "us": latency.median})


def _erred(plan: Plan, last: Point, share: float) -> Reason | None:
    if share <= ERRORS_LIMIT:
        return None
    sentence = f"At {_at(plan, last.level)} {percent(share)} of operations failed."
    return Reason("errors", sentence, {"level": last.level, "error_share": share})


def _unreached(plan: Plan, last: Point, done: Estimate, deviation: float) -> Reason | None:
    if plan.axis != "rate":
        return None
    share = done.median / last.level
    if share >= min(REACHED, 1.0 - NOISES * deviation / math.sqrt(done.repeats)):
        return None
    sentence = (
        f"Of {_at(plan, last.level)} only {percent(share, 0)} were done: the system is saturated."
    )
    return Reason("rate_not_reached", sentence, {"level": last.level, "share": share})


def _falls(
    plan: Plan, last: Point, done: Estimate, before: Sequence[Point], deviation: float
) -> Reason | None:
    known = [(one.level, one.throughput) for one in before if one.throughput is not None]
    if not known:
        return None
    level, best = max(known, key=lambda pair: pair[1].median)
    lost = 1.0 - done.median / best.median
    if lost <= MATTERS or not points.clearly_less(done, best, deviation):
        return None
    sentence = (
        f"Throughput falls: at {_at(plan, last.level)} {percent(lost)} less than at "
        f"{_at(plan, level)}, more than noise of {percent(deviation)} explains."
    )
    return Reason("throughput_falls", sentence, {"level": last.level, "lost": lost})


def _refine(
    plan: Plan,
    levels: Mapping[float, Sequence[Measurement]],
    curve: Curve,
    rungs: Sequence[float],
) -> Step | None:
    """A level between the knee and the farther of its neighbours; None when they are near."""
    between = [level for level in levels if level not in rungs]
    for level in between:
        if points.missing(levels[level], plan.repeats) == "again":
            reason = Reason("repeat", f"One more at {_at(plan, level)}.", {"level": level})
            return Step("measure", "again", (level,), reason)
    usable = [point.level for point in curve.points if point.usable]
    if curve.knee is None or len(between) >= plan.refinements:
        return None
    knee = curve.points[curve.knee].level
    gaps = [pair for pair in itertools.pairwise(usable) if knee in pair]
    for low, high in sorted(gaps, key=lambda pair: (-pair[1] / pair[0], pair)):
        middle = scenario.rounded(plan.axis, math.sqrt(low * high))
        if high / low > NEAR and low < middle < high and middle not in levels:
            sentence = (
                f"The knee is at {_at(plan, knee)} so far; a measurement at {_at(plan, middle)} "
                f"tells whether it lies nearer to {_at(plan, high if low == knee else low)}."
            )
            numbers = {"level": middle, "knee": knee, "low": low, "high": high}
            return Step("measure", "refine", (middle,), Reason("refine", sentence, numbers))
    return None


def _curve(plan: Plan, levels: Mapping[float, Sequence[Measurement]], *, law: bool = True) -> Curve:
    found = tuple(points.point(level, some, plan.latency) for level, some in levels.items())
    closed = plan.axis == "clients"
    knee = knees.knee(found, closed=closed)
    usable = [place for place, one in enumerate(found) if one.usable]
    said: Scalability | NotSaid = NotSaid(
        "not_for_rates", "The law is about clients that wait for their answers; rates do not."
    )
    repeats = {
        level: [value for one in some if (value := one.figure("throughput")) is not None]
        for level, some in levels.items()
    }
    if closed and not law:
        said = NotSaid("not_asked", "No law was asked for.")
    elif closed:
        pairs = [(level, value) for level, values in repeats.items() for value in values]
        said = scalability.fit([level for level, _ in pairs], [value for _, value in pairs])
    return Curve(
        plan.axis,
        plan.latency,
        found,
        knee,
        knee is not None and usable[0] < knee < usable[-1],
        knees.saturation(found),
        knees.efficiencies(found, repeats),
        said,
        points.noise(list(levels.values()), "throughput", plan.noise),
    )


def _limit(plan: Plan, levels: Mapping[float, Sequence[Measurement]]) -> Result[Curve]:
    sentence = f"Ended after {plan.most_measurements} measurements, as many as were allowed."
    reason = Reason("limit_reached", sentence, {"measurements": plan.most_measurements})
    return Result("limit_reached", reason, _curve(plan, levels))
