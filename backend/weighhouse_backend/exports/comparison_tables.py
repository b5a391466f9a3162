"""Tables of comparisons: what sides came to, and how they differ."""

from collections.abc import Iterator

from weighhouse_judging.caveats.published import load_words
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.comparisons.schemas import ComparisonRead
from weighhouse_backend.exports.tables import Column, Row, Table

_CELL = [Column("workload"), Column("load_level")]
FIGURES = [
    Column("side"), Column("label"), *_CELL, Column("figure"), Column("unit"),
    Column("median", "number"), Column("low", "number"), Column("high", "number"),
    Column("bounds"), Column("repeats", "integer"), Column("statistic"),
]  # fmt: skip
REPEATS = [
    Column("side"), Column("label"), *_CELL, Column("run_id"), Column("repetition", "integer"),
    Column("figure"), Column("unit"), Column("value", "number"),
]  # fmt: skip
DIFFERENCES = [
    Column("side"), Column("baseline_side"), *_CELL, Column("figure"), Column("unit"),
    Column("baseline_median", "number"), Column("median", "number"), Column("relative", "number"),
    Column("low", "number"), Column("high", "number"), Column("bounds"), Column("method"),
    Column("baseline_repeats", "integer"), Column("repeats", "integer"),
    Column("p_holm", "number"), Column("threshold", "number"), Column("verdict"),
    Column("better", "flag"),
]  # fmt: skip
PUBLISHED = [
    Column("side"), Column("label"), Column("source"), Column("authors"), Column("date"),
    Column("sponsor"), Column("machines"), *_CELL, Column("operation"), Column("figure"),
    Column("unit"), Column("value", "number"), Column("low", "number"), Column("high", "number"),
    Column("printed"), Column("statistic"), Column("place"),
]  # fmt: skip
"""What others measured; `low` and `high` are what was rounded, and no interval."""
BOUNDS = (
    "bounds: interval is of 95 % confidence; range is of fewer than four repeats, without any",
)


def tables(found: ComparisonRead) -> list[Table]:
    """All tables of a comparison, with the cells and figures that it shows."""
    return [
        Table("figures", FIGURES, _figures(found)),
        Table("differences", DIFFERENCES, _differences(found)),
        Table("repeats", REPEATS, _repeats(found)),
        *([Table("published", PUBLISHED, _published(found))] if found.published else []),
    ]


def _figures(found: ComparisonRead) -> Iterator[Row]:
    labels = {side.key: side.label for side in found.sides}
    for cell in found.cells:
        for name in sorted(cell.figures, key=_place):
            told = cell.figures[name]
            yield (
                cell.side, labels[cell.side], cell.workload, cell.load_level.label, name,
                _unit(name), told.median, told.low, told.high, told.kind, told.repeats,
                told.statistic,
            )  # fmt: skip


def _repeats(found: ComparisonRead) -> Iterator[Row]:
    labels = {side.key: side.label for side in found.sides}
    for cell in found.cells:
        for one in cell.repeats:
            for name in sorted(one.figures, key=_place):
                yield (
                    cell.side, labels[cell.side], cell.workload, cell.load_level.label,
                    str(one.run_id), one.repetition, name, _unit(name), one.figures[name],
                )  # fmt: skip


def _differences(found: ComparisonRead) -> Iterator[Row]:
    for one in found.differences:
        yield (
            one.side, one.baseline_side, one.workload, one.load_level.label, one.metric,
            _unit(one.metric), one.baseline_median, one.median, one.relative, one.low, one.high,
            one.kind, one.method, one.baseline_repeats, one.repeats, one.p_holm, one.threshold,
            one.verdict, one.better,
        )  # fmt: skip


def _published(found: ComparisonRead) -> Iterator[Row]:
    for side in found.published:
        source = side.source
        for cell in side.cells:
            for one in cell.figures:
                yield (
                    side.key, side.label, source.title, source.authors, source.date,
                    source.sponsor, cell.machines or source.machines, cell.workload,
                    load_words(cell.load), one.operation, one.figure, _unit(one.figure) or one.unit,
                    one.value, one.low, one.high, one.printed, one.statistic, one.place,
                )  # fmt: skip


def _unit(name: str) -> str:
    figure = CATALOGUE.find(name)
    return "" if figure is None else figure.unit


def _place(name: str) -> tuple[float, str]:
    figure = CATALOGUE.find(name)
    return (float("inf") if figure is None else figure.read_at, name)
