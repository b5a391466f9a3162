"""Finds the libraries that a program brings along in folders of its own.

Read from the file itself: to load it would run it. Source: System V ABI, chapters 4 and 5 (program
header, dynamic section), https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
"""

import mmap
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

LOAD, DYNAMIC = 1, 2
NEEDED, STRINGS, RPATH, RUNPATH = 1, 5, 15, 29
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
ENTRY = struct.Struct("<qQ")
SYSTEM = ("/lib*", "/usr/lib*", "/lib/*-linux-*", "/usr/lib/*-linux-*")
ASK_SECONDS = 10.0


def brought_along(program: Path) -> dict[str, tuple[Path, ...]]:
    """Libraries in the folders that the program, or LD_LIBRARY_PATH, names; not the system's own.

    Name → where it lies, in the loader's order, which goes on past one that it cannot open. Empty
    for what is not a 64-bit ELF file of this byte order: a script, or what cannot be read.
    """
    try:
        with (
            program.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            needed, first, last = _read(data)
    except (OSError, struct.error, ValueError, StopIteration):
        return {}
    origin = str(Path(os.path.realpath(program)).parent)
    places = [
        Path(each.replace("$ORIGIN", origin).replace("${ORIGIN}", origin))
        for each in (*first, *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep), *last)
        if each
    ]
    found = {name: tuple(each / name for each in places if _is_there(each / name))
             for name in needed}  # fmt: skip
    return {name: paths for name, paths in found.items() if paths}


def is_of_the_system(name: str) -> bool:
    """Whether the loader finds a library without being told a folder."""
    if any(_is_there(each / name) for pattern in SYSTEM for each in Path("/").glob(pattern[1:])):
        return True
    environment = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
    try:
        told = subprocess.run(
            ["ldconfig", "-p"], env=environment, capture_output=True, text=True, check=True,
            timeout=ASK_SECONDS,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return False
    return name in {line.split()[0] for line in told.splitlines() if line.startswith("\t")}


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _read(data: mmap.mmap) -> tuple[list[str], list[str], list[str]]:
    """Names of libraries, and folders that the program has them looked for in: before those of
    LD_LIBRARY_PATH, and after.
    """
    header = HEADER.unpack_from(data)
    if not header[0].startswith(b"\x7fELF\x02\x01"):
        return [], [], []
    offset, size, count = header[5], header[9], header[10]
    segments = [SEGMENT.unpack_from(data, offset + each * size) for each in range(count)]
    entries = [entry for each in segments if each[0] == DYNAMIC for entry in _entries(data, each)]
    table = next((value for tag, value in entries if tag == STRINGS), None)
    if table is None:
        return [], [], []
    begin = next(
        each[2] + table - each[3]
        for each in segments
        if each[0] == LOAD and each[3] <= table < each[3] + each[5]
    )

    def text(at: int) -> str:
        return data[begin + at : data.find(b"\0", begin + at)].decode("utf-8", errors="replace")

    needed = [text(value) for tag, value in entries if tag == NEEDED]
    first, last = (
        [each for tag, value in entries if tag == wanted for each in text(value).split(":")]
        for wanted in (RPATH, RUNPATH)
    )
    # Who has the later kind is not looked for by the earlier one.
    return needed, [] if last else first, last


def _entries(data: mmap.mmap, segment: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    for at in range(segment[2], segment[2] + segment[5], ENTRY.size):
        yield ENTRY.unpack_from(data, at)
