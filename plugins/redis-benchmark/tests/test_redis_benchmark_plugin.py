"""redis-benchmark, the real one, on a real Redis."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_redis_benchmark import PLUGIN
from weighhouse_plugin_redis_benchmark.output import read
from weighhouse_plugin_redis_benchmark.plugin import arguments, requests_of_next
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Interval
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import DriverRun, describe_driver
from weighhouse_sdk.errors import DriverFailed
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit.testing import processes_below
from weighhouse_sdk.testkit.testing_tools import (
    ToolConformance,
    events_of,
    tool_order,
    tool_target,
)
from weighhouse_sdk.toolrun.histograms import decoded
from weighhouse_sdk.toolrun.work import Work

READS = Workload(
    name="reads", record_count=500, insert_order="ordered", zero_padding=12,
    operations=OperationMix(read=1.0),
)  # fmt: skip
UPDATES = READS.model_copy(
    update={"operations": OperationMix(update=1.0), "write_all_fields": True, "field_count": 2}
)
PRINTED = """\
GET user__rand_int__: rps=51585.7 (overall: 51633.5) avg_msec=0.056 (overall: 0.056)
====== GET user__rand_int__ ======
  100 requests completed in 0.01 seconds

Latency by percentile distribution:
0.000% <= 0.015 milliseconds (cumulative count 10)
50.000% <= 0.055 milliseconds (cumulative count 60)
75.000% <= 0.071 milliseconds (cumulative count 80)
100.000% <= 0.415 milliseconds (cumulative count 100)

Cumulative distribution of latencies:
90.000% <= 0.103 milliseconds (cumulative count 90)
100.000% <= 0.503 milliseconds (cumulative count 100)

Summary:
  throughput summary: 50000.00 requests per second
  latency summary (msec):
          avg       min       p50       p95       p99       max
        0.056     0.008     0.055     0.207     0.303     0.415
"""


class TestConformance(ToolConformance):
    tool = PLUGIN
    fitting = READS


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    context = Context.open(Target(name="t", system="redis"), tmp_path / "attempt")
    yield context
    load_plugin("redis").clean_up(context)


@pytest.fixture
def redis(context: Context) -> Deployed:
    plugin = load_plugin("redis")
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    return deployed


def order_on(deployed: Deployed, workload: Workload, **options: str) -> DriverOrder:
    target = tool_target(PLUGIN, deployed.endpoints, **options)
    return tool_order(workload, target=target)


def metrics(context: Context, deployed: Deployed) -> dict[str, float]:
    return dict(load_plugin("redis").sample(context, deployed).metrics)


def test_describes_itself_with_the_tools_own_version() -> None:
    described = describe_driver("redis-benchmark")
    assert described.version == PLUGIN.find_versions(HostOptions())[0].version
    assert described.operations == ("read", "update")
    assert described.load_models == ("closed",)


@pytest.mark.parametrize("layout", ["hash", "string"])
@pytest.mark.parametrize("workload", [READS, UPDATES], ids=["read", "update"])
def test_engine_loads_and_the_tool_meets_its_records(
    context: Context, redis: Deployed, workload: Workload, layout: str
) -> None:
    events = events_of(PLUGIN, order_on(redis, workload, layout=layout), context)
    assert [each.event for each in events if each.event != "interval"] == [
        "ready", "phase_started", "phase_finished", "phase_started", "phase_finished", "finished",
    ]  # fmt: skip
    assert events[0].event == "ready"
    assert (events[0].driver, events[0].layout) == ("redis-benchmark", layout)
    name = "read" if workload is READS else "update"
    measured = [each for each in events if isinstance(each, Interval) and each.phase == "measure"]
    answers = [each.operations[name].ok for each in measured]
    total = sum(each.count for each in answers if each)
    for each in answers:
        assert each is not None
        assert each.response is not None
        assert sum(decoded(each.response).values()) == each.count
    finished = events[-2]
    assert finished.event == "phase_finished"
    assert finished.operations[name].ok == total
    assert not finished.interrupted
    seen = metrics(context, redis)
    assert seen["keys"] == workload.record_count
    assert seen["keyspace_misses"] == (0 if name == "read" else seen["keyspace_misses"])
    if name == "read":
        assert seen["keyspace_hits"] >= total


def test_phase_ends_at_its_operation_count(context: Context, redis: Deployed) -> None:
    phases = (Phase(kind="load", clients=1), Phase(kind="measure", operation_count=3210))
    events = events_of(
        PLUGIN, order_on(redis, READS).model_copy(update={"phases": phases}), context
    )
    assert events[-2].event == "phase_finished"
    assert events[-2].operations["read"].ok == 3210


def test_sigterm_ends_it_with_what_was_measured(context: Context, redis: Deployed) -> None:
    phases = (Phase(kind="load", clients=1), Phase(kind="measure", duration_seconds=600))
    order = order_on(redis, READS).model_copy(update={"phases": phases})
    last = None
    with DriverRun("redis-benchmark", order, context) as run:
        for event in run.events():
            if isinstance(event, Interval) and event.phase == "measure":
                run.terminate()
            if event.event == "phase_finished":
                last = event
    assert last is not None
    assert last.interrupted
    assert last.operations["read"].ok > 0
    assert not processes_below(context.scratch_directory)


def test_system_that_is_not_there_is_the_systems_failure(context: Context) -> None:
    nowhere = Deployed(endpoints=("tcp://127.0.0.1:1",), version="0")
    phases = (Phase(kind="measure", duration_seconds=600),)
    order = order_on(nowhere, READS).model_copy(update={"phases": phases})
    last = events_of(PLUGIN, order, context)[-1]
    assert last.event == "failed"
    assert last.kind == "database"
    assert "Connection refused" in last.message


def test_error_reply_is_the_systems_failure(context: Context, redis: Deployed) -> None:
    events_of(PLUGIN, order_on(redis, READS, layout="string"), context)
    phases = (Phase(kind="measure", operation_count=100),)
    order = order_on(redis, READS, layout="hash").model_copy(update={"phases": phases})
    last = events_of(PLUGIN, order, context)[-1]
    assert last.event == "failed"
    assert last.kind == "database"
    assert "WRONGTYPE" in last.message


def test_refused_order_is_told_by_its_own_program_too(context: Context, redis: Deployed) -> None:
    mixed = READS.model_copy(update={"operations": OperationMix(read=0.5, update=0.5)})
    last = events_of(PLUGIN, order_on(redis, mixed), context)[-1]
    assert last.event == "failed"
    assert last.kind == "invalid"
    assert "not a mix" in last.message


def test_fields_and_keys_that_it_cannot_choose_are_refused() -> None:
    hashed = READS.model_copy(update={"insert_order": "hashed"})
    assert any("12 digits" in each for each in PLUGIN.refusals(tool_order(hashed)))
    one_field = UPDATES.model_copy(update={"write_all_fields": False})
    assert any("write_all_fields" in each for each in PLUGIN.refusals(tool_order(one_field)))
    large = UPDATES.model_copy(update={"field_length": 200_000})
    assert any("command line" in each for each in PLUGIN.refusals(tool_order(large)))


def test_command_line_says_what_the_order_says() -> None:
    options = {"database": 3, "resp3": True, "username": "loader"}
    order = tool_order(
        UPDATES.model_copy(update={"field_length": 3}),
        load=ClosedLoad(clients=9, pipeline=4),
        target=DriverTarget(endpoints=("tcp://127.0.0.1:0",), options=options),
        shards=2,
    )
    words = arguments(order, 777)
    assert words[: words.index("HSET")] == [
        "-n", "777", "-c", "9", "-P", "4", "-r", "500", "--precision", "3", "--threads", "2",
        "--dbnum", "3", "-3", "--user", "loader",
    ]  # fmt: skip
    _, key, *pairs = words[words.index("HSET") :]
    assert key == "user__rand_int__"
    assert pairs[::2] == ["field0", "field1"]
    assert [len(value) for value in pairs[1::2]] == [3, 3]


def test_runs_are_parts_of_the_phase_and_end_with_it() -> None:
    work = Work(tool_order(READS), Path("tool"), Path())
    phase = Phase(kind="measure", duration_seconds=100)
    assert requests_of_next(phase, work, 0.0, None, 2) == 1000
    work.rate_per_second = 5000.0
    assert requests_of_next(phase, work, 1.0, None, 20_000) == 50_000
    assert requests_of_next(phase, work, 1.0, None, 1000) == 20_000
    assert requests_of_next(phase, work, 88.0, None, 50_000) == 60_000
    assert requests_of_next(phase, work, 99.5, None, 50_000) == 0
    assert requests_of_next(phase, work, 50.0, 12, 50_000) == 12
    assert requests_of_next(phase, work, 50.0, 0, 50_000) == 0


def test_both_tables_and_the_summary_make_one_distribution() -> None:
    outcome = read(PRINTED.splitlines())
    assert outcome.counts == {
        15_000: 10, 55_000: 50, 71_000: 20, 103_000: 10, 207_000: 5, 303_000: 4, 415_000: 1,
    }  # fmt: skip
    assert outcome.requests == 100
    assert outcome.duration_us == 2000


def test_other_output_is_told_apart() -> None:
    with pytest.raises(DriverFailed):
        read(PRINTED.replace("throughput summary", "throughput").splitlines())
    with pytest.raises(DriverFailed):
        read(PRINTED.replace("cumulative count", "count").splitlines())
