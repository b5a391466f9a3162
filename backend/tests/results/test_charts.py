"""Charts of long runs: fewer points, and beside each the extremes of what was merged into it."""

import numpy as np
import pytest
from weighhouse_backend.results import charts
from weighhouse_backend.results.packing import (
    ALL,
    Extremes,
    Outcome,
    StoredInterval,
    pack,
    unpack,
    unpack_extremes,
)
from weighhouse_judging.arithmetic.histograms import Histogram

SECOND = 1_000_000


def encoded(count: int, us: float) -> bytes:
    """So many operations that all took about as long."""
    histogram = Histogram()
    histogram.counts[np.searchsorted(histogram.layout.upper_ends(every(histogram)), us * 1000)] = (
        count
    )
    return histogram.encoded()


def every(histogram: Histogram) -> np.ndarray:
    return np.arange(histogram.counts.size)


def second(at: int, reads: int, us: float, updates: int = 0) -> StoredInterval:
    """A second of a measured phase."""
    operations = {"read": {"ok": Outcome(reads, response=encoded(reads, us))}}
    if updates:
        operations["update"] = {"ok": Outcome(updates, response=encoded(updates, us))}
    return StoredInterval("measure", 2, at * SECOND, SECOND, operations)


RUN = [second(0, 100, 50), second(1, 300, 70, updates=40), second(2, 200, 900), second(3, 10, 60)]


def test_a_point_has_the_extremes_of_its_intervals() -> None:
    drawn = charts.series(charts.windows(RUN, 2), 0)
    line = drawn.operations[ALL]
    assert (line.t, line.until) == ([0, 2], [2, 4])
    assert line.throughput == [220, 105]
    assert line.throughput_low == [100, 10]
    assert line.throughput_high == [340, 200]
    assert line.p99_low_us == pytest.approx([50, 60], rel=0.002)
    assert line.p99_high_us == pytest.approx([70, 900], rel=0.002)


def test_an_operation_that_an_interval_did_not_have_was_none_a_second() -> None:
    line = charts.series(charts.windows(RUN, 2), 0).operations["update"]
    assert (line.throughput_low[0], line.throughput_high[0]) == (0, 40)
    assert line.p99_high_us[0] == pytest.approx(70, rel=0.002)


def test_an_interval_as_it_was_reported_has_no_extremes() -> None:
    line = charts.series(charts.windows(RUN), 0).operations[ALL]
    assert line.throughput_low == [None] * 4
    assert line.p99_high_us == [None] * 4


def test_what_is_merged_twice_keeps_the_extremes_of_the_first() -> None:
    once = list(charts.merge_neighbours(RUN, 2))
    kept = [
        StoredInterval(
            one.phase, one.phase_index, one.start_us, one.duration_us,
            unpack(packed, blob), extremes=unpack_extremes(packed),
        )
        for one in once
        for packed, blob, _ in [pack(one)]
    ]  # fmt: skip
    twice = charts.series(charts.windows(kept, 1), 0).operations[ALL]
    assert (twice.throughput_low, twice.throughput_high) == ([10], [340])
    assert twice.p99_high_us == pytest.approx([900], rel=0.002)
    assert set(kept[0].operations) == {"read", "update"}


def test_rows_from_before_extremes_were_kept_tell_those_of_the_rows() -> None:
    rows = [
        StoredInterval(one.phase, one.phase_index, one.start_us, one.duration_us, one.operations)
        for one in charts.merge_neighbours(RUN, 2)
    ]
    line = charts.series(charts.windows(rows, 1), 0).operations[ALL]
    assert (line.throughput_low, line.throughput_high) == ([105], [220])


def test_intervals_without_a_success_have_no_latency() -> None:
    silent = StoredInterval("measure", 2, 0, SECOND, {"read": {"error:timeout": Outcome(3)}})
    found = charts.extremes_of([silent, second(1, 100, 50)])
    assert found[ALL].throughput == (0, 100)
    assert found[ALL].p99_us == pytest.approx((50, 50), rel=0.002)
    assert charts.extremes_of([silent, silent])["read"] == Extremes((0, 0), None)


def test_columns_of_a_heat_map_tell_where_they_end() -> None:
    late = [second(0, 10, 50), second(1, 10, 50), second(60, 10, 50)]
    drawn = charts.heat_map(charts.windows(late), 0)
    assert list(zip(drawn.t, drawn.until, strict=True)) == [(0, 1), (1, 2), (60, 61)]
