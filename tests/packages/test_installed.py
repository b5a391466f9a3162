"""What is installed from wheels stands alone: no clone, no Rust, Node or Java, no network."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.exits import Exit
from weighhouse_sdk.machine.programs import locate_program
from weighhouse_testing.tree import REPOSITORY
from weighhouse_testing.waits import until

REQUIRES = re.compile(r"^Requires-Dist: (.+)$", re.MULTILINE)
BUILD = REPOSITORY / "infra" / "packages" / "build.py"


def _build(target: Path) -> dict[str, str]:
    """Wheels of what is built here already; each one's name and digest."""
    programs = locate_program("weighhouse-driver-resp").parent
    machine = f"linux_{os.uname().machine}"
    command = [sys.executable, BUILD, "--programs", programs, "--platform", machine, target]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    release = json.loads((target / "release.json").read_text("utf-8"))
    return {wheel["name"]: wheel["sha256"] for wheel in release["wheels"]}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    _build(folder)
    return folder


def _declared(wheels: Path) -> set[str]:
    """What others wrote that the wheels ask for, and what that asks for in turn."""
    wanted = []
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (one for one in archive.namelist() if one.endswith("dist-info/METADATA"))
            told = archive.read(name).decode()
        wanted += [(Requirement(one), "") for one in REQUIRES.findall(told)]
    found: set[str] = set()
    while wanted:
        one, extra = wanted.pop()
        if one.marker is not None and not one.marker.evaluate({"extra": extra}):
            continue
        known = canonicalize_name(one.name) in found
        if one.name.startswith("weighhouse") or (known and not one.extras):
            continue
        try:
            asked = distribution(one.name).requires or []
        except PackageNotFoundError:
            continue  # the installer says so, if it is asked for
        found.add(canonicalize_name(one.name))
        extras = ("", *one.extras)
        wanted += [(Requirement(each), its_extra) for each in asked for its_extra in extras]
    return found


@pytest.fixture(scope="module")
def installed(wheels: Path, server_directory: Path) -> Iterator[Path]:
    """An environment of the wheels and of what they declare: the rest of ours is not in it."""
    root = Path(tempfile.mkdtemp(prefix="weighhouse-installed-", dir=server_directory.parent))
    root.chmod(0o711)  # PostgreSQL's own account passes through to its data
    venv.create(root, symlinks=True, with_pip=False)
    (packages,) = root.glob("lib/python*/site-packages")
    for name in _declared(wheels):
        known = distribution(name)
        for top in {file.parts[0] for file in known.files or () if file.parts[0] != ".."}:
            place = Path(str(known.locate_file(top)))
            if top.endswith(".dist-info"):
                shutil.copytree(place, packages / top)  # the installer looks at no link
            elif top != "__pycache__" and not (packages / top).exists():
                (packages / top).symlink_to(place)
    command = [
        Path(sys.executable).with_name("uv"), "pip", "install", "--python", root / "bin" / "python",
        "--offline", "--no-index", "--find-links", wheels, "weighhouse[rocksdb]",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    yield root
    shutil.rmtree(root, ignore_errors=True)


def test_the_same_commit_gives_the_same_bytes(wheels: Path, tmp_path: Path) -> None:
    release = json.loads((wheels / "release.json").read_text("utf-8"))
    before = {wheel["name"]: wheel["sha256"] for wheel in release["wheels"]}
    assert _build(tmp_path / "again") == before


def test_a_demo_ends_with_its_comparison_where_nothing_of_the_clone_is(
    installed: Path, tmp_path: Path
) -> None:
    look = yaml.safe_load((REPOSITORY / "experiments" / "first-look.yaml").read_text("utf-8"))
    look["targets"] = [one for one in look["targets"] if one["name"] in {"redis", "rocksdb"}]
    look["disclosure"]["systems"] = []
    look["load_levels"], look["repetitions"] = [{"model": "closed", "clients": 1}], 2
    look["phases"] |= {"warmup_seconds": 0.1, "measure_seconds": 0.3, "interval_seconds": 0.1}
    (tmp_path / "look.yaml").write_text(yaml.safe_dump(look), "utf-8")
    programs = installed / "programs"
    programs.mkdir()
    for name in ("redis-server", "setpriv"):
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    done = subprocess.run(
        [
            installed / "bin" / "weighhouse", "demo", "--once", "--port", str(free_port()),
            "--data-dir", installed / "data", "--file", tmp_path / "look.yaml",
        ],
        cwd=tmp_path, env={"PATH": str(programs), "HOME": str(tmp_path)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "RocksDB, in process" in done.stdout
    assert "comparison  http://127.0.0.1:" in done.stdout
    # Again, over the same data: stopped before there is a comparison it says so to whoever asked.
    output = tmp_path / "interrupted"
    with output.open("wb") as log:
        demo = subprocess.Popen(
            done.args, cwd=tmp_path, env={"PATH": str(programs), "HOME": str(tmp_path)},
            stdout=log, stderr=log,
        )  # fmt: skip
    until("a campaign that runs", lambda: "watch them at" in output.read_text("utf-8"))
    demo.send_signal(signal.SIGINT)
    assert demo.wait() == Exit.INTERRUPTED, output.read_text("utf-8")


def test_the_wheels_bring_what_the_platform_reads(installed: Path) -> None:
    (resources,) = installed.glob("lib/python*/site-packages/weighhouse_resources")
    for name in (
        "frontend/index.html", "migrations/alembic.ini", "migrations/env.py",
        "experiments/first-look.yaml", "docs/README.md",
    ):  # fmt: skip
        assert (resources / name).is_file(), name
    assert list((resources / "migrations" / "versions").glob("*.py"))
    assert not list(resources.rglob("*.vue"))


def test_what_is_installed_has_no_sources_to_develop(installed: Path, tmp_path: Path) -> None:
    command = [installed / "bin" / "weighhouse", "up", "--dev", "--data-dir", tmp_path / "data"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "needs a clone of Weighhouse" in done.stderr
    assert not (tmp_path / "data").exists()
