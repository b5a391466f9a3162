"""The operating system's page cache: what of some files is in it, and how it is emptied."""

import ctypes
import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DROP = Path("/proc/sys/vm/drop_caches")
"""`3` empties the page cache, and what is known of names and files, of the whole machine
(Documentation/admin-guide/sysctl/vm.rst)."""
PIECE = 1 << 30
"""Bytes of a file that are looked at at once."""
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Cached:
    """How much of some files is in the page cache."""

    files: int
    bytes: int
    """Of all of them."""
    cached_bytes: int


def written(directory: Path) -> Iterator[Path]:
    """Regular files below a directory that have anything in them, links not followed."""
    for folder, _, names in os.walk(directory):
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink() and path.stat().st_size:
                yield path


def cached(directory: Path) -> Cached:
    """What of the files below a directory is in the page cache, by `mincore`.

    :raises OSError: when a file cannot be read.
    """
    files = size = there = 0
    for path in written(directory):
        try:
            with path.open("rb") as file:
                length = os.fstat(file.fileno()).st_size
                found = sum(_resident(file.fileno(), start, min(PIECE, length - start))
                            for start in range(0, length, PIECE))  # fmt: skip
        except FileNotFoundError:
            continue  # A system that runs removes files of its own.
        files, size, there = files + 1, size + length, there + min(length, found)
    return Cached(files, size, there)


def drop_files(directory: Path) -> None:
    """Write the files below a directory to disk, and let the system forget their pages
    (`posix_fadvise`, POSIX_FADV_DONTNEED). Pages that a process has mapped stay.

    :raises OSError: when a file cannot be read or written back.
    """
    for path in written(directory):
        try:
            file = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue
        try:
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(file)


def drop_all() -> None:
    """Write all files to disk, and empty the page cache of the whole machine; takes root.

    :raises OSError: when this process may not, or the system is one that nobody may.
    """
    os.sync()
    DROP.write_text("3\n")


def _resident(file: int, start: int, length: int) -> int:
    """Bytes of a part of a file that are in memory."""
    page = mmap.PAGESIZE
    # Copied on writing, of which there is none: readable alone, ctypes does not take it.
    with mmap.mmap(file, length, access=mmap.ACCESS_COPY, offset=start) as mapped:
        pages = -(-length // page)
        told = (ctypes.c_ubyte * pages)()
        at = ctypes.c_char.from_buffer(mapped)
        try:
            answer = _LIBC.mincore(
                ctypes.c_void_p(ctypes.addressof(at)), ctypes.c_size_t(length), told
            )
        finally:
            del at
        if answer:
            raise OSError(ctypes.get_errno(), "mincore")
        return sum(each & 1 for each in told) * page
