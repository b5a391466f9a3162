"""infra/bootstrap/engine.sh: which drivers Cargo is to build, and that they are always the same."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORDING = '#!/bin/bash\necho "$@" >>"$RECORD"\n'
DEMO = {
    "weighhouse-driver-resp",
    "weighhouse-driver-memcached",
    "weighhouse-driver-rocksdb",
    "weighhouse-netdelay",
}


@pytest.fixture
def asked(tmp_path: Path):
    """What engine.sh asks of a Cargo that only notes it, and of a Maven that does."""
    for program in ("cargo", "mvn"):
        path = tmp_path / "bin" / program
        path.parent.mkdir(exist_ok=True)
        path.write_text(RECORDING, encoding="utf-8")
        path.chmod(0o755)
    cache = tmp_path / "cache"
    for place in ("rocksdb/11.8.1/librocksdb.so", "cassandra/5.0.9/lib"):
        (cache / place).mkdir(parents=True)

    def run(*words: str) -> tuple[list[list[str]], subprocess.CompletedProcess[str]]:
        record = tmp_path / "record"
        record.unlink(missing_ok=True)
        done = subprocess.run(
            [ROOT / "infra" / "bootstrap" / "engine.sh", *words],
            env={
                **os.environ,
                "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
                "WEIGHHOUSE_CACHE": str(cache),
                "RECORD": str(record),
            },
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
        return [line.split() for line in lines], done

    return run


def programs(command: list[str]) -> set[str]:
    return {word.removeprefix("--bin=") for word in command if word.startswith("--bin=")}


def test_the_demo_builds_what_it_weighs_and_no_more(asked) -> None:
    commands, done = asked("demo")
    assert done.returncode == 0, done.stderr
    assert programs(commands[-1]) == DEMO


def test_an_installation_builds_every_driver(asked) -> None:
    commands, done = asked("all")
    assert done.returncode == 0, done.stderr
    assert commands[-1][0] == "build"
    assert {"--workspace", "--bins"} <= set(commands[-1])


@pytest.mark.parametrize(
    ("name", "program"),
    [("cassandra", "cql"), ("cql", "cql"), ("valkey", "resp"), ("aerospike", "aerospike")],
)
def test_a_driver_is_asked_for_by_its_own_name_or_by_a_plugins(
    asked, name: str, program: str
) -> None:
    commands, done = asked(name)
    assert done.returncode == 0, done.stderr
    assert [command[0] for command in commands] == ["fetch", "build"]
    assert programs(commands[-1]) == {f"weighhouse-driver-{program}"}


def test_a_drivers_tests_follow_when_they_are_asked_for(asked) -> None:
    commands, done = asked("test", "redis")
    assert done.returncode == 0, done.stderr
    assert [command[0] for command in commands] == ["fetch", "build", "test"]
    assert commands[-1][-2:] == ["-p", "weighhouse-driver-resp"]


def test_a_name_that_has_no_driver_here_is_told_those_that_have(asked) -> None:
    commands, done = asked("memtier-benchmark")
    assert (commands, done.returncode) == ([], 1)
    assert "cql" in done.stderr


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_a_driver_is_the_same_whatever_is_built_along(asked, tmp_path: Path) -> None:
    """Cargo's own plan: the same crates with the same features, alone and with all others."""
    whole = plan(asked("all")[0][-1], tmp_path)
    for word in ("redis", "memcached", "rocksdb", "aerospike", "cassandra", "mongodb"):
        alone = plan(asked(word)[0][-1], tmp_path)
        assert len(alone) > 50
        assert alone <= whole, word


def plan(command: list[str], target: Path) -> set[str]:
    """What Cargo would compile, and how; nothing is compiled. Cargo tells it to those who say that
    they know it to be unstable."""
    done = subprocess.run(
        ["cargo", *command, "-Z", "unstable-options", "--unit-graph"],
        cwd=ROOT,
        env={**os.environ, "RUSTC_BOOTSTRAP": "1", "CARGO_TARGET_DIR": str(target / "target")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {
        json.dumps([unit[key] for key in ("pkg_id", "target", "profile", "mode", "features")])
        for unit in json.loads(done.stdout)["units"]
    }
