"""Files that outlive an attempt: what its tool and its system wrote themselves, as it was.

They are copied out of directories that a system under test may write in, so nothing there is
believed: no link is followed, and what is no plain file of one name stays where it is.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO

from weighhouse_sdk.context import Context

KEPT = "kept"
"""Folder of a driver's working directory: what lies in it when the driver has ended is kept."""
MOST_FILES = 100
MOST_FILE_BYTES = 32 << 20
MOST_BYTES = 128 << 20
"""Of all files of an attempt on one machine."""
LONGEST_NAME = 120
DRAFT = "."
"""How the name of a file begins that is not whole yet."""
PIECE_BYTES = 1 << 20
UNUSUAL = re.compile(r"[^A-Za-z0-9._-]+")
PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class LeftOut:
    """A file that was not kept."""

    name: str
    reason: str


@dataclass
class Shelf:
    """Where kept files go, and how much room is left.

    :param directory: made with the first file.
    """

    directory: Path
    bytes_left: int = MOST_BYTES
    files_left: int = MOST_FILES

    def __post_init__(self) -> None:
        for each in kept(self.directory):
            self.bytes_left -= each.stat().st_size
            self.files_left -= 1

    def put(self, name: str, file: IO[bytes]) -> LeftOut | None:
        """Copy a file; what is left out leaves nothing behind."""
        size = os.fstat(file.fileno()).st_size
        if reason := self._too_much(size):
            return LeftOut(name, reason)
        self.directory.mkdir(parents=True, exist_ok=True)
        draft = self.directory / f"{DRAFT}{name}"
        try:
            with draft.open("wb") as copy:
                left = size
                while left > 0 and (piece := file.read(min(left, PIECE_BYTES))):
                    copy.write(piece)
                    left -= len(piece)
            draft.rename(self.directory / name)
        except OSError as error:
            draft.unlink(missing_ok=True)
            return LeftOut(name, str(error.strerror or error))
        self.bytes_left -= size
        self.files_left -= 1
        return None

    def _too_much(self, size: int) -> str | None:
        if size > MOST_FILE_BYTES:
            return f"it has {size:,} bytes; {MOST_FILE_BYTES:,} are kept at most"
        if size > self.bytes_left:
            return f"all files together may have {MOST_BYTES:,} bytes"
        if not self.files_left:
            return f"{MOST_FILES} files are kept at most"
        return None


def kept(directory: Path) -> list[Path]:
    """The files that were put into a directory, whole ones alone, by name."""
    if not directory.is_dir():
        return []
    return sorted(each for each in directory.iterdir() if not each.name.startswith(DRAFT))


def keep_files(context: Context, patterns: Sequence[str] = ()) -> tuple[LeftOut, ...]:
    """Keep what the driver put into its folder `kept`, and files of the system that patterns name.

    Call it when both have ended. Repeatable: what is kept already stays.

    :param patterns: of names of files anywhere below the data directory; see `Plugin.kept_files`.
    :returns: what is not kept, and why.
    """
    shelf = Shelf(context.file_directory)
    left_out: list[LeftOut] = []
    for root, wanted in (
        (context.driver_directory / KEPT, ("*",)),
        (context.data_directory, tuple(patterns)),
    ):
        for name, descriptor in _plain_files(root, wanted):
            with os.fdopen(descriptor, "rb") as file:
                if not (shelf.directory / name).exists() and (missed := shelf.put(name, file)):
                    left_out.append(missed)
    return tuple(left_out)


def _plain_files(root: Path, patterns: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Name to keep it by and open descriptor of each file that a pattern names, in order."""
    if not patterns or not root.is_dir():
        return
    for folder, folders, files, descriptor in os.fwalk(root, follow_symlinks=False):
        folders.sort()
        for file in sorted(files):
            if not any(fnmatchcase(file, each) for each in patterns):
                continue
            try:
                opened = os.open(file, PLAIN, dir_fd=descriptor)
            except OSError:  # a link, or gone, or not to be read by us
                continue
            found = os.fstat(opened)
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
                yield flat_name(Path(folder).relative_to(root) / file), opened
            else:
                os.close(opened)


def flat_name(path: Path) -> str:
    """A relative path as one name: `node-2/LOG` is `node-2-LOG`."""
    return UNUSUAL.sub("_", "-".join(path.parts))[-LONGEST_NAME:].lstrip(DRAFT) or "file"
