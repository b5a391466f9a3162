"""Servers whose truth is known: queueing models that answer a load with figures and noise."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import optimize, special

from weighhouse_judging.scenarios.scenario import Measurement, Step

US = 1e6
RUN_SECONDS = 60.0
"""How long a rate past saturation piles up work."""
RAMP_NOISE = 2.0
"""Noise of a ramp's stages against that of a whole run."""


@dataclass(frozen=True)
class Queue:
    """M/M/c: Poisson arrivals or clients without think time, c servers of `rate_of_one` each.

    Open: the response time of Erlang's delay system (Kleinrock, Queueing Systems I (1975), section
    3.5). Closed: of n > c clients each waits for n - c others, then is served.
    """

    servers: int
    rate_of_one: float

    @property
    def capacity(self) -> float:
        """Operations a second that can be done."""
        return self.servers * self.rate_of_one

    def open_us(self, rate: float, quantile: float) -> float:
        """A quantile of the response time at a rate, µs; past saturation what piles up in a run."""
        piled = max(0.0, 1.0 - self.capacity / rate) * RUN_SECONDS * quantile
        steady = min(rate, 0.9999 * self.capacity)
        return (min(self._steady(steady, quantile), RUN_SECONDS) + piled) * US

    def _steady(self, rate: float, quantile: float) -> float:
        waits, drain, one = _erlang_c(self.servers, rate / self.rate_of_one), 0.0, self.rate_of_one
        drain = self.capacity - rate

        def longer(seconds: float) -> float:
            served = math.exp(-one * seconds)
            if abs(drain - one) < 1e-9 * one:
                both = served * (1 + one * seconds)
            else:
                both = (drain * served - one * math.exp(-drain * seconds)) / (drain - one)
            return (1 - waits) * served + waits * both - (1 - quantile)

        most = -math.log(1 - quantile) * (1 / one + 1 / drain) * 2 + 1 / one
        return float(optimize.brentq(longer, 0.0, most))

    def closed_us(self, clients: float, quantile: float) -> float:
        """A quantile of the response time with so many clients, µs."""
        ahead = clients - self.servers
        if ahead <= 0:
            return -math.log(1 - quantile) / self.rate_of_one * US
        # Waiting is gamma, service exponential: their sum by the share that is served in each wait.
        one, all_ = self.rate_of_one, self.capacity

        def longer(seconds: float) -> float:
            waiting = float(special.gammaincc(ahead, all_ * seconds))
            if all_ <= one * (1 + 1e-9):
                return float(special.gammaincc(ahead + 1, all_ * seconds)) - (1 - quantile)
            tilted = float(special.gammainc(ahead, (all_ - one) * seconds))
            factor = ahead * math.log(all_ / (all_ - one)) - one * seconds
            return waiting + math.exp(factor) * tilted - (1 - quantile)

        most = (ahead / all_ + 12 / one + 12 * math.sqrt(ahead) / all_) * 2
        return float(optimize.brentq(longer, 0.0, most)) * US

    def closed_throughput(self, clients: float) -> float:
        """Operations a second with so many clients."""
        return min(clients, self.servers) * self.rate_of_one


@lru_cache(maxsize=4096)
def _erlang_c(servers: int, load: float) -> float:
    """Probability of waiting, by Erlang's recursion."""
    blocked = 1.0
    for n in range(1, servers + 1):
        blocked = load * blocked / (n + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


Answer = Callable[[Step], Measurement]


def answering(
    latency_us: Callable[[float], float],
    throughput: Callable[[float], float],
    figure: str,
    noise: float,
    generator: np.random.Generator,
    ramp_ends_at_us: float = math.inf,
) -> Answer:
    """A server that answers steps with noise that multiplies; a ramp ends past its limit."""

    def at(level: float, deviation: float) -> Measurement:
        wide = generator.normal(0.0, deviation, 2)
        return Measurement(
            level,
            {
                figure: latency_us(level) * math.exp(wide[0]),
                "throughput": throughput(level) * math.exp(wide[1]),
            },
        )

    def answer(step: Step) -> Measurement:
        if step.kind == "measure":
            return at(step.level, noise)
        stages: list[Measurement] = []
        for level in step.levels:
            stages.append(at(level, noise * RAMP_NOISE))
            if stages[-1].figures[figure] > ramp_ends_at_us:
                break
        return Measurement(step.level, stages=tuple(stages))

    return answer
