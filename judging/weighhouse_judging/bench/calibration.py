"""Calibrations of servers whose capacity is known, and what other ways of searching would give: as
the product runs them, without a ramp and with its defaults.
"""

import math
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize, special
from weighhouse_protocol.scenarios import Calibrate

from weighhouse_judging.bench.servers import Answer, Queue, answering
from weighhouse_judging.scenarios import calibrate
from weighhouse_judging.scenarios.calibrate import Calibration, Plan
from weighhouse_judging.scenarios.scenario import Measurement, Result, Step

QUANTILES = {"p95_us": 0.95, "p99_us": 0.99}
NOISE = 0.05
CAPACITY = 1e5
NEAR = 0.03
REPETITIONS = 5
MEASUREMENTS = Calibrate().measurements
SLOWED = 0.1
"""Share of its capacity that a server lacks in the run after one past the envelope."""
BISECTION_TRUST = 0.7
"""Chance of a right answer that probabilistic bisection is told."""


@dataclass(frozen=True)
class Case:
    """A server and an envelope."""

    axis: str
    servers: int
    times: float
    """The envelope, in latencies of the idle server."""
    latency: str = "p99_us"

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.axis} servers={self.servers} {self.latency[:3]} envelope=×{self.times:g}"

    @property
    def queue(self) -> Queue:
        """The server: 100,000 operations a second in all, or as many as clients ask for."""
        return Queue(self.servers, CAPACITY / self.servers if self.axis == "rate" else 1e4)

    def latency_us(self, level: float) -> float:
        """The truth."""
        quantile = QUANTILES[self.latency]
        if self.axis == "rate":
            return self.queue.open_us(level, quantile)
        return self.queue.closed_us(level, quantile)

    @property
    def envelope_us(self) -> float:
        """The limit."""
        return self.times * self.latency_us(1.0)

    def plan(self) -> Plan:
        """What is asked for."""
        low, high = (1_000, 1_000_000) if self.axis == "rate" else (1, 2_048)
        return Plan(
            self.axis, low, high, self.envelope_us, self.latency,  # type: ignore[arg-type]
            confirmations=REPETITIONS, most_measurements=MEASUREMENTS, ramp=False,
        )  # fmt: skip

    def truth(self) -> float:
        """The highest level inside; clients are whole."""
        plan, limit = self.plan(), self.envelope_us
        found = float(
            optimize.brentq(lambda level: self.latency_us(level) - limit, plan.low, plan.high)
        )
        return found if self.axis == "rate" else math.floor(found + 1e-9)

    def server(self, generator: np.random.Generator, slowed: float = 0.0) -> Answer:
        """It answers with noise; after a run past the envelope it lacks a share of its capacity."""
        queue, limit, lacks = self.queue, self.envelope_us, 0.0

        def done(level: float) -> float:
            if self.axis == "rate":
                return min(level, queue.capacity * (1 - lacks))
            return queue.closed_throughput(level) * (1 - lacks)

        def latency(level: float) -> float:
            return self.latency_us(level / (1 - lacks))

        sound = answering(latency, done, self.latency, NOISE, generator, limit)

        def answer(step: Step) -> Measurement:
            nonlocal lacks
            found = sound(step)
            lacks = slowed if found.figures[self.latency] > limit else 0.0
            return found

        return answer

    def near(self, level: float, truth: float) -> bool:
        """Within 3 % of the truth, or one client."""
        width = NEAR * truth if self.axis == "rate" else max(1.0, NEAR * truth)
        return abs(level - truth) <= width * (1 + 1e-9)

    def possible(self) -> float:
        """The most that could be near: all measurements made at the truth, the slope known.

        The slope of log latency over log load bounds what noise leaves to be known (Cramér & Rao).
        """
        truth = self.truth()
        width = NEAR if self.axis == "rate" else max(NEAR, 1.0 / truth)
        low, high = (self.latency_us(max(1.0, truth * by)) for by in (0.999, 1.001))
        slope = math.log(high / low) / 0.002
        return float(special.erf(width * slope * math.sqrt(MEASUREMENTS) / NOISE / math.sqrt(2)))


RATES = ((1, 3), (1, 5), (1, 20), (8, 1.3), (8, 2), (8, 20))
REACHABLE = (
    *(Case("rate", servers, times) for servers, times in RATES),
    *(Case("rate", servers, times, "p95_us") for servers, times in RATES),
    Case("clients", 1, 2),
    Case("clients", 1, 5),
    Case("clients", 8, 1.3),
)
"""Where so many measurements can tell 3 %, or a client."""
TIGHT = (
    Case("rate", 1, 1.3),
    Case("rate", 1, 2),
    Case("clients", 1, 20),
    Case("clients", 8, 2),
    Case("clients", 8, 20),
)
"""Where latency hardly tells loads apart: with a noise of 5 %, nobody could be sure of 3 %."""


@dataclass(frozen=True)
class Scored:
    """What came out of many calibrations."""

    near: float
    covered: float
    """Share whose interval holds the truth."""
    most_measurements: int
    measurements: float
    outcomes: dict[str, int]


def calibrated(case: Case, server: Answer) -> Result[Calibration]:
    """One calibration, answered until it ends."""
    plan, measured = case.plan(), list[Measurement]()
    while True:
        answer = calibrate.advance(plan, measured)
        if isinstance(answer, Result):
            return answer
        measured.append(server(answer))


def score(case: Case, seeds: int, seed: int, slowed: float = 0.0) -> Scored:
    """Many seeds of one case."""
    truth, near, covered = case.truth(), 0, 0
    counts, outcomes = list[int](), Counter[str]()
    for number in range(seeds):
        found = calibrated(case, case.server(np.random.default_rng([seed, number]), slowed))
        outcomes[found.outcome] += 1
        counts.append(found.figures.measurements)
        point = found.figures.point
        if point is not None:
            near += case.near(point.level, truth)
            covered += point.low <= truth <= point.high
    mean = sum(counts) / seeds
    return Scored(near / seeds, covered / seeds, max(counts), mean, dict(outcomes))


def unmet(seeds: int, seed: int) -> dict[str, float]:
    """Envelopes that no load meets, or all do: how often that is what is said."""
    found = {}
    for outcome, times in (("no_load_meets", 0.8), ("all_loads_meet", 1.5)):
        named = 0
        for number in range(seeds):
            case = Case("clients", 1, 2)
            top = 1.0 if outcome == "no_load_meets" else 64.0
            plan = replace(case.plan(), high=64, envelope_us=case.latency_us(top) * times)
            generator = np.random.default_rng([seed, number])
            server = answering(
                case.latency_us,
                case.queue.closed_throughput,
                plan.latency,
                NOISE,
                generator,
                plan.envelope_us,
            )
            measured = list[Measurement]()
            while not isinstance(answer := calibrate.advance(plan, measured), Result):
                measured.append(server(answer))
            named += answer.outcome == outcome
        found[outcome] = named / seeds
    return found


def by_bisection(case: Case, seeds: int, seed: int, trust: float = BISECTION_TRUST) -> float:
    """How often plain probabilistic bisection is near with as many measurements.

    Waeber, Frazier & Henderson (2013): only the side counts, right with a fixed chance.
    """
    truth, plan, near = case.truth(), case.plan(), 0
    x = np.linspace(math.log(plan.low), math.log(plan.high), 4_000)
    for number in range(seeds):
        generator = np.random.default_rng([seed, number])
        weights = np.full(x.size, 1.0 / x.size)
        for _ in range(plan.most_measurements):
            at = float(x[int(np.searchsorted(np.cumsum(weights), 0.5))])
            latency = case.latency_us(math.exp(at)) * math.exp(generator.normal(0.0, NOISE))
            above = x > at
            inside = latency <= plan.envelope_us
            weights = weights * np.where(above == inside, trust, 1.0 - trust)
            weights /= weights.sum()
        level = math.exp(float(x[int(np.searchsorted(np.cumsum(weights), 0.5))]))
        near += case.near(level if case.axis == "rate" else math.floor(level), truth)
    return near / seeds
