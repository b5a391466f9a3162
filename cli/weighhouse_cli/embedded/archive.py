"""The file that a backup is: a tar archive whose last member lists all others with their digests.

```
database.dump      pg_dump's own form
secrets/NAME       the platform's key and its first user; never passwords of its servers
agent/NAME         who the local agent is, and what this machine accepts
artifacts/…        files that attempts left
manifest.json      what this is, of when, of which release; each member's bytes and SHA-256
```
"""

import hashlib
import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from weighhouse_cli.embedded.errors import PlatformError

FORMAT = 1
MANIFEST = "manifest.json"
CHUNK = 1024 * 1024
PRIVATE = 0o600


class Member(BaseModel):
    """One file of an archive."""

    bytes: int
    sha256: str


class BackupManifest(BaseModel):
    """What a backup says of itself."""

    model_config = ConfigDict(extra="ignore")

    format: int
    taken_at: AwareDatetime
    """Figures and settings are as of then; files of runs may be a little newer."""
    version: str
    """Release that took it."""
    migration: str
    """Of the tables: migrations up to this one have been run."""
    roles: list[str]
    """Of the database: privileges are granted to them."""
    members: dict[str, Member] = {}


@dataclass
class ArchiveWriter:
    """Adds members to an archive."""

    tar: tarfile.TarFile
    members: dict[str, Member] = field(default_factory=dict)

    def add(self, path: Path, name: str) -> None:
        """Add a file as it is now."""
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            counted = _Counted(file)
            info = tarfile.TarInfo(name)
            info.size, info.mode = size, PRIVATE
            self.tar.addfile(info, counted)
        self.members[name] = Member(bytes=size, sha256=counted.digest.hexdigest())

    def finish(self, manifest: BackupManifest) -> BackupManifest:
        """Add the manifest, after which nothing comes."""
        whole = manifest.model_copy(update={"members": self.members})
        content = whole.model_dump_json(indent=2).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size, info.mode = len(content), PRIVATE
        self.tar.addfile(info, io.BytesIO(content))
        return whole


class _Counted(io.RawIOBase):
    """A file whose digest is known once it was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.digest = hashlib.sha256()
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        content = self._file.read(size)
        self.digest.update(content)
        return content


@contextmanager
def writing(target: Path) -> Iterator[ArchiveWriter]:
    """Write an archive that is there whole afterwards, or not at all; its owner alone reads it.

    :raises PlatformError: when there is something already, or the folder cannot be written to.
    """
    if target.exists():
        raise PlatformError(f"{target} is there already; name another file, or remove it")
    part = target.with_name(f"{target.name}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    except OSError as error:
        raise PlatformError(f"{part} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT) as tar:
                yield ArchiveWriter(tar)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise PlatformError(f"{target} was not written: {error.strerror}") from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def unpack(source: Path, directory: Path) -> BackupManifest:
    """Unpack an archive into an empty directory, and compare every digest.

    :raises PlatformError: when it is no backup, is damaged, or ends early; say which.
    """
    found: dict[str, Member] = {}
    manifest: BackupManifest | None = None
    try:
        with tarfile.open(source, mode="r|*") as tar:
            for info in tar:
                if not info.isfile() or not _is_ours(info.name):
                    raise PlatformError(
                        f"{source} holds {info.name!r}, which no backup of ours has"
                    )
                content = tar.extractfile(info)
                if content is None:
                    raise PlatformError(f"{source} is damaged at {info.name}")
                if info.name == MANIFEST:
                    manifest = BackupManifest.model_validate_json(content.read())
                else:
                    found[info.name] = _copy(content, directory / info.name)
    except (OSError, EOFError, tarfile.TarError, ValidationError) as error:
        raise PlatformError(f"{source} cannot be read as a backup: {error}") from error
    if manifest is None:
        raise PlatformError(f"{source} ends early, or is no backup: it has no {MANIFEST}")
    if manifest.format > FORMAT:
        raise PlatformError(
            f"{source} was taken by release {manifest.version}, in a form that this one does not "
            "know; restore it with that release or a newer one"
        )
    _compare(source, manifest.members, found)
    return manifest


def _is_ours(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _copy(content: IO[bytes], target: Path) -> Member:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    with os.fdopen(descriptor, "wb") as file:
        while chunk := content.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            file.write(chunk)
    return Member(bytes=size, sha256=digest.hexdigest())


def _compare(source: Path, told: dict[str, Any], found: dict[str, Any]) -> None:
    for name in sorted({*told, *found}):
        if told.get(name) != found.get(name):
            raise PlatformError(f"{source} is damaged: {name} is not what was written")
