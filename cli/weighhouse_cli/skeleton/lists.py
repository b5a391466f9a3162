"""Names a new plugin in the files of the repository that list all plugins."""

import re
from collections.abc import Callable
from pathlib import Path


def enlist(plugin: str, name: str, driver: str, root: Path) -> list[Path]:
    """Add a plugin behind the others: to the root's pyproject.toml (types, floors) and to the table
    of plugins/README.md. Idempotent.

    :param plugin: the system's identifier.
    :param name: the system's name, for the table.
    :param driver: identifier of its driver, for the table.
    :param root: the working copy.
    :returns: the files that were changed; one that is not there, or lists no plugin, is not.
    """
    row = f"| [{plugin}]({plugin}/) | {name} | as a process, or as it is there | `{driver}` |"
    edits: dict[str, Callable[[str], str]] = {
        "pyproject.toml": lambda text: _in_project(text, plugin),
        "plugins/README.md": lambda text: _in_table(text, plugin, row),
    }
    changed = []
    for place, edit in edits.items():
        path = root / place
        if not path.is_file():
            continue
        before = path.read_text(encoding="utf-8")
        after = edit(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            changed.append(path)
    return changed


def _in_project(text: str, plugin: str) -> str:
    package = f"weighhouse_plugin_{plugin}"
    kinds = (
        (r'"plugins/(\w+)/weighhouse_plugin_\1"', f', "plugins/{plugin}/{package}"'),
        (r'"plugins/(?!sdk"|imports")\w+"', f', "plugins/{plugin}"'),
        (r'"weighhouse_plugin_\w+"', f', "{package}"'),
        (r"\| weighhouse_plugin_\w+", f" | {package}"),
    )
    lines = []
    for before in text.splitlines(keepends=True):
        line = before
        for pattern, more in kinds:
            line = _behind_the_last(line, pattern, more)
        lines.append(line)
    return "".join(lines)


def _in_table(text: str, plugin: str, row: str) -> str:
    if f"| [{plugin}]({plugin}/)" in text:
        return text
    rows = list(re.finditer(r"^\| \[\w+\]\(\w+/\) \|.*\n", text, re.MULTILINE))
    if not rows:
        return text
    end = rows[-1].end()
    return f"{text[:end]}{row}\n{text[end:]}"


def _behind_the_last(line: str, pattern: str, more: str) -> str:
    """Put something behind the last match in a line, unless it stands there already."""
    found = list(re.finditer(pattern, line))
    named = {each.group(0).strip(" ,|") for each in found}
    if not found or more.strip(" ,|") in named:
        return line
    end = found[-1].end()
    return line[:end] + more + line[end:]
