"""A difference that does not agree with the medians beside it says what it is of."""

import itertools

import pytest
from weighhouse_judging.verdicts.beside_medians import basis_of
from weighhouse_judging.verdicts.sides import judge
from weighhouse_protocol.figures import CATALOGUE


@pytest.mark.parametrize(
    ("relative", "baseline_median", "median", "basis"),
    [
        (0.025, 25_000.0, 20_500.0, "blocks"),  # another sign
        (-0.18, 25_000.0, 20_500.0, "medians"),
        (-0.16, 25_000.0, 20_500.0, "blocks"),  # beyond what is shown
        (0.004, 25_000.0, 25_000.0, "medians"),  # 25.0 k may be 25.05 k
        (-0.001, 25_000.0, 25_100.0, "blocks"),  # near, and another sign
        (0.0, 25_000.0, 25_040.0, "medians"),
        (1.4, 100.0, 240.0, "medians"),
        (1.3, 100.0, 240.0, "blocks"),
        (-0.87406, 164_000.0, 20_500.0, "blocks"),  # ÷7.94, and ÷7.96 to ÷8.04 by what is shown
        (-0.874, 164_000.0, 20_600.0, "medians"),
        (6.94, 20_500.0, 164_000.0, "blocks"),
        (-0.87406, 163_600.0, 20_540.0, "blocks"),  # they are shown as 164 k and 20.5 k
        (120.0, 1.0, 121.4, "medians"),
    ],
)
def test_it_is_of_the_medians_only_where_it_agrees_with_them(
    relative, baseline_median, median, basis
):
    assert basis_of("paired", relative, baseline_median, median) == basis
    other = "campaigns" if basis == "blocks" else "medians"
    for method in ("two_level", "unpaired"):
        assert basis_of(method, relative, baseline_median, median) == other


@pytest.mark.parametrize(
    ("relative", "baseline_median", "median", "as_ratio", "as_percent"),
    [
        (-0.100, 92_700.0, 83_700.0, "medians", "blocks"),  # ÷1.11; -9.8 to -9.6 % by what is shown
        (-0.097, 92_700.0, 83_700.0, "medians", "medians"),
        (0.29, 100.0, 128.8, "medians", "medians"),
        (0.293, 100.0, 128.8, "medians", "medians"),  # 129 may be 129.49
        (0.32, 100.0, 128.4, "blocks", "blocks"),
        (-0.0004, 100_000.0, 99_900.0, "medians", "medians"),
    ],
)
def test_a_percentage_agrees_by_its_own_digits(
    relative, baseline_median, median, as_ratio, as_percent
):
    given = ("paired", relative, baseline_median, median)
    assert (basis_of(*given), basis_of(*given, "percent")) == (as_ratio, as_percent)


def test_of_blocks_that_were_unlike_the_judges_own_difference_has_another_sign():
    base = dict(enumerate((25_000.0, 10_000.0, 25_100.0, 10_100.0, 25_200.0)))
    other = dict(enumerate((20_500.0, 17_000.0, 20_400.0, 17_200.0, 20_600.0)))
    found = judge(CATALOGUE["throughput"], base, other)
    assert found is not None
    assert found.median < found.baseline_median
    assert found.relative > 0
    of = basis_of(found.method, found.relative, found.baseline_median, found.median)
    assert of == "blocks"


def test_of_an_even_number_of_repeats_the_median_is_the_one_shown_elsewhere():
    """Half-way between the figures, not between their logarithms."""
    base, other = ({(side, one): value for one, value in enumerate((10_000.0, by * 10_000.0))}
                   for side, by in (("base", 4.0), ("other", 9.0)))  # fmt: skip
    found = judge(CATALOGUE["throughput"], base, other)
    assert found is not None
    assert found.baseline_median == pytest.approx(25_000.0)
    assert found.median == pytest.approx(50_000.0)
    assert found.relative == pytest.approx(1.0)
    paired = judge(CATALOGUE["throughput"], {1: 10_000.0, 2: 40_000.0}, {1: 10_000.0, 2: 20_000.0})
    assert paired is not None
    assert (paired.baseline_median, paired.median) == pytest.approx((25_000.0, 15_000.0))
    assert paired.relative == pytest.approx(-0.293, abs=0.001)


def test_what_is_called_of_the_medians_is_seen_in_them():
    """By what is shown: nobody who divides three digits by three digits finds another sign."""
    shares = (-0.3, -0.012, -0.001, 0.0, 0.001, 0.02, 0.5)
    for a, ratio, relative in itertools.product((9.87, 123.4, 98_765.0), shares, shares):
        b = a * (1 + ratio)
        if basis_of("paired", relative, a, b) == "medians":
            shown = float(f"{b:.3g}") / float(f"{a:.3g}") - 1
            assert shown == pytest.approx(relative, abs=0.012)
