"""Exports become answers: in which form, under which name."""

import io
import zipfile
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from fastapi import Query
from fastapi.responses import StreamingResponse
from starlette.concurrency import iterate_in_threadpool

from weighhouse_backend.exports.snapshots import Snapshot
from weighhouse_backend.exports.spool import Spool
from weighhouse_backend.exports.tables import About, Export, Sink, Table
from weighhouse_backend.exports.text_files import csv_pieces, json_pieces
from weighhouse_backend.kit.downloads import content_disposition
from weighhouse_backend.kit.late import late
from weighhouse_backend.kit.problems import ProblemDocument

if TYPE_CHECKING:
    from weighhouse_backend.exports import parquet_files
else:
    parquet_files = late("weighhouse_backend.exports.parquet_files")

Form = Literal["csv", "parquet", "jsonl"]
FormQuery = Annotated[Form, Query(alias="format", description="`jsonl`: an object a line.")]
ALL_TABLES = "all"
MEDIA: dict[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "jsonl": "application/jsonl; charset=utf-8",
    "hlog": "text/plain; charset=utf-8",
    "zip": "application/zip",
    "tar": "application/x-tar",
}
FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A file, sent while it is written.",
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}}
            for kind in ("text/csv", "application/vnd.apache.parquet", "application/jsonl")
        },
    },
    **{code: {"model": ProblemDocument} for code in (403, 404, 422, 503)},
}
"""What an export answers."""


def answered(
    export: Export, form: Form, snapshot: Snapshot, wanted: str | None = None
) -> StreamingResponse:
    """An export as a file.

    :param wanted: one of its tables by name, or `all`: an archive of them. None: the only one.
    """
    so_far = "so-far-" if export.about.interim else ""
    if wanted == ALL_TABLES:
        name = f"{so_far}{export.name}.zip"
        return streamed(name, snapshot, partial(_write_archive, export, form))
    (table,) = [one for one in export.tables if wanted in {None, one.name}]
    name = f"{so_far}{export.name}-{table.name}.{form}"
    return streamed(name, snapshot, partial(_write, export.about, table, form))


def streamed(name: str, snapshot: Snapshot, write: Callable[[Spool], None]) -> StreamingResponse:
    """What is being written, as it comes; what goes wrong before its first bytes is told as ever.

    :param name: of the file, with its ending.
    :param write: all of it; the snapshot is closed afterwards.
    """
    spool = Spool()
    snapshot.lend(spool)
    spool.fill(write, snapshot.close)
    spool.begun()
    headers = {
        "Content-Disposition": content_disposition(name),
        "Cache-Control": "no-store",
        "Weighhouse-As-Of": snapshot.at.isoformat(),
    }
    return StreamingResponse(
        _sent(spool), media_type=MEDIA[name.rpartition(".")[2]], headers=headers
    )


async def _sent(spool: Spool) -> AsyncIterator[bytes]:
    async for piece in iterate_in_threadpool(spool.pieces()):
        yield piece


def _write(about: About, table: Table, form: Form, sink: Sink) -> None:
    if form == "parquet":
        parquet_files.write_table(about, table, sink)
        return
    pieces = csv_pieces(about, table) if form == "csv" else json_pieces(table, about)
    for piece in pieces:
        sink.write(piece)


def _write_archive(export: Export, form: Form, spool: Spool) -> None:
    # It is no file that one can go back in, which the library asks for by `tell`.
    out = cast("io.BufferedWriter", spool)
    packed = zipfile.ZIP_STORED if form == "parquet" else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(out, "w", packed) as archive:
        for table in export.tables:
            entry = zipfile.ZipInfo(f"{table.name}.{form}", export.about.as_of.timetuple()[:6])
            entry.compress_type = packed
            with archive.open(entry, "w", force_zip64=True) as file:
                _write(export.about, table, form, file)
