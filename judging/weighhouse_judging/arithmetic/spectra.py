"""Whole distributions of two sides: percentile spectra with bands, and the shift of each quantile.

A spectrum is read from histograms merged over a side's runs, never averaged. The unit of its band
is the run, because operations of one run fail, queue and speed up together: ten million operations
in five runs are five observations. The band is Student's t about the logarithm of the merged
percentile, with the jackknife's standard error, a run (for shared blocks: a pair of runs) left out
at a time. Source: Tukey (1958), Annals of Mathematical Statistics 29; Efron & Tibshirani, An
Introduction to the Bootstrap (1993), chapter 11. A bootstrap of runs, even with Hesterberg's
expanded percentiles (2015, The American Statistician 69), covered 84 to 95 % at four and five runs,
since it can never leave the range of what it resamples. The shift curve is Doksum's (1974), Annals
of Statistics 2: by how much each quantile of one side lies above that of the other.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from weighhouse_judging.arithmetic.histograms import NS_PER_US, Histogram
from weighhouse_judging.arithmetic.intervals import (
    CONFIDENCE,
    FEWEST_FOR_AN_INTERVAL,
    RESOLUTION,
    Floats,
)

QUANTILES = (
    0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999, 0.9995, 0.9999,
    0.99999,
)  # fmt: skip
"""Where a spectrum is read unless told otherwise."""

FEWEST_BEYOND = 10
"""Operations that have to lie beyond a quantile for it to be more than a few single ones."""


@dataclass(frozen=True)
class SpectrumPoint:
    """One quantile of one side, in µs."""

    quantile: float
    value_us: float
    low_us: float | None
    high_us: float | None
    """The pointwise 95 % band; None below four runs."""


@dataclass(frozen=True)
class ShiftPoint:
    """By how much one quantile of the other side lies above the baseline's; 0.05 = 5 %."""

    quantile: float
    relative: float
    low: float | None
    high: float | None
    """The pointwise 95 % band; None below four blocks."""


def spectrum(
    runs: Sequence[Histogram], quantiles: Sequence[float] = QUANTILES
) -> list[SpectrumPoint]:
    """Percentiles of all runs of a side together, each with its band.

    One merged histogram a run. Quantiles with fewer than FEWEST_BEYOND operations beyond them are
    left out. Raises HistogramError when the runs count in different buckets.
    """
    counted = _Counts.of(runs)
    kept = counted.supported(quantiles)
    if not kept:
        return []
    logs = counted.quantiles(_left_out(len(runs)), kept)
    half = _half_width(logs)
    return [
        SpectrumPoint(
            quantile,
            math.exp(logs[0, place]),
            None if half is None else math.exp(logs[0, place] - half[place]),
            None if half is None else math.exp(logs[0, place] + half[place]),
        )
        for place, quantile in enumerate(kept)
    ]


def shift_curve(
    baseline: Mapping[Any, Histogram],
    other: Mapping[Any, Histogram],
    quantiles: Sequence[float] = QUANTILES,
) -> list[ShiftPoint]:
    """How much slower each quantile is, with a band; runs by block.

    Where sides share blocks, a block is left out of both sides at a time, so that what it did to
    both cancels, and runs without a partner take no part; else each side has an error of its own.
    """
    shared = [block for block in baseline if block in other]
    first = _Counts.of([baseline[block] for block in shared or baseline])
    second = _Counts.of([other[block] for block in shared or other])
    kept = [
        quantile
        for quantile in first.supported(quantiles)
        if quantile in set(second.supported(quantiles))
    ]
    if not kept:
        return []
    before = first.quantiles(_left_out(first.runs), kept)
    after = second.quantiles(_left_out(second.runs), kept)
    shifts = after[0] - before[0]
    half = _half_width(after - before) if shared else _half_width_of_two(before, after)
    return [
        ShiftPoint(
            quantile,
            math.expm1(shifts[place]),
            None if half is None else math.expm1(shifts[place] - half[place]),
            None if half is None else math.expm1(shifts[place] + half[place]),
        )
        for place, quantile in enumerate(kept)
    ]


@dataclass(frozen=True)
class _Counts:
    """Counts of runs (rows) in the buckets that any of them fills, with the buckets' upper ends."""

    counts: Floats
    upper_us: Floats

    @classmethod
    def of(cls, runs: Sequence[Histogram]) -> "_Counts":
        together = Histogram()
        for run in runs:
            together.add(run)
        filled = np.flatnonzero(together.counts)
        rows = np.zeros((len(runs), filled.size))
        for row, run in enumerate(runs):
            inside = filled[filled < run.counts.size]
            rows[row, : inside.size] = run.counts[inside]
        return cls(rows, together.layout.upper_ends(filled) / NS_PER_US)

    @property
    def runs(self) -> int:
        return int(self.counts.shape[0])

    def supported(self, quantiles: Sequence[float]) -> list[float]:
        total = float(self.counts.sum())
        return [one for one in quantiles if total * (1 - one) >= FEWEST_BEYOND]

    def quantiles(self, weights: Floats, quantiles: Sequence[float]) -> Floats:
        """For each row of weights of the runs, the logarithm of the value at each quantile."""
        running = np.cumsum(weights @ self.counts, axis=1)
        values = np.empty((weights.shape[0], len(quantiles)))
        for row, ranks in enumerate(running):
            wanted = np.ceil(np.asarray(quantiles) * ranks[-1] - 1e-9).clip(min=1)
            places = np.searchsorted(ranks, wanted, side="left").clip(max=ranks.size - 1)
            values[row] = np.log(self.upper_us[places])
        return values


def _left_out(runs: int) -> Floats:
    """Weights of the runs: first all, then each of them left out."""
    return np.vstack([np.ones((1, runs)), 1.0 - np.eye(runs)])


def _variance(logs: Floats) -> Floats:
    """The jackknife's variance: of rows 1 …, each with one run left out."""
    runs = logs.shape[0] - 1
    return np.asarray(logs[1:].var(axis=0) * (runs - 1))


def _half_width(logs: Floats) -> Floats | None:
    runs = logs.shape[0] - 1
    if runs < FEWEST_FOR_AN_INTERVAL:
        return None
    return np.asarray(special.stdtrit(runs - 1, 0.5 + CONFIDENCE / 2) * np.sqrt(_variance(logs)))


def _half_width_of_two(before: Floats, after: Floats) -> Floats | None:
    """Of two sides that share no block: Welch's freedom for the sum of their variances."""
    runs = [one.shape[0] - 1 for one in (before, after)]
    if min(runs) < FEWEST_FOR_AN_INTERVAL:
        return None
    parts = [np.maximum(_variance(one), RESOLUTION**2) for one in (before, after)]
    total = parts[0] + parts[1]
    freedom = total**2 / (parts[0] ** 2 / (runs[0] - 1) + parts[1] ** 2 / (runs[1] - 1))
    return np.asarray(special.stdtrit(freedom, 0.5 + CONFIDENCE / 2) * np.sqrt(total))
