"""How often ranks of many sides, and bands of whole distributions, hold the truth."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from weighhouse_judging.arithmetic.histograms import NS_PER_US, Histogram
from weighhouse_judging.arithmetic.spectra import shift_curve, spectrum
from weighhouse_judging.bench.trials import Floats, block_noise, repeats
from weighhouse_judging.verdicts.ranks import rank

SIDES = 6
RESAMPLES = 500
OPERATIONS = 20_000
SHAPE = 0.4
"""Of a latency distribution within a run: lognormal."""
MEDIAN_US = 200.0
RUN_NOISE = 0.03
QUANTILES = (0.1, 0.5, 0.9, 0.99, 0.999)


@dataclass(frozen=True)
class Ranked:
    """What rank intervals of near-equal sides hold; shares."""

    all_true: float
    """Of trials in which every side's true rank lies in its interval."""
    all_true_by_bootstrap: float
    """The same for percentile intervals of ranks bootstrapped over blocks."""


def ranks_hold(size: int, apart: float, cv: float, trials: int, seed: int) -> Ranked:
    """Six sides, each better than the next by `apart` (relative), five blocks and more."""
    generator = np.random.default_rng([seed, size, round(apart * 1e5)])
    held = bootstrapped = 0
    truth = np.arange(1, SIDES + 1)
    for _ in range(trials):
        blocks = block_noise(generator, 0.05, (1, size))
        logs = repeats(generator, "normal", cv, (SIDES, size), blocks)
        logs = logs - apart * np.arange(SIDES)[:, None]
        found = rank(
            {side: dict(enumerate(np.exp(row).tolist())) for side, row in enumerate(logs)},
            higher_is_better=True,
        )
        held += all(one.best_rank <= truth[int(str(one.side))] <= one.worst_rank for one in found)
        low, high = _bootstrapped(generator, logs)
        bootstrapped += bool(np.all((low <= truth) & (truth <= high)))
    return Ranked(held / trials, bootstrapped / trials)


def _bootstrapped(generator: np.random.Generator, logs: Floats) -> tuple[Floats, Floats]:
    size = logs.shape[1]
    drawn = np.median(logs[:, generator.integers(0, size, (RESAMPLES, size))], axis=-1)
    places = (-drawn).argsort(axis=0).argsort(axis=0) + 1
    low, high = np.quantile(places, [0.025, 0.975], axis=1, method="inverted_cdf")
    return low, high


def bands_hold(size: int, trials: int, seed: int) -> dict[str, float]:
    """Pointwise cover of the bands of a spectrum and of the shift curve of two equal sides."""
    generator = np.random.default_rng([seed, size])
    marginal = np.sqrt(SHAPE**2 + RUN_NOISE**2)
    truth = MEDIAN_US * np.exp(marginal * special.ndtri(QUANTILES))
    spectra, shifts = np.zeros(len(QUANTILES)), np.zeros(len(QUANTILES))
    for _ in range(trials):
        sides = [_runs(generator, size), _runs(generator, size)]
        for place, point in enumerate(spectrum(sides[0], QUANTILES)):
            assert point.low_us is not None and point.high_us is not None  # noqa: S101, PT018
            spectra[place] += point.low_us <= truth[place] <= point.high_us
        curve = shift_curve(dict(enumerate(sides[0])), dict(enumerate(sides[1])), QUANTILES)
        for place, shift in enumerate(curve):
            assert shift.low is not None and shift.high is not None  # noqa: S101, PT018
            shifts[place] += shift.low <= 0 <= shift.high
    return {
        f"{name} n={size} at {quantile}": float(held / trials)
        for name, found in (("spectrum", spectra), ("shift", shifts))
        for quantile, held in zip(QUANTILES, found, strict=True)
    }


def _runs(generator: np.random.Generator, size: int) -> list[Histogram]:
    return [
        recorded(
            MEDIAN_US
            * np.exp(generator.normal(0, SHAPE, OPERATIONS) + generator.normal(0, RUN_NOISE))
        )
        for _ in range(size)
    ]


def recorded(values_us: Floats) -> Histogram:
    """A histogram of latencies in µs."""
    histogram = Histogram()
    places = np.searchsorted(_UPPER_NS, values_us * NS_PER_US, side="left")
    histogram.counts += np.bincount(places, minlength=histogram.counts.size)
    return histogram


_UPPER_NS = Histogram().layout.upper_ends(np.arange(Histogram().layout.buckets))
