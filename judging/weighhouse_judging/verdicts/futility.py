"""When more repeats would hardly decide a difference: stochastic curtailment. Pure.

What is left until the last block is drawn from what is known: the mean of the blocks to come given
those there are, over what their spread may truly be (flat prior: Student's predictive
distribution). The chance that the difference is then called *changed* or *equivalent*, at the last
look alone, is the predictive power (Spiegelhalter, Freedman & Blackburn 1986, Controlled Clinical
Trials 7). Stopping for futility claims nothing, so it makes no error more likely; what it costs are
decisions that would have come after all, which the bench counts.
"""

import math

import numpy as np
import numpy.typing as npt
from scipy import special

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.intervals import Floats, LogDifference, freedom_of_pairs

HARDLY = 0.015
"""A chance of a decision below this is not worth the blocks until then: at 3 %, two more blocks of
thirty are saved where equality cannot be shown, and half as many decisions again are lost
(docs/verdicts.md)."""

QUANTILES = (np.arange(9) + 0.5) / 9
"""Of the spread that the figures so far leave open."""


def chance_of_decision(
    difference: LogDifference,
    blocks: int,
    at_most: int,
    threshold: float,
    level: npt.ArrayLike,
    changed_error: float,
) -> Floats:
    """How likely a paired difference, undecided after `blocks`, is decided at `at_most`.

    `threshold` is relative; `level` the p at which the difference would be called changed, by the
    p-value that holds at every look for `changed_error`. Arrays, as `difference`.
    """
    left = at_most - blocks
    estimate = np.asarray(difference.estimate)[..., None]
    freedom = np.asarray(difference.freedom)[..., None]
    seen = np.square(np.asarray(difference.error)[..., None]) * blocks
    true = seen * freedom / special.chdtri(freedom, QUANTILES)
    deviation = np.sqrt(true * (1 / blocks - 1 / at_most))
    then = LogDifference(
        estimate,
        np.sqrt((freedom * seen + left * true) / (freedom + left) / at_most),
        np.asarray(freedom_of_pairs(at_most)),
    )
    information = at_most / looks.SHARPEST_AT
    drawn = looks.half_width_at_every_look(then, information)
    told = looks.half_width_of_p(then, information, changed_error, np.asarray(level)[..., None])
    equal = looks.half_width_for_equality(then, information, at_most / looks.HORIZON)
    low, high = math.log1p(-min(threshold, 0.999)), math.log1p(threshold)
    least = np.maximum(drawn, told)
    changed = special.ndtr((np.minimum(low, -least) - estimate) / deviation) + special.ndtr(
        (estimate - np.maximum(high, least)) / deviation
    )
    equivalent = special.ndtr((high - equal - estimate) / deviation) - special.ndtr(
        (low + equal - estimate) / deviation
    )
    return np.asarray((changed + np.maximum(equivalent, 0.0)).mean(axis=-1), dtype=np.float64)
