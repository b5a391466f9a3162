"""Finds the executables of ours: drivers, and what else is built with them."""

import os
import shutil
import sysconfig
from pathlib import Path

from weighhouse_sdk.errors import BinaryMissing

DRIVERS_VARIABLE = "WEIGHHOUSE_DRIVERS"
"""Environment variable: the directory of the drivers."""


def driver_directories() -> tuple[Path, ...]:
    """Where drivers are looked for before PATH, in this order."""
    named = os.environ.get(DRIVERS_VARIABLE)
    target = os.environ.get("CARGO_TARGET_DIR")
    places = [
        Path(named) if named else None,
        Path(target) / "release" if target else None,
        Path.home() / ".cache" / "weighhouse" / "target" / "release",
        Path(sysconfig.get_path("scripts")),  # where load tools have their programs
    ]
    return tuple(place for place in places if place is not None)


def locate_program(name: str) -> Path:
    """Find an executable of ours, where drivers are.

    :raises BinaryMissing: when it is nowhere.
    """
    path = os.pathsep.join(
        [*(str(place) for place in driver_directories()), os.environ.get("PATH", "")]
    )
    found = shutil.which(name, path=path)
    if found is None:
        raise BinaryMissing(
            name, hint=f"build the drivers (`make install`), or point ${DRIVERS_VARIABLE} at them"
        )
    return Path(found).absolute()
