"""What servers counted of their own work, held against what clients counted."""

from typing import Any

import pytest
import yaml
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.told import Told, measured

MIX = {"read": 0.4, "update": 0.3, "insert": 0.1, "read_modify_write": 0.1, "delete": 0.1}
AGREES = 0.001


def experiment(slug: str, system: str = "redis", /, **more: Any) -> dict[str, Any]:
    """One run of one target.

    :param more: of `small_experiment`; `target` is of the target, `workload` of the workload.
    """
    target, workload = more.pop("target", {}), more.pop("workload", {})
    asked = {"repetitions": 1, "measure_seconds": 1.0, "records": 2000, "operations": MIX} | more
    document: dict[str, Any] = yaml.safe_load(small_experiment(slug, system, **asked))
    document["targets"][0] |= target
    document["workloads"][0] |= workload
    return document


def done(told: Told) -> dict[str, Any]:
    """The reconciliation of a run that went well."""
    assert told.run["status"] == "completed", told.run["failure"]
    found: dict[str, Any] = told.run["reconciliation"]
    assert found["why_not"] == "", found
    return found


def agrees(told: Told, *rows: str) -> None:
    """Both columns of these rows are the same, and no finding says otherwise."""
    found = done(told)
    by_name = {row["name"]: row for row in found["rows"]}
    assert set(by_name) == set(rows), found
    for row in by_name.values():
        assert row["why_not"] == "", row
        assert row["asked"] > 0, row
        assert abs(row["served"] - row["answered"]) <= AGREES * row["asked"], row
    assert found["of_others"] == {}
    assert "reconciliation" not in told.findings, told.findings["reconciliation"]


@pytest.mark.parametrize("system", ["redis", "valkey", "memcached"])
def test_client_and_server_agree(platform: RunningPlatform, system: str) -> None:
    told = measured(platform, experiment(f"agree-{system}", system, think_time_us=0))
    agrees(told, "reads", "writes", "deletes")
