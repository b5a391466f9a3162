"""Writes the folder of a new plugin: complete, like all others, and ready to be changed."""

import re
from importlib.resources import files
from pathlib import Path
from string import Template

NAME = re.compile(r"^[a-z][a-z0-9_]{1,30}$")
PLACES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "init.py": "weighhouse_plugin_{id}/__init__.py",
    "plugin.py": "weighhouse_plugin_{id}/plugin.py",
    "plugin.toml": "weighhouse_plugin_{id}/plugin.toml",
    "test.py": "tests/test_{id}_plugin.py",
}
COLOUR = "#CC79A7"
MARK = "◆"


class SkeletonRefused(Exception):
    """The skeleton cannot be written; the message says why."""


def write_skeleton(plugin: str, plugins: Path, checked_on: str = "1970-01-01") -> Path:
    """Write a plugin for a server that speaks Redis's protocol; its author changes what differs.

    :param plugin: the system's identifier: lower-case letters, digits, underscores.
    :param plugins: the folder that holds the plugins' folders.
    :param checked_on: day of the benchmark clause, to be set when its terms have been read.
    :returns: the new folder.
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
    words = {
        "id": plugin,
        "name": plugin.replace("_", " ").title(),
        "class_name": "".join(part.title() for part in plugin.split("_")),
        "checked_on": checked_on,
        "colour": COLOUR,
        "mark": MARK,
    }
    templates = files(__package__) / "files"
    for name, place in PLACES.items():
        target = folder / place.format(id=plugin)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (templates / f"{name}.template").read_text(encoding="utf-8")
        target.write_text(Template(text).substitute(words), encoding="utf-8")
    (folder / f"weighhouse_plugin_{plugin}" / "py.typed").touch()
    return folder
