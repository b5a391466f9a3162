"""Courses of runs whose truth is known: faults that recover, hours that drift or stall."""

import math

import numpy as np

from weighhouse_judging.bench.steadiness import autoregressive
from weighhouse_judging.scenarios import fault, soak
from weighhouse_judging.scenarios.spread import Interval

P99_US, RATE = 1_000.0, 10_000
BROKEN_AT, DOWN = 60, 10
TREND_AN_HOUR = -0.02
PERIOD, DEPTH = 60, 0.4


def recovery(seeds: int, seed: int, noise: float, seconds: int = 40) -> dict[str, float]:
    """A node is gone for 10 s; p99 is five times what it was, until `seconds` after the fault."""
    plan = fault.Plan(BROKEN_AT, BROKEN_AT + DOWN)
    near, never, first = 0, 0, 0
    for number in range(seeds):
        generator = np.random.default_rng([seed, number])
        intervals = []
        for at in range(200):
            since = at - BROKEN_AT
            down, slow = 0 <= since < DOWN, 0 <= since < seconds
            level = P99_US * (5.0 if slow else 1.0) * math.exp(generator.normal(0.0, noise))
            ok = 0 if down else int(RATE * math.exp(generator.normal(0.0, 0.03)))
            latencies = () if down else (("p99_us", level),)
            intervals.append(Interval(float(at), 1.0, ok, 50 if down else 0, None, latencies))
        cost = fault.figures(plan, intervals)
        never += cost.returned_seconds is None
        first += cost.first_success_seconds == DOWN
        if cost.returned_seconds is not None:
            near += abs(cost.returned_seconds - seconds) <= fault.WINDOW
    return {"near": near / seeds, "never": never / seeds, "first success": first / seeds}


def trends(seeds: int, seed: int, correlation: float, size: int = 7_200) -> dict[str, float]:
    """Hours of intervals of a second: cover of the trend's interval, and false trends."""
    covered = false = 0
    for number in range(seeds):
        generator = np.random.default_rng([seed, number, round(100 * correlation)])
        noise = autoregressive(generator, size, correlation, 0.05)
        hours = np.arange(size) / 3600.0
        drifting = 1e4 * np.exp(noise + math.log1p(TREND_AN_HOUR) * hours)
        found = soak.trend(drifting.tolist(), 1.0, name="throughput")
        still = soak.trend((1e4 * np.exp(noise)).tolist(), 1.0, name="throughput")
        covered += isinstance(found, soak.Trend) and found.low <= TREND_AN_HOUR <= found.high
        false += isinstance(still, soak.Trend) and still.clear
    return {"covered": covered / seeds, "false": false / seeds}


def periods(seeds: int, seed: int, correlation: float, size: int = 1_800) -> dict[str, float]:
    """Stalls every 60 intervals, give or take one: found; and periods seen where there are none."""
    found = false = 0
    for number in range(seeds):
        generator = np.random.default_rng([seed, number, round(100 * correlation)])
        noise = autoregressive(generator, size, correlation, 0.05)
        still = soak.stalls((1e4 * np.exp(noise)).tolist(), 1.0)
        false += isinstance(still, soak.Stalls)
        values = 1e4 * np.exp(noise)
        for begin in range(PERIOD // 2, size - 3, PERIOD):
            place = begin + int(generator.integers(-1, 2))
            values[place : place + 2] *= 1.0 - DEPTH
        seen = soak.stalls(values.tolist(), 1.0)
        found += isinstance(seen, soak.Stalls) and abs(seen.period_seconds - PERIOD) <= 1.0
    return {"found": found / seeds, "false": false / seeds}
