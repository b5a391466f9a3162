"""Where a rising curve crosses a limit, from a few noisy looks at it. Pure.

All is in logarithms: x of the load, y of the latency over its limit. What is believed of the
crossing x* is a posterior on a grid, together with what it needs to be told: the slopes of the
curve below and above the crossing (latency bends upwards, so the second is no less), and the noise.
Far from the limit a curve has any shape, so looks further off than a factor e^0.7 = 2 say only on
which side they are; nearer ones count the more the nearer they are. One look in twenty may be
anything: a stall in one run moves nothing for good. What has no latency (a load that failed) is on
the far side, with some doubt.

This is bisection on noisy answers as in probabilistic bisection (Waeber, Frazier & Henderson,
Bisection Search with Noisy Responses, SIAM Journal on Control and Optimization 51(3), 2013: the
next look is at the posterior's median), with an answer that says not only on which side it lies but
how far off, which twelve looks cannot do without: the bench shows what plain probabilistic
bisection gives.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
"""Likelihoods are exact enough in single precision, and done in half the time."""

REACH = 0.7
"""Logarithm of the distance from the limit within which a look says how far off it is."""
SHALLOWEST = 0.05
"""Least depth of idle below the limit that is reckoned with."""
STRAY = 0.05
"""Share of looks that may be anything."""
MISFIT = 0.35
"""How wrong a straight line is, as a share of the distance from the limit."""
NEAREST = 8
"""Looks far off the limit that count on each side, those nearest to the others."""
BLUR = 0.02
"""How sharply a load fails that cannot be borne, in logarithms of load."""
NOISES = (0.6, 1.0, 2.0, 4.0)
NOISE_WEIGHTS = (0.15, 0.6, 0.15, 0.1)
"""The noise that was assumed times these, and how far each is believed beforehand."""
REST = 1e-5
"""Belief that is left out at each end of the finer grid."""
COARSE, FINE = 200, 300
"""Points of the grid over the whole range, and over what is left of it."""


@dataclass(frozen=True)
class Shape:
    """What curves may be like: slopes of log latency over log load, below the crossing; and how
    many times steeper they are above.
    """

    slopes: tuple[float, ...]
    steeper: tuple[float, ...]


OPEN = Shape(tuple(0.15 * 1.6**place for place in range(16)), (1.0, 2.0, 4.0))
"""Rates: flat at first, and a wall at saturation."""
CLOSED = Shape((0.2, 0.27, 0.36, 0.47, 0.6, 0.75, 0.9, 1.05, 1.3, 1.8), (1.0, 1.3, 2.0))
"""Clients: by Little's law latency grows as their number once the system is saturated."""


@dataclass(frozen=True)
class Look:
    """One answer at load e^x."""

    x: float
    y: float | None
    """Logarithm of latency over its limit; None: the load could not be borne at all."""
    blur: float = 1.0
    """Its noise against a whole measurement's."""


@dataclass(frozen=True)
class Belief:
    """What is believed of the crossing: a density on a grid of x."""

    x: Floats
    weights: Floats
    """Sum to 1."""

    def quantile(self, share: float) -> float:
        """The x below which the crossing lies with this probability."""
        total = np.cumsum(self.weights) - self.weights / 2.0
        return float(np.interp(share, total, self.x))

    def below(self, x: float) -> float:
        """The probability that the crossing lies below x."""
        return float(np.interp(x, self.x, np.cumsum(self.weights) - self.weights / 2.0, 0.0, 1.0))


def believe(
    looks: Sequence[Look], low: float, high: float, noise: float, shape: Shape = OPEN
) -> Belief:
    """The posterior of the crossing.

    :param low: logarithm of the least load it may lie at; all between low and high are alike
        beforehand.
    :param noise: coefficient of variation of a measurement that is assumed.
    """
    looks, floor = _told(looks), _floor(looks)
    whole = np.linspace(low, high, COARSE)
    total = np.cumsum(_posterior(looks, whole, noise, shape, floor))
    begin, end = np.searchsorted(total, [REST, 1.0 - REST])
    fine = np.linspace(whole[max(0, begin - 2)], whole[min(COARSE - 1, end + 2)], FINE)
    return Belief(fine, _posterior(looks, fine, noise, shape, floor))


def _told(looks: Sequence[Look]) -> list[Look]:
    """Without those far off the limit that lie behind others of their kind: they add nothing."""
    near = [look for look in looks if look.y is not None and abs(look.y) < REACH]
    below = [look for look in looks if look.y is not None and look.y <= -REACH]
    above = [look for look in looks if look.y is None or look.y >= REACH]
    below.sort(key=lambda look: -look.x)
    above.sort(key=lambda look: look.x)
    return [*near, *below[:NEAREST], *above[:NEAREST]]


def _floor(looks: Sequence[Look]) -> float:
    """How far below the limit the curve is at idle: no look is further below, whatever its load.

    The median of the looks in the lowest half of the loads that stay below the limit.
    """
    known = sorted((look.x, look.y) for look in looks if look.y is not None and look.y < 0)
    lowest = [y for _, y in known[: max(1, (len(known) + 1) // 2)]]
    if not lowest:
        return REACH
    return min(REACH, max(SHALLOWEST, -float(np.median(lowest))))


def _posterior(
    looks: Sequence[Look], x: Floats, noise: float, shape: Shape, floor: float
) -> Floats:
    below, above, deviations, prior = _grid(shape, noise)
    x = x.astype(np.float32)
    total = np.broadcast_to(prior, (x.size, prior.size)).copy()
    for look in looks:
        away = np.float32(look.x) - x[:, None]
        if look.y is None:
            chance = 1.0 / (1.0 + np.exp(np.clip(-away / BLUR, -50, 50)))
            total += np.log(STRAY + (1.0 - 2.0 * STRAY) * chance)
            continue
        mean = np.clip(np.where(away < 0, below, above) * away, -floor, REACH)
        seen = min(REACH, max(-REACH, look.y))
        variance = (deviations * np.float32(look.blur)) ** 2 + (MISFIT * mean) ** 2
        density = np.exp(-0.5 * (seen - mean) ** 2 / variance) / np.sqrt(2.0 * math.pi * variance)
        total += np.log((1.0 - STRAY) * density + STRAY / (2.0 * REACH))
    weights = np.exp((total - total.max()).astype(np.float64)).sum(axis=1)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


@lru_cache(maxsize=32)
def _grid(shape: Shape, noise: float) -> tuple[Singles, ...]:
    """All slopes below, slopes above, deviations, and logarithms of their prior; one axis."""
    slopes, steeper, times = (
        axis.ravel() for axis in np.meshgrid(shape.slopes, shape.steeper, NOISES, indexing="ij")
    )
    weights = np.broadcast_to(
        np.asarray(NOISE_WEIGHTS), (len(shape.slopes), len(shape.steeper), len(NOISES))
    ).ravel()
    grid = slopes, slopes * steeper, noise * times, np.log(weights)
    return tuple(axis.astype(np.float32) for axis in grid)
