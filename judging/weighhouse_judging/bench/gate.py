"""How often a gate stops an equal build, passes a worse one, or cannot tell."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.intervals import (
    Between,
    LogDifference,
    paired,
    two_level,
)
from weighhouse_judging.arithmetic.shrinkage import squeeze
from weighhouse_judging.bench.comparison import (
    CAMPAIGNS,
    against_campaigns,
    campaigns,
    means_of,
    within,
)
from weighhouse_judging.bench.trials import Bools, Floats, repeats
from weighhouse_judging.verdicts.gate_cells import ANCHOR_THRESHOLD, GATE_THRESHOLD
from weighhouse_judging.verdicts.gate_measures import FAMILY_ERROR, PASSING_ERROR, TAIL_FREEDOM

Base = Literal["pairs", "pooled"]
"""A and B in one campaign; CAMPAIGNS earlier ones, by the two-level model."""


def worse(
    difference: LogDifference,
    cells: int,
    threshold: float = GATE_THRESHOLD,
    information: float | None = None,
    *,
    in_pairs: bool = False,
) -> Bools:
    """Which cells (last axis) of many gates are worse, lower being worse; Holm's first step."""
    p_value = difference.p_below()
    if information is not None:
        p_value = looks.one_sided_p_at_every_look(p_value, information, FAMILY_ERROR / cells)
    if not in_pairs:
        tails = difference.mirrored().p_above_with_tails(FAMILY_ERROR, TAIL_FREEDOM)
        p_value = np.maximum(p_value, tails)
    return np.asarray(
        (np.expm1(difference.estimate) < -threshold) & (p_value * cells <= FAMILY_ERROR)
    )


def safe(difference: LogDifference, information: float | None = None) -> Bools:
    """Which cells of many gates may pass."""
    p_value = difference.p_above(float(np.log1p(-GATE_THRESHOLD)))
    if information is not None:
        p_value = looks.one_sided_p_at_every_look(p_value, information, PASSING_ERROR)
    return np.asarray(p_value <= PASSING_ERROR)


def equal_called_regression(cells: int, between: float, cv: float, gates: int, seed: int) -> float:
    """Share of equal campaigns that a gate stops, five repeats, base of ten campaigns and an anchor
    of one.
    """
    generator = np.random.default_rng([seed, cells, round(between * 1e4), round(cv * 1e4)])
    stopped, done = 0, 0
    while done < gates:
        now = min(gates - done, 200_000 // cells)
        base, other = campaigns(generator, "normal", (now, cells), 5, 5, cv, between)
        anchor = repeats(generator, "normal", cv, (now, cells, 5))
        anchor += generator.normal(0.0, between, (now, cells, 1))
        between_them = borrowed(base)
        bad = worse(against_campaigns(base, other, between_them), cells)
        bad |= worse(_against_anchor(base, between_them, anchor, other), cells, ANCHOR_THRESHOLD)
        stopped += int(bad.any(axis=-1).sum())
        done += now
    return stopped / gates


def borrowed(base: Floats) -> Between:
    """`gate_measures.betweens` for many gates at once: the cells are the last axis but two."""
    raw = means_of(base)
    inside = within(base)
    scale = raw.share * inside.variance
    ratios, freedom = squeeze(raw.variance / scale, raw.freedom, inside.freedom)
    return Between(ratios * scale, freedom, raw.share, tied=base.shape[-3] > 1)


def _against_anchor(base: Floats, between: Between, anchor: Floats, other: Floats) -> LogDifference:
    """Against one campaign, the variance between campaigns learned from the base."""
    return two_level(
        other.mean(axis=-1) - anchor.mean(axis=-1),
        1,
        1 / other.shape[-1] + 1 / anchor.shape[-1],
        within(np.concatenate([base, anchor[..., None, :]], axis=-2), other),
        between,
    )


@dataclass(frozen=True)
class Sequential:
    """What gates of growing campaigns came to; shares of campaigns."""

    regression: float
    passed: float
    inconclusive: float
    runs: float
    """Of the runs of a fixed `at_most`, the share that was made."""


def sequential(
    base: Base,
    *,
    cells: int,
    cv: float,
    gates: int,
    seed: int,
    step: float = 0.0,
    base_repeats: int = 30,
    at_least: int = 5,
    at_most: int = 30,
) -> Sequential:
    """Gates that repeat their undecided cells; `step` is put into the first cell."""
    generator = np.random.default_rng([seed, cells, round(-step * 1e4), base_repeats])
    shape = (gates, cells)
    other = repeats(generator, "normal", cv, (*shape, at_most))
    other[:, 0] += np.log1p(step)
    ends = CAMPAIGNS if base == "pooled" else 1
    before = repeats(
        generator, "normal", cv, (*shape, ends, at_most if base == "pairs" else base_repeats)
    )
    open_ = np.ones(shape, dtype=bool)
    regressed = np.zeros(shape, dtype=bool)
    blocks = np.zeros(shape)
    for size in range(at_least, at_most + 1):
        difference, information = _grown(base, before, other[..., :size])
        bad = worse(difference, cells, information=information, in_pairs=base == "pairs")
        good = ~bad & safe(difference, information)
        blocks[open_] = size
        regressed |= open_ & bad
        open_ &= ~(bad | good)
        if not open_.any():
            break
    stopped = regressed.any(axis=-1)
    unclear = open_.any(axis=-1) & ~stopped
    return Sequential(
        regression=float(stopped.mean()),
        passed=float((~stopped & ~unclear).mean()),
        inconclusive=float(unclear.mean()),
        runs=float(blocks.mean()) / at_most,
    )


def _grown(base: Base, before: Floats, other: Floats) -> tuple[LogDifference, float]:
    size = other.shape[-1]
    if base == "pairs":
        return paired(other - before[..., 0, :size]), size / looks.SHARPEST_AT
    total = before.shape[-2] * before.shape[-1]
    information = 2 / (1 / total + 1 / size) / looks.SHARPEST_AT
    return against_campaigns(before, other, borrowed(before)), information
