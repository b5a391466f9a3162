"""Parquet, row group by row group, out of the very lines that JSON lines are made of.

What is written is therefore what JSON lines say. The library reads lines and writes row groups as
they come: what is held in memory is one row group.
"""

import io
import json
from collections.abc import Iterator, Sequence
from typing import IO, cast

from arro3.core import DataType, Field, Schema
from arro3.io import read_json, write_parquet

from weighhouse_backend.exports.tables import About, Column, Kind, Sink, Table
from weighhouse_backend.exports.text_files import json_pieces

GROUP_ROWS = 10_000
"""Of a row group: a few MB of memory, and still few readings for who asks for a column."""

_TYPES: dict[Kind, DataType] = {
    "text": DataType.utf8(),
    "integer": DataType.int64(),
    "number": DataType.float64(),
    "instant": DataType.timestamp("us", tz="UTC"),
    "flag": DataType.bool(),
}


def write_table(about: About, table: Table, sink: Sink, *, same_bytes: bool = False) -> None:
    """Write a table as one file.

    What must stand beside it is in the file's key-value metadata: `weighhouse` for programs,
    `disclaimers` for people, and `interim` where more may come.

    :param same_bytes: the same table always comes to the same file: `weighhouse` stands alone, for
        the library writes several in any order.
    """
    said = {
        "weighhouse": json.dumps({"table": table.name, **about.facts()}, ensure_ascii=False),
        "disclaimers": "\n".join(about.lines()),
    }
    if about.interim:
        said["interim"] = about.interim
    if same_bytes:
        said = {"weighhouse": said["weighhouse"]}
    lines = cast("IO[bytes]", io.BufferedReader(_Lines(json_pieces(table)), 1 << 16))
    write_parquet(
        read_json(lines, _schema(table.columns)),
        cast("IO[bytes]", _Out(sink)),
        compression="zstd(3)",
        max_row_group_size=GROUP_ROWS,
        key_value_metadata=said,
        created_by="Weighhouse",
    )


def _schema(columns: Sequence[Column]) -> Schema:
    return Schema([Field(one.name, _TYPES[one.kind], nullable=True) for one in columns])


class _Lines(io.RawIOBase):
    """Pieces as a file to read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        room = memoryview(cast("bytearray", buffer))
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        taken = min(len(room), len(self._left))
        room[:taken] = self._left[:taken]
        self._left = self._left[taken:]
        return taken


class _Out(io.RawIOBase):
    """A file to write that is written from its begin to its end."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def writable(self) -> bool:
        return True

    def write(self, piece: object, /) -> int:
        return self._sink.write(bytes(cast("bytes", piece)))
