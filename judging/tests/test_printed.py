"""Numbers as texts print them: each notation stands for all that is rounded to it, and no more."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_judging.studies.language import as_printed
from weighhouse_judging.studies.printed import (
    RATES,
    RATIOS,
    SIZES,
    TIMES,
    bound,
    finer,
    printed,
    printed_number,
    printed_range,
)

RANGES = [
    ("10", RATIOS, 9.5, 10.5),
    ("10.0", RATIOS, 9.95, 10.05),
    ("10 times", RATIOS, 9.5, 10.5),
    ("2×", RATIOS, 1.5, 2.5),
    ("2x", RATIOS, 1.5, 2.5),
    ("2-fold", RATIOS, 1.5, 2.5),
    ("about 2×", RATIOS, 1.5, 2.5),
    ("around 3.5 times", RATIOS, 3.45, 3.55),
    ("~3", RATIOS, 2.5, 3.5),
    ("≈ 3", RATIOS, 2.5, 3.5),
    ("30 %", RATIOS, 0.295, 0.305),
    ("30%", RATIOS, 0.295, 0.305),
    ("2.5 percent", RATIOS, 0.0245, 0.0255),
    ("10 to 11", RATIOS, 9.5, 11.5),
    ("10 to 11 times", RATIOS, 9.5, 11.5),
    ("10–11×", RATIOS, 9.5, 11.5),
    ("10-11x", RATIOS, 9.5, 11.5),
    ("from 10 to 11", RATIOS, 9.5, 11.5),
    ("between 10 and 11 times", RATIOS, 9.5, 11.5),
    ("about 10 to 11 times", RATIOS, 9.5, 11.5),
    ("73 to 77 %", RATIOS, 0.725, 0.775),
    ("9.5 to 10", RATIOS, 9.45, 10.5),
    ("1.2 million", RATES, 1.15e6, 1.25e6),
    ("1.2 M", RATES, 1.15e6, 1.25e6),
    ("1.2M ops/s", RATES, 1.15e6, 1.25e6),
    ("1.20 million ops/s", RATES, 1.195e6, 1.205e6),
    ("1.2e6", RATES, 1.15e6, 1.25e6),
    ("10k", RATES, 9_500, 10_500),
    ("10K QPS", RATES, 9_500, 10_500),
    ("10 thousand operations per second", RATES, 9_500, 10_500),
    ("10,000", RATES, 9_999.5, 10_000.5),
    ("10\u202f000", RATES, 9_999.5, 10_000.5),
    ("10'000", RATES, 9_999.5, 10_000.5),
    ("10 to 11k", RATES, 9_500, 11_500),
    ("900k to 1.1M", RATES, 899_500, 1_150_000),
    ("2 billion", RATES, 1.5e9, 2.5e9),
    ("70", TIMES, 69.5, 70.5),
    ("9 to 10 ms", TIMES, 8_500, 10_500),
    ("800 µs to 1.2 ms", TIMES, 799.5, 1_250),
    ("70 ± 10 µs", TIMES, 60, 80),
    ("100 ns", TIMES, 0.0995, 0.1005),
    ("36.32 MB", SIZES, 36_315_000, 36_325_000),
    ("4 GiB", SIZES, 3.5 * 2**30, 4.5 * 2**30),
    ("at least 10", RATIOS, 9.5, math.inf),
    ("≥10", RATIOS, 9.5, math.inf),
    ("at least about 10", RATIOS, 9.5, math.inf),
    ("up to 4.2 million", RATES, -math.inf, 4.25e6),
    ("at most 103.5 %", RATIOS, -math.inf, 1.0355),
    ("more than 98 %", RATIOS, 0.98, math.inf),
    ("over 10", RATIOS, 10, math.inf),
    ("below 10 µs", TIMES, -math.inf, 10),
    ("< 10 ms", TIMES, -math.inf, 10_000),
    ("0", RATIOS, 0, 0.5),
]


@pytest.mark.parametrize(("text", "units", "low", "high"), RANGES)
def test_a_notation_stands_for_all_that_is_rounded_to_it(text, units, low, high):
    found = printed_range(text, units)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-12)


@pytest.mark.parametrize(
    "text",
    ["", "fast", "ten", "1.2.3", "10 ms", "1,0", "10,00", "-3", "10 to", "to 11", "10 apples"],
)
def test_what_is_no_number_of_its_units_is_refused(text):
    with pytest.raises(ValueError, match="no printed number"):
        printed_range(text, RATIOS)


def test_a_range_that_ends_below_its_beginning_is_refused():
    with pytest.raises(ValueError, match="ends below"):
        printed_range("11 to 10", RATIOS)


@pytest.mark.parametrize(
    ("given_", "text"), [(10, "10"), (9.5, "9.5"), (0.98, "0.98"), ("10.0", "10.0")]
)
def test_a_number_of_a_file_keeps_its_digits(given_, text):
    assert as_printed(given_) == text


def test_the_smallest_float_is_one_number_and_no_range():
    assert printed_number(str(as_printed(1e-05)), RATIOS).value == pytest.approx(1e-05)
    assert printed_range("1e-05", RATIOS).high == pytest.approx(1.5e-05)


@given(
    st.floats(min_value=0.01, max_value=1e6),
    st.integers(0, 4),
    st.sampled_from(["", "k", " million"]),
)
def test_what_was_rounded_lies_within_and_a_step_away_does_not(value, decimals, scale):
    factor = {"": 1, "k": 1e3, " million": 1e6}[scale]
    found = printed_range(f"{value:,.{decimals}f}{scale}", RATIOS)
    step = 10**-decimals * factor
    assert found.low <= value * factor * (1 + 1e-9)
    assert value * factor <= found.high * (1 + 1e-9)
    assert found.high - found.low <= step * (1 + 1e-6) + 1e-12 * value * factor


@given(st.integers(1, 10_000), st.integers(1, 10_000))
def test_both_ends_of_a_range_are_rounded_as_each_is_alone(one, other):
    low, high = sorted((one, other))
    found = printed_range(f"{low} to {high}", RATIOS)
    assert found.low == printed_range(f"{low}", RATIOS).low
    assert found.high == printed_range(f"{high}", RATIOS).high
    assert bound("at_least", f"{low}", RATIOS).low == found.low
    assert bound("at_most", f"{high}", RATIOS).high == found.high


@pytest.mark.parametrize(
    ("text", "value", "low"),
    [
        ("3.5 M ops/s", 3.5e6, 3.45e6),
        ("25 k ops/s", 25_000, 24_500),
        ("10k ops/s", 10_000, 9_500),
        ("1.2 million ops/s", 1.2e6, 1.15e6),
        ("4,195,628.23 ops/s", 4195628.23, 4195628.225),
    ],
)
def test_figures_are_read_by_the_same_rule(text, value, low):
    found = printed(text, "throughput")
    assert (found.value, found.low) == pytest.approx((value, low), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "units", "finer_text"),
    [
        ("10 to 11 times", RATIOS, "10.0 to 11.0 times"),
        ("between 10 and 11×", RATIOS, "10.0 to 11.0×"),
        ("9.5 to 10", RATIOS, "9.5 to 10.0"),
        ("10 to 12 times", RATIOS, "10 to 12 times"),
        ("9 to 10 ms", TIMES, "9.0 to 10.0 ms"),
        ("at least 10", RATIOS, "at least 10"),
        ("10 times", RATIOS, "10 times"),
    ],
)
def test_a_range_a_step_wide_is_written_a_digit_finer(text, units, finer_text):
    assert finer(text, units) == finer_text
