"""What a scenario is: plan → next step from what was measured → figures. Pure.

A planner is one function of the plan and of everything measured so far. It keeps nothing between
two calls, so whoever asks again after a crash gets the same answer, and whoever replays the stored
measurements gets every step with the reason that it had. It decides from figures by their level,
not from its own place in a script: a measurement more, or one at a level it would not have asked
for, is used like any other. It ends for any answers whatever: no planner asks for more than its
plan's `most_measurements`.

A new scenario is one module: a frozen plan, `refusals` (what is wrong with it, where, how to mend
it), `advance` (the function above), a frozen dataclass of figures, and its line in `registry`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.findings.checks import Number
from weighhouse_judging.findings.words import duration_in_words

Axis = Literal["clients", "rate", "depth"]
"""What a scenario varies: clients of a closed loop, operations due a second, requests in flight a
client."""
StepKind = Literal["measure", "ramp"]
"""One level held, or one run that holds several in turn."""
Purpose = Literal["first", "double", "refine", "ramp", "narrow", "confirm", "end", "depth", "again"]
"""Why a step is asked for."""
FailedBy = Literal["system", "elsewhere"]
"""Whose failing it was: that of what is measured, or of machine, network or platform."""

MOST_CLIENTS, MOST_DEPTH, MOST_RATE = 10_000, 1_000, 50_000_000.0
"""What a load level may ask for."""
LEAST, MOST = 1e-9, 1e15
"""Figures beyond these are no figures of a run, in whatever unit."""
RATE_DIGITS = 4
"""Significant digits of a rate that is asked for."""
USUAL_NOISE = 0.05
"""Coefficient of variation that repeats are taken to have until they tell their own."""


@dataclass(frozen=True)
class Failure:
    """Why a measurement gave no figures."""

    by: FailedBy
    words: str


@dataclass(frozen=True)
class Measurement:
    """What one run gave at one level; of a ramp, its stages in order."""

    level: float
    figures: Mapping[str, float] = field(default_factory=dict)
    """Figures by their names (`throughput`, `p99_us`); what is not known is left out."""
    failure: Failure | None = None
    error_share: float = 0.0
    """Operations that failed, of all that were asked."""
    stages: tuple["Measurement", ...] = ()

    def figure(self, name: str) -> float | None:
        """A figure that can be reckoned with: above 0, and one that a run can have; else None."""
        value = self.figures.get(name)
        if self.failure is not None or value is None or not LEAST <= value <= MOST:
            return None
        return float(value)


@dataclass(frozen=True)
class Reason:
    """Why something is done or said: a typed value, its sentence, and the sentence's numbers."""

    kind: str
    sentence: str
    numbers: Mapping[str, Number] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """What is to be measured next."""

    kind: StepKind
    purpose: Purpose
    levels: tuple[float, ...]
    """One level, or the stages of a ramp, rising."""
    reason: Reason

    @property
    def level(self) -> float:
        """The (first) level."""
        return self.levels[0]


F = TypeVar("F")
P = TypeVar("P")


@dataclass(frozen=True)
class Result(Generic[F]):
    """A scenario is over: what came out, and why it ended."""

    outcome: str
    """Typed per scenario; each module lists its own."""
    reason: Reason
    figures: F


@dataclass(frozen=True)
class Refusal:
    """What is wrong with a plan: the field, what is wrong, what would be right."""

    where: str
    message: str
    mend: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}; {self.mend}"


class PlanRefused(ValueError):
    """A plan that cannot be carried out was to be."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__("; ".join(str(refusal) for refusal in refusals))
        self.refusals = tuple(refusals)


@dataclass(frozen=True)
class Scenario(Generic[P, F]):
    """A scenario that decides while it measures."""

    name: str
    asks: str
    """The question it answers."""
    refusals: Callable[[P], tuple[Refusal, ...]]
    """What is wrong with a plan; nothing when it can be carried out."""
    advance: Callable[[P, Sequence[Measurement]], Step | Result[F]]
    """The next step, or what came out. Raises PlanRefused."""


@dataclass(frozen=True)
class Replay(Generic[F]):
    """What a scenario did with its measurements: each step as it was asked for, and its end."""

    steps: tuple[Step, ...]
    """One for each measurement that was asked for, and the next one where it is not over."""
    result: Result[F] | None


def replay(scenario: Scenario[P, F], plan: P, measured: Sequence[Measurement]) -> Replay[F]:
    """Every step with its reason, from the stored measurements alone. Raises PlanRefused."""
    steps: list[Step] = []
    for size in range(len(measured) + 1):
        answer = scenario.advance(plan, measured[:size])
        if isinstance(answer, Result):
            return Replay(tuple(steps), answer)
        steps.append(answer)
    return Replay(tuple(steps), None)


def checked(refusals: Sequence[Refusal]) -> None:
    """Raise PlanRefused when there is anything wrong."""
    if refusals:
        raise PlanRefused(refusals)


def bounds_refused(axis: Axis, low: float, high: float, names: tuple[str, str]) -> list[Refusal]:
    """What is wrong with a range of levels, whose fields have these names."""
    least, most = (0.0, MOST_RATE) if axis == "rate" else (1.0, float(most_of(axis)))
    found = []
    for name, value in zip(names, (low, high), strict=True):
        if not math.isfinite(value) or not least <= value <= most or value <= 0:
            floor = "above 0" if axis == "rate" else "at least 1"
            mend = f"give {floor} and at most {most:,.0f}"
            found.append(Refusal(name, f"{value:g} is no {word(axis)}", mend))
        elif axis != "rate" and value != int(value):
            found.append(Refusal(name, f"{value:g} {words(axis)} cannot be had", "whole numbers"))
    if not found and low >= high:
        message = f"{names[1]} {high:g} is not above {names[0]} {low:g}"
        found.append(Refusal(names[1], message, f"raise {names[1]} or lower {names[0]}"))
    return found


def count_refused(name: str, value: int, least: int, most: int) -> list[Refusal]:
    """What is wrong with a number of something."""
    if least <= value <= most:
        return []
    return [Refusal(name, f"{value} is out of range", f"give {least} to {most}")]


def share_refused(name: str, value: float, least: float, most: float) -> list[Refusal]:
    """What is wrong with a share or a width."""
    if math.isfinite(value) and least <= value <= most:
        return []
    return [Refusal(name, f"{value:g} is out of range", f"give {least:g} to {most:g}")]


def latency_refused(name: str, figure: str) -> list[Refusal]:
    """What is wrong with the name of a latency."""
    known = [one.name for one in CATALOGUE.latencies]
    if figure in known:
        return []
    return [Refusal(name, f"{figure!r} is no latency of a run", f"one of {', '.join(known)}")]


def limit_refused(name: str, limit_us: float) -> list[Refusal]:
    """What is wrong with a limit of latency, µs."""
    if math.isfinite(limit_us) and limit_us > 0:
        return []
    return [Refusal(name, f"{limit_us:g} µs is no limit", "give a latency above 0")]


def most_of(axis: Axis) -> int:
    """The highest level there may be."""
    return {"clients": MOST_CLIENTS, "rate": int(MOST_RATE), "depth": MOST_DEPTH}[axis]


def rounded(axis: Axis, level: float) -> float:
    """A level as it is asked for: a whole number, or a rate of four significant digits."""
    if axis != "rate":
        return float(max(1, round(level)))
    digits = RATE_DIGITS - 1 - math.floor(math.log10(level))
    return float(round(level, digits))


def word(axis: Axis) -> str:
    """One of them."""
    return {"clients": "number of clients", "rate": "rate", "depth": "pipeline depth"}[axis]


def words(axis: Axis) -> str:
    """What levels of an axis count."""
    return {"clients": "clients", "rate": "operations a second", "depth": "in flight a client"}[
        axis
    ]


def in_words(axis: Axis, level: float) -> str:
    """A level: `8 clients`, `12,500 operations a second`, `10 in flight a client`."""
    if axis == "clients" and level == 1:
        return "1 client"
    return f"{level:,.10g} {words(axis)}"


def about(value: float) -> str:
    """A number of which four digits are known at most: `24,960`, `3.142`."""
    known = 3 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{round(value, known):,.{max(0, known)}f}"
    return text.rstrip("0").rstrip(".") if known > 0 else text


def latency_in_words(figure: str, value_us: float) -> str:
    """A latency by its name: `p99 of 1.2 ms`."""
    return f"{CATALOGUE[figure].short} of {duration_in_words(value_us)}"
