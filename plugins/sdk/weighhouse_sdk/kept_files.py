"""Files that outlive an attempt: what its tool and its system wrote themselves, as it was.

They are copied out of directories that a system under test may write in, so nothing there is
believed: no link is followed, and what is no plain file of one name stays where it is.
"""

import contextlib
import itertools
import os
import re
import stat
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO

from weighhouse_sdk.context import Context

KEPT = "kept"
"""Folder of a driver's working directory: what lies in it when the driver has ended is kept."""
OUTPUT = "output.txt"
"""In it, what a tool printed."""
MOST_FILES = 100
MOST_FILE_BYTES = 32 << 20
MOST_BYTES = 128 << 20
"""Of all files of an attempt on one machine."""
LONGEST_NAME = 120
DRAFT = "."
"""How the name of a file begins that is not whole yet."""
PIECE_BYTES = 1 << 20
UNUSUAL = re.compile(r"[^A-Za-z0-9._-]+")
MOST_DEPTH, MOST_ENTRIES = 4, 100_000
"""Folders below one another, and entries of each, that are looked through."""
PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
FOLDER = PLAIN | os.O_DIRECTORY


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
        """Copy a file that says something; what is left out leaves nothing behind."""
        size = os.fstat(file.fileno()).st_size
        if not size:
            return None
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
    """Keep files of the system that patterns name, and what the driver put into its folder `kept`.

    Call it when nothing of both runs any more. Repeatable: what is kept already stays.

    :param patterns: of names of files below the data directory; see `Plugin.kept_files`.
    :returns: what is not kept, and why.
    """
    shelf = Shelf(context.file_directory)
    left_out: list[LeftOut] = []
    names: set[str] = set()
    for root, wanted in (
        (context.data_directory, tuple(patterns)),
        (context.driver_directory / KEPT, (OUTPUT, "*")),
    ):
        for path, descriptor in _files_below(root, wanted):
            with os.fdopen(descriptor, "rb") as file:
                name = unlike(flat_name(path), names)
                names.add(name)
                if not (shelf.directory / name).exists() and (missed := shelf.put(name, file)):
                    left_out.append(missed)
    return tuple(left_out)


def _files_below(root: Path, patterns: Sequence[str]) -> Iterator[tuple[Path, int]]:
    """Path below the root and open descriptor of each plain file whose name fits a pattern; of a
    folder in the order of the patterns, then its folders.
    """
    if not patterns:
        return
    try:
        folder = os.open(root, FOLDER)
    except OSError:  # it is not there, or is none
        return
    try:
        yield from _files_in(folder, Path(), patterns)
    finally:
        os.close(folder)


def _files_in(folder: int, path: Path, patterns: Sequence[str]) -> Iterator[tuple[Path, int]]:
    with os.scandir(folder) as entries:
        names = [each.name for each in itertools.islice(entries, MOST_ENTRIES)]
    for name in sorted(names, key=lambda each: (_rank(each, patterns), each)):
        opened = _opened(folder, name, patterns, deeper=len(path.parts) < MOST_DEPTH)
        if opened is None:
            continue
        if stat.S_ISREG(os.fstat(opened).st_mode):
            yield path / name, opened
            continue
        try:
            yield from _files_in(opened, path / name, patterns)
        finally:
            os.close(opened)


def _opened(folder: int, name: str, patterns: Sequence[str], *, deeper: bool) -> int | None:
    """A descriptor of a folder, where one may go deeper, or of a plain file of one name that fits;
    None of all else. It waits for nothing, and follows no link.
    """
    with contextlib.suppress(OSError):  # gone, a link, or not to be read by us
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISDIR(found.st_mode):
            return os.open(name, FOLDER, dir_fd=folder) if deeper else None
        if stat.S_ISREG(found.st_mode) and _rank(name, patterns) < len(patterns):
            opened = os.open(name, PLAIN, dir_fd=folder)
            found = os.fstat(opened)
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
                return opened
            os.close(opened)
    return None


def _rank(name: str, patterns: Sequence[str]) -> int:
    """Which pattern is the first that a name fits, counted from 0; their number: none."""
    fits = (rank for rank, each in enumerate(patterns) if fnmatchcase(name, each))
    return next(fits, len(patterns))


def unlike(name: str, others: Container[str]) -> str:
    """A name as no other one is: another `a.json` is `a-2.json`."""
    stem, suffix = Path(name).stem, Path(name).suffix
    number = 1
    while name in others:
        number += 1
        name = f"{stem}-{number}{suffix}"
    return name


def flat_name(path: Path) -> str:
    """A relative path as one name: `node-2/LOG` is `node-2-LOG`."""
    return UNUSUAL.sub("_", "-".join(path.parts))[-LONGEST_NAME:].lstrip(DRAFT) or "file"
