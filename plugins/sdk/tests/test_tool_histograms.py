"""Histograms that tools' readers make: readable, and of the layout that drivers use."""

import pytest
from weighhouse_judging.arithmetic.histograms import Histogram, decode, from_text
from weighhouse_sdk.toolrun.histograms import (
    LONGEST_NS,
    USUAL_NS,
    HistogramUnreadable,
    decoded,
    encoded,
    from_cumulative,
)

VALUES = {0: 1, 1: 2, 2047: 3, 2048: 4, 4095: 1, 4096: 9, 123_456: 70, 59_999_999_999: 5}


def test_backend_reads_what_is_written_into_the_same_buckets() -> None:
    text = encoded(VALUES)
    histogram = Histogram.merged([from_text(text)])
    assert histogram.total == sum(VALUES.values())
    ends, counts = histogram.filled()
    for (value, count), end, found in zip(VALUES.items(), ends, counts, strict=True):
        assert found == count
        assert value <= end <= value * 1.001


def test_what_the_backend_writes_is_read() -> None:
    histogram = Histogram.merged([from_text(encoded(VALUES))])
    layout, index, counts = decode(histogram.encoded())
    ends = layout.upper_ends(index).tolist()
    text = encoded(VALUES)
    assert decoded(text) == dict(zip(ends, counts.tolist(), strict=True))


@pytest.mark.parametrize("longest", [USUAL_NS + 1, 3_600_000_000_000, 2**50, LONGEST_NS])
def test_nothing_is_too_long(longest: int) -> None:
    histogram = Histogram.merged([from_text(encoded({5: 1})), from_text(encoded({longest: 7}))])
    assert histogram.total == 8
    ((_, last), (once, often)) = histogram.filled()
    assert (once, often) == (1, 7)
    assert longest <= last <= longest * 1.001


def test_what_no_clock_measures_is_the_longest_there_is() -> None:
    assert decoded(encoded({2**80: 1, -3: 1})) == {LONGEST_NS: 1, 0: 1}


def test_unit_is_applied() -> None:
    text = encoded({1000: 2})
    assert decoded(text, unit_ns=1000.0) == {1_000_000: 2}


@pytest.mark.parametrize(
    "text", ["", "no histogram", "AAAA", "HISTFAAAACB42u3BAQ0AAADCoPdPbQ8HFAAAAH"]
)
def test_anything_else_is_told_apart(text: str) -> None:
    with pytest.raises(HistogramUnreadable):
        decoded(text)


def test_cumulative_distribution_becomes_counts_at_upper_ends() -> None:
    points = [(30, 8), (10, 3), (20, 3), (40, 9)]
    assert from_cumulative(points, 10) == {10: 3, 30: 5, 40: 2}
    assert from_cumulative([], 0) == {}
