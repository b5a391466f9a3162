"""How often sides are misjudged whose latencies were told in whole µs."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.arithmetic.intervals import paired
from weighhouse_judging.arithmetic.looks import EQUALITY_ERROR
from weighhouse_judging.arithmetic.rounding import coarser, step_of
from weighhouse_judging.bench.bars import Bar, Effort, bar
from weighhouse_judging.bench.comparison import THRESHOLD, changed
from weighhouse_judging.bench.trials import block_noise
from weighhouse_judging.bench.until_decided import equal

LEVELS_US = (8.0, 15.0)
SPREADS = (0.001, 0.005, 0.01, 0.02, 0.05)
BLOCKS = (0.0, 0.05)
Case = tuple[int, float, float]
"""Pairs, their noise, and that of their blocks."""
APART = 0.04
OWN = CATALOGUE["p50_us"].threshold
CAUTIOUS = "repeats that do not scatter by half a step tell a step and no more, so it is all held"


@dataclass(frozen=True)
class Judged:
    """Shares of trials."""

    covered: float
    equivalent: float
    changed: float


def told(
    step_us: float,
    apart: float | None,
    threshold: float,
    size: int,
    cv: float,
    block_deviation: float,
    trials: int,
    seed: int,
) -> Judged:
    """Paired medians of 8 to 15 µs, `apart` (None: anything up to 12 %), told to `step_us`."""
    generator = np.random.default_rng([seed, size, round(cv * 1e4), round(block_deviation * 100)])
    places = generator.uniform(*LEVELS_US, (trials, 1))
    ratio = 1 + (generator.uniform(-0.12, 0.12, (trials, 1)) if apart is None else apart)
    blocks = block_noise(generator, block_deviation, (trials, size))
    noise = np.exp(generator.normal(0.0, cv, (2, trials, size)) + blocks)
    a, b = (np.rint(level * one / step_us) * step_us
            for level, one in zip((places, places * ratio), noise, strict=True))  # fmt: skip
    step = step_of(np.concatenate([a, b], axis=-1))
    found = coarser(paired(np.log(b / a)), (a, b), step)
    truth = np.log(np.broadcast_to(ratio, places.shape)[:, 0])
    narrow = found.half_width(1 - 2 * EQUALITY_ERROR)
    return Judged(
        float(np.mean(np.abs(found.estimate - truth) <= found.half_width())),
        float(equal(found.estimate, narrow, threshold).mean()),
        float(changed(found).mean()),
    )


def bars(effort: Effort, seed: int) -> Iterator[Bar]:
    """Whole µs, and nanoseconds as Weighhouse's own drivers keep them."""
    cases = {
        f"n={size} cv={cv} blocks={blocks}": (size, cv, blocks)
        for size, cv, blocks in itertools.product((4, 5, 7, 10, 20), SPREADS, BLOCKS)
    }
    claimed = {name: case for name, case in cases.items() if case[0] > 4}  # noqa: PLR2004

    def all_of(
        step: float,
        apart: float | None,
        threshold: float,
        asked: dict[str, tuple[int, float, float]],
    ) -> dict[str, Judged]:
        return {
            name: told(step, apart, threshold, *case, effort.covers, seed)
            for name, case in asked.items()
        }

    covers = [all_of(1.0, apart, OWN, cases) for apart in (None, APART)]
    yield bar(
        "cover of 95 % intervals: medians of 8 to 15 µs in whole µs",
        {
            f"{name} {which}": one.covered
            for which, found in zip(("any difference", "+4 %"), covers, strict=True)
            for name, one in found.items()
        },
        at_least=0.93,
        at_most=0.985,
        traded=CAUTIOUS,
    )
    yield bar(
        "cover of 95 % intervals: the same in nanoseconds",
        {name: one.covered for name, one in all_of(0.001, APART, OWN, cases).items()},
        at_least=0.93,
        at_most=0.985,
    )
    found = all_of(1.0, APART, THRESHOLD, claimed)
    yield bar(
        "+4 % in whole µs called equivalent (within 3 %)",
        {name: one.equivalent for name, one in found.items()},
        at_most=0.05,
    )
    found = all_of(1.0, OWN, OWN, claimed)
    yield bar(
        "+5 % in whole µs called equivalent (within 5 %)",
        {name: one.equivalent for name, one in found.items()},
        at_most=0.05,
    )
    yield bar(
        "equal sides in whole µs called changed",
        {
            name: told(1.0, 0.0, OWN, *case, effort.equals, seed).changed
            for name, case in claimed.items()
        },
        at_most=0.01,
    )
