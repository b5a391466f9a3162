"""A plugin as a project of its own, and what a wheel of it is told to be."""

import os
import struct
import subprocess
import sys
import tomllib
import zipfile

import pytest
import yaml
from weighhouse_cli.skeleton import SkeletonRefused
from weighhouse_cli.skeleton.project import write_project
from weighhouse_protocol.manifest import load_manifest
from weighhouse_sdk.wheels.checked import WheelRefused, check_wheel
from weighhouse_sdk.wheels.driver_sources import alone
from weighhouse_testing.tree import REPOSITORY

TODAY = "2026-11-27"
HERE = os.uname().machine
MACHINE = {"x86_64": 62, "aarch64": 183}[HERE]
NAME = f"weighhouse_plugin_fresh_kv-0.1.0-py3-none-linux_{HERE}.whl"
PACKAGE, ABOUT = "weighhouse_plugin_fresh_kv", "weighhouse_plugin_fresh_kv-0.1.0.dist-info"
DRIVER = "weighhouse_drivers/weighhouse-driver-fresh_kv"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "fresh"
    write_project("fresh_kv", folder, TODAY, "own", REPOSITORY)
    return folder


@pytest.fixture
def files(project):
    """What a wheel of it has: path → bytes."""
    found = {
        f"{PACKAGE}/{path.name}": path.read_bytes()
        for path in (project / PACKAGE).iterdir()
        if path.is_file()
    }
    entry = f"[weighhouse.plugins]\nfresh_kv = {PACKAGE}:PLUGIN\n"
    return found | {
        f"{ABOUT}/METADATA": b"Metadata-Version: 2.4\nName: weighhouse-plugin-fresh-kv\n"
        b"Version: 0.1.0\nRequires-Dist: weighhouse-sdk\n",
        f"{ABOUT}/entry_points.txt": entry.encode(),
        DRIVER: program(),
    }


def program(machine=MACHINE, needs=b""):
    return b"\x7fELF" + b"\0" * 14 + struct.pack("<H", machine) + needs


def wheel(place, files, name=NAME):
    path = place / name
    with zipfile.ZipFile(path, "w") as archive:
        for each, content in files.items():
            archive.writestr(each, content)
    return path


def refused(place, files, name=NAME):
    with pytest.raises(WheelRefused) as caught:
        check_wheel(wheel(place, files, name))
    return " ".join(caught.value.problems)


def test_it_is_whole_and_needs_no_clone(project):
    manifest = load_manifest(project / PACKAGE / "plugin.toml")
    assert manifest.api is not None
    assert manifest.driver.id == "fresh_kv"
    crate = tomllib.loads((project / "driver/Cargo.toml").read_text("utf-8"))
    assert "workspace" in crate
    engine = crate["dependencies"]["weighhouse-engine"]
    version = tomllib.loads((REPOSITORY / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    assert version["version"].startswith(engine["version"])
    assert engine["path"] == "../driver-sources/engine"
    assert not any("workspace" in str(each) for each in crate["dependencies"].values())
    steps = yaml.safe_load((project / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]
    assert "$$" not in str(steps)
    assert "$$" not in (project / "Makefile").read_text("utf-8")
    for command in (
        (sys.executable, "-m", "ruff", "check", "."),
        (sys.executable, "-m", "ruff", "format", "--check", "."),
        ("make", "-n", "wheel"),
        ("rustfmt", "--check", "--edition", "2024", *sorted((project / "driver").rglob("*.rs"))),
    ):
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_with_the_driver_of_redis_there_is_no_crate(tmp_path):
    write_project("fresh_kv", tmp_path / "fresh", TODAY, "resp", None)
    assert not (tmp_path / "fresh" / "driver").exists()
    found = tomllib.loads((tmp_path / "fresh" / "pyproject.toml").read_text("utf-8"))
    assert "weighhouse-driver-resp" in found["project"]["dependencies"]
    assert "hooks" not in found["tool"]["hatch"]["build"]["targets"]["wheel"]


@pytest.mark.parametrize(
    ("name", "left", "words"),
    [
        ("redis", None, "is a system that exists"),
        ("Fresh-Kv", None, "cannot be a plugin's name"),
        ("fresh_kv", "notes.txt", "is not empty: notes.txt"),
    ],
)
def test_what_will_not_do_is_told_and_nothing_is_written(tmp_path, name, left, words):
    if left:
        (tmp_path / left).touch()
    with pytest.raises(SkeletonRefused, match=words):
        write_project(name, tmp_path, TODAY, "own", REPOSITORY)
    assert [each.name for each in tmp_path.iterdir()] == ([left] if left else [])


def test_a_repository_without_files_is_empty(tmp_path):
    (tmp_path / ".git").mkdir()
    write_project("fresh_kv", tmp_path, TODAY, "own", REPOSITORY)
    with pytest.raises(SkeletonRefused, match="weighhouse-driver-sources"):
        write_project("fresh_kv", tmp_path / "other", TODAY, "own", None)
    assert not (tmp_path / "other").exists()


def test_a_wheel_is_known_by_what_is_in_it(tmp_path, files):
    found = check_wheel(wheel(tmp_path, files))
    assert (found.plugin, found.version) == ("fresh_kv", "0.1.0")
    assert found.policy_line == f'third_party = ["fresh_kv:{found.digest}"]'
    assert list(found.drivers) == ["weighhouse-driver-fresh_kv"]
    unaltered = dict(reversed(files.items())) | {f"{ABOUT}/RECORD": b"by the installer"}
    assert check_wheel(wheel(tmp_path, unaltered)).digest == found.digest
    for path in files:
        other = files | {path: files[path] + b"\n"}
        assert check_wheel(wheel(tmp_path, other)).digest != found.digest, path


def test_wheels_that_no_machine_would_use_are_told(tmp_path, files):
    without = {path: content for path, content in files.items() if path != DRIVER}
    assert f"no driver: its manifest names `fresh_kv`, and neither is {DRIVER}" in refused(
        tmp_path, without
    )
    alien = next(each for each in (62, 183) if each != MACHINE)
    assert f"this machine is {HERE}" in refused(tmp_path, files | {DRIVER: program(alien)})
    arm = NAME.replace(HERE, "riscv64")
    assert "it is for another machine or Python" in refused(tmp_path, files, arm)
    anywhere = NAME.replace(f"linux_{HERE}", "any")
    assert "says that it runs anywhere" in refused(tmp_path, files, anywhere)
    newer = program(needs=b"\0GLIBC_2.99\0")
    assert "asks for glibc 2.99" in refused(tmp_path, files | {DRIVER: newer})
    assert "no executable" in refused(tmp_path, files | {DRIVER: b"#!/bin/sh"})
    stolen = files | {"weighhouse_drivers/weighhouse-driver-resp": program()}
    assert "weighhouse-driver-resp beside" in refused(tmp_path, stolen)
    early = files | {"early.pth": b"import os"}
    assert "early.pth" in refused(tmp_path, early)
    manifest = f"{PACKAGE}/plugin.toml"
    text = files[manifest].decode()
    bare = text.replace("[api]", "[counts]", 1).partition("[counts]")
    unsaid = bare[0] + bare[2].partition("\n\n")[2]
    assert "has no [api]" in refused(tmp_path, files | {manifest: unsaid.encode()})
    for part, name in (("sdk", "SDK"), ("driver", "driver")):
        later = text.replace(f"{part} = {{ least = 1, most = 1", f"{part} = {{ least = 2, most = 3")
        said = refused(tmp_path, files | {manifest: later.encode()})
        assert f"version 2 to 3 of the {name} API, and this machine has 1" in said
    entry = f"{ABOUT}/entry_points.txt"
    assert "it has 0 plugins" in refused(tmp_path, files | {entry: b"[console_scripts]\n"})
    another = files[entry].replace(b"fresh_kv =", b"another =")
    assert "its manifest says `fresh_kv`" in refused(tmp_path, files | {entry: another})
    taken = {
        path.replace(f"{PACKAGE}/", "weighhouse_agent/"): content.replace(
            PACKAGE.encode(), b"weighhouse_agent"
        )
        for path, content in files.items()
    }
    assert "weighhouse_agent is not its own to bring" in refused(tmp_path, taken)
    cut = wheel(tmp_path, files)
    cut.write_bytes(cut.read_bytes()[:-40])
    with pytest.raises(WheelRefused, match="it is no wheel"):
        check_wheel(cut)
    spoilt = wheel(tmp_path, files)
    spoilt.write_bytes(spoilt.read_bytes().replace(b"A key-value store", b"A key-value stone", 1))
    with pytest.raises(WheelRefused, match="Bad CRC"):
        check_wheel(spoilt)
    broken = tmp_path / NAME
    broken.write_bytes(b"no archive")
    with pytest.raises(WheelRefused, match="it is no wheel"):
        check_wheel(broken)


def test_the_engine_is_a_workspace_of_its_own():
    whole = (REPOSITORY / "Cargo.toml").read_text("utf-8")
    found = tomllib.loads(alone(whole))["workspace"]
    assert found["members"] == ["engine", "engine/api", "engine/ring", "engine/testkit"]
    assert "exclude" not in found
    wanted = tomllib.loads(whole)["workspace"]
    assert found["dependencies"] == wanted["dependencies"]
