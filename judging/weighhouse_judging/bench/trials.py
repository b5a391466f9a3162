"""Figures whose truth is known: repeats of equal and of unequal sides, with noise of many kinds."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Shape = tuple[int, ...]
Noise = Callable[[np.random.Generator, float, Shape], Floats]
"""(generator, coefficient of variation, shape) → relative noise about the median."""

SKEW = 0.5
"""Shape of the lognormal noise; its skewness is 1.75."""
OUTLIERS = 0.05
"""Share of outliers among repeats: 10 to 20 % lower."""


def normal(generator: np.random.Generator, cv: float, shape: Shape) -> Floats:
    """Normal noise."""
    return generator.normal(0.0, cv, shape)


def lognormal(generator: np.random.Generator, cv: float, shape: Shape) -> Floats:
    """Skewed noise: lognormal about its median, scaled to the coefficient of variation."""
    deviation = float(np.sqrt((np.exp(SKEW**2) - 1) * np.exp(SKEW**2)))
    return np.asarray(cv * (generator.lognormal(0.0, SKEW, shape) - 1.0) / deviation)


def outliers(generator: np.random.Generator, cv: float, shape: Shape) -> Floats:
    """Normal noise in which one repeat of twenty is disturbed."""
    disturbed = generator.random(shape) < OUTLIERS
    return np.asarray(
        generator.normal(0.0, cv, shape) - disturbed * generator.uniform(0.1, 0.2, shape)
    )


KINDS: dict[str, Noise] = {"normal": normal, "lognormal": lognormal, "outliers": outliers}


def repeats(
    generator: np.random.Generator, kind: str, cv: float, shape: Shape, blocks: Floats | None = None
) -> Floats:
    """Logarithms of repeats of a side of level 1, by kind of noise; `blocks` is added to them.

    Noise of 40 % and more below the median, which no kind is made for, is cut there.
    """
    noise = np.log1p(np.maximum(KINDS[kind](generator, cv, shape), -0.4))
    return noise if blocks is None else noise + blocks


def block_noise(generator: np.random.Generator, deviation: float, shape: Shape) -> Floats:
    """What blocks do to every side in them, in logarithms."""
    return generator.normal(0.0, deviation, shape) if deviation else np.zeros(shape)


@lru_cache(maxsize=64)
def median_of(kind: str, cv: float, block_deviation: float, seed: int) -> float:
    """The true median of such repeats, in logarithms, by two million of them."""
    generator = np.random.default_rng([seed, sorted(KINDS).index(kind)])
    shape = (2_000_000,)
    blocks = block_noise(generator, block_deviation, shape)
    return float(np.median(repeats(generator, kind, cv, shape, blocks)))
