"""Charts of long runs: fewer points, and beside each the extremes of what was merged into it."""

from dataclasses import replace

import numpy as np
import pytest
from weighhouse_backend.measurements import charts
from weighhouse_backend.measurements.packed_intervals import (
    ALL,
    NEVER_SENT,
    DriverUse,
    Extremes,
    Outcome,
    StoredInterval,
    pack,
    unpack,
    unpack_extremes,
)
from weighhouse_backend.measurements.summaries import sum_phases
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


def backlogged() -> list[StoredInterval]:
    """Ten a second are due for three seconds, of which six are done in each; two seconds later the
    last of them has come back, but for two that are given up.
    """
    due = [[(0, 6, 0)], [(0, 4, 0), (1, 2, 0)], [(1, 6, 0)], [(1, 2, 0), (2, 4, 0)], [(2, 4, 2)]]
    made = []
    for at, told in enumerate(due):
        entries = [(start * SECOND, begun, never) for start, begun, never in told]
        done = sum(begun for _, begun, _ in entries)
        given_up = sum(never for *_, never in entries)
        operations = {"read": {"ok": Outcome(done, response=encoded(done, 50))}}
        if given_up:
            operations["read"][NEVER_SENT] = Outcome(given_up)
        driver = DriverUse(drain=at > 2, due=entries)
        made.append(StoredInterval("measure", 2, at * SECOND, SECOND, operations, driver=driver))
    return made


RUN = [second(0, 100, 50), second(1, 300, 70, updates=40), second(2, 200, 900), second(3, 10, 60)]


@pytest.mark.parametrize("points", [5, 2])
def test_what_was_due_stands_where_it_was_due(points: int) -> None:
    drawn = charts.series(charts.windows(backlogged(), points), 0)
    assert [(phase.kind, phase.start_seconds, phase.end_seconds) for phase in drawn.phases] == [
        ("measure", 0, 3), ("drain", 3, 5),
    ]  # fmt: skip
    line = drawn.arrivals
    assert line is not None
    lengths = [end - begin for begin, end in zip(line.t, line.until, strict=True)]

    def summed(name: str) -> float:
        return sum(a * b for a, b in zip(getattr(line, name), lengths, strict=True))

    assert (summed("due"), summed("sent"), summed("never_sent")) == (30, 28, 2)
    assert summed("answered") == 28
    assert line.backlog[-1] == 2
    if points == 5:
        assert line.due == [10, 10, 10, 0, 0]
        assert line.sent == [6, 6, 6, 6, 4]
        assert line.never_sent == [0, 0, 2, 0, 0]
        assert line.backlog == [4, 8, 12, 6, 2]
    # What is steady is asked of the phase alone.
    assert sum(window.ok for window in drawn.measured) == 18


def test_fills_are_none_of_what_was_due() -> None:
    fills = {"fill": {"ok": Outcome(5, response=encoded(5, 50))}}
    filled = [replace(one, operations={**one.operations, **fills}) for one in backlogged()]
    due, beside = (
        charts.series(charts.windows(each, 5), 0).arrivals for each in (backlogged(), filled)
    )
    assert due == beside


def test_what_comes_back_at_once_after_the_phase_is_no_spike() -> None:
    """60 answers within 800 µs, and one drain of no length at all."""
    course = [second(at, 100, 50) for at in range(4)]
    operations = {"read": {"ok": Outcome(60, response=encoded(60, 50))}}
    for length in (800, 0):
        last = StoredInterval(
            "measure", 2, 4 * SECOND, length, operations,
            driver=DriverUse(drain=True, due=[(3 * SECOND, 60, 0)]),
        )  # fmt: skip
        drawn = charts.series(charts.windows([*course, last], 5), 0)
        assert max(drawn.operations["read"].throughput) == 100
        assert drawn.arrivals is not None
        assert max(drawn.arrivals.answered) <= 100


def test_a_rate_is_what_was_done_in_the_phase_over_the_phase() -> None:
    whole = sum_phases(backlogged())["measure"]
    kept = sum_phases(list(charts.merge_neighbours(backlogged(), 2)))["measure"]
    for phase in (whole, kept):
        everything = phase.everything()
        assert (everything.ok, everything.ok_late, everything.never_sent) == (28, 10, 2)
        assert (phase.duration_seconds, phase.drain_seconds) == (3.0, 2.0)
        assert everything.response.total == 28
        assert everything.untimed == 0
        assert sum(begun + never for begun, never in phase.due.values()) == 30


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
