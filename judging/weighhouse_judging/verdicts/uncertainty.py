"""How sure measured differences are: their medians, widths and p-values, many at once. Pure."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.intervals import (
    CONFIDENCE,
    FEWEST_FOR_AN_INTERVAL,
    Floats,
    LogDifference,
)
from weighhouse_judging.verdicts.figures import Figures
from weighhouse_judging.verdicts.noise import EITHER


def half_widths(
    figures: Figures, medians: Sequence[Sequence[float]], fewest: int, *, looked_at: bool
) -> tuple[list[float], list[float] | None, list[float] | None]:
    """Estimates and, from four repeats on, half the widths of the drawn intervals and of those
    which equality is decided by; logarithms.
    """
    difference = figures.drawn
    if difference is None:
        middles = [math.log(of / base) for base, of in zip(*medians, strict=True)]
        return middles, None, None
    estimates = difference.estimate.tolist()
    if fewest < FEWEST_FOR_AN_INTERVAL:
        return estimates, None, None
    if looked_at:
        information = figures.information
        half = looks.half_width_at_every_look(difference, information)
        equal = looks.half_width_for_equality(difference, information, figures.of_horizon)
    else:
        half = difference.half_width(CONFIDENCE)
        equal = difference.half_width(1 - 2 * looks.EQUALITY_ERROR)
    return estimates, half.tolist(), equal.tolist()


def medians_of(logs: Floats) -> list[float]:
    """Of figures, out of their logarithms: the medians that stand wherever they are shown, which
    of an even number are not those of the logarithms.
    """
    return [float(one) for one in np.median(np.exp(logs), axis=-1)]


def p_values(figures: Figures, level: float, *, looked_at: bool) -> list[tuple[float, bool]] | None:
    """The p of each, and whether it is a noise floor's; None where there is nothing to test by.

    :param level: by which will be decided.
    """
    if figures.tested is None:
        return None
    found = []
    own = _p_of(figures.tested, figures.information, level, looked_at=looked_at)
    for place, (p_value, lent) in enumerate(zip(own.tolist(), figures.lent, strict=True)):
        if lent is None:
            found.append((p_value, False))
        else:
            told = float(_p_of(lent, figures.information[place], level, looked_at=looked_at))
            found.append((min(1.0, EITHER * min(p_value, told)), told < p_value))
    return found


def _p_of(
    difference: LogDifference, information: npt.ArrayLike, level: float, *, looked_at: bool
) -> Floats:
    p_value = difference.p_two_sided()
    return looks.p_at_every_look(p_value, information, level) if looked_at else p_value
