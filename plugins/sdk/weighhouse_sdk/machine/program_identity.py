"""Which program a process really is: digests of its executable and of all that it was made of.

What was started may be a link, a script or a name on the search path; what runs is what the kernel
says. Beside the executable that is the libraries it has mapped, and the archives of classes that it
holds open, for of a Java program the executable is Java.
"""

import contextlib
import hashlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path

from weighhouse_protocol.programs import ProgramRan, ProgramRole

from weighhouse_sdk.machine.procfs import PROC

_PARTS = (".so", ".jar")
_GONE = " (deleted)"
_NOTE_BUILD_ID = 3
_PROGRAM_NOTE = 4
_ELF = b"\x7fELF\x02\x01"
"""Of 64 bits, the least byte first."""
_HEADER = struct.Struct("<16xHHIQQQIHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_NOTE = struct.Struct("<III")


def program_of(pid: int, role: ProgramRole) -> ProgramRan | None:
    """The program of a process; None when it is gone, or does not let itself be seen.

    :param role: what it does in the run.
    """
    try:
        name = Path((PROC / str(pid) / "exe").readlink()).name.removesuffix(_GONE)
        executable = PROC / str(pid) / "exe"
        parts = sorted({digest_of(each) for each in _parts(pid)})
        return _identity(role, name, executable, parts)
    except OSError:
        return None


def program_in(file: Path, role: ProgramRole) -> ProgramRan | None:
    """The program of a file that is started again and again; None when it cannot be read."""
    try:
        return _identity(role, file.name, file.resolve(), [])
    except OSError:
        return None


def digest_of(file: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits.

    :raises OSError: when it cannot be read.
    """
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def build_id(file: Path) -> str:
    """The build that an executable's linker noted (`NT_GNU_BUILD_ID` of elf(5)); empty: none.

    :raises OSError: when it cannot be read.
    """
    with file.open("rb") as opened:
        head = opened.read(64)
        if not head.startswith(_ELF):
            return ""
        _, _, _, _, segments_at, _, _, _, size, count = _HEADER.unpack_from(head)
        for place in range(count):
            opened.seek(segments_at + place * size)
            kind, _, at, _, _, length, _, _ = _SEGMENT.unpack(opened.read(_SEGMENT.size))
            if kind == _PROGRAM_NOTE:
                opened.seek(at)
                if found := _build_id_in(opened.read(length)):
                    return found
    return ""


def _build_id_in(notes: bytes) -> str:
    at = 0
    while at + _NOTE.size <= len(notes):
        name_size, size, kind = _NOTE.unpack_from(notes, at)
        begin = at + _NOTE.size + (name_size + 3) // 4 * 4
        if kind == _NOTE_BUILD_ID and notes[at + _NOTE.size :][:4] == b"GNU\0":
            return notes[begin : begin + size].hex()
        at = begin + (size + 3) // 4 * 4
    return ""


def _identity(role: ProgramRole, name: str, executable: Path, parts: list[str]) -> ProgramRan:
    return ProgramRan(
        role=role,
        name=name,
        sha256=digest_of(executable),
        build_id=build_id(executable),
        parts=len(parts),
        parts_sha256=hashlib.sha256("\n".join(parts).encode()).hexdigest() if parts else "",
    )


def _parts(pid: int) -> Iterator[Path]:
    """Files of libraries and archives that a process has mapped or open, by its own root."""
    process = PROC / str(pid)
    found = set()
    for line in (process / "maps").read_text(encoding="utf-8", errors="replace").splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) > 5:  # noqa: PLR2004 - address, rights, offset, device, inode, path
            found.add(fields[5])
    with contextlib.suppress(OSError):
        for held in os.scandir(process / "fd"):
            with contextlib.suppress(OSError):
                found.add(str(Path(held.path).readlink()))
    for path in sorted(found):
        name = Path(path).name
        if path.startswith("/") and any(end in name for end in _PARTS) and _GONE not in path:
            yield process / "root" / path.lstrip("/")
