"""Statistics against scipy, against known values, and against their own laws."""

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
