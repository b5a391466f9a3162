"""Tables of series: their points, and where they shifted."""

from collections.abc import Iterator

from weighhouse_backend.alerts.schemas import SeriesRead
from weighhouse_backend.exports.tables import Column, Row, Table

_OF_SERIES = [
    Column("series_id"), Column("experiment"), Column("target"), Column("workload"),
    Column("load_level"), Column("metric"),
]  # fmt: skip
POINTS = [
    *_OF_SERIES, Column("at", "instant"), Column("asked_at", "instant"),
    Column("campaign_id"), Column("campaign_number", "integer"), Column("value", "number"),
    Column("low", "number"), Column("high", "number"), Column("repeats", "integer"),
    Column("segment", "integer"), Column("machines"), Column("off_main_line", "flag"),
    Column("version"), Column("kernel"), Column("memory_bytes", "integer"), Column("commit"),
]  # fmt: skip
CHANGES = [
    *_OF_SERIES, Column("at", "instant"), Column("campaign_id"), Column("kind"),
    Column("status"), Column("before", "number"), Column("after", "number"),
    Column("relative", "number"), Column("p_value", "number"),
]  # fmt: skip


def tables(found: SeriesRead) -> list[Table]:
    """All tables of a series."""
    return [Table("points", POINTS, _points(found)), Table("changes", CHANGES, _changes(found))]


def _of_series(found: SeriesRead) -> Row:
    return (
        str(found.id), found.experiment.name, found.target, found.workload,
        found.load_level.label, found.metric,
    )  # fmt: skip


def _points(found: SeriesRead) -> Iterator[Row]:
    machines = {segment.index: segment.label for segment in found.segments}
    for one in found.points:
        yield (
            *_of_series(found), one.at, one.asked_at, str(one.campaign_id), one.campaign_number,
            one.value, one.low, one.high, len(one.repeats), one.segment, machines[one.segment],
            one.off_main_line, one.version, one.kernel, one.memory_bytes,
            None if one.git is None else one.git.commit,
        )  # fmt: skip


def _changes(found: SeriesRead) -> Iterator[Row]:
    for one in found.change_points:
        yield (
            *_of_series(found), one.at, str(one.campaign_id), one.kind, one.status, one.before,
            one.after, one.relative, one.p_value,
        )  # fmt: skip
