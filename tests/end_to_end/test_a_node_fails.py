"""Nodes of a real Cassandra are killed while a run is measured: one comes back, an empty one takes
the place of another. What is told of that is held against what the servers' own logs say.
"""

import datetime
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from weighhouse_protocol.target import Target
from weighhouse_sdk.testkit.exercised import note
from weighhouse_testing.platform import RunningPlatform

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))
SAMPLING_SECONDS = 1.0
KIBIBYTE = 1024
PREPARED = re.compile(r"Prepare completed\. Receiving \d+ files\(([\d.]+)(B|KiB|MiB)\)")
UNITS = {"B": 1, "KiB": KIBIBYTE, "MiB": KIBIBYTE**2}
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
phases: {load_clients: 2, warmup_seconds: 2, measure_seconds: 136, interval_seconds: 1}
faults:
  - {at_seconds: 6, verb: kill, node: 2}
  - {at_seconds: 10, verb: start, node: 2}
  - {at_seconds: 50, verb: kill, node: 3}
  - {at_seconds: 52, verb: replace, node: 3}
"""


@pytest.mark.timeout(900)
def test_quorum_operations_go_on_while_a_node_is_away(platform: RunningPlatform) -> None:
    started = platform.start_campaign(COURSE)
    campaign = platform.wait_for_campaign(started["id"], seconds=800)
    ((run,),) = [cell["runs"] for cell in campaign["cells"]]
    whole = platform.request("GET", f"/runs/{run['id']}")
    assert whole["status"] == "completed", (whole["attempts"], whole["timeline"])
    told = [
        (each["kind"], each["label"])
        for each in whole["timeline"]
        if each["kind"].startswith(("fault", "system_ended"))
    ]
    assert [kind for kind, _ in told] == ["fault", "fault_done"] * 4, told
    assert told[0][1] == "kill node 2"
    assert told[1][1] == "node 2: killed"
    assert told[3][1].startswith("node 2: serves again after")
    assert told[6][1] == "replace node 3"
    assert told[7][1].startswith("node 3: an empty one serves in its place after")
    drawn = platform.request("GET", f"/runs/{run['id']}/series")
    assert_operations_went_on(drawn)
    cost = platform.request("GET", f"/runs/{run['id']}/faults")
    assert_what_it_cost_is_told(cost, whole)
    log = platform.fetch(f"/runs/{run['id']}/logs/cassandra-3").text
    assert_redistribution_is_what_the_server_logged(cost["faults"][1], whole, log)
    access = {"WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": platform.token}
    shown = subprocess.run(
        [WEIGHHOUSE, "campaign", "faults", campaign["id"]],
        env=os.environ | access, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    size = cost["faults"][1]["redistribution"]["bytes"]
    assert f": {size:,} bytes in 1 transfer" in shown, shown
    note(Target.model_validate(yaml.safe_load(COURSE)["targets"][0]), whole["target"]["version"])


def assert_operations_went_on(drawn: dict[str, Any]) -> None:
    """Operations are answered and right in every second; only those fail, counted and not tried
    again, that a node was working on when it was killed.
    """
    killed = [
        each["at_seconds"]
        for each in drawn["marks"]
        if each["kind"] == "fault" and each["label"].startswith("kill")
    ]
    assert len(killed) == 2
    for name in ("read", "update"):
        operation = drawn["operations"][name]
        failed = [
            (second, errors)
            for second, errors in zip(operation["t"], operation["errors"], strict=True)
            if errors and not any(abs(second - at) <= AROUND for at in killed)
        ]
        assert not failed, f"killed at {killed}: {name}: {failed}"
        assert sum(operation["not_found"]) == 0
    rates = drawn["operations"]["all"]["throughput"]
    assert min(rates[1:-1]) > 0, rates


def assert_what_it_cost_is_told(cost: dict[str, Any], run: dict[str, Any]) -> None:
    """Every operation of the measured phase stands before, during or after, and in no two."""
    first, second = cost["faults"]
    assert (first["label"], first["mended"]) == ("kill node 2", True)
    assert (second["label"], second["mended"]) == ("kill node 3 and replace node 3", True)
    assert first["end_seconds"] - first["begin_seconds"] >= 4, "killed at 6, started at 10"
    assert first["redistribution"] is None, "it came back with its data"
    for fault in (first, second):
        before, during, after = fault["stretches"]
        assert before["end_seconds"] <= fault["begin_seconds"] <= during["end_seconds"]
        whole_until = after["begin_seconds"] + fault["recovery"]["resolution_seconds"]
        assert fault["end_seconds"] <= whole_until
        assert before["operations"]["all"]["failed"] == 0
        assert fault["recovery"]["without_success_seconds"] == 0, "a quorum was there all the time"
    assert first["stretches"][0] == second["stretches"][0]
    measured = run["summary"]["operations"]["all"]
    parts = [*first["stretches"], *second["stretches"][1:]]
    for count, told in (("ok", measured["ok"]), ("failed", measured["errors"])):
        stretches = [one["operations"]["all"][count] for one in parts]
        assert sum(stretches) == told, (count, stretches, measured)


def assert_redistribution_is_what_the_server_logged(
    fault: dict[str, Any], run: dict[str, Any], log: str
) -> None:
    """Begin and end within a sampling period, bytes as they were agreed on with each other node."""
    moved = fault["redistribution"]
    assert (moved["transfers"], moved["failed"]) == (1, 0)
    marks = {
        mark["kind"]: datetime.datetime.fromisoformat(mark["at"])
        for mark in run["timeline"]
        if mark["kind"].startswith("redistribution")
    }
    lines = {
        "redistribution_began": "Executing streaming plan for Bootstrap",
        "redistribution_ended": "All sessions completed",
    }
    for kind, words in lines.items():
        (line,) = [line for line in log.splitlines() if words in line]
        at = marks[kind].astimezone()
        logged = datetime.datetime.combine(
            at.date(), datetime.time.fromisoformat(line[:12]), at.tzinfo
        )
        apart = abs((logged - at).total_seconds())
        apart = min(apart, abs(86_400 - apart))  # About midnight.
        assert apart <= SAMPLING_SECONDS, (kind, at, line)
    assert fault["begin_seconds"] < moved["begin_seconds"] < moved["end_seconds"]
    assert moved["end_seconds"] <= fault["end_seconds"], "only then it serves"
    took = (marks["redistribution_ended"] - marks["redistribution_began"]).total_seconds()
    assert abs(moved["end_seconds"] - moved["begin_seconds"] - took) < 0.001
    agreed = [PREPARED.search(line) for line in log.splitlines()]
    sizes = [float(each[1]) * UNITS[each[2]] for each in agreed if each is not None]
    assert len(sizes) == 2, "both others had some of it"
    assert abs(moved["bytes"] - sum(sizes)) <= len(sizes), (moved, sizes)
