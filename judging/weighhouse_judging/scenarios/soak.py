"""`soak`: does it stay so for hours? Pure.

**Trends** (throughput, latency, memory, file handles): least squares through the means of batches
of neighbouring intervals, whose noise remembers little (batch means: Law & Kelton, Simulation
Modeling and Analysis (2000), section 9.5.3); the standard error takes what correlation is left
between batches (AR(1)), and the interval is Student's. **Stalls that return**: the autocorrelation
of the series without its trend and its short memory, at the least lag that stands out from noise
and is followed by its double (after Vlachos, Yu & Castelli, On Periodicity Detection and Structural
Periodicity, SDM 2005).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.arithmetic.intervals import CONFIDENCE
from weighhouse_judging.scenarios.planning import Reason

Floats = npt.NDArray[np.float64]
SECONDS_AN_HOUR = 3600.0

BATCHES, FEWEST_VALUES = 40, 20
"""Batches of a long series; values below which there is no trend."""
FALSE_PERIODS = 0.01
"""How often a series without stalls may be said to have some."""
FEWEST_RETURNS = 4
"""How often a stall has to come for its period to be told."""
FUNDAMENTAL = 0.7
"""Share of the greatest correlation at which a shorter lag is the period."""
DIP = 3.0
"""Deviations (robust) below the median that are a stall."""


@dataclass(frozen=True)
class Trend:
    """How a series changes."""

    per_hour: float
    """In the series' unit, or relative where it was asked by ratio: -0.01 = 1 % less an hour."""
    low: float
    high: float
    """95 % interval."""
    relative: bool
    clear: bool
    """Whether the interval excludes 0."""
    hours: float
    reason: Reason


@dataclass(frozen=True)
class Stalls:
    """Dips that come again and again."""

    period_seconds: float
    strength: float
    """Autocorrelation at the period: 1.0 = like a clock."""
    depth: float
    """Median of the dips, as a share of throughput that is lost: 0.4."""
    dips: int
    reason: Reason


@dataclass(frozen=True)
class NotAssessable:
    """Why nothing is said of a series."""

    kind: Literal["too_short"]
    sentence: str


def trend(
    values: Sequence[float], seconds: float, *, name: str, relative: bool = True
) -> Trend | NotAssessable:
    """The trend of a series of evenly spaced values.

    :param seconds: between two of them.
    :param name: what the series is of, for the sentence: `throughput`.
    :param relative: whether its logarithm is looked at (positive figures), else its values (bytes).
    """
    line = np.asarray(values, dtype=np.float64)
    if line.size < FEWEST_VALUES:
        sentence = f"{line.size} values tell no trend; it takes {FEWEST_VALUES}."
        return NotAssessable("too_short", sentence)
    relative = relative and float(np.median(line)) > 0
    if relative:
        line = np.log(np.maximum(line, 0.01 * float(np.median(line))))
    batches = np.asarray([part.mean() for part in np.array_split(line, min(BATCHES, line.size))])
    hours = line.size * seconds / SECONDS_AN_HOUR
    at = (np.arange(batches.size) + 0.5) / batches.size * hours
    centred = at - at.mean()
    squares = float(np.dot(centred, centred))
    slope = float(np.dot(centred, batches)) / squares
    rest = batches - batches.mean() - slope * centred
    memory = _unbiased(rest)
    freedom = max(2.0, batches.size * (1 - memory) / (1 + memory) - 2.0)
    error = math.sqrt(float(np.dot(rest, rest)) / (batches.size - 2) / squares)
    error *= math.sqrt((1 + memory) / (1 - memory))
    half = float(special.stdtrit(freedom, 0.5 + CONFIDENCE / 2)) * error
    ends = [slope - half, slope, slope + half]
    low, middle, high = [math.expm1(one) for one in ends] if relative else ends
    clear = low > 0 or high < 0
    return Trend(
        middle, low, high, relative, clear, hours, _trend_told(name, ends, relative, hours)
    )


def stalls(values: Sequence[float], seconds: float) -> Stalls | NotAssessable | None:
    """Dips of throughput that return with a period; None when none do."""
    line = np.asarray(values, dtype=np.float64)
    if line.size < FEWEST_VALUES:
        sentence = f"{line.size} values tell no period; it takes {FEWEST_VALUES}."
        return NotAssessable("too_short", sentence)
    level = float(np.median(line))
    if level <= 0:
        return None
    logs = np.log(np.maximum(line, 0.01 * level))
    white = _whitened(logs)
    lags = line.size // FEWEST_RETURNS
    correlation = _autocorrelation(white)[: lags * 2 + 2]
    lag = _period(correlation, lags, line.size)
    if lag is None:
        return None
    spread = max(statistics.robust_sigma(logs.tolist()), 1e-9)
    dips = np.flatnonzero(logs < np.median(logs) - DIP * spread)
    lost = 1.0 - float(np.median(line[dips])) / level if dips.size else 0.0
    comings = int(np.sum(np.diff(dips, prepend=-2) > 1))
    strength = float(correlation[lag])
    period = lag * seconds
    sentence = f"Throughput dips every {period:g} s or so ({comings} times, by {lost:.0%})."
    numbers = {"period_seconds": period, "strength": strength, "dips": comings, "depth": lost}
    return Stalls(period, strength, lost, comings, Reason("stalls_return", sentence, numbers))


def _unbiased(rest: Floats) -> float:
    """Correlation of neighbouring batches; short series seem to have less than they have (Kendall
    1954, Biometrika 41), so what they lack is given back. At least 0.
    """
    found = statistics.lag_one_autocorrelation(rest.tolist())
    return min(0.9, max(0.0, found + (1 + 3 * found) / rest.size))


def _whitened(logs: Floats) -> Floats:
    """The series without its trend and the memory of neighbours."""
    at = np.arange(logs.size) - (logs.size - 1) / 2.0
    rest = logs - logs.mean() - float(np.dot(at, logs)) / float(np.dot(at, at)) * at
    memory = statistics.lag_one_autocorrelation(rest.tolist())
    return np.asarray(rest[1:] - memory * rest[:-1], dtype=np.float64)


def _autocorrelation(white: Floats) -> Floats:
    """Of all lags, by Fourier transform."""
    size = white.size
    spectrum = np.fft.rfft(white - white.mean(), 2 * size)
    products = np.fft.irfft(np.abs(spectrum) ** 2)[:size]
    return np.asarray(products / max(float(products[0]), 1e-300), dtype=np.float64)


def _period(correlation: Floats, lags: int, size: int) -> int | None:
    """The period in intervals: the least lag near the greatest correlation, whose double stands out
    as well.
    """
    limit = float(special.ndtri(1.0 - FALSE_PERIODS / max(1, lags))) / math.sqrt(size)
    candidates = correlation[2 : lags + 1]
    if candidates.size == 0 or float(candidates.max()) <= limit:
        return None
    strong = np.flatnonzero(candidates >= max(limit, FUNDAMENTAL * float(candidates.max()))) + 2
    for lag in strong.tolist():
        near = correlation[2 * lag - 1 : 2 * lag + 2]
        if near.size and float(near.max()) > limit / 2:
            return int(lag)
    return None


def _trend_told(name: str, ends: Sequence[float], relative: bool, hours: float) -> Reason:
    low, middle, high = ends
    clear = low > 0 or high < 0
    by = (
        [f"{math.expm1(one):+.2%}" for one in ends]
        if relative
        else [f"{one:+,.4g}" for one in ends]
    )
    way = "rises" if middle > 0 else "falls"
    numbers = {"per_hour": middle, "low": low, "high": high, "hours": hours}
    if clear:
        sentence = f"{name} {way}: {by[1]} an hour ({by[0]} to {by[2]}) over {hours:.3g} h."
        return Reason(way, sentence[0].upper() + sentence[1:], numbers)
    sentence = f"{name} shows no trend over {hours:.3g} h: {by[0]} to {by[2]} an hour."
    return Reason("no_trend", sentence[0].upper() + sentence[1:], numbers)
