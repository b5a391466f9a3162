"""Shares of what is not enough for all, by the max-min rule."""

import math
from collections.abc import Iterable


def water_level(uses: Iterable[float], capacity: float) -> float:
    """The share that nobody's use may go beyond so that all fit: infinite when they do anyway."""
    left = capacity
    ascending = sorted(uses)
    for number, use in enumerate(ascending):
        others = len(ascending) - number
        if use * others >= left:
            return left / others
        left -= use
    return math.inf
