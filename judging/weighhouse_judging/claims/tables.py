"""A table held against the raw data that it was made of. Pure.

The lowest, the mean and the highest of the lines that a tool prints while it runs hang on which
lines are taken. Who leaves out the first and the last of them seldom says so: the window that most
of a table's figures come out of is found, and told. What does not come out of it is wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from weighhouse_protocol.digits import number
from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_protocol.published.figures import ALL, PublishedInterval

from weighhouse_judging.claims.copies import explained
from weighhouse_judging.claims.recomputed import off_by
from weighhouse_judging.claims.remarks import Remark
from weighhouse_judging.claims.text import OF_INTERVALS, PLAIN, Stated, Text, label_of
from weighhouse_judging.studies.terms import figure_words, place_words

Floats = npt.NDArray[np.float64]
MOST_LEFT_OUT: Final = 60
"""Lines at either end that are tried without."""
FEWEST_ROWS, MOST_WRONG = 4, 0.25
"""Figures that a window has to be found by, and the share of them that may be wrong: where more do
not come out, the table was made some other way, and nothing is said of single figures."""
STATISTICS: Final = (
    "lowest_of_intervals",
    "averaged",
    "highest_of_intervals",
    "range_of_intervals",
)


@dataclass(frozen=True)
class Window:
    """Which lines a table was made of."""

    first: int
    """Lines left out at the beginning."""
    last: int
    lines: int
    """In all."""

    @property
    def words(self) -> str:
        """`all 1,207 lines`; `1,207 lines but the first 1 and the last 12`."""
        if not self.first and not self.last:
            return f"all {self.lines:,} lines"
        return f"{self.lines:,} lines but the first {self.first} and the last {self.last}"


@dataclass(frozen=True)
class Recomputed:
    """A printed figure and its value within the window."""

    stated: Stated
    value: float
    column: str
    """The row of the tool that it comes out of: `READ-COMB`."""
    whole: float
    """Over all lines."""


@dataclass(frozen=True)
class Table:
    """What a cell's figures come to."""

    window: Window
    rows: Sequence[Recomputed]

    @property
    def is_found(self) -> bool:
        """Do enough of them come out of the window?"""
        wrong = sum(off_by(one.stated, one.value) >= 1.0 for one in self.rows)
        return len(self.rows) >= FEWEST_ROWS and wrong <= MOST_WRONG * len(self.rows)


def tables(text: Text) -> Iterator[Remark]:
    """Remarks of every cell of the source that there is raw data of."""
    found = {
        at: table for at, raw in _pairs(text) if (table := remade(_rows(text, at), raw)) is not None
    }
    holds = {
        id(row.stated): off_by(row.stated, row.value) < 1.0
        for table in found.values()
        if table.is_found
        for row in table.rows
    }
    for at, table in found.items():
        yield from _told(text, text.results.cells[at], table, holds)


def remade(stated: Sequence[Stated], raw: PublishedCell) -> Table | None:
    """The window and the values of a table's figures; None where the raw data has no lines of any
    of them.
    """
    columns = _columns(raw)
    candidates = {id(one): _candidates(one, columns) for one in stated}
    rows = [one for one in stated if candidates[id(one)]]
    if not rows:
        return None
    lines = len(_lines(raw))
    grids = {
        (id(one), name): _grid(_statistic(one), columns[name])
        for one in rows
        for name in candidates[id(one)]
    }
    hits = {key: _hits(one, grids[key]) for one in rows for key in _keys(one, candidates)}
    kinds: dict[tuple[str, ...], list[Stated]] = {}
    for one in rows:
        kinds.setdefault(candidates[id(one)], []).append(one)
    counted = {
        (kind, name): np.sum([hits[(id(one), name)] for one in several], axis=0)
        for kind, several in kinds.items()
        for name in kind
    }
    best = np.sum(
        [np.max([counted[(kind, name)] for name in kind], axis=0) for kind in kinds], axis=0
    )
    first, last = _first_of(best)
    made = []
    for kind, several in kinds.items():
        name = max(kind, key=lambda one: (counted[(kind, one)][first, last], -kind.index(one)))
        made += [
            Recomputed(
                one,
                float(grids[(id(one), name)][first, last]),
                name,
                float(grids[(id(one), name)][0, 0]),
            )
            for one in several
        ]
    return Table(Window(first, last, lines), made)


def _pairs(text: Text) -> Iterator[tuple[int, PublishedCell]]:
    """Cells of the source with the raw cell of the same name."""
    for at, cell in enumerate(text.results.cells):
        for raw in (one for several in text.raw for one in several.cells):
            loads = {cell.load.label, label_of(cell.load)}
            same = raw.side == cell.side and raw.workload == cell.workload
            if same and raw.intervals and {raw.load.label, label_of(raw.load)} & loads:
                yield at, raw
                break


def _rows(text: Text, at: int) -> list[Stated]:
    cell = text.results.cells[at]
    return [
        one
        for one in text.stated
        if one.cell is cell
        and (one.figure.statistic in OF_INTERVALS
             or (one.figure.figure == "throughput" and one.figure.statistic in PLAIN))
    ]  # fmt: skip


def _lines(raw: PublishedCell) -> list[PublishedInterval]:
    """Those that tell anything: a tool's first is often of no time at all."""
    return [
        one
        for one in raw.intervals
        if one.throughput is not None or any(value is not None for value in one.values)
    ]


def _columns(raw: PublishedCell) -> Mapping[str, Floats]:
    """`throughput`, `READ p99_us` → a value for each line."""
    found: dict[str, list[float]] = {"throughput": [], "unknown": []}
    names = [_name(one.figure, one.operation) for one in raw.columns]
    for at, line in enumerate(_lines(raw)):
        rate = line.throughput
        found["throughput"].append(float("nan") if rate is None else rate)
        for name, value in zip(names, line.values, strict=False):
            several = found.setdefault(name, [])
            several += [float("nan")] * (at - len(several))
            if value is not None:
                several.append(value)
    lines = len(_lines(raw))
    return {
        name: np.array([*several, *[float("nan")] * (lines - len(several))])
        for name, several in found.items()
        if several and not np.isnan(several).all()
    }


def _name(figure: str, operation: str) -> str:
    return figure if operation == ALL else f"{operation} {figure}"


def _candidates(one: Stated, columns: Mapping[str, Floats]) -> tuple[str, ...]:
    """Rows of the tool that a figure may be of: its operation's, and the one that counts all of
    its outcomes together.
    """
    operation, figure = one.figure.operation, one.figure.figure
    names = [_name(figure, operation)]
    if operation != ALL:
        names.append(_name(figure, f"{operation}-COMB"))
    return tuple(name for name in names if name in columns)


def _keys(one: Stated, candidates: Mapping[int, tuple[str, ...]]) -> list[tuple[int, str]]:
    return [(id(one), name) for name in candidates[id(one)]]


def _statistic(one: Stated) -> str:
    return one.figure.statistic if one.figure.statistic in OF_INTERVALS else "averaged"


def _grid(statistic: str, values: Floats) -> Floats:
    """A statistic of the lines without the first i (rows) and the last j (columns) of them."""
    most = min(MOST_LEFT_OUT, (len(values) - 1) // 2)
    there = ~np.isnan(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(there, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(there)])
    begin, end = np.arange(most + 1), len(values) - np.arange(most + 1)
    if statistic == "averaged":
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(
                (sums[end][None, :] - sums[begin][:, None])
                / (counts[end][None, :] - counts[begin][:, None])
            )
    low, high = _extreme(values, most, np.fmin), _extreme(values, most, np.fmax)
    if statistic == "lowest_of_intervals":
        return low
    return high if statistic == "highest_of_intervals" else high - low


def _extreme(values: Floats, most: int, end: np.ufunc) -> Floats:
    middle = values[most : len(values) - most]
    head = end.accumulate(np.concatenate([middle, values[:most][::-1]]))[len(middle) - 1 :][::-1]
    tail = end.accumulate(np.concatenate([middle, values[len(values) - most :]]))
    tail = tail[len(middle) - 1 :][::-1]
    return np.asarray(end(head[:, None], tail[None, :]))


def _hits(one: Stated, grid: Floats) -> npt.NDArray[np.int_]:
    """Where the printed figure comes out: 2, rounded to it; 1, off in its last digit alone."""
    slack = 1e-9 * abs(one.read.value)
    close = (grid >= one.read.low - slack) & (grid <= one.read.high + slack)
    near = np.abs(grid - one.read.value) <= 1.5 * one.step + slack
    return np.asarray(close.astype(np.int_) + near.astype(np.int_))


def _first_of(best: npt.NDArray[np.int_]) -> tuple[int, int]:
    """The window with the most hits that leaves out the fewest lines."""
    places = np.argwhere(best == best.max())
    first, last = min(places.tolist(), key=lambda one: (one[0] + one[1], one[0]))
    return int(first), int(last)


def _told(
    text: Text, cell: PublishedCell, table: Table, holds: Mapping[int, bool]
) -> Iterator[Remark]:
    where = place_words(cell.side, cell.workload, label_of(cell.load), text.names)
    places = [one.stated.place for one in table.rows if one.stated.place]
    place = places[0] if places else ""
    if not table.is_found:
        wrong = sum(off_by(one.stated, one.value) >= 1.0 for one in table.rows)
        reason = (
            f"{wrong} of {len(table.rows)} figures do not come out of the raw data, whichever of "
            f"the first and last {MOST_LEFT_OUT} lines are left out: how the table was made is not "
            "known, and nothing is said of single figures."
        )
        kind = "doubt" if len(table.rows) >= FEWEST_ROWS else "not_checked"
        yield Remark("raw-data", kind, where, place, reason)  # type: ignore[arg-type]
        return
    if table.window.first or table.window.last:
        yield Remark("raw-data", "doubt", where, place, _left_out(table))
    for row in table.rows:
        yield _row(text, row, table.window, holds)


def _left_out(table: Table) -> str:
    moved = [
        f"{one.stated.said} would be {figure_words(one.whole, one.stated.figure.figure)}"
        for one in table.rows
        if off_by(one.stated, one.value) < 1.0 <= off_by(one.stated, one.whole)
    ]
    more = f" (and {len(moved) - 3} more)" if len(moved) > 3 else ""  # noqa: PLR2004
    over = f" Over all lines {'; '.join(moved[:3])}{more}." if moved else ""
    return f"It was made of {table.window.words}.{over}"


def _row(text: Text, row: Recomputed, window: Window, holds: Mapping[int, bool]) -> Remark:
    one = row.stated
    made = figure_words(row.value, one.figure.figure) if row.value >= 1000 else (  # noqa: PLR2004
        f"{number(row.value, 4)}")  # fmt: skip
    words = f"printed {one.said}, by the raw data {made} ({row.column}, {window.words})"
    where = one.words(text.names)
    off = off_by(one, row.value)
    if off < 1.0:
        rounded = "" if off == 0 else ", off in the last digit alone"
        return Remark("raw-data", "sound", where, one.place, f"{words}{rounded}.")
    because = explained(one, text.stated, lambda other: holds.get(id(other)), text.names)
    return Remark("raw-data", "contradiction", where, one.place, f"{words}.{because}")
