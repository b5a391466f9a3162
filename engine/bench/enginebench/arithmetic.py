"""What is known without measuring: the truth of a stall, and ratios with their intervals. Pure."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

import numpy as np
from scipy.stats import bootstrap

RESAMPLES = 10_000
CONFIDENCE = 0.95
LEAST_FOR_AN_INTERVAL = 2
PRECISION_SECONDS = 1e-9
MIDDLE = (0.2, 0.8)


class Profile(Protocol):
    """How the rate of an open loop changes, as a factor."""

    def integral(self, seconds: float) -> float:
        """The factor's integral over so many seconds since the start."""

    def document(self) -> dict[str, object]:
        """As it stands in an order."""


@dataclass(frozen=True)
class Sine:
    """1 + amplitude × sin(2π t / period)."""

    period_seconds: float
    amplitude: float

    def integral(self, seconds: float) -> float:
        """See Profile."""
        turn = math.tau / self.period_seconds
        return seconds + self.amplitude / turn * (1.0 - math.cos(turn * seconds))

    def document(self) -> dict[str, object]:
        """See Profile."""
        return {"shape": "sine", **asdict(self)}


@dataclass(frozen=True)
class Steps:
    """Each factor in turn for so many seconds, over and over."""

    step_seconds: float
    factors: tuple[float, ...]

    def integral(self, seconds: float) -> float:
        """See Profile."""
        done = int(seconds // self.step_seconds)
        rounds, index = divmod(done, len(self.factors))
        whole = rounds * sum(self.factors) + sum(self.factors[:index])
        rest = seconds - done * self.step_seconds
        return self.step_seconds * whole + rest * self.factors[index]

    def document(self) -> dict[str, object]:
        """See Profile."""
        return {"shape": "steps", **asdict(self)}


@dataclass(frozen=True)
class Schedule:
    """Operations due in an open loop: `rate` a second, changed by a profile."""

    rate: float
    profile: Profile | None = None

    def due_by(self, seconds: float) -> float:
        """Operations due within so many seconds of the start: the rate's integral."""
        return self.rate * (self.profile.integral(seconds) if self.profile else seconds)


@dataclass(frozen=True)
class Truth:
    """A percentile that a stall causes, ms, and what chance may change of it: one standard
    deviation, 0 where arrivals are not random.
    """

    milliseconds: float
    deviation: float


def stall_truth(
    schedule: Schedule,
    duration: float,
    stall: tuple[float, float],
    share: float,
    *,
    random: bool = False,
) -> Truth | None:
    """The percentile `share` (0 to 1) of response times when the server does not run from
    `stall[0]` to `stall[1]`, seconds after the start of a phase of `duration` seconds.

    An operation due in between waits until the end; all others are taken to need no time, and so is
    the work that has piled up. So w is the percentile when as many operations are due before
    stall[1] - w as is its share of all: due_by(stall[1] - w) - due_by(stall[0]) = (1 - share) × n.

    Where arrivals are random (a Poisson process), this is the expected value. The number of
    operations above it scatters by sqrt(n × share × (1 - share)), which divided by the rate there
    is a time. Returns None when the percentile does not lie in the stall.
    """
    began, ended = stall
    total = schedule.due_by(duration)
    beyond = (1.0 - share) * total
    first = schedule.due_by(began)
    if first + beyond >= schedule.due_by(ended):
        return None
    low, high = began, ended
    while high - low > PRECISION_SECONDS:
        middle = (low + high) / 2
        low, high = (low, middle) if schedule.due_by(middle) - first > beyond else (middle, high)
    deviation = 0.0
    if random:
        width = 0.001
        density = (schedule.due_by(low + width) - schedule.due_by(low - width)) / (2 * width)
        deviation = math.sqrt(total * share * (1.0 - share)) / density * 1e3
    return Truth((ended - low) * 1e3, deviation)


def steady_rate(seen: Sequence[tuple[float, int]]) -> float:
    """Operations a second over the middle of a run: between the first moment that a fifth of them
    was done and the last that four fifths were not yet.

    `seen` are times, s, and operations done until then. Raises ValueError when the middle was not
    seen twice.
    """
    first, last = seen[0][1], seen[-1][1]
    low, high = (first + (last - first) * share for share in MIDDLE)
    middle = [(at, count) for at, count in seen if low <= count <= high]
    if len(middle) < LEAST_FOR_AN_INTERVAL or middle[-1][1] == middle[0][1]:
        raise ValueError("too short a run to tell its rate")
    return (middle[-1][1] - middle[0][1]) / (middle[-1][0] - middle[0][0])


@dataclass(frozen=True)
class Ratio:
    """A ratio of medians and its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def ratio_of_medians(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """The median of `ours` over that of `theirs`, with a percentile-bootstrap interval.

    Both have one value for each round, in the order of the rounds. Rounds are resampled whole, for
    what disturbed a round disturbed both. With one round both ends are the ratio.
    """
    value = float(np.median(ours) / np.median(theirs))
    if len(ours) < LEAST_FOR_AN_INTERVAL:
        return Ratio(value, value, value)
    found = bootstrap(
        (np.asarray(ours), np.asarray(theirs)),
        lambda a, b, axis: np.median(a, axis=axis) / np.median(b, axis=axis),
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        paired=True,
        vectorized=True,
        rng=np.random.default_rng(1),
    )
    interval = found.confidence_interval
    return Ratio(value, float(interval.low), float(interval.high))
