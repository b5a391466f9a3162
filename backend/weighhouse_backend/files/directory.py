"""Contents of files in a directory."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

PIECE_BYTES = 64 * 1024


@dataclass(frozen=True)
class ArtifactDirectory:
    """Content on disk, by project and hash."""

    directory: Path

    def path(self, project_id: UUID, sha256: str) -> Path:
        """Where a content lies, or would."""
        return self.directory / str(project_id) / sha256[:2] / sha256

    def local(self, project_id: UUID, sha256: str) -> Path | None:
        """Where a content lies; None: it is not there."""
        path = self.path(project_id, sha256)
        return path if path.exists() else None

    def pieces(self, project_id: UUID, sha256: str) -> Iterator[bytes]:
        """A content, a piece at a time. Raises FileNotFoundError at once when it is not there."""
        return _pieces(self.path(project_id, sha256).open("rb"))

    def write(self, project_id: UUID, sha256: str, content: BinaryIO) -> None:
        """Write a content whole or not at all; repeatable."""
        path = self.path(project_id, sha256)
        if path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                shutil.copyfileobj(content, file)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
            raise

    def remove(self, project_id: UUID, sha256: str) -> None:
        """Remove a content; repeatable."""
        self.path(project_id, sha256).unlink(missing_ok=True)


def _pieces(opened: BinaryIO) -> Iterator[bytes]:
    with opened as file:
        while piece := file.read(PIECE_BYTES):
            yield piece
