"""Caches between load and measurement: what was done is told, and every record is there."""

from typing import Any

import pytest
import yaml
from weighhouse_judging.findings.reconciliation import CAUTION, LEAST
from weighhouse_testing.agents import policy_of
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.told import Told, measured

RECORDS = 5000
SMALL: dict[str, dict[str, Any]] = {
    "rocksdb": {"write_buffer_bytes": 1_048_576, "statistics": True},
    "cassandra": {"heap_mebibytes": 768},
}


def experiment(slug: str, system: str, **target: Any) -> dict[str, Any]:
    """Reads of some MB of records, drawn alike from all of them."""
    document: dict[str, Any] = yaml.safe_load(
        small_experiment(
            slug, system, repetitions=1, records=RECORDS, operations={"read": 1.0},
            parameters=SMALL.get(system),
        )
    )  # fmt: skip
    document["workloads"][0]["request_distribution"] = "uniform"
    document["targets"][0] |= target
    return document


def marks(told: Told) -> dict[str, str]:
    assert told.run["status"] == "completed", told.run["failure"]
    return {each["kind"]: each["label"] for each in told.run["timeline"]}


def reconciles(told: Told, *rows: str) -> None:
    """What the driver asked before the restart and after it, the system served."""
    found = told.run["reconciliation"]
    assert found["why_not"] == "", found
    compared = {row["name"]: row for row in found["rows"] if not row["why_not"]}
    assert set(compared) == set(rows), found
    for row in compared.values():
        assert row["asked"] > 0
        assert abs(row["served"] - row["answered"]) <= max(LEAST, CAUTION * row["asked"]), row
    assert "reconciliation" not in told.findings, told.findings["reconciliation"]


@pytest.mark.parametrize("system", ["rocksdb", "cassandra"])
def test_dropped_caches_are_empty_and_records_are_there(
    system: str, platform: RunningPlatform
) -> None:
    told = measured(platform, experiment(f"cold-{system}", system, caches="dropped"))
    said = marks(told)
    assert said["caches_dropped"].endswith("now 0.0 MiB")
    assert "caches_restarted" in said
    assert told.every["not_found"] == 0
    assert told.every["ok"] > 0
    assert "caches-unsaid" not in told.findings
    reconciles(told, "reads", "writes")


def test_a_system_in_memory_has_its_records_after_a_restart(platform: RunningPlatform) -> None:
    told = measured(platform, experiment("cold-redis", "redis", caches="restarted"))
    said = marks(told)
    assert said["caches_restarted"].startswith("restarted: node 1: serves again")
    assert "caches_dropped" not in said
    assert told.every["not_found"] == 0
    reconciles(told, "reads", "writes")
    assert [each["kind"] for each in told.read("series")["phases"]] == [
        "load", "warmup", "measure",
    ]  # fmt: skip


def test_where_nobody_said_a_finding_does(platform: RunningPlatform) -> None:
    told = measured(platform, experiment("cold-unsaid", "rocksdb"))
    assert "caches_restarted" not in marks(told)
    assert told.findings["caches-unsaid"]["title"] == "Read from caches that the load filled"
    warm = measured(platform, experiment("cold-warm", "rocksdb", caches="warm"))
    assert "caches_restarted" not in marks(warm)
    assert "caches-unsaid" not in warm.findings
    memory = measured(platform, experiment("cold-memory", "redis"))
    assert "caches-unsaid" not in memory.findings


def test_a_policy_may_forbid_it(platform: RunningPlatform) -> None:
    with policy_of(platform, 'drop_caches = "no"\n'):
        told = measured(platform, experiment("cold-forbidden", "rocksdb", caches="dropped"))
    assert told.run["status"] == "failed"
    assert told.run["failure"]["kind"] == "policy"
    assert "drop_caches: no" in told.run["failure"]["message"]
