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
"""

import numpy as np
import numpy.typing as npt
from scipy import special

from weighhouse_judging.arithmetic.intervals import CONFIDENCE, Floats, LogDifference

SHARPEST_AT = 10.0
"""Blocks at which the interval is narrowest for its error: where most cells get decided."""


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
    z = _deviate(np.asarray(p_one_sided, dtype=np.float64))
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
    rho = sharpness(error, information)
    z = np.sqrt((1 + rho) / rho * (2 * np.log(1 / error) + np.log1p(rho)))
    t = -special.stdtrit(difference.freedom, special.ndtr(-z))
    return np.asarray(t * difference.error, dtype=np.float64)


def _deviate(tail: Floats) -> Floats:
    """The normal deviate above which lies `tail`; finite for a tail of 0."""
    return np.asarray(-special.ndtri(np.maximum(tail, 1e-300)), dtype=np.float64)
