"""How often sides are wrongly called equivalent, and what repeating until decided comes to."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.intervals import LogDifference, paired
from weighhouse_judging.bench.bars import EQUAL_SPREADS, SPREADS, Bar, Effort, bar, chance_limit
from weighhouse_judging.bench.comparison import THRESHOLD
from weighhouse_judging.bench.trials import KINDS, Bools, Floats, repeats
from weighhouse_judging.verdicts.futility import HARDLY, chance_of_decision
from weighhouse_judging.verdicts.sides import LEVEL

FAR = 200
"""Blocks of those who go on adding repeats."""
NOISY = (0.05, 0.08)
"""Spreads at which 30 blocks cannot show that sides are equal."""
ENDS = {"slower": float(np.log1p(-THRESHOLD)), "faster": float(np.log1p(THRESHOLD))}
"""Differences of exactly the threshold."""


@dataclass(frozen=True)
class Looked:
    """What sides came to that were repeated until decided; shares of trials."""

    changed: float
    equivalent: float
    covered: float
    blocks: float
    """Mean number of blocks."""
    blocks_without: float
    """The same if nothing were given up as hardly to be decided."""
    lost: float
    """Decided then, and not now."""


def equal(estimate: Floats, half: Floats, threshold: float = THRESHOLD) -> Bools:
    """Which differences lie between the thresholds (the rule of `verdicts.sides`)."""
    low, high = np.expm1(estimate - half), np.expm1(estimate + half)
    return np.asarray((low >= -threshold) & (high <= threshold))


def called_equal(truth: float, kind: str, size: int, cv: float, trials: int, seed: int) -> float:
    """Share of sides that differ by `truth` (logarithm) and are called equivalent at one look."""
    generator = np.random.default_rng([seed, size, round(cv * 1e4), truth > 0])
    a, b = repeats(generator, kind, cv, (2, trials, size))
    found = paired(b - a + truth)
    return float(equal(found.estimate, found.half_width(1 - 2 * looks.EQUALITY_ERROR)).mean())


def looked_at(
    truth: float, cv: float, trials: int, seed: int, at_most: int = 30, *, gives_up: bool = True
) -> Looked:
    """Paired sides that differ by `truth` (logarithm), repeated until decided or given up."""
    generator = np.random.default_rng([seed, at_most, round(cv * 1e4), round(abs(truth) * 1e5)])
    data = generator.normal(truth, cv * np.sqrt(2), (trials, at_most))
    open_, open_without = np.ones(trials, bool), np.ones(trials, bool)
    called, same, covered = (np.zeros(trials, bool) for _ in range(3))
    blocks, without = np.zeros(trials), np.zeros(trials)
    for size in (*range(5, min(at_most, 60) + 1), *range(65, at_most + 1, 5)):
        difference = paired(data[:, :size])
        half, now_changed, now_equal = _decided(difference, size)
        now = now_changed | now_equal
        ended = open_ & (now | (size == at_most))
        if gives_up and size < at_most:
            ended |= open_ & _given_up(difference, size, at_most)
        called |= open_ & now_changed
        same |= open_ & now_equal
        covered |= ended & (np.abs(difference.estimate - truth) <= half)
        blocks[open_], without[open_without] = size, size
        open_ &= ~ended
        open_without &= ~now
    decided = called | same
    return Looked(
        float(called.mean()),
        float(same.mean()),
        float(covered.mean()),
        float(blocks.mean()),
        float(without.mean()),
        float((~open_without & ~decided).mean()),
    )


def _decided(difference: LogDifference, size: int) -> tuple[Floats, Bools, Bools]:
    """The half width that is drawn, what is called changed, and what equivalent."""
    information = size / looks.SHARPEST_AT
    half = looks.half_width_at_every_look(difference, information)
    p_value = looks.p_at_every_look(difference.p_two_sided(), information, LEVEL)
    beyond = np.abs(np.expm1(difference.estimate)) > THRESHOLD
    changed = (p_value <= LEVEL) & (np.abs(difference.estimate) > half) & beyond
    narrow = looks.half_width_for_equality(difference, information, size / looks.HORIZON)
    return half, changed, ~changed & equal(difference.estimate, narrow)


def _given_up(difference: LogDifference, size: int, at_most: int) -> Bools:
    chance = chance_of_decision(difference, size, at_most, THRESHOLD, LEVEL, LEVEL)
    return np.asarray(chance < HARDLY)


def bars(effort: Effort, seed: int) -> Iterator[Bar]:
    """Equality at one look, and everything about repeats that grow."""
    trials = effort.equals
    once = {
        f"n={size} cv={cv} {kind} {side}": called_equal(truth, kind, size, cv, trials, seed)
        for size, cv, kind, (side, truth) in itertools.product(
            effort.equal_sizes, EQUAL_SPREADS, KINDS, ENDS.items()
        )
        if kind == "normal" or side == "slower"
    }
    yield bar(
        "a difference of exactly the threshold called equivalent, 5 % but for chance",
        once,
        at_most=chance_limit(0.05, trials),
    )
    many = 5 * effort.sequential
    often = {
        f"cv={cv} {side} up to {at_most}": looked_at(
            truth, cv, 4 * many, seed, at_most, gives_up=False
        ).equivalent
        for cv, (side, truth), at_most in itertools.product(SPREADS, ENDS.items(), (30, FAR))
    }
    yield bar(
        "a difference of exactly the threshold called equivalent, at any look", often, at_most=0.05
    )
    looked = {
        f"step={step} cv={cv}": looked_at(float(np.log1p(step)), cv, many, seed)
        for step, cv in itertools.product((0.0, -0.03, -0.05), (*EQUAL_SPREADS, NOISY[-1]))
    }
    yield bar(
        "cover of 95 % intervals when repeating stops",
        {name: found.covered for name, found in looked.items()},
        at_least=0.93,
    )
    yield bar(
        "equal sides called changed, repeated until decided",
        {name: found.changed for name, found in looked.items() if name.startswith("step=0.0")},
        at_most=0.01,
    )
    yield bar(
        "equal sides at CV 3 % called equivalent within 30 blocks",
        {"cv=0.03": looked["step=0.0 cv=0.03"].equivalent},
        at_least=0.85,
    )
    yield bar(
        "blocks of 30 where equality cannot be shown",
        {f"cv={cv}": looked[f"step=0.0 cv={cv}"].blocks / 30 for cv in NOISY},
        at_most=0.7,
    )
    yield bar(
        "decisions lost by giving up what is hardly to be decided",
        {name: found.lost for name, found in looked.items()},
        at_most=0.05,
    )
