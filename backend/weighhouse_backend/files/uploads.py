"""Files of runs as they arrive: on disk, piece by piece, with their hash."""

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Annotated, BinaryIO, cast

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from weighhouse_backend.kit.settings import Settings

IN_MEMORY_BYTES = PIECE_BYTES = 1024 * 1024
"""Of most files that is the whole."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A content that has arrived."""

    file: BinaryIO
    """At its beginning; gone with the request."""
    size_bytes: int
    sha256: str


async def _uploaded(request: Request) -> AsyncIterator[Upload]:
    settings: Settings = request.app.state.settings
    # Beside the files that are kept: other places are often memory.
    folder = str(settings.artifact_dir) if settings.artifact_dir.is_dir() else None
    digest, size, waiting = hashlib.sha256(), 0, bytearray()
    with SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=folder) as file:

        def add(pieces: bytearray) -> None:
            digest.update(pieces)
            file.write(pieces)

        async for piece in request.stream():
            size += len(piece)
            waiting += piece
            if len(waiting) >= PIECE_BYTES:
                await run_in_threadpool(add, waiting)
                waiting = bytearray()
        add(waiting)
        file.seek(0)
        yield Upload(cast("BinaryIO", file), size, digest.hexdigest())


UploadDep = Annotated[Upload, Depends(_uploaded, scope="function")]
"""The body as a file; it has arrived before anything of the database is held."""
