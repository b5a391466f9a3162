"""YCSB's TimeSeriesWorkload: what its properties mean.

Source: core/src/main/java/site/ycsb/workloads/TimeSeriesWorkload.java of YCSB. Its advice for
systems that have keys alone is followed: a data point is a record, its key made of the series'
name, the values of its tags, and the moment.
"""

from typing import Any

from weighhouse_protocol.ycsb.reader import Reader

TIME_SERIES = {
    "site.ycsb.workloads.TimeSeriesWorkload", "com.yahoo.ycsb.workloads.TimeSeriesWorkload",
}  # fmt: skip
VALUE_BYTES = 8
"""YCSB's values are 64-bit numbers."""
NOT_STORED = {
    "timestampkey": "the moment is the last part of a record's key",
    "valuekey": "the value is the record's only field",
    "tagpairdelimiter": "a key holds the values of tags, not their names",
    "tagkeylength": "a key holds the values of tags, not their names",
    "deletedelimiter": "a record is deleted by its key",
    "querytimespandelimiter": "a span is a scan",
    "groupbykey": "nothing is grouped",
    "groupbykeys": "nothing is grouped",
    "downsamplingkey": "nothing is downsampled",
    "downsamplinginterval": "nothing is downsampled",
    "valuetype": "a value is 8 bytes, whatever they stand for",
}
"""Properties that change nothing here → why."""
NOT_CARRIED_OUT = {
    "groupbyfunction": "systems with keys alone do not aggregate; leave it out",
    "downsamplingfunction": "systems with keys alone do not aggregate; leave it out",
}
KNOWN = {
    *NOT_STORED, *NOT_CARRIED_OUT, "timestampinterval", "timestampunits", "tagcount",
    "tagcardinality", "tagvaluelength", "randomwritetimestamporder", "randomtimeseriesorder",
    "sparsity", "delayedseries", "delayedintervals", "querytimespan", "queryrandomtimespan",
}  # fmt: skip


def as_points(document: dict[str, Any], reader: Reader) -> dict[str, Any]:
    """A workload's document, whose records become data points.

    :param document: by the properties that the core workload has too.
    """
    for name, message in NOT_CARRIED_OUT.items():
        if reader.get(name):
            reader.refuse(name, message)
    for name, why in NOT_STORED.items():
        if name in reader.entries:
            reader.note(name, f"has no effect: {why}")
    if reader.share("sparsity", 0.0) > 0:
        message = "must be 0: every series has a point at every moment"
        reader.refuse("sparsity", message)
    if reader.flag("randomwritetimestamporder", default=False):
        message = "must be false: moments follow each other"
        reader.refuse("randomwritetimestamporder", message)
    interval = reader.number("timestampinterval", 60)
    points = {name: value for name, value in document.items() if name != "insert_start"}
    points |= {
        "field_count": 1,
        "field_length": VALUE_BYTES,
        "field_length_distribution": "constant",
        "time_series": {
            "series_keys": reader.number("fieldcount", 10),
            "tag_cardinalities": _cardinalities(reader),
            "key_length": reader.number("fieldlength", 100),
            "tag_value_length": reader.number("tagvaluelength", 8),
            "unit": _unit(reader),
            "start": reader.number("insertstart", 0) or None,
            "interval": interval,
            "shuffled": reader.flag("randomtimeseriesorder", default=True),
            "delayed_fraction": reader.share("delayedseries", 0.1),
            "delayed_intervals": reader.number("delayedintervals", 5),
        },
    }
    points.pop("field_length_histogram", None)
    if "insertstart" not in reader.entries:
        message = "is not given: the first moment is the beginning of 2017, not the current time"
        reader.note("insertstart", message)
    span = reader.number("querytimespan", 0)
    if span > 0 and interval > 0:
        _read_spans(points, reader, span // interval)
    return points


def _unit(reader: Reader) -> str:
    unit = reader.get("timestampunits", "SECONDS").upper()
    if unit not in ("SECONDS", "MILLISECONDS"):
        reader.refuse("timestampunits", f"{unit[:40]!r} is not SECONDS or MILLISECONDS")
        return "seconds"
    return unit.lower()


def _cardinalities(reader: Reader) -> list[int]:
    """One for each tag; what the list leaves out is 1, what it has too many is left out."""
    text = reader.get("tagcardinality", "1, 2, 4, 8")
    count = reader.number("tagcount", 4)
    try:
        given = [int(one) for one in text.split(",")]
    except ValueError:
        message = f"{text[:60]!r}: whole numbers, with commas between"
        reader.refuse("tagcardinality", message)
        return [1]
    return (given + [1] * count)[:count]


def _read_spans(points: dict[str, Any], reader: Reader, intervals: int) -> None:
    """A read of a span is a scan from its first point on."""
    if reader.flag("queryrandomtimespan", default=False):
        shortest, longest = 1, max(1, intervals)
    else:
        shortest = longest = intervals + 1
    operations = dict(points["operations"])
    read = operations.pop("read", 0.0)
    if not read:
        return
    operations["scan"] = operations.get("scan", 0.0) + read
    points |= {
        "operations": operations,
        "min_scan_length": shortest,
        "max_scan_length": longest,
        "scan_length_distribution": "uniform",
    }
    lengths = f"{shortest}" if shortest == longest else f"{shortest} to {longest}"
    message = (
        f"makes a read a scan of {lengths} records, the points of the span; with 0 it is a read of "
        "one point, which systems without an order of keys can do"
    )
    reader.note("querytimespan", message, "caution")
