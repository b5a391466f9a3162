"""Floors: who may import whom, and where."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from weighhouse_testing.tree import REPOSITORY, text_of, tracked

INDENTED = re.compile(r"^\s+(import|from)\s|:\s*(import|from)\s|;\s*(import|from)\s", re.MULTILINE)
"""Where an import may stand inside something; other files are not read."""


def test_the_contracts_of_import_linter_hold():
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [str(program), "--no-cache"],
        cwd=REPOSITORY,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_imported_inside_a_function():
    found = [
        f"{name}:{inner.lineno}"
        for name in tracked(".py")
        if INDENTED.search(text := text_of(name))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    assert not found, "\n".join(found)


def test_every_package_of_ours_is_under_the_linters():
    settings = tomllib.loads(text_of("pyproject.toml"))["tool"]
    packages = {
        str(Path(name).parent): Path(name).parent.name
        for name in tracked("__init__.py")
        if Path(name).parent.name.startswith("weighhouse_")
    }
    unlinted = {
        folder
        for folder, package in packages.items()
        if package not in settings["importlinter"]["root_packages"]
        and package != "weighhouse_testing"
    }
    assert not unlinted, f"not in importlinter.root_packages: {sorted(unlinted)}"
    untyped = set(packages) - set(settings["mypy"]["files"])
    assert not untyped, f"not in mypy.files: {sorted(untyped)}"


def test_every_part_names_what_it_imports_of_ours():
    """So that it can be installed alone: what it imports comes with it, directly or by a part."""
    projects = {
        str(Path(name).parent): tomllib.loads(text_of(name))["project"]
        for name in tracked("/pyproject.toml")
    }
    needs = {
        project["name"]: {re.split(r"[\[<>=~ ]", each)[0] for each in _needed(project)}
        for project in projects.values()
    }
    silent = []
    for folder, project in projects.items():
        brought, more = {project["name"]}, {project["name"]}
        while more:
            more = set().union(*(needs.get(name, set()) for name in more)) - brought
            brought |= more
        used = {
            module.split(".")[0].replace("_", "-")
            for source in tracked(".py")
            if source.startswith(f"{folder}/weighhouse_")
            for module in _imported(source)
            if module.startswith("weighhouse_")
        }
        if missing := used - brought:
            silent.append(f"{folder}/pyproject.toml: {', '.join(sorted(missing))}")
    assert not silent, "\n".join(silent)


def _needed(project):
    """With what the whole command takes besides (`cli/pyproject.toml`)."""
    return [*project["dependencies"], *project.get("optional-dependencies", {}).get("platform", [])]


def _imported(name):
    lines = [line for line in text_of(name).splitlines() if "weighhouse_" in line]
    if not any("import" in line or "from" in line for line in lines):
        return
    for node in ast.walk(ast.parse(text_of(name))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""
