"""Histograms: read like the reference library reads them, merged without loss, never trusted."""

import base64
import random
import zlib

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from weighhouse_judging.arithmetic.histograms import (
    Histogram,
    HistogramError,
    Layout,
    decode,
    from_text,
)

from .recorded import histogram, latencies, raw


def test_it_reads_what_the_reference_library_wrote() -> None:
    values = [*latencies(1, 5000), 1, 7, 2047, 2048, 4095, 59_999_999_999]
    reference = HdrHistogram.decode(histogram(values).encode())
    read = Histogram.merged([raw(histogram(values))])
    assert read.total == len(values)
    assert (read.counts == np.frombuffer(reference.counts, dtype=np.int64)).all()
    for quantile in (0.0, 0.5, 0.9, 0.99, 0.999, 1.0):
        theirs = reference.get_value_at_percentile(quantile * 100) / 1000
        assert read.quantiles_us([quantile]) == [pytest.approx(theirs)]
    assert read.mean_us == pytest.approx(reference.get_mean_value() / 1000)
    assert read.max_us == pytest.approx(reference.get_max_value() / 1000)


def test_the_reference_library_reads_what_it_wrote() -> None:
    values = latencies(2, 3000)
    ours = Histogram.merged([raw(histogram(values))])
    back = HdrHistogram.decode(base64.b64encode(ours.encoded()))
    assert back.get_total_count() == 3000
    assert (np.frombuffer(back.counts, dtype=np.int64) == ours.counts).all()


def test_merging_intervals_equals_one_big_histogram() -> None:
    parts = [latencies(seed, 400 + seed) for seed in range(8)]
    merged = Histogram.merged([raw(histogram(part)) for part in parts])
    whole = Histogram.merged([raw(histogram([value for part in parts for value in part]))])
    assert (merged.counts == whole.counts).all()


def test_the_order_of_merging_does_not_matter() -> None:
    parts = [raw(histogram(latencies(seed, 300))) for seed in range(6)]
    shuffled = random.Random(1).sample(parts, k=6)
    left, right = Histogram.merged(parts[:3]), Histogram.merged(parts[3:])
    left.add(right)
    assert (left.counts == Histogram.merged(shuffled).counts).all()


def test_a_percentile_of_a_union_is_not_the_mean_of_percentiles() -> None:
    quick, slow = [100_000] * 990, [10_000_000] * 10
    merged = Histogram.merged([raw(histogram(quick)), raw(histogram(slow))])
    assert merged.quantiles_us([0.5, 0.99, 0.995]) == pytest.approx([100, 100, 10_000], rel=0.001)


def test_quantiles_are_within_a_thousandth_of_the_truth_and_never_below() -> None:
    values = sorted(latencies(5, 10_000))
    read = Histogram.merged([raw(histogram(values))])
    for quantile in (0.01, 0.5, 0.95, 0.999):
        truth = values[max(0, int(np.ceil(quantile * 10_000)) - 1)] / 1000
        (found,) = read.quantiles_us([quantile])
        assert found is not None
        assert truth <= found <= truth * 1.001


def test_an_empty_histogram_has_no_figures() -> None:
    empty = Histogram.merged([])
    assert (empty.total, empty.mean_us, empty.max_us) == (0, None, None)
    assert empty.quantiles_us([0.5, 0.99]) == [None, None]
    assert Histogram.merged([empty.encoded()]).total == 0


def test_histograms_of_other_precision_are_not_mixed() -> None:
    coarse = HdrHistogram(1, 60_000_000_000, 2)
    coarse.record_value(1000)
    with pytest.raises(HistogramError, match="different buckets"):
        Histogram.merged([raw(histogram([1000])), base64.b64decode(coarse.encode())])


def test_histograms_of_another_range_are() -> None:
    wide = HdrHistogram(1, 3_600_000_000_000, 3)
    wide.record_value(100_000_000_000)
    merged = Histogram.merged([raw(histogram([1000])), base64.b64decode(wide.encode())])
    assert merged.total == 2
    assert merged.max_us == pytest.approx(100_000_000, rel=0.001)


def test_layout_has_the_reference_librarys_buckets() -> None:
    for low, high, digits in [(1, 60_000_000_000, 3), (1, 3_600_000_000, 2), (1000, 10**10, 3)]:
        assert Layout(low, high, digits).buckets == HdrHistogram(low, high, digits).counts_len


GOOD = raw(histogram([1000, 2000, 3000]))


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"12345678",
        GOOD[:-4],
        GOOD[:8] + b"\x00" * 20,
        b"\x00" * 4 + GOOD[4:],
        GOOD[:4] + (10_000).to_bytes(4) + zlib.compress(b"\x00" * 40),
        GOOD[:4] + (10_000_000).to_bytes(4) + zlib.compress(b"\x00" * 8_000_000),
    ],
)
def test_what_cannot_be_read_is_refused(bad: bytes) -> None:
    with pytest.raises(HistogramError):
        decode(bad)


def test_any_broken_byte_is_refused_or_read_but_never_crashes() -> None:
    for place in range(len(GOOD)):
        broken = bytearray(GOOD)
        broken[place] ^= 0xFF
        try:
            Histogram.merged([bytes(broken)])
        except HistogramError:
            continue


def test_text_that_is_not_base64_is_refused() -> None:
    with pytest.raises(HistogramError, match="base64"):
        from_text("not base64!")


def test_what_is_decoded_twice_stays_as_it_was():
    encoded = raw(histogram([1000, 2000, 2000]))
    _, index, count = decode(encoded)
    with pytest.raises(ValueError, match="read-only"):
        count[0] = 7
    _, again, as_many = decode(encoded)
    assert (again.tolist(), as_many.tolist()) == (index.tolist(), [1, 2])
