"""How often change point detection is wrong, and how late.

By hand: `python -m weighhouse_judging.bench.detection`.

Stationary series of three kinds of noise are extended run by run; every confirmed change point that
was not there before is a false alert. Then a step of -5 % is put in and looked for. The bar: at
most 0.2 false confirmed alerts per 100 new runs and at least 94 % of the steps found within 25 runs
on each kind, and on normal noise a median delay of at most 5 runs (outliers make the t-test wait
longer; the figure is printed). A better rule has to do better here.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weighhouse_judging.series.change_points import find_shifts, same_change

Floats = npt.NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Floats]

LEVEL, SIGMA, STEP = 100_000.0, 0.03, -0.05
OUTLIERS = 0.03
"""Share of outliers among the points."""
SEED = 20_261_120
HISTORY, NEW_RUNS, PATIENCE = 100, 100, 25
FALSE_ALERTS_BAR, FOUND_BAR, DELAY_BAR = 0.2, 0.94, 5.0


@dataclass(frozen=True)
class Score:
    """What one kind of noise gave."""

    noise: str
    false_alerts_per_100: float
    found: float
    median_delay: float

    @property
    def in_time(self) -> bool:
        """Is the step found as soon as the bar asks?"""
        return self.median_delay <= DELAY_BAR

    @property
    def passes(self) -> bool:
        """Are false alerts as rare and steps as often found as the bar asks, and on normal noise
        as soon?
        """
        rare = self.false_alerts_per_100 <= FALSE_ALERTS_BAR
        return rare and self.found >= FOUND_BAR and (self.in_time or self.noise != "normal")

    @property
    def judgement(self) -> str:
        """How the figures stand to the bar, in words."""
        if not self.passes:
            return "OUTSIDE THE BAR"
        return (
            "within the bar" if self.in_time else f"within the bar, but later than {DELAY_BAR:.0f}"
        )


def normal(generator: np.random.Generator, size: int) -> Floats:
    """Normal noise of 3 %."""
    return generator.normal(0.0, SIGMA, size)


def lognormal(generator: np.random.Generator, size: int) -> Floats:
    """Skewed noise: lognormal with a shape of 0.5, centred on its median, scaled to 3 %."""
    shape = 0.5
    deviation = float(np.sqrt((np.exp(shape**2) - 1) * np.exp(shape**2)))
    return SIGMA * (generator.lognormal(0.0, shape, size) - 1.0) / deviation


def outliers(generator: np.random.Generator, size: int) -> Floats:
    """Normal noise of 3 %, where 3 % of the points are 10 to 20 % lower."""
    disturbed = generator.random(size) < OUTLIERS
    return generator.normal(0.0, SIGMA, size) - disturbed * generator.uniform(0.1, 0.2, size)


KINDS: dict[str, Noise] = {"normal": normal, "lognormal": lognormal, "outliers": outliers}


def score(kind: str, *, series: int, seed: int = SEED) -> Score:
    """Measure one kind of noise over `series` stationary and as many stepped series."""
    generator = np.random.default_rng([seed, sorted(KINDS).index(kind)])
    noise = KINDS[kind]
    alerts = sum(
        len(_alerts(LEVEL * (1 + noise(generator, HISTORY + NEW_RUNS)), HISTORY))
        for _ in range(series)
    )
    delays = [_delay(LEVEL * (1 + noise(generator, HISTORY + PATIENCE))) for _ in range(series)]
    found = [delay for delay in delays if delay is not None]
    return Score(
        kind,
        100.0 * alerts / (series * NEW_RUNS),
        len(found) / series,
        float(np.median(found)) if found else float("inf"),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line a kind of noise; returns 0 when all are within the bar, else 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    scores = [score(kind, series=options.series, seed=options.seed) for kind in KINDS]
    for line in scores:
        sys.stdout.write(
            f"{line.noise:<10} {line.false_alerts_per_100:5.2f} false alerts per 100 runs   "
            f"{line.found:4.0%} of {STEP:+.0%} found, median delay {line.median_delay:.0f} runs   "
            f"{line.judgement}\n"
        )
    return 0 if all(line.passes for line in scores) else 1


def _alerts(values: Floats, start: int) -> list[int]:
    """Places of confirmed changes that appear while the series grows from `start` on."""
    known = _confirmed(values[:start])
    news: list[int] = []
    for size in range(start + 1, values.size + 1):
        for index in _confirmed(values[:size]):
            if not any(same_change(index, other) for other in (*known, *news)):
                news.append(index)
    return news


def _delay(values: Floats) -> int | None:
    """Runs after a step at HISTORY until it is confirmed, at most PATIENCE."""
    stepped = values.copy()
    stepped[HISTORY:] *= 1 + STEP
    for size in range(HISTORY + 1, stepped.size + 1):
        if any(same_change(index, HISTORY) for index in _confirmed(stepped[:size])):
            return size - HISTORY
    return None


def _confirmed(values: Floats) -> list[int]:
    return [shift.index for shift in find_shifts(values.tolist()) if shift.status == "confirmed"]


if __name__ == "__main__":
    sys.exit(main())
