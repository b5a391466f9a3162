"""An anchor that lies by itself: better than the campaigns about it by more than they differ. Pure.

One campaign is the anchor, and stays it for years. Where chance measured it far too well, every
build after it has lost against it, by all that can be known of either; measuring the build again
does not help, for the anchor stays the same. But a release that is that fast is as fast in the
campaigns next to it. Where they all lie lower, the anchor counts as far above them as campaigns
lie above each other, and no further (Huber 1964, Annals of Mathematical Statistics 35).
"""

import math
from collections.abc import Sequence

import numpy as np

from weighhouse_judging.arithmetic.intervals import Between, Floats
from weighhouse_judging.verdicts.noise import FEWEST_CAMPAIGNS

NEXT = 10
"""Campaigns before and after the anchor that say whether it lies by itself."""

FURTHEST = 2.0
"""Standard deviations of a campaign's mean by which it is believed to lie beside its neighbours."""


def beyond_the_others(
    anchor: Floats, others: Sequence[Floats], between: Between, threshold: float
) -> float:
    """By how much an anchor lies better beside its neighbours than is believed; logarithms, 0 for
    most. Fewer than four neighbours say nothing of it.

    :param anchor: logarithms of its repeats; more is worse.
    :param others: the same of campaigns next to it, of the same machines.
    :param between: how much campaigns' means differ that have as many repeats.
    :param threshold: what it may lie beside them by, whatever they differ by; logarithmic. A slow
        trend lies within.
    """
    if len(others) < FEWEST_CAMPAIGNS:
        return 0.0
    better = float(np.median([one.mean() for one in others]) - anchor.mean())
    # A median of n has π/2 times the variance of their mean.
    share = 1 + math.pi / 2 / len(others)
    believed = FURTHEST * math.sqrt(float(between.variance) * share)
    return better - believed if better > max(threshold, believed) else 0.0
