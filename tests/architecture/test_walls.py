"""Walls: how large a room may be, whose queries are whose, and that no import goes round."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest
from weighhouse_testing.tree import REPOSITORY, text_of, tracked

LARGEST = 5_000
"""Lines of a feature of the backend, or of a room of the agent."""
ROOMS = ("backend/weighhouse_backend/", "agent/weighhouse_agent/")
BACKEND = "weighhouse_backend."
HOUSES = (
    {"identity", "membership", "sign_in"},
    {"runs", "campaigns", "execution"},
    {"measurements", "faults", "files", "results"},
)
"""Features that were one, and share their rows: they read them by the same queries."""


def lines() -> Counter[str]:
    """Room → lines of its source."""
    found: Counter[str] = Counter()
    for name in tracked(".py"):
        for rooms in ROOMS:
            if name.startswith(rooms) and "/" in (inside := name.removeprefix(rooms)):
                found[rooms + inside.split("/")[0]] += text_of(name).count("\n")
    return found


def test_no_room_is_too_large_to_know_by_heart() -> None:
    found = lines()
    assert len(found) > 20
    large = [f"{room}: {count} lines" for room, count in found.items() if count > LARGEST]
    assert not large, "\n".join([*large, f"at most {LARGEST}: divide it, and name the wall"])


def house(feature: str) -> set[str]:
    """The features whose queries a feature may ask."""
    return next((one for one in HOUSES if feature in one), {feature})


def strange(name: str, text: str) -> Iterator[str]:
    """Lines of a module that ask another feature's queries."""
    own = house(name.removeprefix(ROOMS[0]).split("/")[0])
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(BACKEND):
            continue
        _, feature, *rest = (node.module or "").split(".")
        modules = rest or [one.name for one in node.names]
        if feature not in own and any(one.endswith("repository") for one in modules):
            yield f"{name}:{node.lineno}: {node.module}"


def test_a_feature_asks_anothers_service_and_never_its_queries() -> None:
    found = [
        line
        for name in tracked(".py")
        if name.startswith(ROOMS[0])
        for line in strange(name, text_of(name))
    ]
    assert not found, "\n".join([*found, "instead: a method of that feature's service"])


@pytest.mark.parametrize(
    "planted",
    [
        "from weighhouse_backend.series.repository import SeriesRepository",
        "from weighhouse_backend.series import repository",
        "from weighhouse_backend.alerts.alert_repository import AlertRowRepository",
    ],
)
def test_what_goes_around_a_service_is_seen(planted: str) -> None:
    assert list(strange("backend/weighhouse_backend/gates/service.py", planted))


def circles(arrows: Mapping[str, Collection[str]]) -> list[str]:
    """A circle of modules that import each other, if there is one."""
    try:
        tuple(TopologicalSorter(arrows).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    parts = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["root_packages"]
    graph = grimp.build_graph(*parts, cache_dir=None)
    arrows = {one: graph.find_modules_directly_imported_by(one) for one in graph.modules}
    assert len(arrows) > 500
    assert not circles(arrows)


def test_no_file_of_the_pages_imports_itself_by_way_of_others() -> None:
    root = REPOSITORY / "frontend" / "src"
    files = [one for one in root.rglob("*") if one.suffix in {".ts", ".vue"}]
    arrows = {str(one): set(imported(root, one)) for one in files if ".spec." not in one.name}
    assert sum(map(len, arrows.values())) > len(arrows), "imports were found"
    assert not circles(arrows)


def imported(root: Path, file: Path) -> Iterator[str]:
    """Files of the pages that one imports, types too."""
    for name in re.findall(r"from '((?:\.|@/)[^']*)'", file.read_text(encoding="utf-8")):
        path = root / name[2:] if name.startswith("@/") else file.parent / name
        for one in (path, path.with_name(f"{path.name}.ts"), path / "index.ts"):
            if one.is_file():
                yield str(one.resolve())
                break


def test_a_circle_is_seen() -> None:
    assert circles({"one": {"two"}, "two": {"three"}, "three": {"one"}})
    assert not circles({"one": {"two", "three"}, "two": {"three"}, "three": set()})
