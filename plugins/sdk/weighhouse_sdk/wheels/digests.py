"""The digest of a plugin: the same of its wheel as of what an installer made of it.

SHA-256 over a line for each file, `SHA256  PATH`, sorted by path. What installers write or change
is left out (compiled files, RECORD, the scripts of entry points), and so is of the metadata all but
what decides: `METADATA` and `entry_points.txt`.
"""

import hashlib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from weighhouse_sdk.machine.program_identity import digest_of

METADATA = ".dist-info"
DECIDING = frozenset({"METADATA", "entry_points.txt"})
DRIVERS = "weighhouse_drivers"
"""The folder of drivers in a wheel, and where it is installed."""


class Contents(NamedTuple):
    """What is installed of a plugin."""

    digest: str
    files: int


def counts(path: str) -> bool:
    """Whether a file of a wheel is in its digest."""
    place = PurePosixPath(path)
    if place.suffix == ".pyc" or place.parts[:1] == ("..",):
        return False
    return not place.parts[0].endswith(METADATA) or place.name in DECIDING


def digest_of_files(files: Iterable[tuple[str, str]]) -> Contents:
    """The digest of files.

    :param files: path in the wheel, SHA-256 of what it holds; those that do not count are left out.
    """
    kept = sorted(each for each in files if counts(each[0]))
    text = "".join(f"{digest}  {path}\n" for path, digest in kept)
    return Contents(hashlib.sha256(text.encode()).hexdigest(), len(kept))


def digest_installed(distribution: Distribution, package: Path) -> Contents:
    """The digest of a plugin as it lies on this machine: of what was installed, as it is now, and
    of whatever else is in the folder that would be imported.

    :param package: that folder.
    :raises OSError: when a file that was installed is gone, or cannot be read.
    """
    found = {
        str(file): digest_of(Path(str(distribution.locate_file(file))))
        for file in distribution.files or ()
        if counts(str(file))
    }
    return digest_of_files((found | dict(_in_folder(package))).items())


def digest_in_place(package: Path) -> Contents:
    """The digest of a plugin that is installed in place: of its package alone.

    :raises OSError: when a file cannot be read.
    """
    return digest_of_files(_in_folder(package))


def drivers_of(distribution: Distribution) -> dict[str, Path]:
    """Drivers that a distribution brought: name of the executable → where it lies."""
    return {
        file.name: Path(str(distribution.locate_file(file)))
        for file in distribution.files or ()
        if file.parts[0] == DRIVERS
    }


def _in_folder(package: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{package.name}/{path.relative_to(package)}", digest_of(path)
