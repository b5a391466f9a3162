"""Repeats that remember: how much alike neighbours are, and what that adds to a mean's variance.

A machine that warms up, a disk that fills: the next repeat is more like the last than any other. A
mean of such repeats scatters by more than their variance over their number. Pure, and for arrays.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

EVIDENT = 2.33
"""Standard errors beyond which a correlation is evident (one-sided, 1 %)."""

FEWEST_NEIGHBOURS = 5
"""Repeats of a campaign below which its own mean hides how alike neighbours are."""

MOST = 0.9
"""No correlation is believed to be stronger."""

LEAST_SHARE = 1e-9
"""One part in so many repeats that a power of any correlation is nothing."""


def told_memory(campaigns: Sequence[Floats]) -> Floats:
    """The correlation of neighbouring repeats (last axis, in the order in which they were measured)
    as campaigns tell it together; 0 where it is not evident.

    About their own mean, neighbours of n repeats look less alike than they are, by about
    (1 + 3ρ)/n (Kendall 1954, Biometrika 41); that is taken out.
    """
    long = [one - one.mean(axis=-1, keepdims=True) for one in campaigns]
    long = [one for one in long if one.shape[-1] >= FEWEST_NEIGHBOURS]
    if not long:
        return np.asarray(0.0)
    together = sum(np.sum(one[..., 1:] * one[..., :-1], axis=-1) for one in long)
    squares = sum(np.sum(np.square(one), axis=-1) for one in long)
    repeats = sum(one.shape[-1] for one in long)
    length = repeats / len(long)
    seen = together / np.maximum(squares, np.finfo(np.float64).tiny) + 1 / length
    evident = seen * np.sqrt(repeats) > EVIDENT
    return np.asarray(np.where(evident, np.clip(seen / (1 - 3 / length), 0.0, MOST), 0.0))


def inflation(memory: Floats, share: npt.ArrayLike) -> Floats:
    """How many times a mean's variance is what independent repeats of the same sample variance
    would leave, where neighbours correlate by `memory` and others by its powers. `share` is one
    part in n repeats; 0 is a mean of any number of them.

    Var(mean) = σ²f/n with f = (1+ρ)/(1-ρ) - 2ρ(1-ρⁿ)/(n(1-ρ)²), and the sample variance is short of
    σ² by (n-f)/(n-1) (Priestley 1981, Spectral Analysis and Time Series, 5.3).
    """
    part = np.asarray(share, dtype=np.float64)
    fresh = 1 - memory
    left = 1 - memory ** (1 / np.maximum(part, LEAST_SHARE))
    f = (1 + memory) / fresh - 2 * memory * left * part / np.square(fresh)
    return np.asarray(np.where(part < 1, f * (1 - part) / np.maximum(1 - f * part, 1e-9), 1.0))
