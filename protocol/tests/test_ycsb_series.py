"""YCSB's TimeSeriesWorkload: its properties as data points of time series."""

import pytest
from weighhouse_protocol.ycsb import YcsbError, translate

KIND = "workload=site.ycsb.workloads.TimeSeriesWorkload\n"
PUBLISHED = (
    KIND
    + """
recordcount=1474560
operationcount=2949120
fieldlength=8
fieldcount=64
tagcount=4
tagcardinality=1,2,4,2
sparsity=0.0
delayedSeries=0.0
timestampunits=SECONDS
timestampinterval=60
querytimespan=3600
readproportion=0.10
updateproportion=0.00
insertproportion=0.90
"""
)


def test_the_published_workload_is_spans_of_points() -> None:
    found = translate([("tsworkloada", PUBLISHED)])
    series = found.workload.time_series
    assert series is not None
    assert (series.series_keys, series.series, series.tag_cardinalities) == (64, 1024, (1, 2, 4, 2))
    assert (series.first_moment, series.interval, series.unit) == (1483228800, 60, "seconds")
    workload = found.workload
    assert workload.operations.model_dump(exclude_defaults=True) == {"scan": 0.1, "insert": 0.9}
    assert (workload.min_scan_length, workload.max_scan_length) == (61, 61)
    assert (workload.field_count, workload.field_length) == (1, 8)
    notes = {note.property: note for note in found.notes}
    assert notes["querytimespan"].severity == "caution"
    # YCSB does not know it in that spelling either: its default holds.
    assert "did you mean delayedseries?" in notes["delayedSeries"].message
    assert series.delayed_fraction == 0.1


def test_without_a_span_reads_are_of_one_point() -> None:
    found = translate([("ts", PUBLISHED)], {"querytimespan": "0", "insertstart": "1600000000"})
    mix = found.workload.operations.model_dump(exclude_defaults=True)
    assert mix == {"read": 0.1, "insert": 0.9}
    series = found.workload.time_series
    assert series is not None
    assert (series.start, found.workload.insert_start) == (1600000000, 0)
    assert "insertstart" not in {note.property for note in found.notes}


def test_random_spans_are_scans_of_random_length() -> None:
    found = translate([("ts", PUBLISHED)], {"queryrandomtimespan": "true"})
    assert (found.workload.min_scan_length, found.workload.max_scan_length) == (1, 60)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("sparsity", "0.5", "must be 0"),
        ("randomwritetimestamporder", "true", "must be false"),
        ("groupbyfunction", "SUM", "do not aggregate"),
        ("timestampunits", "NANOSECONDS", "SECONDS or MILLISECONDS"),
        ("tagcardinality", "1,two", "whole numbers"),
        ("requestdistribution", "latest", "names of series have none"),
        ("recordcount", "1000", "below one data point"),
    ],
)
def test_what_cannot_be_carried_out_is_told(name: str, value: str, says: str) -> None:
    with pytest.raises(YcsbError) as caught:
        translate([("ts", PUBLISHED)], {name: value})
    assert says in str(caught.value)
