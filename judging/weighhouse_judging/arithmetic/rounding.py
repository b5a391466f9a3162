"""Figures that were rounded before anybody saw them: their step, and what it leaves unknown. Pure.

Weighhouse's own drivers keep nanoseconds; other tools tell whole µs, or steps of eight. A median of
10 µs that was 10.4 is wrong by as much in every repeat, so that no number of repeats averages it
away, unless they scatter by more than about half a step.
"""

import numpy as np
import numpy.typing as npt

from weighhouse_judging.arithmetic.intervals import Floats, LogDifference

FINEST = 1e-3
"""Of latencies in µs: a nanosecond."""
DECADES = 10 ** np.arange(7, -1, -1, dtype=np.int64)
HARMONICS = np.arange(1, 9)
SURELY = 3.0
"""Variances of rounding that are taken off the scatter seen before it counts as scatter: with few
repeats two values in turn may be two neighbours of one that hardly moves."""
WHOLE_STEP = 2.0
"""By how much the variance of rounding is raised where it does not average out. A difference of
figures that do not scatter may be wrong by anything up to a step whatever the repeats say; so
raised, its interval of 95 % is just wider than that."""
MOST_FREEDOM = 1e6


def step_of(figures: npt.ArrayLike) -> Floats:
    """The step that latencies (µs, last axis) are multiples of, but for a common offset.

    The greatest common divisor of their differences; of equal ones, the coarsest power of ten that
    they are multiples of. At least FINEST. Figures that all happen to be multiples of more have
    less claimed of them.
    """
    counts = np.rint(np.asarray(figures, dtype=np.float64) / FINEST).astype(np.int64)
    first = counts[..., :1]
    divisor = np.gcd.reduce(counts - first, axis=-1)
    round_ = first % DECADES == 0
    decade = DECADES[np.argmax(round_, axis=-1)]
    return np.asarray(np.where(divisor == 0, decade, divisor) * FINEST, dtype=np.float64)


def coarser(
    difference: LogDifference, sides: tuple[Floats, Floats], step: npt.ArrayLike
) -> LogDifference:
    """A difference between two sides' figures (last axis) that were rounded to `step`.

    Rounding moves the mean of figures that scatter by σ by a periodic function of their place
    within a step; over all places its variance is δ² Σ exp(-(2πkσ/δ)²) / (2π²k²): δ²/12 where they
    do not scatter, and next to nothing where they do by half a step (Widrow & Kollár 2008,
    Quantization Noise, chapter 4). That part no repeats reduce. δ²/12 a figure they do; it
    is added to what they show, which in few or lumpy figures may be less. Freedom by Satterthwaite
    (1946).
    """
    delta = np.asarray(step, dtype=np.float64)
    least, stays = np.zeros(delta.shape), np.zeros(delta.shape)
    for figures in sides:
        one = np.square(delta / figures.mean(axis=-1)) / 12
        least = least + one / figures.shape[-1]
        stays = stays + WHOLE_STEP * one * _kept(figures, delta)
    own = np.square(difference.error)
    total = own + least + stays
    freedom = np.minimum(difference.freedom * np.square(total / own), MOST_FREEDOM)
    return LogDifference(difference.estimate, np.sqrt(total), np.asarray(freedom))


def _kept(figures: Floats, step: Floats) -> Floats:
    """The share of rounding's variance that does not average out."""
    scatter = figures.var(axis=-1, ddof=1) - SURELY * np.square(step) / 12
    turns = np.maximum(scatter, 0.0)[..., None] * np.square(2 * np.pi * HARMONICS)
    waves = np.exp(-turns / np.square(step)[..., None])
    return np.asarray(np.average(waves, weights=1 / np.square(HARMONICS), axis=-1))
