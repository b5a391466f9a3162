"""Every plugin folder is like the others: who knows one knows all."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from weighhouse_cli.skeleton import write_skeleton
from weighhouse_judging.caveats.caveat import MOST_WORDS
from weighhouse_protocol.compatibility.targets import system_errors
from weighhouse_protocol.manifest import Manifest, load_manifest
from weighhouse_protocol.target import Target
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.registry import installed_ids
from weighhouse_testing.tree import REPOSITORY

PLUGINS = REPOSITORY / "plugins"
FOLDERS = sorted(
    path.parent
    for path in PLUGINS.glob("*/pyproject.toml")
    if path.parent.name not in {"imports", "sdk"}
)
HEADINGS = [
    "What it is",
    "What is weighed",
    "Setting up a machine",
    "Parameters",
    "Defaults",
    "Effective configuration",
    "Rights",
    "Memory",
    "What it may be compared with",
    "Limits",
    "Benchmark clause",
]


TOOL_HEADINGS = [
    "What it is",
    "What it can say",
    "Setting up a machine",
    "Loading",
    "Latencies",
    "What it may be compared with",
    "Limits",
    "Benchmark clause",
]


def problems(folder: Path, drivers: set[str]) -> list[str]:
    """What makes a plugin's folder different from the others."""
    plugin = folder.name
    module = plugin.replace("-", "_")
    package = folder / f"weighhouse_plugin_{module}"
    files = {
        folder / "pyproject.toml",
        folder / "README.md",
        folder / "tests" / f"test_{module}_plugin.py",
        package / "__init__.py",
        package / "plugin.py",
        package / "plugin.toml",
        package / "py.typed",
    }
    missing = sorted(str(path.relative_to(folder)) for path in files if not path.exists())
    if missing:
        return [f"missing: {', '.join(missing)}"]
    found = []
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    manifest = load_manifest(package / "plugin.toml")
    page = (folder / "README.md").read_text(encoding="utf-8")
    if project["name"] != f"weighhouse-plugin-{plugin}":
        found.append(f"distribution is called {project['name']}")
    if project["entry-points"]["weighhouse.plugins"] != {
        plugin: f"weighhouse_plugin_{module}:PLUGIN"
    }:
        found.append("entry point")
    if (manifest.id, manifest.version) != (plugin, project["version"]):
        found.append("identifier and version differ between plugin.toml and pyproject.toml")
    if page.splitlines()[0] != f"# {manifest.name}":
        found.append(f"README.md begins with {page.splitlines()[0]!r}")
    headings = TOOL_HEADINGS if manifest.kind == "tool" else HEADINGS
    if re.findall(r"^## (.+)$", page, re.MULTILINE) != headings:
        found.append(f"headings of README.md; wanted: {', '.join(headings)}")
    found += [
        f"title of more than {MOST_WORDS} words: {one.title}"
        for one in manifest.disclaimers
        if len(one.title.split()) > MOST_WORDS
    ]
    if not manifest.disclaimers:
        found.append("no disclaimer")
    if not manifest.editions:
        found.append("no editions")
    found += [
        f"the edition {one.id} has no source"
        for one in manifest.editions
        if not one.source.startswith("https://")
    ]
    if manifest.tool is not None:
        found += [
            f"stands in for {driver}, which is built by no plugin"
            for driver in manifest.tool.drivers
            if driver not in drivers
        ]
        return found
    if manifest.default_deployment not in manifest.deployments:
        found.append("default deployment")
    found += _parameter_problems(manifest, page)
    defaults = {name: schema["default"] for name, schema in declared(manifest.parameters).items()}
    sample = Target(
        name=plugin, system=plugin, deployment=manifest.default_deployment, parameters=defaults
    )
    found += [f"its own defaults: {problem}" for problem in system_errors(sample, manifest)]
    if manifest.driver.id not in drivers:
        found.append(f"driver {manifest.driver.id} is built by no plugin")
    return found


UNITS = {
    "kibibytes": ("KiB", 1 << 10), "mebibytes": ("MiB", 1 << 20), "gibibytes": ("GiB", 1 << 30),
    "bytes": ("bytes", 1),
}  # fmt: skip
"""What a parameter's name says that it is in → its `x-unit`, and how many bytes that is."""
OF_SIZE = re.compile(rf"(?:^|_)({'|'.join(UNITS)})(_per_second)?$")
SAYS_BYTES = re.compile(r"(?<![kmg])(?<!ki|mi|gi)bytes$", re.IGNORECASE)


def _unit_problems(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """What does not fit between the name, the unit, and the name that the system has for it."""
    size, unit = OF_SIZE.search(name), str(schema.get("x-unit", ""))
    if size is None:
        return
    word, scale = UNITS[size.group(1)]
    wanted = word + ("/s" if size.group(2) else "")
    if unit != wanted:
        yield f"parameter {name}: x-unit is {unit or 'missing'}, its name says {wanted}"
    if SAYS_BYTES.search(str(schema.get("x-setting", ""))) and schema.get("x-scale", 1) != scale:
        yield f"parameter {name}: the system counts it in bytes, so x-scale has to be {scale}"


def _parameter_problems(manifest: Manifest, page: str) -> Iterator[str]:
    for name, schema in declared(manifest.parameters).items():
        yield from _unit_problems(name, schema)
        lacks = {"title", "description", "default", "type"} - set(schema)
        if lacks:
            yield f"parameter {name} lacks {', '.join(sorted(lacks))}"
        if f"`{name}`" not in page:
            yield f"parameter {name} is not in README.md"


def built_drivers() -> set[str]:
    """Drivers that the Rust workspace builds."""
    found = set()
    for path in PLUGINS.glob("*/driver/Cargo.toml"):
        found.add(tomllib.loads(path.read_text(encoding="utf-8"))["package"]["name"])
    return {name.removeprefix("weighhouse-driver-") for name in found}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_plugin_folder_is_like_the_others(folder):
    assert not problems(folder, built_drivers())


def test_every_plugin_is_found_by_its_entry_point():
    assert {folder.name for folder in FOLDERS} <= set(installed_ids())


def test_no_two_systems_share_a_colour_or_mark():
    manifests = [
        load_manifest(next(folder.glob("weighhouse_plugin_*")) / "plugin.toml")
        for folder in FOLDERS
    ]
    assert len({manifest.colour for manifest in manifests}) == len(manifests)
    assert len({manifest.mark for manifest in manifests}) == len(manifests)


def test_a_new_plugins_skeleton_is_like_the_others(tmp_path):
    write_skeleton("etcd", tmp_path)
    assert not problems(tmp_path / "etcd", built_drivers() | {"resp"})


def test_a_folder_that_lacks_something_is_told_apart(tmp_path):
    write_skeleton("etcd", tmp_path)
    folder = tmp_path / "etcd"
    page = folder / "README.md"
    page.write_text(page.read_text(encoding="utf-8").replace("## Limits", "## Other"), "utf-8")
    assert any("headings" in each for each in problems(folder, {"resp"}))
    assert any("driver" in each for each in problems(folder, set()))
    (folder / "weighhouse_plugin_etcd" / "plugin.py").unlink()
    assert problems(folder, {"resp"}) == ["missing: weighhouse_plugin_etcd/plugin.py"]
