"""Writes a plugin as a project of its own, outside of the repository."""

import re
from pathlib import Path

from weighhouse_sdk.registry import discover, entry_of, installed_ids
from weighhouse_sdk.wheels.driver_sources import LOCK

from weighhouse_cli.skeleton import (
    DRIVER_PLACES,
    PLACES,
    TEMPLATES,
    DriverChoice,
    SkeletonRefused,
    check_name,
    fill,
    look_beside,
    words_of,
)

PROJECT_PLACES = {
    **{name: place for name, place in PLACES.items() if place != "pyproject.toml"},
    "project/pyproject.toml": "pyproject.toml",
    "project/gitignore": ".gitignore",
    "project/Makefile": "Makefile",
    "project/ci.yml": ".github/workflows/ci.yml",
    "project/CONTRIBUTING.md": "CONTRIBUTING.md",
}
CRATE_PLACES = {
    **{name: place for name, place in DRIVER_PLACES.items() if place != "driver/Cargo.toml"},
    "project/Cargo.toml": "driver/Cargo.toml",
    "project/rustfmt.toml": "driver/rustfmt.toml",
    "project/hatch_build.py": "hatch_build.py",
}
HOOK = "\n[tool.hatch.build.targets.wheel.hooks.custom]\n"
HARMLESS = frozenset({".git"})
"""What may be in a folder that is empty for its owner."""
VERSION = re.compile(r'^version = "(\d+\.\d+)', re.MULTILINE)


def write_project(
    plugin: str, folder: Path, checked_on: str, driver: DriverChoice, sources: Path | None
) -> None:
    """Write a project that builds, tests and packages itself. It runs `redis-server`, and passes
    its tests, until its author changes it.

    :param plugin: the system's identifier: lower-case letters, digits, underscores.
    :param folder: where; it is empty, or is not there yet.
    :param checked_on: day of the benchmark clause, to be set when its terms have been read.
    :param driver: `own` adds `driver/`, a crate over `ClientDriver`.
    :param sources: of the load engine, with `Cargo.toml` and `Cargo.lock`; for a driver of its own.
    :raises SkeletonRefused: when the name will not do or is a system's that is known, or when there
        is something in the folder; nothing is written then.
    """
    check_name(plugin)
    if plugin in installed_ids():
        brought = entry_of(plugin).dist
        by = f" by {brought.name} {brought.version}" if brought is not None else ""
        raise SkeletonRefused(
            f"`{plugin}` is a system that exists: its plugin is brought here{by}. Choose another "
            "name, or change that plugin"
        )
    there = sorted(each.name for each in folder.glob("*") if each.name not in HARMLESS)
    if there or (folder.exists() and not folder.is_dir()):
        shown = ", ".join(there[:3]) + (" and others" if there[3:] else "")
        raise SkeletonRefused(
            f"{folder.absolute()} is not empty: {shown or 'it is no folder'}. Call it in an empty "
            "folder, or name one by --folder"
        )
    manifests = [each.manifest for each in discover()[0].values()]
    look = look_beside(text for one in manifests for text in (one.colour, one.mark))
    own = driver == "own"
    needs = '"weighhouse-sdk"' if own else '"weighhouse-sdk", "weighhouse-driver-resp"'
    words = words_of(plugin, checked_on, driver, look) | {
        "api": (TEMPLATES / "api.toml").read_text(encoding="utf-8"),
        "needs": needs,
        "dev_needs": ', "weighhouse-driver-sources"' if own else "",
        "hook": HOOK if own else "",
    }
    places = PROJECT_PLACES | (CRATE_PLACES if own else {})
    if own:
        if sources is None:
            raise SkeletonRefused(
                "the package weighhouse-driver-sources, of which drivers are built, is not "
                "installed: `make packages` makes it"
            )
        found = VERSION.search((sources / "Cargo.toml").read_text(encoding="utf-8"))
        words["engine_version"] = found.group(1) if found else "*"
    fill(folder, plugin, places, words)
    if own and sources is not None:
        lock = (sources / LOCK).read_text(encoding="utf-8")
        (folder / "driver" / LOCK).write_text(lock, encoding="utf-8")
