"""`peak`: how much with pipelining, and what does it cost in latency? Pure.

A ladder of pipeline depths at given clients. It stops after two depths in a row that do clearly
less than the best, past `stop_at_us`, or when the system fails.

Outcomes: `done`, `stopped`, `first_point_failed`, `limit_reached`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_judging.scenarios import knees, points, scenario
from weighhouse_judging.scenarios.points import Estimate, Point
from weighhouse_judging.scenarios.scenario import (
    Measurement,
    Reason,
    Refusal,
    Result,
    Scenario,
    Step,
)

Outcome = Literal["done", "stopped", "first_point_failed", "limit_reached"]

FALLS_IN_A_ROW = 2
"""Depths that do clearly less, after which deeper ones are not tried."""


@dataclass(frozen=True)
class Plan:
    """A ladder of depths."""

    clients: int
    depths: tuple[int, ...] = (1, 2, 5, 10, 20, 50, 100)
    stop_at_us: float | None = None
    latency: str = "p99_us"
    repeats: int = 1
    most_measurements: int = 60
    noise: float = scenario.USUAL_NOISE


@dataclass(frozen=True)
class Bought:
    """What a depth gives and costs, against the first depth."""

    depth: float
    throughput: float
    """Times as much: 3.0."""
    latency: float | None
    """Times as long."""


@dataclass(frozen=True)
class Peak:
    """What pipelining gives at these clients."""

    clients: int
    points: tuple[Point, ...]
    best: int | None
    """Place of the greatest throughput."""
    enough: int | None
    """Place of the least depth that does as much but for 5 %: where deeper only waits longer."""
    bought: tuple[Bought, ...]
    noise: float


def refusals(plan: Plan) -> tuple[Refusal, ...]:
    """What is wrong with a plan."""
    found = scenario.count_refused("clients", plan.clients, 1, scenario.MOST_CLIENTS)
    found += scenario.count_refused("repeats", plan.repeats, 1, 100)
    found += scenario.count_refused("most_measurements", plan.most_measurements, 1, 1000)
    found += scenario.latency_refused("latency", plan.latency)
    found += scenario.share_refused("noise", plan.noise, 0.001, 0.5)
    if plan.stop_at_us is not None:
        found += scenario.limit_refused("stop_at_us", plan.stop_at_us)
    if not plan.depths:
        found.append(Refusal("depths", "there is none", "name at least one, for example 1, 10"))
    for place, depth in enumerate(plan.depths):
        found += scenario.count_refused(f"depths[{place}]", depth, 1, scenario.MOST_DEPTH)
    if list(plan.depths) != sorted(set(plan.depths)):
        found.append(Refusal("depths", "they do not rise", "name each once, the least first"))
    least = len(plan.depths) * plan.repeats
    if not found and plan.most_measurements < least:
        message = f"{plan.most_measurements} are too few for {len(plan.depths)} depths"
        found.append(Refusal("most_measurements", message, f"allow {least}, or name fewer"))
    return tuple(found)


def advance(plan: Plan, measured: Sequence[Measurement]) -> Step | Result[Peak]:
    """The next depth, or what came out. Raises PlanRefused."""
    scenario.checked(refusals(plan))
    levels = points.gathered("depth", measured)
    falls = 0
    for place, depth in enumerate(float(one) for one in plan.depths):
        purpose = points.missing(levels.get(depth, ()), plan.repeats)
        if purpose is not None:
            if len(measured) >= plan.most_measurements:
                return _limit(plan, levels)
            return _step(plan, depth, again=purpose == "again")
        ended, falls = _ends(plan, levels, place, falls)
        if ended is not None:
            outcome = "first_point_failed" if ended.kind == "first_point_failed" else "stopped"
            return Result(outcome, ended, _figures(plan, levels))
    sentence = f"All {len(plan.depths)} depths were measured."
    return Result("done", Reason("ladder_climbed", sentence), _figures(plan, levels))


def ladder(plan: Plan, measured: Sequence[Measurement]) -> Peak:
    """The depths that were measured so far; it may not be over. Raises PlanRefused."""
    scenario.checked(refusals(plan))
    return _figures(plan, points.gathered("depth", measured))


PEAK: Scenario[Plan, Peak] = Scenario("peak", "How much with pipelining?", refusals, advance)


def _step(plan: Plan, depth: float, *, again: bool) -> Step:
    at = f"{depth:g} in flight for each of {plan.clients}"
    if again:
        reason = Reason("repeat", f"One more at {at}.", {"depth": depth})
        return Step("measure", "again", (depth,), reason)
    reason = Reason("next_depth", f"The ladder's next depth: {at}.", {"depth": depth})
    return Step("measure", "depth", (depth,), reason)


def _ends(
    plan: Plan, levels: Mapping[float, Sequence[Measurement]], place: int, falls: int
) -> tuple[Reason | None, int]:
    """Why this depth is the last, and how many in a row did clearly less."""
    found = [points.point(d, levels[d], plan.latency) for d in map(float, plan.depths[: place + 1])]
    last = found[-1]
    if last.throughput is None:
        kind = "first_point_failed" if place == 0 else "point_failed"
        why = last.failures[-1] if last.failures else "nothing succeeded"
        sentence = f"Depth {last.level:g} could not be measured: {why}."
        return Reason(kind, sentence, {"depth": last.level}), falls
    latency = last.latency_us
    if plan.stop_at_us is not None and latency is not None and latency.median > plan.stop_at_us:
        sentence = (
            f"At depth {last.level:g} {scenario.latency_in_words(plan.latency, latency.median)} "
            f"passes the limit, {scenario.latency_in_words(plan.latency, plan.stop_at_us)}."
        )
        numbers = {"depth": last.level, "us": latency.median}
        return Reason("latency_passed", sentence, numbers), falls
    best = max((one.throughput for one in found if one.throughput), key=lambda one: one.median)
    deviation = points.noise(list(levels.values()), "throughput", plan.noise)
    if not points.clearly_less(last.throughput, best, deviation):
        return None, 0
    if falls + 1 < FALLS_IN_A_ROW:
        return None, falls + 1
    sentence = f"Depth {last.level:g} is the second in a row that does clearly less than the best."
    return Reason("throughput_falls", sentence, {"depth": last.level}), falls + 1


def _figures(plan: Plan, levels: Mapping[float, Sequence[Measurement]]) -> Peak:
    found = tuple(points.point(level, some, plan.latency) for level, some in levels.items())
    known = [(place, one, one.throughput) for place, one in enumerate(found) if one.throughput]
    best = max(known, key=lambda one: (one[2].median, -one[0]), default=None)
    bought: tuple[Bought, ...] = ()
    if known:
        _, first, throughput = known[0]
        bought = tuple(
            Bought(
                one.level,
                mine.median / throughput.median,
                _times(one.latency_us, first.latency_us),
            )
            for _, one, mine in known
        )
    return Peak(
        plan.clients,
        found,
        None if best is None else best[0],
        knees.saturation(found),
        bought,
        points.noise(list(levels.values()), "throughput", plan.noise),
    )


def _times(one: Estimate | None, first: Estimate | None) -> float | None:
    return None if one is None or first is None else one.median / first.median


def _limit(plan: Plan, levels: Mapping[float, Sequence[Measurement]]) -> Result[Peak]:
    sentence = f"Ended after {plan.most_measurements} measurements, as many as were allowed."
    reason = Reason("limit_reached", sentence, {"measurements": plan.most_measurements})
    return Result("limit_reached", reason, _figures(plan, levels))
