"""A node of a real Cassandra is killed while a run is measured; an empty one takes its place."""

import datetime
import re
from typing import Any

import httpx
import yaml
from weighhouse_protocol.redistribution import amount_of
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
phases: {load_clients: 2, warmup_seconds: 2, measure_seconds: 130, interval_seconds: 1}
faults:
  - {at_seconds: 6, verb: kill, node: 2}
  - {at_seconds: 10, verb: replace, node: 2}
"""
MEASURED_SECONDS, LONGEST_SECONDS = 130, 450
"""Long enough for an empty node to serve: on a machine that has time, and on one that has none."""
LATE, HEARD_NOBODY = "the measured phase ended before it was done", "Unable to contact any seeds"
"""What is said of a node on a machine that has none: the vendor gives it 30 s to hear of others."""
TRIES = 3
NOTHING = {"ok": 0, "failed": 0}
"""Of a stretch in which a machine without time got no answer."""
SAMPLED_SECONDS = 1.0
"""How often the nodes are asked for their transfers."""
ASKED_SECONDS = 30.0
"""After a node serves, until all nodes have said that they know it."""
LOGGED = re.compile(r"^(\d\d:\d\d:\d\d\.\d{3}) \w+ +(.*)$", re.MULTILINE)
RECEIVES = re.compile(r"Prepare completed\. Receiving \d+ files ?\(([\d.]+) ?([KM]?i?B)\)")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


def test_quorum_operations_go_on_while_a_node_is_killed_and_replaced(
    platform: RunningPlatform,
) -> None:
    seconds = MEASURED_SECONDS
    for _ in range(TRIES):
        course = COURSE.replace("measure_seconds: 130", f"measure_seconds: {seconds}")
        started = platform.start_campaign(course)
        campaign = platform.wait_for_campaign(started["id"])
        ((run,),) = [cell["runs"] for cell in campaign["cells"]]
        whole = platform.request("GET", f"/runs/{run['id']}")
        assert whole["status"] == "completed", whole["failure"]
        told = [
            (each["kind"], each["label"])
            for each in whole["timeline"]
            if each["kind"].startswith(("fault", "system_ended"))
        ]
        if LATE in told[-1][1]:
            seconds = LONGEST_SECONDS
        elif HEARD_NOBODY not in told[-1][1]:
            break
    assert [kind for kind, _ in told] == ["fault", "fault_done", "fault", "fault_done"], told
    assert told[0][1] == "kill node 2"
    assert told[1][1] == "node 2: killed"
    assert told[2][1] == "replace node 2"
    assert told[3][1].startswith("node 2: an empty one serves in its place after"), told
    drawn = platform.request("GET", f"/runs/{run['id']}/series")
    assert_operations_went_on(drawn, whole)
    cost = platform.request("GET", f"/runs/{run['id']}/faults")
    assert_what_it_cost_is_told(cost, whole)
    assert_the_server_logged_the_same(log_of(platform, run["id"], "cassandra-2"), cost, whole)
    note(Target.model_validate(yaml.safe_load(COURSE)["targets"][0]), whole["target"]["version"])


def assert_operations_went_on(drawn: dict[str, Any], run: dict[str, Any]) -> None:
    """Operations are answered and right. Those fail, counted and not tried again, that the node was
    working on when it was killed; any other only because a node of a machine without time gave it
    up, with a quorum there.
    """
    killed_at = next(each["at_seconds"] for each in drawn["marks"] if each["kind"] == "fault")
    for name in ("read", "update"):
        operation, measured = drawn["operations"][name], run["summary"]["operations"][name]
        failed = [
            (second, errors)
            for second, errors in zip(operation["t"], operation["errors"], strict=True)
            if errors and not killed_at - AROUND <= second <= killed_at + AROUND
        ]
        kinds = measured["errors_by_kind"]
        told = f"killed at {killed_at}: {name}: {failed}, {kinds}, {run['errors']}"
        assert "unavailable" not in kinds, told
        assert sum(errors for _, errors in failed) <= kinds.get("timeout", 0), told
        assert sum(operation["not_found"]) == 0


def assert_what_it_cost_is_told(cost: dict[str, Any], run: dict[str, Any]) -> None:
    """Every operation of the measured phase stands before, during or after, and in no two."""
    (fault,) = cost["faults"]
    assert (fault["label"], fault["mended"]) == ("kill node 2 and replace node 2", True)
    assert fault["end_seconds"] - fault["begin_seconds"] >= 4, "killed at 6, started at 10"
    before, during, after = fault["stretches"]
    counted = [one["operations"].get("all", NOTHING) for one in (before, during, after)]
    assert before["end_seconds"] <= fault["begin_seconds"] <= during["end_seconds"]
    assert fault["end_seconds"] <= after["begin_seconds"] + fault["recovery"]["resolution_seconds"]
    measured = run["summary"]["operations"]["all"]
    for count, told in (("ok", measured["ok"]), ("failed", measured["errors"])):
        stretches = [one[count] for one in counted]
        assert sum(stretches) == told, (count, stretches, measured)
    first, second, _ = counted
    assert first["failed"] == 0
    assert second["ok"] > 0, "a quorum was there all the time"
    # A busy machine may stand still for some seconds, also where nothing has failed.
    assert second["ok"] > 10 * second["failed"]


def log_of(platform: RunningPlatform, run_id: str, stream: str) -> str:
    """A log of a run, whole."""
    answer = httpx.get(
        f"{platform.url}/api/v1/runs/{run_id}/logs/{stream}",
        headers={"Authorization": f"Bearer {platform.token}"},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    return answer.text


def assert_the_server_logged_the_same(log: str, cost: dict[str, Any], run: dict[str, Any]) -> None:
    """When data went to the empty node, how much of it, and when the node served again."""
    moved = cost["faults"][0]["redistribution"]
    lines = [(at, words) for at, words in LOGGED.findall(log)]
    streams = [at for at, words in lines if "[Stream #" in words]
    assert streams, "the empty node logged no stream"
    told = {each["kind"]: each["at"] for each in run["timeline"]}
    for kind, logged in (
        ("redistribution_began", streams[0]),
        ("redistribution_ended", streams[-1]),
    ):
        assert seconds_between(told[kind], logged) <= SAMPLED_SECONDS, (kind, told[kind], logged)
    sizes = [
        float(size) * UNITS[unit] for _, words in lines for size, unit in RECEIVES.findall(words)
    ]
    label = next(
        each["label"] for each in run["timeline"] if each["kind"] == "redistribution_ended"
    )
    amount = amount_of(label)
    assert amount is not None, label
    assert amount.failed == 0, label
    # The log rounds each size to three decimals of its unit.
    assert abs(amount.bytes - sum(sizes)) <= len(sizes) * UNITS["KiB"], (label, sizes)
    assert moved["bytes"] == amount.bytes
    serves = next(at for at, words in reversed(lines) if "Starting listening for CQL" in words)
    done = [each["at"] for each in run["timeline"] if each["kind"] == "fault_done"][-1]
    assert seconds_between(done, serves) <= ASKED_SECONDS, f"serves since {serves}, done at {done}"


def seconds_between(told: str, logged: str) -> float:
    """Between an instant, and the time of a day as a server of this machine logs it."""
    instant = datetime.datetime.fromisoformat(told).astimezone()
    clock = datetime.time.fromisoformat(logged)
    return abs(
        (instant - datetime.datetime.combine(instant, clock, instant.tzinfo)).total_seconds()
    )
