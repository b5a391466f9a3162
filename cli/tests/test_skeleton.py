"""A new plugin passes as it was written: its own tests on a real server, and the house's."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from weighhouse_cli.skeleton import COLOURS, SkeletonRefused, free_look, write_skeleton
from weighhouse_cli.skeleton.lists import enlist
from weighhouse_protocol.experiment import Experiment
from weighhouse_testing.tree import REPOSITORY

TODAY = "2026-11-21"
LISTS = ("pyproject.toml", "plugins/README.md")
HOUSE = "plugins/sdk/tests/test_plugin_folders.py"


def installed(folder: Path) -> dict[str, str]:
    """What an installation would add: the entry point, and the package on the path."""
    plugin = folder.name
    record = folder / f"weighhouse_plugin_{plugin}-0.1.0.dist-info"
    record.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: weighhouse-plugin-{plugin}\nVersion: 0.1.0\n"
    (record / "METADATA").write_text(metadata, encoding="utf-8")
    entry = f"[weighhouse.plugins]\n{plugin} = weighhouse_plugin_{plugin}:PLUGIN\n"
    (record / "entry_points.txt").write_text(entry, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(folder)}


def test_it_passes_its_own_tests_and_the_houses(tmp_path):
    for place in (HOUSE, "docs/plugins/README.md", "plugins/redis/driver/Cargo.toml"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPOSITORY / place, tmp_path / place)
    folder = write_skeleton("fresh_kv", tmp_path / "plugins", TODAY)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--import-mode=importlib", "--tb=short"),
            # Those want the plugins of this repository, which are not in the copy.
            *("-k", "not there_are_plugins and not a_tools_program"),
            *(str(folder / "tests"), str(tmp_path / HOUSE)),
        ],
        cwd=tmp_path,
        env=installed(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    assert "skipped" not in done.stdout
    assert "FreshKvPlugin" in (folder / "weighhouse_plugin_fresh_kv/plugin.py").read_text("utf-8")


@pytest.fixture
def own(tmp_path):
    return write_skeleton("fresh_kv", tmp_path / "plugins", TODAY, "own")


def test_a_driver_of_its_own_is_a_member_of_the_workspace(own):
    workspace = tomllib.loads((REPOSITORY / "Cargo.toml").read_text("utf-8"))["workspace"]
    assert "plugins/*/driver" in workspace["members"]
    crate = tomllib.loads((own / "driver/Cargo.toml").read_text("utf-8"))
    assert crate["package"]["name"] == "weighhouse-driver-fresh_kv"
    wanted = crate["dependencies"] | crate["dev-dependencies"]
    assert set(wanted) <= set(workspace["dependencies"])
    manifest = tomllib.loads((own / "weighhouse_plugin_fresh_kv/plugin.toml").read_text("utf-8"))
    assert manifest["driver"]["id"] == "fresh_kv"
    schema = (own / "driver/src/lib.rs").read_text("utf-8").split('r#"')[1].split('"#')[0]
    known = set(json.loads(schema)["properties"]) | {"timeout_ms"}
    assert set(manifest["driver"]["options"]["properties"]) == known


@pytest.mark.parametrize("name", ["kv", "kv_of_thirty_one_characters_all"])
def test_it_is_laid_out_as_the_house_has_it(name, tmp_path):
    """Whatever its name's length. A template that was filled in wrongly is no Rust or Python."""
    folder = write_skeleton(name, tmp_path / "plugins", TODAY, "own")
    sources = sorted((folder / "driver").rglob("*.rs"))
    assert [each.name for each in sources] == ["client.rs", "lib.rs", "main.rs", f"{name}.rs"]
    shutil.copy2(REPOSITORY / "pyproject.toml", tmp_path)
    for command in (
        ("rustfmt", "--check", "--edition", "2024", "--config-path", REPOSITORY, *sources),
        (sys.executable, "-m", "ruff", "check", folder),
        (sys.executable, "-m", "ruff", "format", "--check", folder),
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_each_looks_like_no_other(tmp_path):
    shown = []
    for name in ("one", "two", "three"):
        shown.append(free_look(tmp_path))
        write_skeleton(name, tmp_path)
    assert len({colour for colour, _ in shown}) == len({mark for _, mark in shown}) == 3
    repository = {
        tomllib.loads(path.read_text("utf-8"))["colour"]
        for path in (REPOSITORY / "plugins").glob("*/weighhouse_plugin_*/plugin.toml")
    }
    assert free_look(REPOSITORY / "plugins")[0] not in repository


def test_no_colour_is_given_twice_when_all_are_taken(tmp_path):
    for number in range(len(COLOURS)):
        write_skeleton(f"kv{number}", tmp_path)
    with pytest.raises(SkeletonRefused, match="taken"):
        write_skeleton("one_more", tmp_path)


def test_it_is_named_where_all_are_named_and_once(tmp_path):
    for place in LISTS:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPOSITORY / place, tmp_path / place)
    assert enlist("fresh_kv", "Fresh Kv", "resp", tmp_path) == [tmp_path / each for each in LISTS]
    assert not enlist("fresh_kv", "Fresh Kv", "resp", tmp_path)
    tools = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["tool"]
    package = "weighhouse_plugin_fresh_kv"
    assert f"plugins/fresh_kv/{package}" in tools["mypy"]["files"]
    assert "plugins/fresh_kv" in tools["mypy"]["mypy_path"]
    assert package in tools["importlinter"]["root_packages"]
    named = {"weighhouse_plugin_redis": 0, package: 0}
    for contract in tools["importlinter"]["contracts"]:
        places = (
            [*contract.get("forbidden_modules", ()), *contract["layers"]]
            if ("layers" in contract)
            else contract["forbidden_modules"]
        )
        for each in named:
            named[each] += sum(each in place.split(" | ") for place in places)
    assert named[package] == named["weighhouse_plugin_redis"] > 0
    table = (tmp_path / "plugins/README.md").read_text("utf-8")
    assert table.count("| [fresh_kv](fresh_kv/) | Fresh Kv |") == 1


def test_a_folder_that_lists_no_plugins_is_left_as_it_is(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    assert not enlist("fresh_kv", "Fresh Kv", "resp", tmp_path)


def test_the_experiment_of_the_guide_is_one():
    guide = (REPOSITORY / "docs/plugins/README.md").read_text("utf-8")
    found = re.findall(r"^```yaml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert [Experiment.model_validate(yaml.safe_load(each)).slug for each in found] == [
        "etcd-first"
    ]
