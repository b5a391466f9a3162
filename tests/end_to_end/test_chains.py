"""Chained phases on real systems: loaded once, measured in order, each phase with its own figures,
reckoned again here from the stored intervals by the reference library.
"""

import base64
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from hdrh.histogram import HdrHistogram
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.fixtures import plain
from weighhouse_testing.platform import RunningPlatform, until

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))
RECORDS = 1000
WRITES, READS = "write-heavy", "read-heavy"


def document(name: str, *systems: str, **changes: Any) -> str:
    base = yaml.safe_load(small_experiment(name, *systems))
    base["workloads"] = [
        {"name": READS, "record_count": RECORDS, "operations": {"read": 1.0}},
        {"name": WRITES, "record_count": RECORDS, "operations": {"update": 0.9, "read": 0.1}},
    ]
    base["phases"] |= {
        "chain": [
            {"measure": WRITES},
            {"measure": READS, "warmup_seconds": 0, "measure_seconds": 1.0},
        ]
    }
    return str(yaml.safe_dump(base | changes, sort_keys=False))


def carried_out(platform: RunningPlatform, tmp_path: Path, text: str) -> dict[str, Any]:
    file = tmp_path / "experiment.yaml"
    file.write_text(text, encoding="utf-8")
    access = {"WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": platform.token}
    done = subprocess.run(
        [WEIGHHOUSE, "run", str(file), "--wait", "--json"],
        env=os.environ | access, capture_output=True, text=True, check=False, timeout=800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def chained(platform: RunningPlatform, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two systems under writes, then under reads, twice."""
    text = document("chained", "redis", "memcached")
    return carried_out(platform, tmp_path_factory.mktemp("chained"), text)


def runs_of(platform: RunningPlatform, done: dict[str, Any]) -> list[dict[str, Any]]:
    """All runs of a campaign in the order they were measured."""
    runs = [run for cell in done["campaign"]["cells"] for run in cell["runs"]]
    every = [platform.request("GET", f"/runs/{run['id']}") for run in runs]
    return sorted(every, key=lambda run: run["position"])


def of(run: dict[str, Any]) -> tuple[str, str, int]:
    return run["cell"]["target"], run["cell"]["workload"], run["repetition"]


def rows(platform: RunningPlatform, question: str, *values: Any) -> list[Any]:
    with psycopg.connect(plain(platform.inner.database_url)) as connection:
        return connection.execute(question, values).fetchall()


def us(histogram: HdrHistogram, percentile: float) -> float:
    rank = max(1, math.ceil(percentile / 100 * histogram.get_total_count() - 1e-9))
    running = 0
    for step in histogram.get_recorded_iterator():
        running += step.count_added_in_this_iter_step
        if running >= rank:
            return float(histogram.get_highest_equivalent_value(step.value_iterated_to)) / 1000
    raise AssertionError("nothing was recorded")


def test_each_phase_is_a_cell_and_they_follow_in_their_order(
    platform: RunningPlatform, chained: dict[str, Any]
) -> None:
    runs = runs_of(platform, chained)
    assert len(runs) == 2 * 2 * 2
    assert {run["status"] for run in runs} == {"completed"}
    for writes, reads in zip(runs[::2], runs[1::2], strict=True):
        assert of(writes) == (of(reads)[0], WRITES, of(writes)[2])
        assert of(reads) == (of(writes)[0], READS, of(writes)[2])
        assert [one["id"] for one in reads["chain"]] == [writes["id"], reads["id"]]
        assert [one["id"] for one in writes["chain"]] == [writes["id"], reads["id"]]
        assert writes["started_at"] < writes["finished_at"] <= reads["finished_at"]
        assert writes["finished_at"] == reads["started_at"]


def test_it_is_loaded_once(platform: RunningPlatform, chained: dict[str, Any]) -> None:
    for run in runs_of(platform, chained):
        phases = [mark["label"] for mark in run["timeline"] if mark["kind"] == "phase"]
        if run["cell"]["workload"] == WRITES:
            assert phases == ["deploy", "load", "warmup", "measure"]
            assert run["summary"]["load"]["ok"] == RECORDS
        else:
            assert phases == ["measure", "collect"]
            assert run["summary"]["load"] is None


def test_figures_of_each_phase_are_those_of_its_own_intervals(
    platform: RunningPlatform, chained: dict[str, Any]
) -> None:
    question = """
        SELECT i.duration_us, i.operations, i.histograms
        FROM intervals i JOIN runs r ON r.result_attempt_id = i.attempt_id
        WHERE r.id = %s AND i.span = 1 AND i.phase = 'measure' ORDER BY i.started_at"""
    for run in runs_of(platform, chained):
        told = run["summary"]["operations"]
        expected = {"read"} if run["cell"]["workload"] == READS else {"read", "update"}
        assert set(told) == {*expected, "all"}
        merged = {name: HdrHistogram(1, 60_000_000_000, 3) for name in expected}
        counts = dict.fromkeys(expected, 0)
        seconds = 0.0
        for duration, operations, blob in rows(platform, question, run["id"]):
            seconds += duration / 1e6
            assert set(operations) <= expected, "an interval of another phase"
            for name, outcomes in operations.items():
                begin, length = outcomes["ok"]["response"]
                encoded = base64.b64encode(bytes(blob)[begin : begin + length])
                merged[name].add(HdrHistogram.decode(encoded))
                counts[name] += outcomes["ok"]["count"]
        for name in expected:
            assert told[name]["ok"] == counts[name] > 0
            assert told[name]["p50_us"] == us(merged[name], 50)
            assert told[name]["p99_us"] == us(merged[name], 99)
            assert told[name]["throughput"] == pytest.approx(counts[name] / seconds, rel=0.02)
        assert told["all"]["ok"] == sum(counts.values())
        if run["cell"]["workload"] == READS:
            assert told["read"]["not_found"] == 0, "what the phase before wrote is there"
            assert seconds > 0.99


def test_each_phase_has_its_own_memory_operations_and_samples(
    platform: RunningPlatform, chained: dict[str, Any]
) -> None:
    runs = runs_of(platform, chained)
    for writes, reads in zip(runs[::2], runs[1::2], strict=True):
        assert reads["target"]["version"] == writes["target"]["version"]
        for run in (writes, reads):
            assert run["target"]["memory"]["after_bytes"] is not None
            assert run["target"]["stream_hash"]
        assert writes["target"]["stream_hash"] != reads["target"]["stream_hash"]
    by_side: dict[tuple[str, int], set[str]] = {}
    for run in runs:
        by_side.setdefault(of(run)[1:], set()).add(run["target"]["stream_hash"])
    assert all(len(found) == 1 for found in by_side.values()), "all sides are asked the same"


def test_nothing_is_counted_twice(platform: RunningPlatform, chained: dict[str, Any]) -> None:
    """Every event of the attempt is once somewhere, and machines are not counted for both."""
    for run in runs_of(platform, chained)[::2]:
        chain = [one["id"] for one in run["chain"]]
        [[events]] = rows(
            platform,
            "SELECT m.events_stored FROM attempt_members m JOIN runs r"
            " ON r.result_attempt_id = m.attempt_id WHERE r.id = %s",
            run["id"],
        )
        sequences = rows(
            platform,
            """SELECT t.sequence FROM (
                 SELECT attempt_id, sequence FROM intervals
                 UNION ALL SELECT attempt_id, sequence FROM resource_samples
                 UNION ALL SELECT attempt_id, sequence FROM timeline_marks) t
               JOIN runs r ON r.result_attempt_id = t.attempt_id WHERE r.id = ANY(%s)""",
            chain,
        )
        found = [sequence for [sequence] in sequences]
        assert len(found) == len(set(found))
        assert max(found) < events
        claimed = rows(
            platform,
            "SELECT count(*) FROM attempt_members m JOIN runs r"
            " ON r.result_attempt_id = m.attempt_id"
            " WHERE r.id = ANY(%s::uuid[]) AND m.claimed_at IS NOT NULL",
            chain,
        )
        assert claimed == [(1,)]


def test_kills_in_the_middle_lose_and_double_nothing(platform: RunningPlatform) -> None:
    text = yaml.safe_load(document("killed", "redis", repetitions=1))
    text["phases"] |= {"warmup_seconds": 0, "measure_seconds": 3.0}
    campaign = platform.start_campaign(str(yaml.safe_dump(text)))
    [first] = [
        run["id"]
        for cell in campaign["cells"]
        for run in cell["runs"]
        if cell["workload"] == WRITES
    ]

    def measuring() -> bool:
        return platform.request("GET", f"/runs/{first}")["phase"] == "measure"

    until("the first phase is measured", measuring)
    for part in ("agent", "worker"):
        os.kill(platform.pid(part), signal.SIGKILL)
    done = platform.wait_for_campaign(campaign["id"])
    assert done["runs"]["completed"] == 2
    question = """SELECT r.id, p.phases FROM run_records p
        JOIN runs r ON r.result_attempt_id = p.attempt_id WHERE r.campaign_id = %s"""
    said = {str(run): phases for run, phases in rows(platform, question, campaign["id"])}
    assert len(said) == 2
    for run in runs_of(platform, {"campaign": done}):
        [measured] = [phase for phase in said[run["id"]] if phase["phase"] == "measure"]
        told = run["summary"]["operations"]
        for name, counted in measured["operations"].items():
            assert told[name]["ok"] == counted["ok"], "all that the driver counted, once"


def test_phases_are_compared_each_for_itself(
    platform: RunningPlatform, chained: dict[str, Any]
) -> None:
    campaign = chained["campaign"]["id"]
    comparison = platform.request("GET", f"/comparisons?campaign={campaign}")
    cells = {cell["workload"]: cell for cell in comparison["cells"]}
    assert set(cells) == {WRITES, READS}
    for run in runs_of(platform, chained):
        assert run["summary"]["operations"]["all"]["ok"] > 0
    sheet = json.dumps(platform.request("GET", f"/campaigns/{campaign}/disclosure"))
    assert f"one after the other on the same data: {WRITES}, {READS}" in sheet


def test_what_cannot_be_chained_is_refused_by_name(platform: RunningPlatform) -> None:
    text = document("inside", "rocksdb")
    answer = platform.request("POST", "/experiments/validate", json={"yaml": text})
    assert "RocksDB lives inside its driver" in json.dumps(answer["errors"])
