"""What the folder of packages holds, as its `release.json` says: nothing else is ever served."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

RELEASE = "release.json"
MOST_BYTES = 4 << 20
"""A `release.json` that is larger is none."""
MOST_WHEELS = 3000
AGENT, INSTALLER = "weighhouse-agent", "pip"
COMMAND = "weighhouse-cli"
PLUGIN = "weighhouse-plugin-"
FILL = "`make packages DEPENDENCIES=1` fills it"

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+!-]{0,198}\.whl$")]


class NotServed(Exception):
    """No packages can be served; the message says why, and how it is mended."""


class Wheel(BaseModel):
    """One file of a release."""

    model_config = ConfigDict(frozen=True)

    distribution: str = Field(max_length=200)
    version: str = Field(max_length=80)
    name: FileName
    size_bytes: int = Field(ge=0)
    sha256: Digest

    @property
    def project(self) -> str:
        """The distribution's name as an index spells it (PEP 503)."""
        return normalized(self.distribution)


class Release(BaseModel):
    """A `release.json`."""

    model_config = ConfigDict(frozen=True)

    version: str = Field(max_length=80)
    wheels: tuple[Wheel, ...] = Field(max_length=MOST_WHEELS)
    """Ours."""
    dependencies: tuple[Wheel, ...] = Field(default=(), max_length=MOST_WHEELS)
    """What others wrote, for each Python that an agent may have."""
    systems: tuple[str, ...] = Field(default=(), max_length=200)
    """Plugins that an agent gets unless it is told otherwise."""

    @property
    def files(self) -> tuple[Wheel, ...]:
        """All that is served."""
        return (*self.wheels, *self.dependencies)

    def projects(self) -> Mapping[str, Sequence[Wheel]]:
        """Project, as an index spells it → its files."""
        found: dict[str, list[Wheel]] = {}
        for wheel in self.files:
            found.setdefault(wheel.project, []).append(wheel)
        return dict(sorted(found.items()))

    def plugins(self) -> list[str]:
        """Identifiers of the plugins that there are."""
        names = {wheel.project for wheel in self.wheels}
        return sorted(name.removeprefix(PLUGIN) for name in names if name.startswith(PLUGIN))

    def one_of(self, project: str) -> Wheel | None:
        """A file of a project; None: there is none."""
        return next((wheel for wheel in self.files if wheel.project == project), None)


@dataclass(frozen=True, slots=True)
class Packages:
    """The folder that `packages_dir` names.

    :param folder: None: the setting is not given.
    :param wanted: the version that it has to hold: the platform's own.
    """

    folder: Path | None
    wanted: str

    def release(self) -> Release:
        """What is served.

        :raises NotServed: when it is not all there, or of another version.
        """
        if self.folder is None:
            raise NotServed(
                "WEIGHHOUSE_PACKAGES_DIR names no folder with this version's packages; "
                f"give it one, and {FILL}"
            )
        try:
            told = (self.folder / RELEASE).stat()
            release = _read(self.folder / RELEASE, told.st_mtime_ns, told.st_size)
        except FileNotFoundError as error:
            raise NotServed(f"the folder of packages has no {RELEASE}; {FILL}") from error
        except (OSError, ValueError) as error:
            raise NotServed(f"its {RELEASE} cannot be read; {FILL} anew") from error
        if release.version != self.wanted:
            raise NotServed(
                f"its folder holds version {release.version}, and the platform is {self.wanted}; "
                f"{FILL} anew"
            )
        projects = release.projects()
        for needed in (AGENT, COMMAND, INSTALLER):
            if needed not in projects:
                raise NotServed(f"the folder of packages has no {needed}; {FILL}")
        missing = [one.name for one in release.files if not _is_there(self.folder, one)]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise NotServed(
                f"the folder of packages lacks {missing[0]}{more}, which its {RELEASE} names; "
                f"{FILL} anew"
            )
        return release

    def trouble(self) -> str | None:
        """Why nothing is served; None: it is."""
        try:
            self.release()
        except NotServed as error:
            return str(error)
        return None

    def file(self, sha256: str, name: str) -> Path | None:
        """A file of the release, by digest and name as they stand there; None: it has no such."""
        if self.folder is None:
            return None
        for wheel in self.release().files:
            if (wheel.sha256, wheel.name) == (sha256, name):
                return self.folder / wheel.name
        return None


def own_version() -> str:
    """This platform's."""
    return version("weighhouse-backend")


def packages_of(folder: Path | None) -> Packages:
    """What this platform serves.

    :param folder: as the setting says.
    """
    return Packages(folder, own_version())


def normalized(name: str) -> str:
    """A project's name as an index spells it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_there(folder: Path, wheel: Wheel) -> bool:
    try:
        return os.stat(folder / wheel.name).st_size == wheel.size_bytes  # noqa: PTH116 - hundreds
    except OSError:
        return False


@lru_cache(maxsize=8)
def _read(path: Path, _changed_ns: int, size_bytes: int) -> Release:
    """:raises ValueError: when it is no such document."""
    if size_bytes > MOST_BYTES:
        raise ValueError("too large")
    try:
        return Release.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise ValueError("no release") from error
