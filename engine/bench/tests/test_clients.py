"""Every client that is present reads all it is asked for from a real server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from enginebench import peers
from enginebench.client import Job, run
from enginebench.server import server

PRESENT, _ = peers.present()


@pytest.fixture(scope="module")
def running():
    with server() as one:
        yield one


@pytest.mark.parametrize("client", PRESENT, ids=lambda one: one.name)
def test_a_client_reads_and_its_figures_are_in_order(client, running):
    client.load(running.port)
    before = running.reads()
    figures = run(client.full_speed(running.port, 4, 1, 4000)).figures[""]
    assert running.reads() == before + 4000
    assert 0 < figures.p50 <= figures.p95 <= figures.p99 <= figures.p999


def test_a_client_that_fails_ends_the_program_with_what_it_said():
    with pytest.raises(SystemExit, match="exit code 3\nno such key"):
        run(Job(["sh", "-c", "echo no such key; exit 3"], lambda _: {}))


def test_a_server_is_stopped_after_as_many_reads_as_asked_and_goes_on(running):
    client = peers.RedisBenchmark.find()
    client.load(running.port)
    job = client.full_speed(running.port, 4, 1, 200_000)
    before = running.reads()
    stall = run(job, stop=(running, 1000, 0.05)).stall
    assert stall is not None
    assert stall.ended_at - stall.began_at >= 0.05
    assert running.reads() == before + 200_000


def test_a_client_that_ends_before_the_stall_is_told(running):
    client = peers.RedisBenchmark.find()
    job = client.full_speed(running.port, 1, 1, 2000)
    assert run(job, stop=(running, 10**9, 1)).stall is None


def test_a_run_too_short_for_its_clock_has_no_rate():
    # redis-benchmark counts whole milliseconds, and divides by them.
    with pytest.raises(SystemExit, match="took less than a millisecond"):
        peers.RedisBenchmark("redis-benchmark").full_speed(1, 1, 1, 10).read(
            "  throughput summary: inf requests per second\n"
        )


def test_what_is_missing_says_how_it_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    for variable in ("MEMTIER_BENCHMARK", "GO_YCSB", "YCSB_HOME", "REDIS_BENCHMARK"):
        monkeypatch.delenv(variable, raising=False)
    found, missing = peers.present()
    assert found == []
    assert [one.split()[0] for one in missing] == [
        "redis-benchmark", "memtier_benchmark", "go-ycsb", "YCSB",
    ]  # fmt: skip
    assert "MEMTIER_BENCHMARK" in missing[1]
    monkeypatch.setenv("YCSB_HOME", str(tmp_path))
    assert f"YCSB_HOME={tmp_path} lacks" in peers.present()[1][3]


@pytest.mark.parametrize(
    ("module", "options"), [("engine", ["--counted"]), ("stall", []), ("scaling", [])]
)
def test_without_a_driver_a_benchmark_says_what_builds_it(module, options):
    python = sys.executable
    done = subprocess.run(
        [python, "-m", f"enginebench.{module}", "/nowhere/driver", *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "engine/bench"},
    )
    assert done.returncode == 1
    assert "make install" in done.stderr
