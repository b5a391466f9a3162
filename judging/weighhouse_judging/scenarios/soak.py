"""`soak`: does it stay so for hours? Pure.

**Trends** (throughput, latency, memory, file handles): least squares through the means of batches
of neighbouring intervals, whose noise remembers little (batch means: Law & Kelton, Simulation
Modeling and Analysis (2000), section 9.5.3); the standard error takes what correlation is left
between batches (AR(1)), and the interval is Student's. **Stalls that return**: the autocorrelation
of where throughput dips, at the least lag that stands out from chance and is followed by its double
(after Vlachos, Yu & Castelli, On Periodicity Detection and Structural
Periodicity, SDM 2005).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special
from weighhouse_protocol.percent import percent, signed_percent

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.arithmetic.intervals import CONFIDENCE, RESOLUTION
from weighhouse_judging.findings.words import bytes_in_words
from weighhouse_judging.scenarios import scenario
from weighhouse_judging.scenarios.scenario import Reason

Floats = npt.NDArray[np.float64]
SECONDS_AN_HOUR = 3600.0

BATCHES, FEWEST_VALUES = 40, 20
"""Batches of a long series; values below which there is no trend."""
MOST_LOGARITHM = 50.0
"""Nobody needs to know how much faster than e^50 a series grows."""
MOST_RATIO = 10.0
"""What is told of it as a number: beyond, minutes were stretched to an hour."""
FALSE_LEAKS = 0.001
"""How often noise without growth may be said to have grown."""
FALSE_PERIODS = 0.01
"""How often a series without stalls may be said to have some."""
FEWEST_RETURNS = 4
"""How often a stall has to come for its period to be told."""
FUNDAMENTAL = 0.7
"""Share of the greatest correlation at which a shorter lag is the period."""
DIP = 4.0
"""Deviations (robust) below the neighbours' median that are a stall."""
LEAST_SCATTER = 0.005
"""Scatter that is reckoned with at least: no series is steadier."""
JITTER = 3
"""Intervals that a stall may come early or late in all."""
STRONG = 0.3
"""Autocorrelation that regular stalls have at least: of few dips, some stand in line by chance."""


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
    grown: float
    """By how much it has grown over the series for sure (all but `FALSE_LEAKS`), in its unit, or as
    a logarithm where it is relative; below 0: nothing is sure.
    """
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
    values: Sequence[float],
    seconds: float,
    *,
    name: str,
    relative: bool = True,
    write: Callable[[float], str] | None = None,
) -> Trend | NotAssessable:
    """The trend of a series of evenly spaced values.

    :param seconds: between two of them.
    :param name: what the series is of, for the sentence: `throughput`.
    :param write: how a change of a figure that is not relative is told; default: as a number.
    :param relative: whether its logarithm is looked at (positive figures), else its values (bytes).
    """
    line = np.asarray(values, dtype=np.float64)
    write = write or plainly
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
    error = max(error, RESOLUTION * max(1.0, abs(float(batches.mean()))) / hours)
    half = float(special.stdtrit(freedom, 0.5 + CONFIDENCE / 2)) * error
    ends = [slope - half, slope, slope + half]
    low, middle, high = [_ratio(one) for one in ends] if relative else ends
    clear = low > 0 or high < 0
    grown = (slope - float(special.stdtrit(freedom, 1 - FALSE_LEAKS)) * error) * hours
    told = _trend_told(name, ends, relative, hours, write)
    return Trend(middle, low, high, relative, clear, grown, hours, told)


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
    rest = logs - scipy.ndimage.median_filter(logs, size=_neighbourhood(line.size), mode="nearest")
    low = rest < -DIP * max(statistics.robust_sigma(rest.tolist()), LEAST_SCATTER)
    begins = np.flatnonzero(np.diff(low.astype(np.int8), prepend=0) > 0)
    if begins.size < FEWEST_RETURNS:
        return None
    lags = line.size // FEWEST_RETURNS
    correlation = _autocorrelation(np.convolve(low, np.ones(JITTER), mode="same"))
    lag = _period(correlation, lags, line.size)
    if lag is None:
        return None
    lost = 1.0 - float(np.median(line[low])) / level
    strength, period = float(correlation[lag]), lag * seconds
    sentence = (
        f"Throughput dips every {period:g} s or so ({begins.size} times, by {percent(lost, 0)} "
        "each)."
    )
    numbers = {
        "period_seconds": period,
        "strength": strength,
        "dips": int(begins.size),
        "depth": lost,
    }
    reason = Reason("stalls_return", sentence, numbers)
    return Stalls(period, strength, lost, int(begins.size), reason)


def _ratio(logarithm: float) -> float:
    """A difference of logarithms as a relative one; of series that explode, the most there is."""
    return math.expm1(min(logarithm, MOST_LOGARITHM))


def _unbiased(rest: Floats) -> float:
    """Correlation of neighbouring batches; short series seem to have less than they have (Kendall
    1954, Biometrika 41), so what they lack is given back. At least 0.
    """
    found = statistics.lag_one_autocorrelation(rest.tolist())
    return min(0.9, max(0.0, found + (1 + 3 * found) / rest.size))


def _neighbourhood(size: int) -> int:
    """Intervals whose median is what is usual at a place: odd, a twentieth of all."""
    return max(9, size // 20) | 1


def _autocorrelation(line: Floats) -> Floats:
    """Of all lags, by Fourier transform."""
    size = line.size
    spectrum = np.fft.rfft(line - line.mean(), 2 * size)
    products = np.fft.irfft(np.abs(spectrum) ** 2)[:size]
    return np.asarray(products / max(float(products[0]), 1e-300), dtype=np.float64)


def _period(correlation: Floats, lags: int, size: int) -> int | None:
    """The period in intervals: the least lag whose correlation is a hill's top, stands out, is near
    the greatest, and whose double stands out as well.
    """
    limit = max(STRONG, float(special.ndtri(1.0 - FALSE_PERIODS / lags)) * JITTER / math.sqrt(size))
    first = JITTER + 1
    tops = [
        lag
        for lag in range(first, lags + 1)
        if correlation[lag] > limit
        and correlation[lag] == correlation[lag - JITTER + 1 : lag + JITTER].max()
    ]
    if not tops:
        return None
    most = max(float(correlation[lag]) for lag in tops)
    for lag in tops:
        double = correlation[2 * lag - JITTER : 2 * lag + JITTER + 1]
        if correlation[lag] >= FUNDAMENTAL * most and float(double.max()) > limit / 2:
            return lag
    return None


def plainly(value: float) -> str:
    """A number with its sign."""
    return f"{'+' if value >= 0 else ''}{scenario.about(value)}"


def in_bytes(value: float) -> str:
    """Bytes with their sign: `+3.2 MiB`."""
    return ("-" if value < 0 else "+") + bytes_in_words(abs(value))


def _percent(ratio: float) -> str:
    return signed_percent(ratio, 2) if ratio <= MOST_RATIO else f"over +{percent(MOST_RATIO, 0)}"


def _trend_told(
    name: str, ends: Sequence[float], relative: bool, hours: float, write: Callable[[float], str]
) -> Reason:
    low, middle, high = ends
    clear = low > 0 or high < 0
    by = [_percent(_ratio(one)) if relative else write(one) for one in ends]
    way = "rises" if middle > 0 else "falls"
    numbers = {"per_hour": middle, "low": low, "high": high, "hours": hours}
    if clear:
        sentence = f"{name} {way}: {by[1]} an hour ({by[0]} to {by[2]}) over {hours:.3g} h."
        return Reason(way, sentence[0].upper() + sentence[1:], numbers)
    sentence = f"{name} shows no trend over {hours:.3g} h: {by[0]} to {by[2]} an hour."
    return Reason("no_trend", sentence[0].upper() + sentence[1:], numbers)
