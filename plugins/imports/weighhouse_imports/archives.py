"""Files, folders and archives as files that are offered. Nothing of an archive is written to where
its names say: a member is copied to a nameless file, and no further than what an archive may hold.
"""

import gzip
import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Self, cast

from weighhouse_protocol.bundles.archive import BLOCK, begins_bundle
from weighhouse_protocol.bundles.manifest import ENVELOPE
from weighhouse_protocol.published.figures import ImportNote

from weighhouse_imports.opened import CHUNK_BYTES, ImportFile
from weighhouse_imports.refusals import Refused

MOST_FILES = 2_000
MOST_UNPACKED_BYTES = 1 << 30
"""Of all archives together."""
MOST_RATIO = 250
"""How many bytes may come of one, beyond the first `FREE_BYTES`."""
FREE_BYTES = 16 << 20
KEPT_IN_MEMORY = 1 << 20
BROKEN = (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError,
          ValueError, RuntimeError)  # fmt: skip
"""What Python's libraries raise over broken archives. RuntimeError: a ZIP that asks for a password,
and, as its subclass NotImplementedError, one that was packed by a method that they do not know."""


@dataclass
class Offered:
    """What was found, and what was not taken of it."""

    files: list[ImportFile] = field(default_factory=list)
    refused: list[ImportNote] = field(default_factory=list)
    _unpacked: int = 0

    def add(self, path: Path) -> None:
        """A file, a folder with all below it, or an archive (zip, tar, gzip).

        :raises Refused: when there are too many.
        """
        if path.is_dir():
            for each in sorted(path.rglob("*")):
                if each.is_file() and not each.is_symlink() and not each.name.startswith("."):
                    self._add_file(each, str(each.relative_to(path.parent)))
        else:
            self._add_file(path, path.name)

    def _add_file(self, path: Path, name: str) -> None:
        try:
            size = path.stat().st_size
            with path.open("rb") as stream:
                start = stream.read(512)
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
            self.refused.append(Refused(reason, name).note())
            return
        self.add_stream(name, size, lambda: path.open("rb"), start)

    def add_stream(
        self, name: str, size: int, opened: Callable[[], BinaryIO], start: bytes
    ) -> None:
        """One file, which may be an archive.

        :param start: its first bytes.
        :raises Refused: when there are too many.
        """
        members = _members_of(start)
        if members is None:
            self._take(ImportFile(name, size, opened))
            return
        before = len(self.files)
        try:
            with opened() as stream:
                for member, source in members(stream, name):
                    self._require_no_bundle(member, name, before)
                    self._unpack(f"{name}!{member}", source, size)
        except Refused as refused:
            self.refused.append(refused.note())
        except BROKEN as error:
            reason = f"the archive cannot be read: {error or type(error).__name__}"
            self.refused.append(Refused(reason, name).note())

    def _require_no_bundle(self, member: str, name: str, before: int) -> None:
        """A bundle in another tar leaves nothing: nobody could check what would be taken of it."""
        if PurePosixPath(member).name == ENVELOPE:
            del self.files[before:]
            raise Refused("is a bundle that was packed anew; give the file as it was signed", name)

    def _unpack(self, name: str, source: IO[bytes], packed: int) -> None:
        if _unsafe(name.partition("!")[2]):
            reason = "its name leads out of the archive, so it is left where it is"
            self.refused.append(Refused(reason, name).note())
            return
        # Open as long as the file may be read again; it has no name, and ends with the process.
        kept = tempfile.SpooledTemporaryFile(max_size=KEPT_IN_MEMORY)  # noqa: SIM115
        size = 0
        while chunk := source.read(CHUNK_BYTES):
            size += len(chunk)
            self._unpacked += len(chunk)
            if self._unpacked > min(MOST_UNPACKED_BYTES, FREE_BYTES + MOST_RATIO * packed):
                kept.close()
                reason = (
                    f"unpacks to more than {self._unpacked - len(chunk):,} bytes from {packed:,}; "
                    "unpack it yourself, and give the files that are meant"
                )
                raise Refused(reason, name)
            kept.write(chunk)
        self._take(ImportFile(name, size, lambda: cast("BinaryIO", _Again(kept))))

    def _take(self, file: ImportFile) -> None:
        if len(self.files) >= MOST_FILES:
            raise Refused(f"more than {MOST_FILES:,} files; give fewer", file.name)
        self.files.append(file)


class _Again:
    """A file without a name, from its beginning; closing it keeps it."""

    def __init__(self, kept: "tempfile.SpooledTemporaryFile[bytes]") -> None:
        self._kept = kept
        kept.seek(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """It stays."""

    def __getattr__(self, name: str) -> object:
        return getattr(self._kept, name)


Members = Callable[[BinaryIO, str], Iterator[tuple[str, IO[bytes]]]]
TAR_MAGIC = slice(257, 262)


def _members_of(start: bytes) -> Members | None:
    if begins_bundle(start):
        return None
    if start.startswith(b"PK\x03\x04"):
        return _zip_members
    if start[TAR_MAGIC] == b"ustar":
        return _tar_members
    if start.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")):
        return _packed_members
    return None


def _zip_members(stream: BinaryIO, _name: str) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(stream) as archive:
        _few(len(archive.filelist), _name)
        for info in archive.infolist():
            mode = info.external_attr >> 16
            if info.is_dir() or (mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode)):
                continue
            with archive.open(info) as source:
                yield info.filename, source


def _tar_members(stream: BinaryIO, name: str) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(fileobj=stream, mode="r|*") as archive:
        for number, info in enumerate(archive):
            _few(number, name)
            source = archive.extractfile(info) if info.isreg() else None
            if source is not None:
                yield info.name, source


def _packed_members(stream: BinaryIO, name: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Of a tar archive that is packed as a whole, or the one file that is."""
    if _holds_files(stream):
        yield from _tar_members(stream, name)
        return
    with gzip.GzipFile(fileobj=stream) as source:
        yield PurePosixPath(name).stem or "file", cast("IO[bytes]", source)


def _holds_files(stream: BinaryIO) -> bool:
    """Whether what is packed is an archive of files; a bundle, which is a tar, is one file."""
    found = True
    try:
        with tarfile.open(fileobj=stream, mode="r:*"):
            pass
    except tarfile.ReadError:
        found = False
    stream.seek(0)
    if found:
        try:
            with gzip.GzipFile(fileobj=stream) as source:
                found = not begins_bundle(source.read(BLOCK))
        except gzip.BadGzipFile:
            pass  # Packed by bzip2 or xz.
        stream.seek(0)
    return found


def _few(number: int, name: str) -> None:
    if number > MOST_FILES:
        raise Refused(f"holds more than {MOST_FILES:,} files; give fewer", name)


def _unsafe(member: str) -> bool:
    parts = member.replace("\\", "/").split("/")
    return member.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]


def offered(paths: Sequence[Path]) -> Offered:
    """Every file of paths, folders and archives.

    :raises Refused: when there are too many.
    """
    found = Offered()
    for path in paths:
        found.add(path)
    return found
