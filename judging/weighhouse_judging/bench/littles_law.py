"""How often runs of closed loops are wrongly doubted by Little's law, and found out where their
latencies are wrong.

Each client asks, waits for the answer or a time-out, does something of its own, pauses, and asks
again; told is what a driver would tell of the operations that ended while it was measured.
"""

from dataclasses import dataclass, replace

import numpy as np

from weighhouse_judging.findings.observation import OperationFigures, RunObservation
from weighhouse_judging.findings.plausibility import littles_law_of, unaccounted_clients

CYCLES = 1_000
"""About as many of each client are measured, and a tenth of that before."""
PATIENCES = 20
"""Time-outs that a run lasts at least: of one that is cut off after two, nobody could tell."""
SHAPE = 0.5
"""Of the lognormal times of answers."""


@dataclass(frozen=True)
class Loop:
    """A closed loop; times in µs."""

    name: str
    answer_us: float
    """Mean."""
    clients: int = 8
    own_us: float = 0.0
    """What a client does for itself between an answer and its next question."""
    pause_us: float = 0.0
    timeouts: float = 0.0
    """Share of the operations that get no answer."""
    patience_us: float = 0.0
    """After which an operation without an answer has failed."""
    told: float = 1.0
    """Latencies as told are the true ones times this."""

    def run(self, generator: np.random.Generator) -> RunObservation:
        """One run of it, as its driver tells."""
        mean = (1 - self.timeouts) * self.answer_us + self.timeouts * self.patience_us
        cycle = mean + self.own_us + self.pause_us
        cycles = max(CYCLES, int(PATIENCES * self.patience_us / cycle))
        shape = (self.clients, 2 * cycles)
        took = generator.lognormal(-(SHAPE**2) / 2, SHAPE, shape) * self.answer_us
        failed = generator.random(shape) < self.timeouts
        took[failed] = self.patience_us
        own = self.own_us * generator.lognormal(-(SHAPE**2) / 2, SHAPE, shape) + self.pause_us
        ends = np.cumsum(took + own, axis=1) - own
        begin, length = cycles * cycle / 10, cycles * cycle
        measured = (ends > begin) & (ends <= begin + length)
        ok, errors = measured & ~failed, int((measured & failed).sum())
        figures = OperationFigures(
            ok=int(ok.sum()),
            errors=errors,
            timeouts=errors,
            throughput=float(ok.sum()) / length * 1e6,
            mean_us=float(took[ok].mean()) * self.told,
            asked_mean_us=float(took[measured].mean()) * self.told,
        )
        return RunObservation(
            "closed", figures, clients=self.clients, think_time_us=self.pause_us,
            seconds=length / 1e6,
        )  # fmt: skip


INSIDE = Loop("in the driver's process, 4 µs of its own work", 2.0, own_us=4.0)
SOUND = (
    replace(INSIDE, name=f"{INSIDE.name}, answers of 0.5 µs", answer_us=0.5),
    INSIDE,
    replace(INSIDE, name=f"{INSIDE.name}, answers of 10 µs", answer_us=10.0),
    Loop("answers of 200 µs, 4 µs of the client's work", 200.0, own_us=4.0),
    Loop("1.9 % time out after 1 s", 1e3, timeouts=0.019, patience_us=1e6),
    Loop("0.1 % time out after 1 s", 1e3, timeouts=0.001, patience_us=1e6),
    Loop("1.9 % time out, 64 clients", 1e3, 64, timeouts=0.019, patience_us=1e5),
    Loop("pauses of 5 ms", 500.0, pause_us=5e3),
    Loop("one client", 80.0, 1, own_us=3.0),
)
WRONG = (
    Loop("latencies miss 36 %", 200.0, told=0.64),
    Loop("latencies miss 58 %", 200.0, told=0.42),
    Loop("latencies miss 36 %, 0.1 % time out", 200.0, timeouts=0.001, patience_us=1e5, told=0.64),
    Loop("latencies 20 % too long", 200.0, told=1.2),
    Loop("latencies in the wrong unit", 200.0, told=1e3),
    Loop("60 µs of each cycle in no latency", 20.0, own_us=60.0),
)


def doubted(loop: Loop, trials: int, seed: int) -> float:
    """Share of runs that Little's law doubts, from either side."""
    generator = np.random.default_rng([seed, *loop.name.encode()])
    found = 0
    for _ in range(trials):
        run = loop.run(generator)
        found += littles_law_of(run) is not None or unaccounted_clients(run) is not None
    return found / trials
