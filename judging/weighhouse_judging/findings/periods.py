"""Does a course return to where it was, again and again, and after how long? Pure.

A compaction each minute, a checkpoint each 20 seconds: such a course has one level and is not
steady, and its figure hangs on how many of them the measured phase happened to hold. In the
spectrum, free of what neighbours have in common, what returns is a line that stands out from the
frequencies around it (the periodogram's ordinates of noise are exponentially distributed about its
spectrum: Brockwell & Davis, Time Series: Theory and Methods, 1991, section 10.3; the spectrum is
told by the neighbours' median).

How often it is wrong: `weighhouse_judging.bench.steadiness`.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from weighhouse_judging.arithmetic import statistics

Floats = npt.NDArray[np.float64]

FEWEST_RETURNS = 5
"""How often it has to return."""
FEWEST_INTERVALS = 60
"""Of which a spectrum says something; shorter courses show what returns as levels."""
SHORTEST = 3
"""Intervals of the shortest period."""
STANDS_OUT = 18.0
"""How many times a line exceeds what is around it; chosen by the bench."""
MOST_CORRELATION = 0.98
NEARBY, NEARBY_SHARE, MOST_NEARBY = 10, 16, 100
"""Frequencies on each side that are around a line: a sixteenth of the intervals, within bounds."""
MOST_HARMONICS = 6
"""The strongest line may be that of a part of the period."""
PARTS = 12
"""Of a period whose means are told apart."""


@dataclass(frozen=True)
class Period:
    """What returns."""

    intervals: float
    """From one time to the next."""
    low: float
    """The lowest part of a period as a share of its highest."""
    course: Floats
    """What is so explained of each interval, about 0; logarithms."""


def period_of(line: Floats, matters: float) -> Period | None:
    """The period with which a line returns; None when it does not.

    :param line: logarithms, one for each interval.
    :param matters: the relative difference below which parts of a period are alike.
    """
    if line.size < FEWEST_INTERVALS:
        return None
    rest = _without_trend(line)
    # Of what returns it is too high, which leaves the lines where they are.
    found = statistics.lag_one_autocorrelation(rest.tolist())
    correlation = min(MOST_CORRELATION, max(0.0, found))
    free = rest[1:] - correlation * rest[:-1]
    size = free.size
    power = np.abs(np.fft.rfft(free - free.mean())[1:]) ** 2
    nearby = min(MOST_NEARBY, max(NEARBY, line.size // NEARBY_SHARE))
    around = scipy.ndimage.median_filter(power, size=2 * nearby + 1, mode="reflect") / math.log(2.0)
    # A clock without any noise leaves nothing around its lines.
    ratio = power / np.maximum(around, 1e-9 * max(float(power.max()), 1e-300))
    first, last = FEWEST_RETURNS, size // SHORTEST
    strongest = first + int(np.argmax(ratio[first - 1 : last]))
    if ratio[strongest - 1] < STANDS_OUT:
        return None
    course, period = _folded(rest, size, _fundamental(ratio, strongest))
    low = math.exp(float(course.min() - course.max()))
    return Period(period, low, course) if low <= 1.0 / (1.0 + matters) else None


def _without_trend(line: Floats) -> Floats:
    places = np.arange(line.size, dtype=np.float64)
    slope, level = np.polyfit(places, line, 1)
    return np.asarray(line - (slope * places + level), dtype=np.float64)


def _fundamental(ratio: Floats, strongest: int) -> int:
    """How often it returns: the lowest frequency that stands out, and of which the strongest is a
    multiple.
    """
    for harmonic in range(MOST_HARMONICS, 1, -1):
        lowest = round(strongest / harmonic)
        if lowest < FEWEST_RETURNS:
            continue
        near = ratio[lowest - 2 : lowest + 1]
        if float(near.max()) >= STANDS_OUT:
            return lowest - 1 + int(np.argmax(near))
    return strongest


def _folded(rest: Floats, size: int, returns: int) -> tuple[Floats, float]:
    """The means of a period's parts, at each interval, and the period: of those between two
    frequencies' the one in which parts differ most.
    """
    places = np.arange(rest.size, dtype=np.float64)
    best, course, period = -1.0, np.zeros(rest.size), size / returns
    for tried in size / (returns + np.linspace(-0.5, 0.5, 21)):
        count = max(2, min(PARTS, int(tried)))
        part = np.minimum((places % tried / tried * count).astype(np.int64), count - 1)
        many = np.bincount(part, minlength=count)
        means = np.bincount(part, weights=rest, minlength=count) / np.maximum(many, 1)
        explained = float((many * means**2).sum())
        if explained > best:
            best, course, period = explained, means[part], float(tried)
    return course, period
