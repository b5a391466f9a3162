"""Who imports what: our packages by grimp's graph, tests by their own import lines."""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath

import grimp
from weighhouse_testing.tree import REPOSITORY, text_of, tracked

PACKAGE = re.compile(r"(?:^|/)(weighhouse_[a-z_]+)/")


def is_test(name: str) -> bool:
    """Whether pytest collects a file."""
    path = PurePosixPath(name)
    return path.suffix == ".py" and path.name.startswith("test_") and "tests" in path.parts


def module_of(name: str) -> str:
    """The module that a file of a package is: `weighhouse_judging.rules`. A file of another kind
    counts as the package that it lies in; empty: it lies in none.
    """
    found = PACKAGE.search(name)
    if found is None:
        return ""
    parts = PurePosixPath(name[found.start(1) :]).with_suffix("").parts
    if not name.endswith(".py"):
        parts = parts[:-1]
    return ".".join(part for part in parts if part != "__init__")


def imported(name: str) -> Iterator[str]:
    """Modules that a file imports, each as it may be meant: `a.b` and `a.b.c` of
    `from a.b import c`. What is relative is told as the module that it would be from the root.
    """
    folder = PurePosixPath(name).parent.parts
    for node in ast.walk(ast.parse(text_of(name))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = folder[: len(folder) - node.level + 1] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


class Imports:
    """The graph; nodes are files."""

    def __init__(self, cache: Path) -> None:
        """:param cache: a folder where grimp keeps what it has read."""
        self._cache = cache
        self._files = tracked(".py")
        self._tests = [name for name in self._files if "tests" in PurePosixPath(name).parts]

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        """File → files that import it, directly."""
        settings = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]
        graph = grimp.build_graph(*settings["root_packages"], cache_dir=str(self._cache))
        by_module = {module_of(name): name for name in self._files if module_of(name)}
        found: dict[str, set[str]] = defaultdict(set)
        for module, name in by_module.items():
            if module in graph.modules:
                for other in graph.find_modules_that_directly_import(module):
                    if other in by_module:
                        found[name].add(by_module[other])
        known = by_module | {self._as_module(name): name for name in self._tests}
        for name in self._tests:
            for module in imported(name):
                if module in known:
                    found[known[module]].add(name)
            for folder in PurePosixPath(name).parents:
                conftest = f"{folder}/conftest.py"
                if conftest != name and (REPOSITORY / conftest).exists():
                    found[conftest].add(name)
        return found

    def _as_module(self, name: str) -> str:
        """How tests name each other: from the root, or from `tests/`, which is on the path."""
        parts = PurePosixPath(name).with_suffix("").parts
        if parts[0] == "tests" and parts[1] in {"weighhouse_testing", "suites", "api_fuzz", "chaos",
                                                "supply", "upgrade", "bench_knees",
                                                "bench_tenants"}:  # fmt: skip
            parts = parts[1:]
        return ".".join(part for part in parts if part != "__init__")

    def distances(self, changed: Iterable[str]) -> dict[str, int]:
        """Tests that a change may break → by how many imports they are away from it.

        :param changed: files.
        """
        nearest = dict.fromkeys(changed, 0)
        edge, far = set(nearest), 0
        while edge:
            far += 1
            edge = {
                importer for name in edge for importer in self.importers.get(name, ())
                if importer not in nearest
            }  # fmt: skip
            nearest |= dict.fromkeys(edge, far)
        return {name: distance for name, distance in nearest.items() if is_test(name)}
