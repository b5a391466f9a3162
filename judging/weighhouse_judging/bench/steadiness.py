"""How often the classes of steady state are wrong: `python -m weighhouse_judging.bench.steadiness`.

Courses whose truth is known, of 30, 60 and 300 intervals: still ones with noise of several kinds,
which should be called flat, and moving ones, which should be called what they are. The bars: of
courses that stand still at most 5 % called anything else without correlation, 10 % with a
correlation of 0.8 between neighbours; a middle third at half speed flagged in 99 %; the milder
movements flagged in 90 % of courses of 60 intervals. And closed loops: at most 5 % of sound ones
doubted by Little's law, at least 99 % of those whose latencies are wrong. The last line is JSON
with every figure; exit code 1 when a bar is missed. Deterministic by seed.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from weighhouse_judging.bench import littles_law
from weighhouse_judging.bench.bars import bar
from weighhouse_judging.findings.steadiness import Course, SteadyClass, assess

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Course]

LEVEL, P99_US = 10_000.0, 1_000.0
SEED, TRIALS = 20_261_122, 300
LENGTHS = (30, 60, 300)
STALLED, STALL = 0.03, 0.3
"""Share of intervals that a stall hits, and what is left of their throughput."""


@dataclass(frozen=True)
class Kind:
    """A kind of course: what it is, and how often it has to be called that."""

    name: str
    truth: SteadyClass
    draw: Draw
    bar: float
    """Largest share called anything but flat, of a still one; smallest share called anything but
    flat, of a moving one; called periodic, of one that is."""
    bar_from: int = 30
    """Intervals from which on the bar holds."""
    up_to: int = 10**9
    """Intervals up to which it does."""


@dataclass(frozen=True)
class Score:
    """What came out for one kind and length."""

    kind: str
    intervals: int
    flagged: float
    """Share called anything but flat."""
    named: float
    """Share called what it is."""
    bar: float | None
    passed: bool


def autoregressive(
    generator: np.random.Generator, size: int, correlation: float, deviation: float
) -> Floats:
    """Noise whose neighbours are alike, with this standard deviation in all."""
    steps = generator.normal(0.0, deviation * np.sqrt(1.0 - correlation**2), size)
    steps[0] = generator.normal(0.0, deviation)
    for place in range(1, size):
        steps[place] += correlation * steps[place - 1]
    return np.asarray(steps, dtype=np.float64)


def _still(correlation: float, deviation: float) -> Draw:
    return _moved(np.zeros_like, correlation, deviation)


def _moved(shape: Callable[[Floats], Floats], correlation: float, deviation: float) -> Draw:
    """A course whose log throughput follows `shape` over 0 to 1."""

    def draw(generator: np.random.Generator, size: int) -> Course:
        noise = autoregressive(generator, size, correlation, deviation)
        logs = shape(np.linspace(0.0, 1.0, size)) + noise
        return Course((LEVEL * np.exp(logs)).tolist(), seconds=float(size))

    return draw


def _stalls(generator: np.random.Generator, size: int) -> Course:
    """Single intervals at a third of the speed, as of checkpoints."""
    values = LEVEL * np.exp(generator.normal(0.0, 0.02, size))
    values[generator.random(size) < STALLED] *= STALL
    return Course(values.tolist(), seconds=float(size))


def _standstill(generator: np.random.Generator, size: int) -> Course:
    """Nothing is done for three intervals in a row."""
    values = LEVEL * np.exp(generator.normal(0.0, 0.05, size))
    begin = int(generator.integers(0, size - 2))
    values[begin : begin + 3] = 0.0
    return Course(values.tolist(), seconds=float(size))


def _returns(
    shape: Callable[[Floats], Floats], period: float, scatter: float = 0.0, correlation: float = 0.0
) -> Draw:
    """A course whose log throughput follows `shape` over 0 to 1 in each period, begun somewhere;
    periods of different lengths where there is scatter, relative.
    """

    def draw(generator: np.random.Generator, size: int) -> Course:
        many = int(4 * size / period) + 4
        lengths = period * np.maximum(0.3, 1.0 + scatter * generator.normal(size=many))
        begins = np.cumsum(lengths) - period * (1.0 + generator.random())
        place = np.arange(size)
        which = np.clip(np.searchsorted(begins, place, side="right") - 1, 0, many - 2)
        phase = np.clip((place - begins[which]) / lengths[which + 1], 0.0, 1.0)
        logs = shape(phase) + autoregressive(generator, size, correlation, 0.05)
        return Course((LEVEL * np.exp(logs)).tolist(), seconds=float(size))

    return draw


def _wanders(generator: np.random.Generator, size: int) -> Course:
    """A level that goes its way by 0.2 % an interval, within noise of 3 %."""
    logs = np.cumsum(generator.normal(0.0, 0.002, size)) + generator.normal(0.0, 0.03, size)
    return Course((LEVEL * np.exp(logs)).tolist(), seconds=float(size))


def _heavy(generator: np.random.Generator, size: int) -> Course:
    """Noise of which some is far out."""
    values = LEVEL * np.exp(0.03 * generator.standard_t(3, size))
    return Course(values.tolist(), seconds=float(size))


def _p99(shape: Callable[[Floats], Floats], correlation: float) -> Draw:
    """A course of even throughput whose log p99 follows `shape`, with noise of 10 %."""

    def draw(generator: np.random.Generator, size: int) -> Course:
        values = LEVEL * np.exp(generator.normal(0.0, 0.02, size))
        noise = autoregressive(generator, size, correlation, 0.10)
        p99s = P99_US * np.exp(shape(np.linspace(0.0, 1.0, size)) + noise)
        return Course(values.tolist(), p99s.tolist(), [int(LEVEL)] * size, seconds=float(size))

    return draw


def _backlog(excess: float) -> Draw:
    """An open loop in which `excess` more is due than done: operations wait longer and longer."""

    def draw(generator: np.random.Generator, size: int) -> Course:
        values = LEVEL * np.exp(generator.normal(0.0, 0.02, size))
        seconds = np.arange(size) + 0.5
        waits = 1e6 * seconds * excess * np.exp(generator.normal(0.0, 0.2, size)) + 50.0
        return Course(values.tolist(), waits_us=waits.tolist(), seconds=float(size))

    return draw


def _regular(rate: float) -> Draw:
    """One operation every 1 / `rate` intervals, to a tenth of that; begun somewhere."""

    def draw(generator: np.random.Generator, size: int) -> Course:
        ends = (np.arange(int(size * rate) + 2) + generator.random()) / rate
        ends += generator.normal(0.0, 0.1 / rate, ends.size)
        counts, _ = np.histogram(ends, bins=np.arange(size + 1))
        return _of_counts(counts)

    return draw


def _random(shape: Callable[[Floats], Floats], rate: float) -> Draw:
    """Operations that know nothing of each other, at a rate whose logarithm follows `shape`."""

    def draw(generator: np.random.Generator, size: int) -> Course:
        rates = rate * np.exp(shape(np.linspace(0.0, 1.0, size)))
        return _of_counts(generator.poisson(rates))

    return draw


def _of_counts(counts: npt.NDArray[np.int64]) -> Course:
    """A course of counts by the second."""
    found = [int(each) for each in counts]
    return Course([float(each) for each in found], operations=found, seconds=float(len(found)))


def _half_for(share: float) -> Callable[[Floats], Floats]:
    """Half the speed for a share of the time, at its begin."""
    return lambda x: np.where(x < share, np.log(0.5), 0.0)


def _middle_third(x: Floats) -> Floats:
    return np.where((x > 1 / 3) & (x < 2 / 3), np.log(0.5), 0.0)


KINDS: tuple[Kind, ...] = (
    Kind("still, noise 5 %", "flat", _still(0.0, 0.05), 0.05),
    Kind("still, AR(1) 0.5, 5 %", "flat", _still(0.5, 0.05), 0.05),
    Kind("still, AR(1) 0.8, 3 %", "flat", _still(0.8, 0.03), 0.10),
    Kind("still, AR(1) 0.8, 10 %", "flat", _still(0.8, 0.10), 0.15),
    Kind("still, 3 % of intervals stall", "flat", _stalls, 0.05),
    Kind("still, p99 with noise 10 %", "flat", _p99(np.zeros_like, 0.0), 0.05),
    Kind("still, p99 AR(1) 0.8, 10 %", "flat", _p99(np.zeros_like, 0.8), 0.15),
    Kind("middle third at half speed, noise 5 %", "unsteady", _moved(_middle_third, 0, 0.05), 0.99),
    Kind(
        "middle third at half speed, AR(1) 0.8, 5 %", "unsteady",
        _moved(_middle_third, 0.8, 0.05), 0.99,
    ),
    Kind(
        "second half 10 % slower, noise 3 %", "slowing_down",
        _moved(lambda x: np.where(x > 1 / 2, np.log(0.9), 0.0), 0, 0.03), 0.90, 60,
    ),
    Kind(
        "15 % slower from end to end, noise 3 %", "slowing_down",
        _moved(lambda x: np.log(1.0 - 0.15 * x), 0, 0.03), 0.90, 60,
    ),
    Kind(
        "warming up from 70 %, noise 3 %", "warming_up",
        _moved(lambda x: np.log(1.0 - 0.3 * np.exp(-8.0 * x)), 0, 0.03), 0.90, 60,
    ),
    Kind(
        "p99 doubles in the second half", "slowing_down",
        _p99(lambda x: np.where(x > 1 / 2, np.log(2.0), 0.0), 0.0), 0.99,
    ),
    Kind("0.5 operations an interval, regular", "flat", _regular(0.5), 0.05, 60),
    Kind("3 operations an interval, regular", "flat", _regular(3.0), 0.05),
    Kind("15 operations an interval, regular", "flat", _regular(15.0), 0.05),
    Kind("10 operations an interval, random", "flat", _random(np.zeros_like, 10.0), 0.05),
    Kind("1 operation an interval, random", "flat", _random(np.zeros_like, 1.0), 0.05, 60),
    Kind(
        "4 operations an interval, random, a quarter in the second half", "slowing_down",
        _random(lambda x: np.where(x > 1 / 2, np.log(0.25), 0.0), 4.0), 0.90, 300,
    ),
    Kind("2 % more due than done", "overloaded", _backlog(0.02), 0.99),
    Kind("still, heavy tails (t with 3 degrees of freedom)", "flat", _heavy, 0.05),
    Kind("wanders by 0.2 % an interval, noise 3 %", "flat", _wanders, 0.10, 60, up_to=60),
    Kind("nothing for 3 intervals", "unsteady", _standstill, 0.99),
    Kind(
        "dips to half for 5 of each 20 intervals", "periodic",
        _returns(_half_for(0.25), 20), 0.90, 300,
    ),
    Kind(
        "dips to half for 8 of each 20 intervals", "periodic",
        _returns(_half_for(0.4), 20), 0.90, 300,
    ),
    Kind(
        "dips to half for 3 of each 30 intervals", "periodic",
        _returns(_half_for(0.1), 30), 0.90, 300,
    ),
    Kind(
        "sawtooth of ± 15 % each 20 intervals", "periodic",
        _returns(lambda x: np.log(0.85 + 0.3 * x), 20), 0.90, 300,
    ),
    Kind(
        "sawtooth of ± 15 % each 20 intervals, AR(1) 0.8", "periodic",
        _returns(lambda x: np.log(0.85 + 0.3 * x), 20, correlation=0.8), 0.90, 300,
    ),
    Kind(
        "sawtooth of ± 15 % each 45 intervals", "periodic",
        _returns(lambda x: np.log(0.85 + 0.3 * x), 45), 0.90, 300,
    ),
    Kind(
        "dips to half for a third of each 20 intervals or so (± 5 %)", "periodic",
        _returns(_half_for(0.33), 20, scatter=0.05), 0.90, 300,
    ),
    Kind("1.5 operations an interval, random", "flat", _random(np.zeros_like, 1.5), 0.05),
    Kind("30 operations an interval, random", "flat", _random(np.zeros_like, 30.0), 0.05),
    Kind("100 operations an interval, random", "flat", _random(np.zeros_like, 100.0), 0.05),
)  # fmt: skip


def score(kind: Kind, intervals: int, *, trials: int = TRIALS, seed: int = SEED) -> Score:
    """Draw and class `trials` courses of a kind."""
    place = [one.name for one in KINDS].index(kind.name)
    generator = np.random.default_rng([seed, place, intervals])
    called = Counter(assess(kind.draw(generator, intervals)).kind for _ in range(trials))
    flagged = 1.0 - called["flat"] / trials
    holds = kind.bar_from <= intervals <= kind.up_to
    named = called[kind.truth] / trials
    told = named if kind.truth == "periodic" else flagged
    fine = flagged <= kind.bar if kind.truth == "flat" else told >= kind.bar
    return Score(
        kind.name,
        intervals,
        flagged,
        named,
        kind.bar if holds else None,
        fine or not holds,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line a kind and length, then all as JSON; returns 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    scores = []
    for kind in KINDS:
        for intervals in LENGTHS:
            found = score(kind, intervals, trials=options.trials, seed=options.seed)
            scores.append(found)
            sys.stdout.write(
                f"{kind.name:<44} {intervals:>4} intervals   flagged {found.flagged:6.1%}   "
                f"called {kind.truth.replace('_', ' ')} {found.named:6.1%}"
                f"{'' if found.passed else '   OUTSIDE THE BAR'}\n"
            )
    doubts = [
        bar(
            name,
            {one.name: littles_law.doubted(one, options.trials, options.seed) for one in loops},
            at_least=least,
            at_most=most,
        )
        for name, loops, least, most in (
            ("sound closed loops doubted by Little's law", littles_law.SOUND, 0.0, 0.05),
            ("closed loops with wrong latencies doubted", littles_law.WRONG, 0.99, 1.0),
        )
    ]
    for one in doubts:
        sys.stdout.write(f"{one.judgement:<7} {one.low:6.1%} … {one.high:6.1%}   {one.name}\n")
    report = {
        "scores": [asdict(one) for one in scores],
        "bars": [{**asdict(one), "judgement": one.judgement} for one in doubts],
    }
    sys.stdout.write(json.dumps(report) + "\n")
    return 0 if all(one.passed for one in scores) and all(one.met for one in doubts) else 1


if __name__ == "__main__":
    sys.exit(main())
