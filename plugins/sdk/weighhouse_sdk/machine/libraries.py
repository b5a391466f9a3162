"""Finds the libraries that a program brings along in folders of its own.

Read from the file itself: to load it would run it. Source: System V ABI, chapters 4 and 5 (program
header, dynamic section), https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
"""

import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path

LOAD, DYNAMIC = 1, 2
NEEDED, STRINGS, RPATH, RUNPATH = 1, 5, 15, 29
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
ENTRY = struct.Struct("<qQ")


def brought_along(program: Path) -> tuple[Path, ...]:
    """Libraries in the folders that the program, or LD_LIBRARY_PATH, names; not the system's own.

    Empty for what is not a 64-bit ELF file of this byte order: a script, or what cannot be read.
    """
    try:
        with (
            program.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            needed, folders = _read(data)
    except (OSError, struct.error, ValueError, StopIteration):
        return ()
    origin = str(Path(os.path.realpath(program)).parent)
    places = [
        Path(each.replace("$ORIGIN", origin).replace("${ORIGIN}", origin))
        for each in (*folders, *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))
        if each
    ]
    found = ((place / name for place in places if (place / name).exists()) for name in needed)
    return tuple(path for each in found if (path := next(each, None)) is not None)


def _read(data: mmap.mmap) -> tuple[list[str], list[str]]:
    """Names of libraries, and folders that the program has them looked for in."""
    header = HEADER.unpack_from(data)
    if not header[0].startswith(b"\x7fELF\x02\x01"):
        return [], []
    offset, size, count = header[5], header[9], header[10]
    segments = [SEGMENT.unpack_from(data, offset + each * size) for each in range(count)]
    entries = [entry for each in segments if each[0] == DYNAMIC for entry in _entries(data, each)]
    table = next((value for tag, value in entries if tag == STRINGS), None)
    if table is None:
        return [], []
    begin = next(
        each[2] + table - each[3]
        for each in segments
        if each[0] == LOAD and each[3] <= table < each[3] + each[5]
    )

    def text(at: int) -> str:
        return data[begin + at : data.find(b"\0", begin + at)].decode("utf-8", errors="replace")

    needed = [text(value) for tag, value in entries if tag == NEEDED]
    folders = [
        each for tag, value in entries if tag in (RPATH, RUNPATH) for each in text(value).split(":")
    ]
    return needed, folders


def _entries(data: mmap.mmap, segment: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    for at in range(segment[2], segment[2] + segment[5], ENTRY.size):
        yield ENTRY.unpack_from(data, at)
