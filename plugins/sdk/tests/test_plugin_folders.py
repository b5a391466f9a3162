"""Walks all plugin folders: open one, know all. What is held here stands in docs/plugins."""

import ast
import datetime
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from weighhouse_protocol.compatibility.values import value_errors
from weighhouse_protocol.fairness.vocabulary import ASPECTS as VOCABULARY
from weighhouse_protocol.manifest import Manifest
from weighhouse_sdk.driver import locate_driver
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.registry import discover

ROOT = Path(__file__).resolve().parents[3]
PLUGINS = sorted(
    path.parent
    for path in (ROOT / "plugins").glob("*/pyproject.toml")
    if path.parent.name not in {"imports", "sdk"}
)
GUIDE = (ROOT / "docs" / "plugins" / "README.md").read_text(encoding="utf-8")
ASPECTS = {"durability", "replication", "consistency", "memory", "threads", "network"}
GROUPS = ASPECTS | {"storage", "records", "timeouts", "observation"}
"""What settings stand under in the editor."""
UNITS = {"bytes": "bytes", "mebibytes": "MiB", "ms": "ms", "seconds": "s", "percentage": "%"}
INSTALLED, BROKEN = discover()
SYSTEMS = [path for path in PLUGINS if INSTALLED[path.name].manifest.kind == "system"]
TOOLS = [path for path in PLUGINS if path not in SYSTEMS]
each_folder = pytest.mark.parametrize("folder", PLUGINS, ids=lambda path: path.name)
each_system = pytest.mark.parametrize("folder", SYSTEMS, ids=lambda path: path.name)
each_tool = pytest.mark.parametrize("folder", TOOLS, ids=lambda path: path.name)


def module(folder: Path) -> str:
    return f"weighhouse_plugin_{folder.name.replace('-', '_')}"


def package(folder: Path) -> Path:
    return folder / module(folder)


def manifest(folder: Path) -> Manifest:
    return INSTALLED[folder.name].manifest


def guide_headings(kind: str) -> list[str]:
    heading = {"system": "## Headings of the page", "tool": "## Headings of a tool's page"}[kind]
    section = GUIDE.partition(heading)[2].partition("\n## ")[0]
    return re.findall(r"^\d+\. (.+)$", section, re.MULTILINE)


def page(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


def shown(default: Any) -> str:
    return {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default)


def test_there_are_plugins() -> None:
    assert {"memcached", "redis", "rocksdb"} <= {folder.name for folder in PLUGINS}


@each_folder
def test_files_are_where_they_are_everywhere(folder: Path) -> None:
    for name in ("__init__.py", "plugin.py", "plugin.toml", "py.typed"):
        assert (package(folder) / name).is_file(), name
    for name in ("README.md", "pyproject.toml"):
        assert (folder / name).is_file(), name


@each_folder
def test_page_has_the_headings_of_every_page(folder: Path) -> None:
    headings = guide_headings(manifest(folder).kind)
    assert len(headings) == {"system": 11, "tool": 8}[manifest(folder).kind]
    assert re.findall(r"^## (.+)$", page(folder), re.MULTILINE) == headings
    assert page(folder).startswith(f"# {manifest(folder).name}\n")
    sections = re.split(r"^## .+$", page(folder), flags=re.MULTILINE)[1:]
    assert all(section.strip() for section in sections)


@each_folder
def test_page_is_the_manifests_documentation(folder: Path) -> None:
    assert manifest(folder).documentation == page(folder)


@each_folder
def test_distribution_names_the_plugin(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == f"weighhouse-plugin-{folder.name}"
    assert project["version"] == manifest(folder).version
    assert project["dependencies"] == ["weighhouse-sdk"]
    assert project["entry-points"]["weighhouse.plugins"] == {
        folder.name: f"{module(folder)}:PLUGIN"
    }


@each_folder
def test_manifest_says_who_and_under_which_terms(folder: Path) -> None:
    found = manifest(folder)
    assert found.id == folder.name
    assert found.kind == "tool" or found.default_deployment in found.deployments
    for text in (found.vendor, found.licence, found.architecture, found.summary):
        assert text
    assert found.editions
    for edition in found.editions:
        assert edition.source.startswith("https://")
        assert datetime.date(2026, 1, 1) <= edition.checked_on
        assert edition.reviewer
    assert found.benchmark_clause.checked_on.isoformat() in page(folder)
    assert found.disclaimers
    for disclaimer in found.disclaimers:
        assert disclaimer.id.startswith(f"{found.id}-")
    ids = [disclaimer.id for disclaimer in found.disclaimers]
    assert len(ids) == len(set(ids))


@each_folder
def test_parameters_are_documented_and_their_defaults_valid(folder: Path) -> None:
    found = manifest(folder)
    for schema in (found.parameters, found.driver.options):
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        for name, each in declared(schema).items():
            assert each["title"], name
            assert each["description"].endswith("."), name
            assert each["type"] in {"boolean", "integer", "number", "string"}, name
            assert not any(value_errors(schema, {name: each["default"]}, "")), name
            unit = UNITS.get(name.rpartition("_")[2])
            assert unit is None or each["x-unit"] == unit, name


@each_folder
def test_page_has_a_row_for_each_parameter(folder: Path) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", page(folder), re.MULTILINE))
    parameters = declared(manifest(folder).parameters)
    assert set(rows) == set(parameters)
    for name, each in parameters.items():
        told = f"{shown(each['default'])} {each.get('x-unit', '')}".strip()
        assert rows[name].partition(" (")[0] == told, name


@each_system
def test_each_aspect_of_comparability_is_answered(folder: Path) -> None:
    found = manifest(folder)
    parameters = declared(found.parameters).values()
    decided = {each["x-aspect"] for each in parameters if "x-aspect" in each}
    assert decided <= ASPECTS
    assert decided | set(found.aspects) == ASPECTS


@each_system
def test_each_setting_stands_under_what_it_bears_on(folder: Path) -> None:
    found = manifest(folder)
    options = found.driver.options if found.driver else {}
    settings = {**declared(found.parameters), **declared(options)}
    under = {name: each.get("x-group", each.get("x-aspect")) for name, each in settings.items()}
    assert {name: group for name, group in under.items() if group not in GROUPS} == {}


@each_folder
def test_each_aspect_is_translated_into_the_vocabulary(folder: Path) -> None:
    """`unknown` is an answer, silence is none; what is told without rules needs none. A tool says
    what it does otherwise than the driver, and always what its updates write.
    """
    rules = manifest(folder).fairness
    if manifest(folder).kind == "tool":
        assert rules.update_writes
        return
    told = {"processors", "encryption", "transport"}
    assert {aspect for aspect in VOCABULARY if not rules.of(aspect)} <= told


@each_folder
def test_packages_are_named_for_servers(folder: Path) -> None:
    found = manifest(folder)
    if "process" in found.deployments:
        assert found.packages
    for name in found.packages.values():
        assert f"apt-get install {name}" in page(folder)


@each_folder
def test_driver_is_its_own_or_anothers(folder: Path) -> None:
    crates = {
        tomllib.loads(path.read_text(encoding="utf-8"))["package"]["name"]
        for path in (ROOT / "plugins").glob("*/driver/Cargo.toml")
    }
    found = manifest(folder)
    for driver in found.tool.drivers if found.tool else (found.driver.id,):
        assert f"weighhouse-driver-{driver}" in crates


@each_tool
def test_a_tools_program_is_installed_under_its_drivers_name(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    program = f"weighhouse-driver-{manifest(folder).driver.id}"
    assert project["scripts"] == {program: f"{module(folder)}:main"}
    assert locate_driver(manifest(folder).driver.id).name == program


@each_folder
def test_conformance_kit_is_run(folder: Path) -> None:
    tests = [path.read_text(encoding="utf-8") for path in (folder / "tests").glob("test_*.py")]
    kit = {"system": "(PluginConformance):", "tool": "(ToolConformance):"}[manifest(folder).kind]
    assert any(kit in text for text in tests)


@each_folder
def test_verbs_neither_print_nor_sleep_nor_use_a_shell(folder: Path) -> None:
    for path in package(folder).glob("**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in {"print", "time.sleep", "sleep", "os.system"}, path
                assert all(keyword.arg != "shell" for keyword in node.keywords), path


def test_colours_and_marks_tell_systems_apart() -> None:
    manifests = [manifest(folder) for folder in PLUGINS]
    for values in ([each.colour for each in manifests], [each.mark for each in manifests]):
        assert len(values) == len(set(values))
