"""What is installed from wheels stands alone: no clone, no Rust, Node or Java, no network."""

import json
import shutil
import signal
import subprocess
from pathlib import Path

import yaml
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.exits import Exit
from weighhouse_testing.tree import REPOSITORY
from weighhouse_testing.waits import until
from weighhouse_testing.wheelhouse import built


def test_the_same_commit_gives_the_same_bytes(wheels: Path, tmp_path: Path) -> None:
    release = json.loads((wheels / "release.json").read_text("utf-8"))
    before = {wheel["name"]: wheel["sha256"] for wheel in release["wheels"]}
    assert built(tmp_path / "again") == before


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
