"""Writes the folder of a new plugin: complete, like all others, and ready to be changed."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal

TEMPLATES = files(__package__) / "files"
NAME = re.compile(r"^[a-z][a-z0-9_]{1,30}\Z")
PLACES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "init.py": "weighhouse_plugin_{id}/__init__.py",
    "plugin.py": "weighhouse_plugin_{id}/plugin.py",
    "plugin.toml": "weighhouse_plugin_{id}/plugin.toml",
    "test.py": "tests/test_{id}_plugin.py",
}
DRIVER_PLACES = {
    "driver/Cargo.toml": "driver/Cargo.toml",
    "driver/main.rs": "driver/src/main.rs",
    "driver/lib.rs": "driver/src/lib.rs",
    "driver/client.rs": "driver/src/client.rs",
    "driver/test.rs": "driver/tests/{id}.rs",
}
COLOURS = (
    "#A0522D", "#4682B4", "#2E8B57", "#9932CC", "#708090", "#DC143C", "#008B8B", "#B5651D",
    "#6A5ACD", "#556B2F", "#C71585", "#5F9EA0",
)  # fmt: skip
MARKS = ("◇", "○", "□", "△", "▽", "☆", "⬡", "⬠", "◒", "◓", "✦", "✱")

DriverChoice = Literal["resp", "own"]
"""Which driver makes the load: the one of Redis' protocol, or a crate of the plugin's own."""


class SkeletonRefused(Exception):
    """The skeleton cannot be written; the message says why."""


def write_skeleton(
    plugin: str,
    plugins: Path,
    checked_on: str = "1970-01-01",
    driver: DriverChoice = "resp",
) -> Path:
    """Write a plugin that runs `redis-server`, and passes its tests, until its author changes it.

    :param plugin: the system's identifier: lower-case letters, digits, underscores.
    :param plugins: the folder that holds the plugins' folders.
    :param checked_on: day of the benchmark clause, to be set when its terms have been read.
    :param driver: `own` adds `driver/`, a crate over `ClientDriver`.
    :returns: the new folder; colour and mark are ones that no other plugin in there has.
    :raises SkeletonRefused: when the name will not do, or the folder is there.
    """
    check_name(plugin)
    folder = plugins / plugin
    if folder.exists():
        raise SkeletonRefused(f"{folder} is there already")
    words = words_of(plugin, checked_on, driver, free_look(plugins))
    fill(folder, plugin, PLACES | (DRIVER_PLACES if driver == "own" else {}), words)
    return folder


def check_name(plugin: str) -> None:
    """:raises SkeletonRefused: when it cannot be a plugin's identifier."""
    if not NAME.match(plugin):
        raise SkeletonRefused(
            f"`{plugin}` cannot be a plugin's name: lower-case letters, digits and underscores, "
            "beginning with a letter"
        )


def words_of(
    plugin: str, checked_on: str, driver: DriverChoice, look: tuple[str, str]
) -> dict[str, str]:
    """What the templates are filled in with.

    :param look: colour and mark.
    """
    own = driver == "own"
    words = {
        "id": plugin,
        "name": plugin.replace("_", " ").title(),
        "class_name": "".join(part.title() for part in plugin.split("_")),
        "checked_on": checked_on,
        "colour": look[0],
        "mark": look[1],
        "driver": plugin if own else "resp",
        "kinds": '["tcp"]' if own else '["tcp", "tls", "unix"]',
        "features": "[]" if own else '["ttl", "varied_ttl", "multi_get"]',
        "api": "",
    }
    for word, name in (("driver_options", "options"), ("reads", "reads")):
        words[word] = (TEMPLATES / f"{name}-{driver}.toml").read_text(encoding="utf-8")
    return words


def fill(folder: Path, plugin: str, places: Mapping[str, str], words: Mapping[str, str]) -> None:
    """Write templates into a folder, filled in.

    :param places: template → where it goes.
    """
    for name, place in places.items():
        target = folder / place.format(id=plugin)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (TEMPLATES / f"{name}.template").read_text(encoding="utf-8")
        target.write_text(Template(text).substitute(words), encoding="utf-8")
    (folder / f"weighhouse_plugin_{plugin}" / "py.typed").touch()


def free_look(plugins: Path) -> tuple[str, str]:
    """The first colour and the first mark that no plugin has.

    :raises SkeletonRefused: when all of `COLOURS` or `MARKS` are taken.
    """
    manifests = [
        tomllib.loads(path.read_text(encoding="utf-8"))
        for path in plugins.glob("*/weighhouse_plugin_*/plugin.toml")
    ]
    return look_beside({str(each.get(key, "")) for each in manifests for key in ("colour", "mark")})


def look_beside(taken: Iterable[str]) -> tuple[str, str]:
    """The first colour and the first mark that are not taken.

    :raises SkeletonRefused: when all of `COLOURS` or `MARKS` are.
    """
    known = {each.upper() for each in taken}
    colour = next((each for each in COLOURS if each.upper() not in known), None)
    mark = next((each for each in MARKS if each.upper() not in known), None)
    if colour is None or mark is None:
        raise SkeletonRefused("every colour or mark in the list is taken: COLOURS, MARKS")
    return colour, mark
