"""What is installed has no clone around it: one module finds what lies beside the code."""

import ast
from pathlib import Path

import pytest
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.resources import IN_A_CLONE, clone, resource
from weighhouse_testing.tree import REPOSITORY, text_of, tracked

LOCATOR = "cli/weighhouse_cli/resources.py"
BESIDE = {
    "cli/weighhouse_cli/clones.py": "tells a clone by its own file in it",
    "plugins/cassandra/weighhouse_plugin_cassandra/home.py": "a file of its own package",
    "plugins/sdk/weighhouse_sdk/machine/access.py": "has Python run a module of its own",
    "plugins/sdk/weighhouse_sdk/machine/process.py": "has Python run a module of its own",
}
"""Files that may say `__file__`, and why; they stay within their package."""


def _packaged() -> list[str]:
    folders = {path.relative_to(REPOSITORY).as_posix() for path in _packages()}
    return [name for name in tracked(".py") if any(name.startswith(f"{one}/") for one in folders)]


def _packages() -> list[Path]:
    patterns = ("*/weighhouse_*/__init__.py", "plugins/*/weighhouse_*/__init__.py")
    found = [path.parent for pattern in patterns for path in REPOSITORY.glob(pattern)]
    return [path for path in found if path.parent.name != "tests"]


def test_nothing_but_the_locator_goes_by_where_its_code_lies() -> None:
    packaged = _packaged()
    assert LOCATOR in packaged
    found = {
        name
        for name in packaged
        for node in ast.walk(ast.parse(text_of(name)))
        if isinstance(node, ast.Name | ast.Attribute)
        and (node.id if isinstance(node, ast.Name) else node.attr) == "__file__"
    }
    refused = found - {LOCATOR, *BESIDE}
    assert not refused, f"a wheel has no clone around it: ask {LOCATOR}"
    assert found == {LOCATOR, *BESIDE}, "lists a file that says it no longer"


def test_the_resources_of_a_clone_are_where_the_locator_says() -> None:
    assert clone() == REPOSITORY
    assert (resource("migrations") / "alembic.ini").is_file()
    assert (resource("experiments") / "quickstart.yaml").is_file()
    assert (resource("docs") / "README.md").is_file()
    assert resource("frontend") == REPOSITORY / IN_A_CLONE["frontend"]


def test_without_clone_and_wheel_it_is_said_what_brings_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("weighhouse_cli.resources.__file__", str(tmp_path / "a" / "b" / "c.py"))
    assert clone() is None
    with pytest.raises(PlatformError, match="install the package weighhouse"):
        resource("docs")
