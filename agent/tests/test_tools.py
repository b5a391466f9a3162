"""The agent with foreign load tools, on real systems."""

import os
from typing import Any

import pytest
from weighhouse_sdk.testkit import at_hand

from .conftest import MakeOrder, RunningAgent, carried_out
from .protocol_server import Attempt, Server

READS = {
    "name": "reads",
    "insert_order": "ordered",
    "zero_padding": 12,
    "operations": {"read": 1.0},
}


def measured(attempt: Attempt, operation: str) -> list[dict[str, Any]]:
    return [
        each["interval"]["operations"][operation]["ok"]
        for each in attempt.of_kind("interval")
        if each["interval"]["phase"] == "measure"
    ]


def test_redis_benchmark_makes_the_load_on_redis(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    load = {"model": "closed", "clients": 4}
    wanted = order(
        system="redis", tool="redis-benchmark", workload=READS, load=load, measure_seconds=2.0
    )
    attempt = carried_out(real, server, wanted)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    versions = attempt.of_kind("target")[0]["facts"]["versions"]
    assert versions["driver redis-benchmark"][0].isdigit()
    assert {"plugin redis", "plugin redis-benchmark"} <= set(versions)
    reads = measured(attempt, "read")
    assert sum(each["count"] for each in reads) > 100
    assert all(each["response"] for each in reads)
    output = attempt.files["output.txt"].decode()
    assert "+ " in output
    assert "requests per second" in output or "requests completed" in output
    phases = [each["phase"] for each in attempt.of_kind("phase_ended")]
    assert phases == ["load", "warmup", "measure"]
    memory = {each["moment"]: each["used_bytes"] for each in attempt.of_kind("memory")}
    assert memory["before"] < memory["after_load"]


@pytest.mark.parametrize(
    ("operations", "told"),
    [
        ({"read": 0.5, "update": 0.5}, "one operation in a run"),  # by its manifest
        ({"read": 1.0}, "zero_padding: 12"),  # by its code
    ],
)
def test_what_a_tool_cannot_say_is_refused_before_anything_is_deployed(
    real: RunningAgent,
    server: Server,
    order: MakeOrder,
    operations: dict[str, float],
    told: str,
) -> None:
    workload = {"name": "w", "operations": operations}
    wanted = order(system="redis", tool="redis-benchmark", workload=workload)
    attempt = carried_out(real, server, wanted)
    assert attempt.completion is not None
    failure = attempt.completion.failure
    assert failure is not None
    assert failure.kind == "invalid"
    assert told in failure.message
    assert attempt.of_kind("target") == []


def test_tool_for_another_systems_driver_is_refused(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(system="memcached", tool="redis-benchmark", workload=READS)
    attempt = carried_out(real, server, wanted)
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert attempt.completion.failure.kind == "invalid"
    assert "cannot make load on Memcached" in attempt.completion.failure.message


def test_db_bench_makes_the_load_on_a_rocksdb_of_its_own(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    workload = {
        "name": "mix",
        "insert_order": "ordered",
        "write_all_fields": True,
        "operations": {"read": 0.5, "update": 0.5},
    }
    wanted = order(
        system="rocksdb", deployment="in_process", tool="db-bench", workload=workload,
        load={"model": "closed", "clients": 2}, measure_seconds=2.0, warmup_seconds=1.0,
    )  # fmt: skip
    attempt = carried_out(real, server, wanted)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    assert attempt.of_kind("target")[0]["facts"]["versions"]["driver db-bench"][0].isdigit()
    for operation in ("read", "update"):
        assert sum(each["count"] for each in measured(attempt, operation)) > 100
    samples = attempt.of_kind("sample")
    assert max(each["cpu_percent"] or 0 for each in samples) > 0
    assert max(each["disk_bytes"] or 0 for each in samples) > 100_000


def test_memtier_benchmark_makes_the_load_on_redis(
    real: RunningAgent, server: Server, order: MakeOrder, request: pytest.FixtureRequest
) -> None:
    at_hand.server(request, "memtier_benchmark", "WEIGHHOUSE_MEMTIER")
    real.environment["PATH"] = os.environ["PATH"]
    workload = {
        "name": "mix",
        "insert_order": "ordered",
        "insert_start": 1,
        "write_all_fields": True,
        "operations": {"read": 0.9, "update": 0.1},
    }
    wanted = order(
        system="redis", tool="memtier-benchmark", workload=workload,
        load={"model": "closed", "clients": 4}, measure_seconds=2.0, warmup_seconds=1.0,
    )  # fmt: skip
    attempt = carried_out(real, server, wanted)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    for operation in ("read", "update"):
        answers = measured(attempt, operation)
        assert sum(each["count"] for each in answers) > 100
        assert all(each["response"] for each in answers)


def test_ycsb_makes_the_load_on_redis(
    real: RunningAgent, server: Server, order: MakeOrder, request: pytest.FixtureRequest
) -> None:
    home = os.environ.get("WEIGHHOUSE_YCSB")
    if home is None:
        at_hand.not_run(request, "YCSB is not on this machine; source infra/build/maven.sh ycsb")
    real.environment["YCSB_HOME"] = home
    workload = {
        "name": "b",
        "request_distribution": "zipfian",
        "operations": {"read": 0.9, "update": 0.1},
    }
    wanted = order(
        system="redis", tool="ycsb", workload=workload,
        load={"model": "closed", "clients": 2}, measure_seconds=2.0, warmup_seconds=1.0,
    )  # fmt: skip
    attempt = carried_out(real, server, wanted)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    assert attempt.of_kind("target")[0]["facts"]["versions"]["driver ycsb"][0].isdigit()
    for operation in ("read", "update"):
        answers = measured(attempt, operation)
        assert sum(each["count"] for each in answers) > 100
        assert all(each["response"] for each in answers)
