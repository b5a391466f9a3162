"""Each part declares what it imports: what is installed from its wheel alone has to start."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from weighhouse_testing.tree import REPOSITORY

PROJECTS = sorted(
    path.parent
    for pattern in ("*/pyproject.toml", "plugins/*/pyproject.toml")
    for path in REPOSITORY.glob(pattern)
)
TESTS = "testkit"
"""Of the SDK: for whoever tests a plugin, with the extra `testing`."""
WHOLE = "platform"
"""The extra that makes the command whole; `cli/tests/test_remote.py` holds what is light."""


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _distribution(text: str) -> str:
    return re.split(r"[\s\[<>=!~;]", text, maxsplit=1)[0].lower().replace("_", "-")


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda path: path.name)
def test_what_a_part_imports_it_declares(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    more = project.get("optional-dependencies", {}).get(WHOLE, [])
    declared = {_distribution(one) for one in [*project.get("dependencies", []), *more]}
    if "weighhouse-sdk" in declared:
        declared.add("weighhouse-protocol")  # the SDK's own words, at the SDK's version
    brings = packages_distributions()
    (package,) = folder.glob("weighhouse_*")
    missing = set()
    for file in package.rglob("*.py"):
        if TESTS in file.parts:
            continue
        for module in _imports(file):
            top = module.partition(".")[0]
            if top in sys.stdlib_module_names or top == package.name:
                continue
            own = {top.replace("_", "-")} if top.startswith("weighhouse_") else set()
            known = {_distribution(one) for one in brings.get(top, ())} | own
            if not known & declared:
                missing.add(f"{module} in {file.relative_to(folder)}")
    assert not missing, f"{folder.name}/pyproject.toml does not declare what it imports"
