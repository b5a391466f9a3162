"""Statistics against scipy, against known values, and against their own laws."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from weighhouse_judging.arithmetic import statistics


def sample(seed: int, size: int, location: float = 100.0, spread: float = 3.0) -> list[float]:
    return np.random.default_rng(seed).normal(location, spread, size).tolist()


def test_median_of_even_and_odd_numbers() -> None:
    assert statistics.median([3.0, 1.0, 2.0]) == 2.0
    assert statistics.median([4.0, 1.0, 2.0, 3.0]) == 2.5
    with pytest.raises(ValueError, match="at least one"):
        statistics.median([])


@pytest.mark.parametrize("size", [5, 6, 9, 20])
def test_median_bounds_agree_with_scipys_percentile_bootstrap(size: int) -> None:
    values = sample(size, size)
    theirs = stats.bootstrap(
        (values,), np.median, n_resamples=20_000, method="percentile", rng=np.random.default_rng(7)
    ).confidence_interval
    ours = statistics.median_bounds(values)
    step = max(values) - min(values)
    assert ours.low == pytest.approx(theirs.low, abs=0.05 * step)
    assert ours.high == pytest.approx(theirs.high, abs=0.05 * step)


def test_ranks_drawn_once_are_the_same_bootstrap_as_resampling_the_values() -> None:
    values = np.sort(sample(3, 7))
    generator = np.random.default_rng([statistics.SEED, 7, 0])
    drawn = generator.integers(0, 7, size=(statistics.RESAMPLES, 7), dtype=np.int64)
    direct = np.median(values[drawn], axis=1)
    low, high = np.quantile(direct, [0.025, 0.975])
    bounds = statistics.median_bounds(values.tolist())
    assert (bounds.low, bounds.high) == (pytest.approx(low), pytest.approx(high))


def test_intervals_do_not_depend_on_the_order_of_repeats_nor_on_the_call() -> None:
    a, b = sample(1, 5), sample(2, 5)
    first = statistics.relative_difference(a, b)
    assert first == statistics.relative_difference(a[::-1], sorted(b))


def test_relative_difference_is_invariant_under_a_change_of_unit() -> None:
    a, b = sample(1, 5), sample(2, 5, location=110)
    plain = statistics.relative_difference(a, b)
    scaled = statistics.relative_difference([x * 1000 for x in a], [x * 1000 for x in b])
    assert plain is not None
    assert scaled is not None
    assert plain.relative == pytest.approx(scaled.relative)
    assert plain.low == pytest.approx(scaled.low)
    assert plain.low <= plain.relative <= plain.high


def test_there_is_no_relative_difference_to_zero() -> None:
    assert statistics.relative_difference([0.0, 0.0, 0.0], [1.0, 2.0, 3.0]) is None
    assert statistics.relative_difference([0.0, 0.0, 5.0, 5.0, 5.0], [1.0, 2.0, 3.0]) is None


def test_a_bootstrap_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(400):
        difference = statistics.relative_difference(sample(seed, 10), sample(seed + 10_000, 10))
        assert difference is not None
        covered += difference.low <= 0 <= difference.high
    assert covered / 400 > 0.92


@pytest.mark.parametrize("sizes", [(5, 5), (4, 8), (9, 9), (12, 30)])
def test_rank_test_is_scipys_exact_one_without_ties(sizes: tuple[int, int]) -> None:
    a, b = sample(11, sizes[0]), sample(12, sizes[1], location=102)
    theirs = stats.mannwhitneyu(a, b, alternative="two-sided", method="exact").pvalue
    assert statistics.mann_whitney(a, b) == pytest.approx(theirs)


def test_rank_test_with_ties_is_scipys_permutation_test() -> None:
    a, b = [1.0, 2.0, 2.0, 3.0, 3.0], [2.0, 3.0, 4.0, 4.0, 5.0]
    theirs = stats.mannwhitneyu(
        a, b, alternative="two-sided", method=stats.PermutationMethod(n_resamples=np.inf)
    ).pvalue
    assert statistics.mann_whitney(a, b) == pytest.approx(theirs)


def test_three_against_three_can_never_reach_five_percent() -> None:
    assert statistics.mann_whitney([1.0, 2.0, 3.0], [7.0, 8.0, 9.0]) == pytest.approx(0.1)
    assert statistics.smallest_rank_p(3, 3) == pytest.approx(0.1)
    assert statistics.smallest_rank_p(5, 5) == pytest.approx(2 / 252)


def test_rank_test_needs_values_on_both_sides() -> None:
    with pytest.raises(ValueError, match="both sides"):
        statistics.mann_whitney([], [1.0])


def test_cliffs_delta_counts_pairs() -> None:
    assert statistics.cliffs_delta([1, 2, 3], [4, 5, 6]) == 1.0
    assert statistics.cliffs_delta([4, 5, 6], [1, 2, 3]) == -1.0
    assert statistics.cliffs_delta([1, 2, 3], [1, 2, 3]) == 0.0
    a, b = [1.0, 4.0, 6.0], [2.0, 4.0, 9.0, 10.0]
    above = sum((y > x) - (y < x) for x, y in itertools.product(a, b))
    assert statistics.cliffs_delta(a, b) == pytest.approx(above / 12)


def test_holm_by_hand() -> None:
    assert statistics.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert statistics.holm([]) == []
    assert statistics.holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])


def test_t_on_logarithms_is_scipys() -> None:
    a, b = sample(5, 6), sample(6, 5, location=95)
    theirs = stats.ttest_ind(np.log(a), np.log(b), alternative="greater").pvalue
    assert statistics.worse_by_t(a, b, higher_is_worse=False) == pytest.approx(theirs)
    assert statistics.worse_by_t(b, a, higher_is_worse=True) == pytest.approx(theirs)


def test_t_without_scatter_or_without_repeats() -> None:
    assert statistics.worse_by_t([5.0, 5.0], [4.0, 4.0], higher_is_worse=False) == 0.0
    assert statistics.worse_by_t([5.0, 5.0], [6.0, 6.0], higher_is_worse=False) == 1.0
    assert statistics.worse_by_t([5.0], [1.0], higher_is_worse=False) == 1.0


def test_robust_sigma_ignores_an_outlier() -> None:
    values = sample(9, 2000)
    assert statistics.robust_sigma(values) == pytest.approx(3.0, rel=0.1)
    assert statistics.robust_sigma([*values, 1e9]) == pytest.approx(3.0, rel=0.1)


def test_autocorrelation_of_noise_and_of_a_walk() -> None:
    noise = np.random.default_rng(1).normal(size=2000)
    assert abs(statistics.lag_one_autocorrelation(noise.tolist())) < 0.1
    assert statistics.lag_one_autocorrelation(noise.cumsum().tolist()) > 0.9
    assert statistics.lag_one_autocorrelation([1.0, 1.0, 1.0, 1.0]) == 0.0


def test_coefficient_of_variation() -> None:
    assert statistics.coefficient_of_variation([98.0, 102.0]) == pytest.approx(math.sqrt(8) / 100)
    assert statistics.coefficient_of_variation([1.0]) == 0.0
