"""Looking at figures again and again without being wrong more often. Pure.

Whoever repeats until a difference is significant finds one in the end. Here the error is spent over
all looks at once, however many there will be: a p-value, and an interval, that hold at *every*
moment, so one may stop when one likes, go on later, or add repeats to a comparison long finished.

The method: Robbins' normal mixture. While sides are equal, the ratio

    E = (1 + ρ)^-½ · exp(z² ρ / (2 (1 + ρ)))

is a non-negative martingale in the information gathered (ρ in proportion to it), and such a one
ever exceeds 1/α with probability α at most (Ville). One-sided, the mixture is over half the normal
distribution: E₊ = 2 (1 + ρ)^-½ · exp(…) · Φ(z √(ρ / (1 + ρ))). Sources: Robbins (1970), Annals of
Mathematical Statistics 41; Howard, Ramdas, McAuliffe & Sekhon (2021), Annals of Statistics 49,
propositions 5 and 6 and (for the choice of ρ) section 3.4. Student's t enters by its tail
probability (z is the normal deviate as improbable as t), the "significance level approach" of
Jennison & Turnbull (2000), Group Sequential Methods, section 3.8; what that costs at few repeats is
measured by the bench.

**Equality** is decided by two one-sided tests of 5 % (Schuirmann 1987). By mixtures that hold for
ever half of equal cells are undecided after 30 blocks, where a fixed 30 decides nearly all. So most
of that error is spent on the way to a horizon: Brownian motion exceeds b before it ends with twice
the probability that it ends beyond b (reflection principle), so that z ≥ c / √(share of the
horizon's information) happens at any look before it with probability 2 Φ(-c). The rest goes to a
mixture, which decides early what is plainly equal, and whatever lies beyond the horizon.
"""

import numpy as np
import numpy.typing as npt
from scipy import special

from weighhouse_judging.arithmetic.intervals import CONFIDENCE, Floats, LogDifference

SHARPEST_AT = 10.0
"""Blocks at which the interval is narrowest for its error: where most cells get decided."""

FURTHEST = 38.0
"""Standard deviations beyond which a p is rounded to 0 or 1."""

HORIZON = 30.0
"""Blocks before which most of the error of equality is spent: the most that a cell gets by
default. What is decided after more is decided by the mixture."""

EQUALITY_ERROR = 0.05
"""Of each of the two one-sided tests that equality takes: an interval of 90 %."""

EQUALITY_BEFORE_HORIZON = 0.035
"""Of that error, as much as is spent before the horizon. 4 % decides 93 in place of 92 % of equal
cells at a coefficient of variation of 3 %, and takes 8.6 in place of 8.1 blocks at 1 %."""


def sharpness(error: float, information: npt.ArrayLike) -> Floats:
    """ρ for `information` (1 = as much as SHARPEST_AT blocks give), best at 1 for this error."""
    best = -float(np.real(special.lambertw(-(error**2) / np.e, -1))) - 1.0
    return best * np.asarray(information, dtype=np.float64)


def p_at_every_look(p_two_sided: npt.ArrayLike, information: npt.ArrayLike, error: float) -> Floats:
    """A two-sided p of one look → one that holds over all looks, for an error to be held.

    `information` gathered so far, in units of SHARPEST_AT blocks. At least as large as what went
    in. The smallest over the looks so far may be kept.
    """
    rho = sharpness(error, information)
    z = _deviate(np.asarray(p_two_sided, dtype=np.float64) / 2)
    log_e = -0.5 * np.log1p(rho) + np.square(z) * rho / (2 * (1 + rho))
    return np.asarray(np.minimum(1.0, np.exp(-log_e)), dtype=np.float64)


def one_sided_p_at_every_look(
    p_one_sided: npt.ArrayLike, information: npt.ArrayLike, error: float
) -> Floats:
    """The same for a one-sided p."""
    rho = sharpness(error, information)
    # A p of 1 would be infinitely far on the other side, of which nothing can be told apart.
    z = np.maximum(_deviate(np.asarray(p_one_sided, dtype=np.float64)), -FURTHEST)
    log_e = (
        np.log(2)
        - 0.5 * np.log1p(rho)
        + np.square(z) * rho / (2 * (1 + rho))
        + special.log_ndtr(z * np.sqrt(rho / (1 + rho)))
    )
    return np.asarray(np.minimum(1.0, np.exp(-log_e)), dtype=np.float64)


def half_width_at_every_look(
    difference: LogDifference, information: npt.ArrayLike, confidence: float = CONFIDENCE
) -> Floats:
    """Half the width of an interval that covers at all looks together, in logarithms."""
    error = 1.0 - confidence
    return half_width_of_p(difference, information, error, error)


def half_width_of_p(
    difference: LogDifference, information: npt.ArrayLike, error: float, level: npt.ArrayLike
) -> Floats:
    """How far from 0 an estimate has to lie for `p_at_every_look` (of `error`) to be `level`."""
    rho = sharpness(error, information)
    z = np.sqrt((1 + rho) / rho * (np.log1p(rho) - 2 * np.log(level)))
    return np.asarray(-special.stdtrit(difference.freedom, special.ndtr(-z)) * difference.error)


def half_width_for_equality(
    difference: LogDifference, information: npt.ArrayLike, of_horizon: npt.ArrayLike
) -> Floats:
    """Half the width of the interval that lies between two thresholds when sides are equal, at any
    look; logarithms. Each of its ends holds at all looks together but for EQUALITY_ERROR.

    `information` as elsewhere; `of_horizon` as a share of what HORIZON blocks give.
    """
    share = np.asarray(of_horizon, dtype=np.float64)
    before = -special.ndtri(EQUALITY_BEFORE_HORIZON / 2) / np.sqrt(share)
    ever = _one_sided_deviate(information, EQUALITY_ERROR - EQUALITY_BEFORE_HORIZON)
    z = np.where(share <= 1, np.minimum(before, ever), ever)
    return np.asarray(-special.stdtrit(difference.freedom, special.ndtr(-z)) * difference.error)


def _one_sided_deviate(information: npt.ArrayLike, error: float) -> Floats:
    """The z whose `one_sided_p_at_every_look` is `error`."""
    rho = sharpness(2 * error, information)
    wanted = -2 * np.log(2 * error) + np.log1p(rho)
    z = np.sqrt((1 + rho) / rho * wanted)
    for _ in range(4):
        rest = special.log_ndtr(z * np.sqrt(rho / (1 + rho)))
        z = np.sqrt((1 + rho) / rho * (wanted - 2 * rest))
    return np.asarray(z, dtype=np.float64)


def _deviate(tail: Floats) -> Floats:
    """The normal deviate above which lies `tail`; finite for a tail of 0."""
    return np.asarray(-special.ndtri(np.maximum(tail, 1e-300)), dtype=np.float64)
