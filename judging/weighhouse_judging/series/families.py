"""Many series looked at after one campaign: which of their changes withstand it. Pure.

A campaign adds a point to each of its series, and each look may be wrong. Of all that is called a
change after one campaign, at most a share of FALSE_DISCOVERIES is expected to be none: Benjamini &
Hochberg (1995), Controlling the False Discovery Rate, Journal of the Royal Statistical Society B
57(1). It holds for figures that rise and fall together as well (Benjamini & Yekutieli 2001, Annals
of Statistics 29(4), theorem 1.2), as the figures of one run do.
"""

from collections.abc import Sequence

import numpy as np
import scipy

FALSE_DISCOVERIES = 0.05
"""Largest expected share of false ones among the changes of a campaign."""


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's adjustment, in the order given.

    `p_values` has one entry for each series that was looked at: of its most evident new change, 1
    where there is none. Changes known from earlier looks are no part of the family: they would
    lend their evidence to the new ones.
    """
    if not p_values:
        return []
    values = np.clip(np.asarray(p_values, dtype=np.float64), 0.0, 1.0)
    return [float(p) for p in scipy.stats.false_discovery_control(values, method="bh")]


def withstand(p_values: Sequence[float], *, rate: float = FALSE_DISCOVERIES) -> list[bool]:
    """Which of a campaign's series may be said to have changed."""
    return [p <= rate for p in adjusted(p_values)]
