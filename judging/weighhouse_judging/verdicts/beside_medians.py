"""Of what a difference is that stands beside two medians. Pure.

A difference of sides that share blocks is estimated pair by pair, and where blocks were unlike it
is not that of the medians: 25.0 k and 20.5 k can stand beside +2.5 %. A reader divides what stands
there, so a difference that does not agree with it says what it is of. It has to agree as it is
written: a percentage has more digits than a ratio, ÷1.11 is anything from -10.3 % to -9.5 %.
"""

import math
from typing import Literal

from weighhouse_judging.verdicts.figures import Method

Basis = Literal["medians", "blocks", "campaigns"]
"""`medians`: it agrees with those beside it, as far as they are shown; `blocks`: it is the middle
of pairs; `campaigns`: it takes in what campaigns differ by."""

Notation = Literal["ratio", "percent"]
"""How a difference is written: `÷1.11` in a ledger, `-10.0 %` at a gate."""

SHOWN_DIGITS = 3
"""Figures are shown with so many digits at least: what is beyond them nobody sees."""
SHOWN_SHARE = 0.0005
"""Half a step of a difference as it is shown, `2.5 %`."""
RATIO_STEPS = ((1.1, 0.001), (10.0, 0.01), (100.0, 0.1), (math.inf, 1.0))
"""Up to which ratio, or its inverse, a ratio is shown in steps of what."""


def basis_of(
    method: Method,
    relative: float,
    baseline_median: float,
    median: float,
    written: Notation = "ratio",
) -> Basis:
    """Of what a difference is.

    :param relative: as it is told, 0.05 = 5 %.
    :param baseline_median: above 0, as `median`: what stands beside it.
    :param written: how it stands there.
    """
    if _agrees(relative, baseline_median, median, written):
        return "medians"
    return "blocks" if method == "paired" else "campaigns"


def _agrees(relative: float, baseline_median: float, median: float, written: Notation) -> bool:
    """Is a difference one of two medians as they are shown, each anywhere within its last digit?"""
    a, b = _step(baseline_median), _step(median)
    before, after = round(baseline_median / a) * a, round(median / b) * b
    shown = after / before - 1
    if abs(relative) >= SHOWN_SHARE and abs(shown) >= SHOWN_SHARE and relative * shown < 0:
        return False
    least, most = (after - b / 2) / (before + a / 2), (after + b / 2) / (before - a / 2)
    low, high = _ends(1 + relative) if written == "ratio" else _ends_of_percent(relative)
    return least <= high and low <= most


def _ends(ratio: float) -> tuple[float, float]:
    """Between which ratios one lies that is printed as this one is: `×1.025`, `÷7.94`."""
    more = max(ratio, 1 / ratio)
    step = next(step for most, step in RATIO_STEPS if more < most)
    printed = round(more / step) * step
    low, high = printed - step / 2, printed + step / 2
    return (low, high) if ratio >= 1 else (1 / high, 1 / low)


def _ends_of_percent(relative: float) -> tuple[float, float]:
    """Between which ratios one lies that is printed as this difference is: `-10.0 %`."""
    printed = 1 + round(relative / (2 * SHOWN_SHARE)) * 2 * SHOWN_SHARE
    return printed - SHOWN_SHARE, printed + SHOWN_SHARE


def _step(value: float) -> float:
    """The last digit that a figure is shown with."""
    return float(10.0 ** (math.floor(math.log10(value)) - SHOWN_DIGITS + 1))
