"""Histograms that tools' readers make: readable, and of the layout that drivers use."""

import pytest
from weighhouse_judging.arithmetic.histograms import Histogram, decode, from_text
from weighhouse_sdk.toolrun.histograms import (
    HIGHEST_NS,
    HistogramUnreadable,
    decoded,
    encoded,
    from_cumulative,
)

VALUES = {0: 1, 1: 2, 2047: 3, 2048: 4, 4095: 1, 4096: 9, 123_456: 70, 59_999_999_999: 5}


def test_backend_reads_what_is_written_into_the_same_buckets() -> None:
    text, overflow = encoded(VALUES)
    histogram = Histogram.merged([from_text(text)])
    assert overflow == 0
    assert histogram.total == sum(VALUES.values())
    ends, counts = histogram.filled()
    for (value, count), end, found in zip(VALUES.items(), ends, counts, strict=True):
        assert found == count
        assert value <= end <= value * 1.001


def test_what_the_backend_writes_is_read() -> None:
    histogram = Histogram.merged([from_text(encoded(VALUES)[0])])
    layout, index, counts = decode(histogram.encoded())
    ends = layout.upper_ends(index).tolist()
    text, _ = encoded(VALUES)
    assert decoded(text) == dict(zip(ends, counts.tolist(), strict=True))


def test_values_above_the_range_are_counted_apart() -> None:
    text, overflow = encoded({HIGHEST_NS + 1: 7, 5: 1})
    assert overflow == 7
    assert sum(decoded(text).values()) == 1


def test_unit_is_applied() -> None:
    text, _ = encoded({1000: 2})
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
