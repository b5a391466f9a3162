"""Writes the folder of a new plugin: complete, like all others, and ready to be changed."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal

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
    if not NAME.match(plugin):
        raise SkeletonRefused(
            f"`{plugin}` cannot be a plugin's name: lower-case letters, digits and underscores, "
            "beginning with a letter"
        )
    folder = plugins / plugin
    if folder.exists():
        raise SkeletonRefused(f"{folder} is there already")
    colour, mark = free_look(plugins)
    own = driver == "own"
    words = {
        "id": plugin,
        "name": plugin.replace("_", " ").title(),
        "class_name": "".join(part.title() for part in plugin.split("_")),
        "checked_on": checked_on,
        "colour": colour,
        "mark": mark,
        "driver": plugin if own else "resp",
        "kinds": '["tcp"]' if own else '["tcp", "tls", "unix"]',
        "features": "[]" if own else '["ttl", "varied_ttl", "multi_get"]',
    }
    templates = files(__package__) / "files"
    for word, name in (("driver_options", "options"), ("reads", "reads")):
        words[word] = (templates / f"{name}-{driver}.toml").read_text(encoding="utf-8")
    for name, place in (PLACES | (DRIVER_PLACES if own else {})).items():
        target = folder / place.format(id=plugin)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (templates / f"{name}.template").read_text(encoding="utf-8")
        target.write_text(Template(text).substitute(words), encoding="utf-8")
    (folder / f"weighhouse_plugin_{plugin}" / "py.typed").touch()
    return folder


def free_look(plugins: Path) -> tuple[str, str]:
    """The first colour and the first mark that no plugin has.

    :raises SkeletonRefused: when all of `COLOURS` or `MARKS` are taken.
    """
    manifests = [
        tomllib.loads(path.read_text(encoding="utf-8"))
        for path in plugins.glob("*/weighhouse_plugin_*/plugin.toml")
    ]
    taken = {str(each.get(key, "")).upper() for each in manifests for key in ("colour", "mark")}
    colour = next((each for each in COLOURS if each.upper() not in taken), None)
    mark = next((each for each in MARKS if each.upper() not in taken), None)
    if colour is None or mark is None:
        raise SkeletonRefused("every colour or mark in the list is taken: COLOURS, MARKS")
    return colour, mark
