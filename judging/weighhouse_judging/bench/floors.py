"""How often a comparison is wrong on a machine whose noise was measured before."""

import itertools
from collections.abc import Iterator

import numpy as np
from scipy import special

from weighhouse_judging.arithmetic.intervals import LogDifference, paired
from weighhouse_judging.bench.bars import EQUAL_SPREADS, Bar, Effort, bar
from weighhouse_judging.bench.comparison import BLOCK_NOISE, THRESHOLD, changed
from weighhouse_judging.bench.trials import Bools, Floats, block_noise, repeats
from weighhouse_judging.verdicts.noise import EITHER, LENT_FREEDOM, LENT_VARIANCE, TOO_NOISY

NOISIER = (1.25, 1.5, 2.0)
"""Times as noisy as the floor says, by standard deviation."""


def step_found(
    step: float, size: int, residual: float, pairs: int, trials: int, seed: int
) -> float:
    """Share of trials in which a step between paired sides is called changed, with a floor."""
    generator = np.random.default_rng([seed, size, pairs])
    blocks = block_noise(generator, BLOCK_NOISE, (trials, size))
    a = repeats(generator, "normal", residual, (trials, size), blocks)
    b = repeats(generator, "normal", residual, (trials, size), blocks) + np.log1p(step)
    return float(_changed(generator, paired(b - a), size, residual, pairs).mean())


def equal_changed(
    size: int, cv: float, pairs: int, trials: int, seed: int, noisier: float = 1.0
) -> float:
    """Share of equal paired sides called changed, on a machine so many times as noisy as in the
    A/A pairs of its floor.
    """
    generator = np.random.default_rng([seed, size, pairs, round(cv * 1e4), round(noisier * 100)])
    a, b = repeats(generator, "normal", cv, (2, trials, size))
    return float(_changed(generator, paired(b - a), size, cv / noisier, pairs).mean())


def _changed(
    generator: np.random.Generator, own: LogDifference, size: int, residual: float, pairs: int
) -> Bools:
    twins = repeats(generator, "normal", residual, (2, own.estimate.shape[0], pairs))
    return called_changed(own, size, twins[1] - twins[0])


def called_changed(own: LogDifference, size: int, twins: Floats) -> Bools:
    """`Floor.lend` and the rule after it, for many trials with a floor of their own each, out of
    differences of twins (trial, pair).
    """
    pairs = twins.shape[-1]
    expected = np.square(twins).mean(axis=-1)
    variance = np.square(own.error) * size
    freedom = float(own.freedom)
    agrees = variance <= expected * special.fdtri(freedom, pairs, 1 - TOO_NOISY)
    total = freedom + LENT_FREEDOM
    pooled = (freedom * variance + LENT_FREEDOM * LENT_VARIANCE * expected) / total
    lent = LogDifference(own.estimate, np.sqrt(pooled / size), np.full(own.estimate.shape, total))
    either = EITHER * np.minimum(own.p_two_sided(), lent.p_two_sided())
    floor = np.expm1(special.stdtrit(pairs, 0.975) * np.sqrt(expected / size))
    beyond = np.abs(np.expm1(own.estimate)) > np.maximum(THRESHOLD, floor)
    p_value = np.where(agrees, either, own.p_two_sided())
    return np.asarray(changed(own, p_value=p_value) & beyond)


def bars(effort: Effort, seed: int) -> Iterator[Bar]:
    """-5 % under block noise of 5 %, residual 1 %, five pairs; and equal sides, on machines as
    noisy as their floor or noisier.
    """
    trials = effort.equals
    found = {
        f"found, floor of {pairs} pairs": step_found(-0.05, 5, 0.01, pairs, trials, seed)
        for pairs in (10, 20, 100)
    }
    yield bar("-5 % found in five pairs, noise floor known", found, at_least=0.99)
    sizes = (5, 10, 20)
    equal = {
        f"n={size} cv={cv}": equal_changed(size, cv, 10, trials, seed)
        for size, cv in itertools.product(sizes, EQUAL_SPREADS)
    }
    yield bar("equal sides called changed, noise floor known", equal, at_most=0.01)
    noisier = {
        f"times={times} n={size} cv={cv} floor of {pairs}": equal_changed(
            size, cv, pairs, trials, seed, times
        )
        for times, size, cv, pairs in itertools.product(NOISIER, sizes, EQUAL_SPREADS, (10, 40))
    }
    yield bar("equal sides called changed, noisier than the floor", noisier, at_most=0.01)
