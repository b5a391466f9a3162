"""The file that a bundle is: a tar (POSIX.1-1988, ustar) of which every byte follows from the names
and contents of its files.

No file has an owner, a time or a mode of its own, nothing is compressed, and nothing lies between
or behind the files. So there is one archive for a list of files, whoever writes it; a reader can
say of each byte what it should be, nothing grows when it is read, and nothing is ever unpacked to a
disk.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

BLOCK = 512
END = bytes(2 * BLOCK)
PIECE_BYTES = 1 << 20
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,5}")
MOST_NAME = 99
MOST_FILE_BYTES = 8**11 - 1
"""What a header can tell: 8 GiB less one byte."""
MOST_FILES = 200_000
FIRST = "experiment.json"
"""The file that every bundle begins with."""


class BundleError(ValueError):
    """A bundle that cannot be read, with where and why."""


class Sink(Protocol):
    """Where bytes go."""

    def write(self, piece: bytes, /) -> int:
        """Take bytes; how many."""
        ...


@dataclass(frozen=True)
class Entry:
    """A file in an archive."""

    name: str
    begin: int
    """Of its content, in bytes from the archive's begin."""
    size: int
    sha256: str


def header(name: str, size: int) -> bytes:
    """The block that stands before a file.

    :raises BundleError: when no file of a bundle may be called so, or be so large.
    """
    if len(name) > MOST_NAME or not NAME.fullmatch(name):
        raise BundleError(f"{name[:MOST_NAME]!r} is no name of a file in a bundle")
    if not 0 <= size <= MOST_FILE_BYTES:
        raise BundleError(f"{name}: a file in a bundle may have {MOST_FILE_BYTES:,} bytes")
    told = [
        name.encode().ljust(100, b"\0"), b"0000644\0", b"0000000\0", b"0000000\0",
        f"{size:011o}\0".encode(), b"00000000000\0", b" " * 8, b"0", bytes(100),
        b"ustar\x0000", bytes(32), bytes(32), b"0000000\0", b"0000000\0", bytes(155), bytes(12),
    ]  # fmt: skip
    block = b"".join(told)
    return block[:148] + f"{sum(block):06o}\0 ".encode() + block[156:]


def padding(size: int) -> bytes:
    """What stands behind a file of a size."""
    return bytes(-size % BLOCK)


def begins_bundle(start: bytes) -> bool:
    """Whether a file is meant to be a bundle.

    :param start: its first bytes, a block or more.
    """
    try:
        name, _ = _told(start[:BLOCK], 0, "")
    except BundleError:
        return False
    return name == FIRST


def entries(file: BinaryIO) -> Iterator[Entry]:
    """The files of an archive in their order, each read once, piece by piece.

    :raises BundleError: at the first byte that no writer of bundles has written; what is behind it
        is not read.
    """
    place, before, count = 0, "", 0
    while True:
        block = file.read(BLOCK)
        if block == bytes(BLOCK):
            if file.read(BLOCK) != bytes(BLOCK) or file.read(1):
                raise BundleError(f"behind {before or 'its begin'} stands what is no part of it")
            return
        count += 1
        if count > MOST_FILES:
            raise BundleError(f"it has more than {MOST_FILES:,} files")
        name, size = _told(block, place, before)
        place += BLOCK
        digest, left = hashlib.sha256(), size
        while left:
            piece = file.read(min(left, PIECE_BYTES))
            if not piece:
                raise BundleError(f"{name}: it ends {left:,} bytes early")
            digest.update(piece)
            left -= len(piece)
        if file.read(-size % BLOCK) != padding(size):
            raise BundleError(f"{name}: behind it stands what is no part of it")
        yield Entry(name, place, size, digest.hexdigest())
        place += size + len(padding(size))
        before = name


def _told(block: bytes, place: int, before: str) -> tuple[str, int]:
    """Name and size that a header tells.

    :raises BundleError: when it is not, byte for byte, what stands before such a file.
    """
    try:
        name, size = block[:100].rstrip(b"\0").decode("ascii"), int(block[124:135], 8)
        if header(name, size) == block:
            return name, size
    except ValueError:
        pass
    behind = f"behind {before}" if before else "at its begin"
    raise BundleError(f"{behind}, at byte {place:,}, there is no header of a file of a bundle")
