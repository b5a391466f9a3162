"""Ranks of many sides and whole distributions."""

import numpy as np
import pytest
from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_judging.arithmetic.intervals import Between
from weighhouse_judging.arithmetic.spectra import shift_curve, spectrum
from weighhouse_judging.bench.many import recorded
from weighhouse_judging.verdicts.ranks import rank


def side(level: float, seed: int, size: int = 6) -> dict[int, float]:
    shared = np.random.default_rng(99).normal(0, 0.1, size)
    noise = np.random.default_rng(seed).normal(0, 0.01, size)
    return dict(enumerate((level * np.exp(shared + noise)).tolist()))


def run(median_us: float, seed: int, operations: int = 20_000) -> Histogram:
    return recorded(median_us * np.exp(np.random.default_rng(seed).normal(0, 0.4, operations)))


def test_ties_are_ties_and_the_best_group_is_marked() -> None:
    sides = {"a": side(100, 1), "b": side(100.2, 2), "c": side(50, 3)}
    found = {one.side: one for one in rank(sides, higher_is_better=True)}
    assert {(found[key].best_rank, found[key].worst_rank) for key in "ab"} == {(1, 2)}
    assert (found["c"].best_rank, found["c"].worst_rank) == (3, 3)
    assert [key for key in "abc" if found[key].among_best] == ["a", "b"]
    assert set(found["c"].behind) == {"a", "b"}
    turned = rank(sides, higher_is_better=False)
    assert turned[0].side == "c"


def test_too_few_blocks_rank_nobody() -> None:
    found = rank({"a": side(100, 1, 3), "b": side(10, 2, 3)}, higher_is_better=True)
    assert {(one.best_rank, one.worst_rank) for one in found} == {(1, 2)}


def test_sides_of_campaigns_of_their_own_are_ranked_by_what_campaigns_differ_by() -> None:
    sides = {
        key: {(key, block): value for block, value in side(level, seed).items()}
        for key, level, seed in (("a", 100, 1), ("b", 50, 2))
    }
    found = rank(sides, higher_is_better=True)
    assert {(one.best_rank, one.worst_rank) for one in found} == {(1, 2)}
    known = Between(np.asarray(0.02**2), np.asarray(9.0), np.asarray(0.2))
    told = rank(sides, higher_is_better=True, between=known)
    assert [(one.side, one.best_rank, one.worst_rank) for one in told] == [("a", 1, 1), ("b", 2, 2)]


def test_a_spectrum_is_read_from_what_is_merged_and_its_band_from_runs() -> None:
    runs = [run(200, 1), run(200, 2), run(200, 3), run(260, 4)]
    merged = Histogram()
    for one in runs:
        merged.add(one)
    points = spectrum(runs, (0.5, 0.99))
    assert [point.value_us for point in points] == pytest.approx(merged.quantiles_us([0.5, 0.99]))
    steady = spectrum([run(200, seed) for seed in range(4)], (0.5,))[0]
    assert points[0].high_us is not None
    assert points[0].low_us is not None
    assert steady.high_us is not None
    assert steady.low_us is not None
    assert points[0].high_us - points[0].low_us > 5 * (steady.high_us - steady.low_us)


def test_no_band_below_four_runs_and_no_point_of_a_few_operations() -> None:
    points = spectrum([run(200, 1, 1_000)] * 3, (0.5, 0.999))
    assert [(point.quantile, point.low_us) for point in points] == [(0.5, None)]


def test_a_shift_curve_cancels_what_blocks_do() -> None:
    levels = [150.0, 200.0, 260.0, 320.0]
    first = {block: run(level, block) for block, level in enumerate(levels)}
    second = {block: run(level * 1.1, block + 10) for block, level in enumerate(levels)}
    (paired,) = shift_curve(first, second, (0.5,))
    assert paired.low is not None
    assert paired.high is not None
    assert paired.low < 0.1 < paired.high
    assert paired.low > 0.05
    apart = shift_curve(first, {key + 10: value for key, value in second.items()}, (0.5,))[0]
    assert apart.low is not None
    assert apart.low < 0
