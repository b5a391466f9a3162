"""Which systems are on this machine, and where their programs can be started."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from weighhouse_protocol.target import Target
from weighhouse_sdk.context import HostOptions, default_search_path
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.registry import discover

NAMED = "WEIGHHOUSE_"
"""Variables of the environment that name a program's file or folder begin so."""


def systems(only: list[str]) -> dict[str, Plugin]:
    """The plugins of systems that are installed, by identifier.

    :param only: identifiers; empty: all.
    """
    found = {name: each for name, each in discover()[0].items() if isinstance(each, Plugin)}
    return {name: each for name, each in sorted(found.items()) if not only or name in only}


def host_options(plugin: Plugin, work: Path) -> HostOptions:
    """The machine's search path, and the folder of what a variable names.

    :param work: where a program is copied to that its server's user could not reach.
    """
    program = getattr(plugin, "program", "")
    folders = []
    for folder in _named():
        path = folder / program
        if program and path.is_file() and not _open_to_all(path):
            shutil.copy2(path, work / program)
            folder = work  # noqa: PLW2901 - the same program elsewhere
        folders.append(str(folder))
    return HostOptions(search_path=os.pathsep.join([default_search_path(), *folders]))


def why_not_here(plugin: Plugin, options: HostOptions) -> str:
    """What is missing on this machine to start a system; empty: nothing."""
    manifest = plugin.manifest
    target = Target(name="t", system=manifest.id, deployment=manifest.default_deployment)
    try:
        plugin.check_host(target, options)
    except PluginError as error:
        return error.message
    return ""


def _named() -> Iterator[Path]:
    for name, value in sorted(os.environ.items()):
        path = Path(value)
        if name.startswith(NAMED) and path.is_absolute() and path.exists():
            yield path if path.is_dir() else path.parent


def _open_to_all(path: Path) -> bool:
    return all(each.stat().st_mode & 0o001 for each in (path, *path.parents))
