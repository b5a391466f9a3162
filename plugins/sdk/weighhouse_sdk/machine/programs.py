"""Finds the executables of ours: drivers, and what else is built with them."""

import os
import shutil
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from weighhouse_sdk.errors import BinaryMissing

DRIVERS_VARIABLE = "WEIGHHOUSE_DRIVERS"
"""Environment variable: the directory of the drivers."""
PACKAGE = "weighhouse_drivers"
"""Wheels put drivers into this folder, each into the same: it is no package of its own."""


def driver_directories() -> tuple[Path, ...]:
    """Where drivers are looked for before PATH, in this order."""
    named = os.environ.get(DRIVERS_VARIABLE)
    target = os.environ.get("CARGO_TARGET_DIR")
    places = [
        Path(named) if named else None,
        Path(target) / "release" if target else None,
        *_of_wheels(),
        Path.home() / ".cache" / "weighhouse" / "target" / "release",
        Path(sysconfig.get_path("scripts")),  # where load tools have their programs
    ]
    return tuple(place for place in places if place is not None)


def _of_wheels() -> tuple[Path, ...]:
    spec = find_spec(PACKAGE)
    return tuple(Path(place) for place in spec.submodule_search_locations or ()) if spec else ()


def locate_program(name: str, made_by: str = "make install") -> Path:
    """Find an executable of ours, where drivers are.

    :param made_by: the command that builds it, for the hint.
    :raises BinaryMissing: when it is nowhere.
    """
    path = os.pathsep.join(
        [*(str(place) for place in driver_directories()), os.environ.get("PATH", "")]
    )
    found = shutil.which(name, path=path)
    if found is None:
        raise BinaryMissing(
            name,
            hint=f"the package {name} brings it; in a clone, `{made_by}` builds it; or point "
            f"${DRIVERS_VARIABLE} at its directory",
        )
    return Path(found).absolute()
