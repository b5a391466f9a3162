"""CSV and JSON lines, piece by piece. Pure.

CSV (RFC 4180) begins with comment lines; the first says how many they are, for readers that are
told how many to pass over. Texts are always quoted, so that none is taken for a number or a
comment, and none is a formula to a spreadsheet. JSON lines begin with one object that has `about`
alone.
"""

import datetime
import itertools
import json
import math
from collections.abc import Iterable, Iterator

from weighhouse_protocol.text import csv_cell, mended

from weighhouse_backend.exports.tables import About, Row, Table, Value, written

ROWS_AT_ONCE = 500
"""In a piece."""


def csv_pieces(about: About, table: Table) -> Iterator[bytes]:
    """The file: comments, the names of the columns, a line a row; lines end as RFC 4180 has it."""
    said = [_beside(line) for line in about.lines()]
    head = [
        f"# Weighhouse, {table.name}: {len(said) + 1} lines of comments, then the columns",
        *(f"# {line}" for line in said),
        ",".join(one.name for one in table.columns),
    ]
    parts = _some(table.rows)
    # With the first rows: what keeps them from being read is told in place of a file.
    yield _lines([*head, *map(_line, next(parts, []))])
    for rows in parts:
        yield _lines(map(_line, rows))


def json_pieces(table: Table, about: About | None = None) -> Iterator[bytes]:
    """An object a line; the first is `about`, where it is given."""
    head = ""
    if about is not None:
        told = {"about": {"table": table.name, **about.facts()}}
        head = json.dumps(told, ensure_ascii=False) + "\n"
    names = [one.name for one in table.columns]
    for rows in _some(table.rows):
        lines = (
            json.dumps(
                dict(zip(names, map(_plain, row), strict=True)),
                ensure_ascii=False, allow_nan=False,
            )
            for row in rows
        )  # fmt: skip
        yield (head + "".join(f"{line}\n" for line in lines)).encode()
        head = ""
    if head:
        yield head.encode()


def _some(rows: Iterable[Row]) -> Iterator[list[Row]]:
    left = iter(rows)
    while some := list(itertools.islice(left, ROWS_AT_ONCE)):
        yield some


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\r\n" for line in lines).encode()


def _line(row: Row) -> str:
    return ",".join(map(_field, row))


def _field(value: Value) -> str:
    value = _plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + csv_cell(value).replace('"', '""') + '"'
    return repr(value)


def _plain(value: Value) -> str | int | float | bool | None:
    """As JSON has it; what is no number is nothing."""
    if isinstance(value, datetime.datetime):
        return written(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return mended(value) if isinstance(value, str) else value


def _beside(line: str) -> str:
    """A comment in which no part is a formula, where a spreadsheet cuts it at commas."""
    for separator in (",", ";"):
        parts = line.split(separator)
        line = separator.join([parts[0], *(_kept(one) for one in parts[1:])])
    return line


def _kept(part: str) -> str:
    text = part.lstrip()
    return part if csv_cell(text) == text else part[: len(part) - len(text)] + csv_cell(text)
