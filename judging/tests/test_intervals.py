"""Intervals against scipy, against exact values, and against their own laws."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.families import benjamini_yekutieli, holm
from weighhouse_judging.arithmetic.intervals import (
    Between,
    Floats,
    LogDifference,
    Spread,
    level,
    paired,
    two_campaigns,
    two_level,
)
from weighhouse_judging.arithmetic.rank_intervals import rank_distribution, rank_interval
from weighhouse_judging.arithmetic.rates import Rate, more_failures, wilson
from weighhouse_judging.arithmetic.shrinkage import squeeze


def logs(seed: int, size: int, shift: float = 0.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(shift, 0.03, size)


def test_paired_is_scipys_t_with_its_interval() -> None:
    ratios = logs(1, 7, 0.02)
    theirs = stats.ttest_1samp(ratios, 0.0)
    ours = paired(ratios)
    assert float(ours.p_two_sided()) == pytest.approx(theirs.pvalue)
    bounds = theirs.confidence_interval(0.95)
    assert float(ours.estimate - ours.half_width()) == pytest.approx(bounds.low)
    assert float(ours.p_above()) == pytest.approx(
        stats.ttest_1samp(ratios, 0, alternative="greater").pvalue
    )
    assert float(ours.p_below(0.01)) == pytest.approx(
        stats.ttest_1samp(ratios, 0.01, alternative="less").pvalue
    )


@pytest.mark.parametrize(("size", "ends"), [(10, 1), (19, 1), (20, 2)])
def test_from_ten_pairs_on_the_ends_take_no_part(size: int, ends: int) -> None:
    ratios = logs(4, size, 0.02)
    ours = paired(ratios)
    share = ends / size + 1e-9
    drawn_in = np.asarray(stats.mstats.winsorize(ratios, limits=(share, share)))
    left = size - 2 * ends
    assert float(ours.estimate) == pytest.approx(stats.trim_mean(ratios, share))
    assert float(ours.error) ** 2 == pytest.approx(drawn_in.var() * size / left / (left - 1))
    assert float(ours.freedom) == left - 1 - ends / 2
    wild = np.where(ratios == ratios.min(), -1.0, ratios)
    assert float(paired(wild).error) == pytest.approx(float(ours.error))


def test_sides_without_scatter_are_sure_and_equal_ones_are_equal() -> None:
    assert float(paired(np.full(5, 0.1)).p_two_sided()) < 1e-9
    assert float(paired(np.zeros(5)).p_two_sided()) == 1.0
    assert float(paired(np.full(5, 1e-17)).p_two_sided()) > 0.99


def test_many_trials_at_once_are_as_one_by_one() -> None:
    data = np.random.default_rng(4).normal(0, 1, (20, 6))
    together = paired(data)
    for row, trial in enumerate(data):
        assert float(paired(trial).p_two_sided()) == pytest.approx(together.p_two_sided()[row])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_there_is_no_interval_below_four(size: int) -> None:
    assert level([100.0] * size) is None
    assert rank_interval(np.zeros(3), np.zeros(size)) is None


def test_levels_of_four_and_five_stretch_the_range_and_six_lie_within() -> None:
    four = level([90.0, 100.0, 101.0, 110.0])
    assert four is not None
    assert four[0] < 90.0
    assert four[1] > 110.0
    six = level([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert six is not None
    assert 1.0 <= six[0] < 2.0
    assert 5.0 < six[1] <= 6.0


def test_a_level_does_not_depend_on_the_unit_and_never_falls_below_zero() -> None:
    values = [3.0, 80.0, 100.0, 120.0]
    plain, scaled = level(values), level([value * 1000 for value in values])
    assert plain is not None
    assert scaled is not None
    assert float(scaled[0]) == pytest.approx(1000 * float(plain[0]))
    assert plain[0] > 0


@pytest.mark.parametrize(("first", "second"), [(4, 4), (5, 7), (9, 12)])
def test_the_rank_distribution_gives_scipys_exact_p(first: int, second: int) -> None:
    a, b = logs(5, first), logs(6, second, 0.02)
    u = sum(float(y > x) for x, y in itertools.product(a, b))
    below = float(rank_distribution(first, second)[: int(u) + 1].sum())
    theirs = stats.mannwhitneyu(b, a, alternative="less", method="exact").pvalue
    assert below == pytest.approx(theirs)


def test_an_inverted_rank_test_excludes_what_the_test_rejects() -> None:
    for seed, shift in itertools.product(range(40), (0.0, 0.05)):
        a, b = logs(seed, 6), logs(seed + 100, 5, shift)
        interval = rank_interval(a, b)
        assert interval is not None
        rejected = stats.mannwhitneyu(a, b, method="exact").pvalue <= 0.05
        assert rejected == bool(interval[1] > 0 or interval[2] < 0)


def test_rounding_can_widen_a_rank_interval_and_never_sharpen_its_claim() -> None:
    generator = np.random.default_rng(7)
    a, b = (np.round(generator.normal(0, 1, (4000, 5)), 0) for _ in range(2))
    interval = rank_interval(a, b)
    assert interval is not None
    assert np.mean((interval[1] <= 0) & (interval[2] >= 0)) >= 0.95


def test_two_levels_of_equal_size_are_students_prediction_of_one_more_campaign() -> None:
    generator = np.random.default_rng(8)
    base, other = generator.normal(0, 1, (10, 5)), generator.normal(0, 1, 5)
    base += generator.normal(0, 2, (10, 1))
    means = base.mean(axis=1)
    found = two_level(
        other.mean() - means.mean(),
        10,
        1 / 5 + 1 / 50,
        Spread(np.asarray(base.var(axis=1, ddof=1).mean()), np.asarray(44.0)),
        Between(np.asarray(means.var(ddof=1)), np.asarray(9.0), np.asarray(0.2)),
    )
    expected = float(stats.t.isf(0.025, 9) * means.std(ddof=1) * math.sqrt(1.1))
    assert float(found.half_width()) == pytest.approx(expected)


def test_what_lies_between_campaigns_never_averages_out() -> None:
    between = Between(np.asarray(0.03**2), np.asarray(9.0), np.asarray(0.0))
    inside = Spread(np.asarray(0.01**2), np.asarray(40.0))
    long = two_level(0.0, 10, 1 / 10_000, inside, between)
    assert float(long.error) >= 0.03


@pytest.mark.parametrize("spreads", [(0.01, 0.05), (0.05, 0.01), (0.03, 0.03)])
@pytest.mark.parametrize("sizes", [(5, 5), (20, 5), (5, 20)])
def test_campaigns_of_unequal_noise_are_covered(
    spreads: tuple[float, float], sizes: tuple[int, int]
) -> None:
    generator = np.random.default_rng(12)
    deviation, trials, known = 0.01, 4000, 10

    def drawn(which: int, campaigns: int) -> Floats:
        shape = (trials, campaigns, sizes[which])
        off = generator.normal(0, deviation, (trials, campaigns, 1))
        return np.asarray(generator.normal(0, spreads[which], shape) + off)

    past = drawn(0, known)
    found = two_campaigns(
        drawn(0, 1)[:, 0],
        drawn(1, 1)[:, 0],
        Between(
            past.mean(axis=-1).var(axis=-1, ddof=1),
            np.asarray(known - 1.0),
            np.asarray(1 / sizes[0]),
            within=Spread(
                past.var(axis=-1, ddof=1).mean(axis=-1), np.asarray(known * (sizes[0] - 1.0))
            ),
        ),
    )
    assert 0.93 <= float(np.mean(np.abs(found.estimate) <= found.half_width())) <= 0.995


def test_like_variances_borrow_and_unlike_ones_do_not() -> None:
    generator = np.random.default_rng(9)
    like = generator.chisquare(9, (1, 24)) / 9
    drawn, freedom = squeeze(like, 9.0, 100.0)
    assert drawn.std() < 0.5 * like.std()
    assert freedom.min() > 18
    unlike = like * np.array([1.0] * 12 + [100.0] * 12)
    kept, own = squeeze(unlike, 9.0, 100.0)
    assert kept[0, 12:].min() > 10
    assert own.max() < 18
    alone, nine = squeeze(np.array([2.0]), 9.0, 100.0)
    assert (alone[0], nine[0]) == (2.0, 9.0)


def test_holm_by_hand_and_yekutieli_by_scipy() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == benjamini_yekutieli([]) == []
    p_values = [0.001, 0.02, 0.5]
    theirs = stats.false_discovery_control(p_values, method="by")
    assert benjamini_yekutieli(p_values) == pytest.approx(theirs.tolist())


def test_looks_cost_something_and_bound_all_looks_together() -> None:
    assert float(looks.p_at_every_look(0.01, 1.0, 0.01)) > 0.01
    generator = np.random.default_rng(10)
    data = generator.normal(0, 1, (4000, 30))
    alarms, naive = np.zeros(4000, bool), np.zeros(4000, bool)
    for size in range(5, 31):
        p_value = paired(data[:, :size]).p_two_sided()
        naive |= p_value <= 0.05
        alarms |= looks.p_at_every_look(p_value, size / 10, 0.05) <= 0.05
    assert naive.mean() > 0.12
    assert alarms.mean() < 0.05


def test_an_interval_at_every_look_excludes_what_its_p_rejects() -> None:
    for estimate in np.linspace(0.0, 0.1, 60):
        one = LogDifference(np.asarray(estimate), np.asarray(0.01), np.asarray(9.0))
        p_value = looks.p_at_every_look(one.p_two_sided(), 1.0, 0.05)
        half = looks.half_width_at_every_look(one, 1.0, 0.95)
        assert (p_value <= 0.05) == (estimate >= half)


def test_rates_are_scipys_and_none_of_few_is_not_nothing() -> None:
    bounds = wilson(Rate(0, 5))
    assert bounds is not None
    assert bounds.low == pytest.approx(0.0, abs=1e-12)
    assert bounds.high == pytest.approx(0.4345, abs=1e-3)
    assert wilson(Rate(0, 0)) is None
    assert more_failures(Rate(0, 10), Rate(1, 10)) == pytest.approx(0.5)
    assert more_failures(Rate(0, 0), Rate(3, 3)) == 1.0
    with pytest.raises(ValueError, match="no rate"):
        Rate(3, 2)


@pytest.mark.parametrize("error", [0.05, 0.005, 0.005 / 24])
def test_at_every_look_a_p_of_one_is_one_and_of_nothing_is_nothing(error: float) -> None:
    """A figure that is far better has a p of *worse* that is rounded to 1; it was no number."""
    p = np.array([0.0, 1e-300, 0.5, 1 - 1e-16, 1.0])
    found = looks.one_sided_p_at_every_look(p, np.array([[0.2], [1.0], [20.0]]), error)
    assert np.isfinite(found).all()
    assert (found[:, 0] < 1e-150).all()
    assert (found[:, -2:] == 1.0).all()
    assert (np.diff(found) >= 0).all()
