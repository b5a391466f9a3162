"""Variances that are each known badly, and how much they may learn from each other. Pure."""

import numpy as np
import numpy.typing as npt
from scipy import special

from weighhouse_judging.arithmetic.intervals import Floats

MOST_FREEDOM = 1000.0
"""Freedom of a prior that is not told from certainty."""

NEWTON_STEPS = 15


def squeeze(
    ratios: npt.ArrayLike, freedom: npt.ArrayLike, scale_freedom: npt.ArrayLike
) -> tuple[Floats, Floats]:
    """Ratios of variances (last axis: the cells), drawn towards each other as far as they agree.

    Each ratio is of a variance with `freedom` to one with `scale_freedom`. Their scatter beyond
    what chance gives tells how unlike the truths are: like ones are pooled, unlike ones left alone.
    Returns the ratios and their freedom, as much more than before as was borrowed, and never more
    than all cells have together. One cell alone borrows nothing.

    Source: Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3, section 6.2
    (moments of log F). Genes there, cells of a gate here: many alike things measured a few times.
    """
    found = np.maximum(np.asarray(ratios, dtype=np.float64), 1e-6)
    count = found.shape[-1]
    own = np.asarray(freedom, dtype=np.float64)
    if count < 2:  # noqa: PLR2004 - nobody to borrow from
        return found, np.broadcast_to(own, found.shape)
    other = np.asarray(scale_freedom, dtype=np.float64)
    half = own / 2
    noise = special.polygamma(1, half) + special.polygamma(1, other / 2)
    logs = np.log(found) - special.digamma(half) + np.log(half)
    logs = logs + special.digamma(other / 2) - np.log(other / 2)
    centre = logs.mean(axis=-1, keepdims=True)
    excess = logs.var(axis=-1, ddof=1, keepdims=True) - np.mean(noise)
    prior = np.where(excess > 0, 2 * _trigamma_inverse(np.maximum(excess, 1e-8)), MOST_FREEDOM)
    prior = np.minimum(prior, MOST_FREEDOM)
    middle = np.exp(centre + special.digamma(prior / 2) - np.log(prior / 2))
    total = prior + own
    drawn = (prior * middle + own * found) / total
    pooled = np.broadcast_to(own, found.shape).sum(axis=-1, keepdims=True)
    return np.asarray(drawn), np.broadcast_to(np.minimum(total, pooled), drawn.shape)


def _trigamma_inverse(values: Floats) -> Floats:
    """Y with trigamma(y) = values, by Newton on 1/trigamma (Smyth 2004, appendix)."""
    y = 0.5 + 1.0 / values
    for _ in range(NEWTON_STEPS):
        trigamma = special.polygamma(1, y)
        y = y + trigamma * (1 - trigamma / values) / special.polygamma(2, y)
    return np.asarray(np.maximum(y, 1e-8))
