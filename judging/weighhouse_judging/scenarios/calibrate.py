"""`calibrate`: how much load fits inside a latency? Pure.

One ramped run tells about where; then each measurement is made where the crossing is believed to
be (`limit_crossing`), until it is known well enough and the operating point was confirmed by
measurements of its own. Outside the envelope is also what fails, errs, or does not reach its rate.

Outcomes: `found`; `uncertain` (all measurements were used and the interval is still wider than
asked); `no_load_meets`, `all_loads_meet` (the nearest points say by how much); `not_measured`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.percent import percent

from weighhouse_judging.findings.words import duration_in_words
from weighhouse_judging.scenarios import limit_crossing, scenario
from weighhouse_judging.scenarios.limit_crossing import Belief, Look
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

Outcome = Literal["found", "uncertain", "no_load_meets", "all_loads_meet", "not_measured"]

STAGE = 1.5
"""Each stage of the ramp asks for so many times the load of the one before."""
MOST_STAGES = 24
RAMP_BLUR = 2.0
"""Noise of a ramp's stage against that of a whole measurement."""
BEYOND = 0.25
"""How far past both ends of the range the crossing may be believed to lie, in logarithms."""
SURE = 0.98
"""Belief that the crossing lies within the precision, at which narrowing ends."""
END_SURE = 0.95
"""Belief that it lies past an end, at which the search ends there."""
ASIDE = (0.25, 0.5, 0.75)
"""Shares of the belief at which it is looked in turn."""
RESTS = 0.7
"""Share of the least load that may be the answer, at which a system recovers from too much."""
END_LOOKS = 2
"""Whole measurements at an end that such an outcome takes."""
MISSED, NOISES = 0.02, 4.0
"""Share of a rate that may be missed, and deviations of noise that may seem missed."""
FAILURES_ELSEWHERE = 3
"""Runs that something else than the system spoiled, after which nobody tries on."""
NEAR_ENOUGH = 1.0
"""Clients that nobody can divide."""


@dataclass(frozen=True)
class Plan:
    """A calibration, as it is asked for."""

    axis: Axis
    """`rate` or `clients`."""
    low: float
    high: float
    envelope_us: float
    latency: str = "p99_us"
    precision: float = 0.03
    """How near the answer has to be, relative."""
    confirmations: int = 2
    """Whole measurements at the operating point, at least."""
    most_measurements: int = 20
    ramp: bool = True
    """Whether a ramped run can be made."""
    errors_allowed: float = 0.01
    noise: float = scenario.USUAL_NOISE
    """Coefficient of variation of the latency that is assumed until measurements tell theirs."""


@dataclass(frozen=True)
class Nearest:
    """A measured level, and what was seen there."""

    level: float
    latency_us: float | None
    throughput: float | None


@dataclass(frozen=True)
class OperatingPoint:
    """The most load inside the envelope, and how well it is known."""

    axis: Axis
    level: float
    """As likely too much as too little."""
    low: float
    """With `high` a 95 % interval of the most load that stays inside; whoever wants to be inside
    almost surely takes this end."""
    high: float
    confirmed_by: int
    """Whole measurements within the precision of the level."""
    latency_us: float | None
    """Median of those."""
    throughput: float | None


@dataclass(frozen=True)
class Calibration:
    """What a calibration found."""

    point: OperatingPoint | None
    envelope_us: float
    latency: str
    inside: Nearest | None
    """The highest measured level that surely stays inside (97.5 %)."""
    outside: Nearest | None
    """The lowest measured level that surely does not."""
    measurements: int


def refusals(plan: Plan) -> tuple[Refusal, ...]:
    """What is wrong with a plan."""
    found: list[Refusal] = []
    if plan.axis == "depth":
        found.append(Refusal("axis", "depths are not calibrated", "rate (open) or clients"))
    found += scenario.bounds_refused(plan.axis, plan.low, plan.high, ("low", "high"))
    found += scenario.limit_refused("envelope_us", plan.envelope_us)
    found += scenario.latency_refused("latency", plan.latency)
    found += scenario.share_refused("precision", plan.precision, 0.005, 0.5)
    found += scenario.share_refused("errors_allowed", plan.errors_allowed, 0.0, 0.5)
    found += scenario.share_refused("noise", plan.noise, 0.001, 0.5)
    found += scenario.count_refused("confirmations", plan.confirmations, 1, 10)
    found += scenario.count_refused("most_measurements", plan.most_measurements, 1, 100)
    least = plan.confirmations + 3
    if not found and plan.most_measurements < least:
        message = f"{plan.most_measurements} leave nothing to search with"
        found.append(Refusal("most_measurements", message, f"allow at least {least}"))
    return tuple(found)


def advance(plan: Plan, measured: Sequence[Measurement]) -> Step | Result[Calibration]:
    """The next measurement, or the operating point. Raises PlanRefused."""
    scenario.checked(refusals(plan))
    spoiled = sum(one.failure is not None and one.failure.by == "elsewhere" for one in measured)
    full = len(measured) >= plan.most_measurements
    if spoiled >= FAILURES_ELSEWHERE or (full and not any(_looks(plan, one) for one in measured)):
        return _not_measured(plan, measured)
    if not measured and plan.ramp:
        return _ramp(plan)
    state = _State(plan, measured)
    return state.ended(full=full) or state.step()


CALIBRATE: Scenario[Plan, Calibration] = Scenario(
    "calibrate", "How much inside this latency?", refusals, advance
)


def stages(plan: Plan) -> tuple[float, ...]:
    """The levels of the ramp, rising from low to high."""
    doublings = math.log(plan.high / plan.low)
    count = max(2, min(MOST_STAGES, 1 + math.ceil(doublings / math.log(STAGE))))
    levels = [
        scenario.rounded(plan.axis, plan.low * math.exp(doublings * place / (count - 1)))
        for place in range(count)
    ]
    return tuple(dict.fromkeys(levels))


def _rested(plan: Plan, measured: Sequence[Measurement]) -> tuple[list[Measurement], bool]:
    """Without those that come right after a rate past the envelope: many a system is still busy
    with what was too much (a backlog, a compaction), so the first run after it counts for nothing.
    Clients that wait for their answers pile up nothing.

    :returns: those that count, and whether the next one will not.
    """
    if plan.axis != "rate":
        return list(measured), False
    kept, rests = list[Measurement](), False
    for one in measured:
        if rests:
            rests = False
            continue
        kept.append(one)
        rests = any(look.y is None or look.y > 0 for look in _looks(plan, one))
    return kept, rests


def _looks(plan: Plan, one: Measurement, blur: float = 1.0) -> list[Look]:
    """What a measurement says of the crossing; of a ramp what each stage says."""
    if one.stages:
        return [look for stage in one.stages for look in _looks(plan, stage, RAMP_BLUR)]
    if not math.isfinite(one.level) or one.level <= 0:
        return []
    x = math.log(one.level)
    if one.failure is not None:
        return [Look(x, None, blur)] if one.failure.by == "system" else []
    done = one.figure("throughput")
    unreached = plan.axis == "rate" and done is not None and done < one.level * _reached(plan, blur)
    if one.error_share > plan.errors_allowed or unreached:
        return [Look(x, None, blur)]
    latency = one.figure(plan.latency)
    return [] if latency is None else [Look(x, math.log(latency / plan.envelope_us), blur)]


def _reached(plan: Plan, blur: float) -> float:
    """The share of a rate that has to be done: all but what noise may hide."""
    return 1.0 - max(MISSED, NOISES * plan.noise * blur)


class _State:
    """Everything that follows from the measurements so far."""

    def __init__(self, plan: Plan, measured: Sequence[Measurement]) -> None:
        self.plan, self.measured = plan, measured
        counted, self.resting = _rested(plan, measured)
        looks = [look for one in counted for look in _looks(plan, one)]
        self.low, self.high = math.log(plan.low), math.log(plan.high)
        shape = limit_crossing.CLOSED if plan.axis == "clients" else limit_crossing.OPEN
        self.belief: Belief = limit_crossing.believe(
            looks, self.low - BEYOND, self.high + BEYOND, plan.noise, shape
        )
        self.median = self.belief.quantile(0.5)
        self.level = self._whole(math.exp(min(self.high, max(self.low, self.median))))
        self.whole = [one for one in counted if not one.stages and _looks(plan, one)]

    def ended(self, *, full: bool) -> Result[Calibration] | None:
        """What came out; None when it is not over."""
        past = self._past_an_end()
        if past is not None:
            return past
        near = self._near()
        if self._narrow() and len(near) >= self.plan.confirmations:
            return self._found("found", near)
        return self._found("uncertain", near) if full else None

    def step(self) -> Step:
        """The next measurement: about where the crossing is believed to be."""
        plan, level = self.plan, self.level
        low, high = (math.exp(self.belief.quantile(share)) for share in (0.025, 0.975))
        if self.median <= self.low or self.median >= self.high:
            at = scenario.in_words(plan.axis, level)
            which = "lowest" if self.median <= self.low else "highest"
            sentence = f"It seems to lie past {at}, the {which} load allowed: that one is measured."
            return self._step("end", level, sentence, low, high)
        if self.resting:
            level = self._whole(max(plan.low, RESTS * low))
            sentence = (
                "The run before went past the envelope, and what comes next may be slowed by it: "
                f"one at {scenario.in_words(plan.axis, level)} lets it recover, and counts for "
                "nothing."
            )
            return self._step("again", level, sentence, low, high)
        left = plan.most_measurements - len(self.measured)
        if self._narrow() or left <= plan.confirmations - len(self._near()):
            sentence = (
                f"Known to ±{percent(self._half_width())}; one measurement more at "
                f"{scenario.in_words(plan.axis, level)} confirms it."
            )
            return self._step("confirm", level, sentence, low, high)
        # Looks in turn on either side of the crossing tell how steep the curve is there as well.
        side = ASIDE[len(self.whole) % len(ASIDE)]
        level = self._whole(min(plan.high, max(plan.low, math.exp(self.belief.quantile(side)))))
        sentence = (
            f"The envelope is left between {scenario.about(low)} and {scenario.about(high)} "
            f"{scenario.words(plan.axis)}; "
            f"measured next: {scenario.in_words(plan.axis, level)}."
        )
        return self._step("narrow", level, sentence, low, high)

    def _step(self, purpose: Purpose, level: float, sentence: str, low: float, high: float) -> Step:
        numbers = {"level": level, "low": low, "high": high}
        return Step("measure", purpose, (level,), Reason(purpose, sentence, numbers))

    def _whole(self, level: float) -> float:
        """The level that is asked for and answered: clients are whole, and rather fewer."""
        if self.plan.axis == "clients":
            return float(max(1, math.floor(level + 1e-9)))
        return scenario.rounded(self.plan.axis, level)

    def _half_width(self, confidence: float = SURE) -> float:
        """Half of the belief's interval, relative."""
        tail = (1.0 - confidence) / 2.0
        ends = self.belief.quantile(tail), self.belief.quantile(1.0 - tail)
        return max(math.expm1(ends[1] - self.median), -math.expm1(ends[0] - self.median))

    def _narrow(self) -> bool:
        precise = self.plan.precision
        if self.plan.axis == "clients":
            precise = max(precise, NEAR_ENOUGH / math.exp(self.median))
        return self._half_width() <= precise

    def _near(self) -> list[Measurement]:
        """Whole measurements at the operating point, as near as the precision (or one client)."""
        width = self.plan.precision * self.level
        if self.plan.axis == "clients":
            width = max(width, NEAR_ENOUGH)
        return [one for one in self.whole if abs(one.level - self.level) <= width * (1 + 1e-9)]

    def _past_an_end(self) -> Result[Calibration] | None:
        plan = self.plan
        shown = duration_in_words(plan.envelope_us)
        for end, outcome, past in (
            (plan.low, "no_load_meets", self.belief.below(self.low)),
            (plan.high, "all_loads_meet", 1.0 - self.belief.below(self.high)),
        ):
            looked = [one for one in self.whole if one.level == scenario.rounded(plan.axis, end)]
            if past < END_SURE or len(looked) < END_LOOKS:
                continue
            seen = _median([one.figure(plan.latency) for one in looked])
            said = "no latency" if seen is None else scenario.latency_in_words(plan.latency, seen)
            at = scenario.in_words(plan.axis, end)
            verb = "No load meets" if outcome == "no_load_meets" else "Every load meets"
            sentence = f"{verb} the envelope of {shown}: at {at} there is a {said}."
            if seen is None:
                sentence = f"{verb} the envelope of {shown}: {at} could not be borne."
            numbers = {"level": end, "latency_us": seen, "probability": past}
            return Result(outcome, Reason(outcome, sentence, numbers), self._figures(None))
        return None

    def _found(self, outcome: Outcome, near: Sequence[Measurement]) -> Result[Calibration]:
        plan = self.plan
        low, high = (math.exp(self.belief.quantile(share)) for share in (0.025, 0.975))
        point = OperatingPoint(
            plan.axis,
            self.level,
            self._whole(low) if plan.axis == "clients" else low,
            self._whole(high) if plan.axis == "clients" else high,
            len(near),
            _median([one.figure(plan.latency) for one in near]),
            _median([one.figure("throughput") for one in near]),
        )
        at = scenario.in_words(plan.axis, self.level)
        limit = scenario.latency_in_words(plan.latency, plan.envelope_us)
        wide = f"95 % interval {scenario.about(point.low)} to {scenario.about(point.high)}"
        sentence = f"The most inside a {limit}: {at} ({wide}; {len(near)} measurements there)."
        if outcome == "uncertain":
            sentence = (
                f"The most inside a {limit}: about {at}, but after {len(self.measured)} "
                f"measurements not known to ±{percent(plan.precision, 0)}: {wide}. Noise hides "
                "it, or latency hardly rises there."
            )
        numbers = {"level": self.level, "low": point.low, "high": point.high}
        return Result(outcome, Reason(outcome, sentence, numbers), self._figures(point))

    def _figures(self, point: OperatingPoint | None) -> Calibration:
        levels = sorted({one.level for one in self._flat()})
        inside = [n for n in levels if self.belief.below(math.log(n)) <= 0.025]  # noqa: PLR2004
        outside = [n for n in levels if self.belief.below(math.log(n)) >= 0.975]  # noqa: PLR2004
        return Calibration(
            point,
            self.plan.envelope_us,
            self.plan.latency,
            self._nearest(inside[-1]) if inside else None,
            self._nearest(outside[0]) if outside else None,
            len(self.measured),
        )

    def _flat(self) -> list[Measurement]:
        """Measurements and stages of ramps that say something."""
        return [
            one for run in self.measured for one in (run.stages or (run,)) if _looks(self.plan, one)
        ]

    def _nearest(self, level: float) -> Nearest:
        there = [one for one in self._flat() if one.level == level]
        return Nearest(
            level,
            _median([one.figure(self.plan.latency) for one in there]),
            _median([one.figure("throughput") for one in there]),
        )


def _ramp(plan: Plan) -> Step:
    levels = stages(plan)
    sentence = (
        f"A ramp of {len(levels)} stages from {scenario.in_words(plan.axis, levels[0])} to "
        f"{scenario.in_words(plan.axis, levels[-1])}, as long as the "
        f"{scenario.latency_in_words(plan.latency, plan.envelope_us)} holds, tells about where."
    )
    numbers = {"low": levels[0], "high": levels[-1], "stages": len(levels)}
    return Step("ramp", "ramp", levels, Reason("ramp", sentence, numbers))


def _not_measured(plan: Plan, measured: Sequence[Measurement]) -> Result[Calibration]:
    said = [one.failure.words for one in measured if one.failure is not None]
    why = said[-1] if said else "no run gave a latency"
    sentence = f"{len(measured)} measurements said nothing of the latency: {why}."
    figures = Calibration(None, plan.envelope_us, plan.latency, None, None, len(measured))
    return Result("not_measured", Reason("not_measured", sentence), figures)


def _median(values: Sequence[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    middle = len(known) // 2
    return known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2.0
