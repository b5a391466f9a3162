"""A node of a real Cassandra is killed while a run is measured, and comes back."""

from typing import Any

import yaml
from weighhouse_protocol.target import Target
from weighhouse_sdk.testkit.exercised import note
from weighhouse_testing.platform import RunningPlatform

AROUND = 3.0
"""Seconds in which operations under way at the killed node may be seen to have failed."""
COURSE = """
version: 1
slug: a-node-fails
name: A node fails
targets:
  - name: three-nodes
    system: cassandra
    topology: {nodes: 3, replication_factor: 3}
    parameters: {heap_mebibytes: 256, garbage_collector: serial}
    driver_options: {read_consistency: quorum, write_consistency: quorum}
workloads:
  - name: balanced
    record_count: 200
    field_count: 2
    operations: {read: 0.5, update: 0.5}
    verify_fraction: 1
load_levels:
  - {model: open, rate_per_second: 40, connections: 4}
repetitions: 1
scenario: fault
phases: {load_clients: 2, warmup_seconds: 2, measure_seconds: 48, interval_seconds: 1}
faults:
  - {at_seconds: 6, verb: kill, node: 2}
  - {at_seconds: 10, verb: start, node: 2}
"""


def test_quorum_operations_go_on_while_a_node_is_away(platform: RunningPlatform) -> None:
    started = platform.start_campaign(COURSE)
    campaign = platform.wait_for_campaign(started["id"], seconds=400)
    ((run,),) = [cell["runs"] for cell in campaign["cells"]]
    whole = platform.request("GET", f"/runs/{run['id']}")
    assert whole["status"] == "completed", whole
    told = [
        (each["kind"], each["label"])
        for each in whole["timeline"]
        if each["kind"].startswith(("fault", "system_ended"))
    ]
    assert [kind for kind, _ in told] == ["fault", "fault_done", "fault", "fault_done"], told
    assert told[0][1] == "kill node 2"
    assert told[1][1] == "node 2: killed"
    assert told[3][1].startswith("node 2: serves again after")
    drawn = platform.request("GET", f"/runs/{run['id']}/series")
    assert_operations_went_on(drawn)
    assert_what_it_cost_is_told(platform.request("GET", f"/runs/{run['id']}/faults"), whole)
    note(Target.model_validate(yaml.safe_load(COURSE)["targets"][0]), whole["target"]["version"])


def assert_operations_went_on(drawn: dict[str, Any]) -> None:
    """Operations are answered and right in every second; only those fail, counted and not tried
    again, that the node was working on when it was killed.
    """
    killed_at = next(each["at_seconds"] for each in drawn["marks"] if each["kind"] == "fault")
    for name in ("read", "update"):
        operation = drawn["operations"][name]
        failed = [
            (second, errors)
            for second, errors in zip(operation["t"], operation["errors"], strict=True)
            if errors and not killed_at - AROUND <= second <= killed_at + AROUND
        ]
        assert not failed, f"killed at {killed_at}: {name}: {failed}"
        assert sum(operation["not_found"]) == 0
    rates = drawn["operations"]["all"]["throughput"]
    assert min(rates[1:-1]) > 0, rates


def assert_what_it_cost_is_told(cost: dict[str, Any], run: dict[str, Any]) -> None:
    """Every operation of the measured phase stands before, during or after, and in no two."""
    (fault,) = cost["faults"]
    assert (fault["label"], fault["mended"]) == ("kill node 2", True)
    assert fault["end_seconds"] - fault["begin_seconds"] >= 4, "killed at 6, started at 10"
    before, during, after = fault["stretches"]
    assert before["end_seconds"] <= fault["begin_seconds"] <= during["end_seconds"]
    assert fault["end_seconds"] <= after["begin_seconds"] + fault["recovery"]["resolution_seconds"]
    measured = run["summary"]["operations"]["all"]
    for count, told in (("ok", measured["ok"]), ("failed", measured["errors"])):
        stretches = [one["operations"]["all"][count] for one in fault["stretches"]]
        assert sum(stretches) == told, (count, stretches, measured)
    assert before["operations"]["all"]["failed"] == 0
    assert fault["recovery"]["without_success_seconds"] == 0, "a quorum was there all the time"
