"""memtier_benchmark: what it wrote, and, where it is at hand, the real one on a real Redis.

`recorded/run.json` is what memtier_benchmark (commit 2f74d61) wrote of a run of one second on a
Redis 7.0 of this house; not a measurement of either.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_memtier_benchmark import PLUGIN
from weighhouse_plugin_memtier_benchmark.output import read
from weighhouse_plugin_memtier_benchmark.plugin import BROKEN, arguments, ratio, runs_of
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Interval
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import DriverFailed, WrongProduct
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit import at_hand
from weighhouse_sdk.testkit.testing import processes_below
from weighhouse_sdk.testkit.testing_tools import (
    ToolConformance,
    events_of,
    tool_order,
    tool_target,
)
from weighhouse_sdk.toolrun.histograms import decoded

RECORDED = Path(__file__).parent / "recorded" / "run.json"
MIX = Workload(
    name="mix", record_count=501, insert_order="ordered", insert_start=1, write_all_fields=True,
    field_count=2, operations=OperationMix(read=0.75, update=0.25),
)  # fmt: skip
LOAD = Phase(kind="load", clients=1)


class TestConformance(ToolConformance):
    tool = PLUGIN
    fitting = MIX


@pytest.fixture
def memtier(request: pytest.FixtureRequest) -> Path:
    return at_hand.server(request, "memtier_benchmark", "WEIGHHOUSE_MEMTIER")


@pytest.fixture
def context(memtier: Path, tmp_path: Path) -> Iterator[Context]:
    assert memtier.is_file()
    context = Context.open(Target(name="t", system="redis"), tmp_path / "attempt")
    yield context
    load_plugin("redis").clean_up(context)


@pytest.fixture
def redis(context: Context) -> Deployed:
    plugin = load_plugin("redis")
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    return deployed


def order_on(deployed: Deployed, workload: Workload = MIX, **options: str) -> DriverOrder:
    target = tool_target(PLUGIN, deployed.endpoints, **options)
    return tool_order(workload, target=target)


@pytest.mark.parametrize("layout", ["hash", "string"])
def test_engine_loads_and_the_tool_meets_its_records(
    context: Context, redis: Deployed, layout: str
) -> None:
    phases = (LOAD, Phase(kind="measure", duration_seconds=2))
    order = order_on(redis, layout=layout).model_copy(update={"phases": phases})
    events = events_of(PLUGIN, order, context)
    assert events[-1].event == "finished", events[-1]
    measured = [each for each in events if isinstance(each, Interval) and each.phase == "measure"]
    assert len(measured) == 2
    totals = {"read": 0, "update": 0}
    for each in measured:
        for name, seen in each.operations.items():
            assert seen.ok is not None
            assert seen.ok.response is not None
            assert sum(decoded(seen.ok.response).values()) == seen.ok.count
            totals[name] += seen.ok.count
    assert totals["read"] == pytest.approx(3 * totals["update"], rel=0.01)
    seen = dict(load_plugin("redis").sample(context, redis).metrics)
    assert seen["keys"] == 500
    assert seen["keyspace_misses"] == 0
    assert seen["keyspace_hits"] >= totals["read"]


def test_phase_ends_at_its_operation_count(context: Context, redis: Deployed) -> None:
    phases = (LOAD, Phase(kind="measure", operation_count=4000))
    order = order_on(redis).model_copy(
        update={"phases": phases, "load": ClosedLoad(clients=4, pipeline=3), "shards": 2}
    )
    finished = events_of(PLUGIN, order, context)[-2]
    assert finished.event == "phase_finished"
    assert sum(each.ok for each in finished.operations.values()) == 4000


def test_asked_to_end_it_keeps_what_was_measured(context: Context, redis: Deployed) -> None:
    phases = (LOAD, Phase(kind="measure", duration_seconds=600))
    order = order_on(redis).model_copy(update={"phases": phases, "interval_seconds": 1.0})
    last = None
    with DriverRun("memtier-benchmark", order, context) as run:
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
    last = events_of(PLUGIN, order_on(nowhere).model_copy(update={"phases": phases}), context)[-1]
    assert last.event == "failed"
    assert last.kind == "database"
    assert "Connection refused" in last.message


def test_error_reply_is_the_systems_failure(context: Context, redis: Deployed) -> None:
    events_of(PLUGIN, order_on(redis, layout="string"), context)
    phases = (Phase(kind="measure", duration_seconds=600),)
    last = events_of(PLUGIN, order_on(redis).model_copy(update={"phases": phases}), context)[-1]
    assert last.event == "failed"
    assert last.kind == "database"
    assert "WRONGTYPE" in last.message


def test_results_that_it_wrote_are_read() -> None:
    outcome = read(RECORDED)
    told = json.loads(RECORDED.read_text())["ALL STATS"]
    assert set(outcome.counts) == {"hgetall", "hset"}
    for command, title in (("hgetall", "Hgetalls"), ("hset", "Hsets")):
        counts = outcome.counts[command]
        assert sum(counts.values()) == told[title]["Count"]
        assert max(counts) / 1e6 == pytest.approx(told[title]["Max Latency"], rel=0.01)
        half = sum(counts.values()) / 2
        ranked = sorted(counts)
        median = next(
            value for value in ranked if sum(counts[v] for v in ranked if v <= value) >= half
        )
        assert median / 1e6 == told[title]["Percentile Latencies"]["p50.00"]
    assert outcome.finish_us - outcome.start_us == told["Runtime"]["Total duration"] * 1000


def test_results_that_are_not_whole_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(DriverFailed):
        read(tmp_path / "none.json")
    document = json.loads(RECORDED.read_text())
    for spoiled in (
        {"ALL STATS": {}},
        {"ALL STATS": document["ALL STATS"] | {"Gets": {"Count": 3}}},
        {
            "ALL STATS": document["ALL STATS"]
            | {"Hsets": document["ALL STATS"]["Hsets"] | {"Count": 1}}
        },
    ):
        path = tmp_path / "results.json"
        path.write_text(json.dumps(spoiled))
        with pytest.raises(DriverFailed):
            read(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("server 127.0.0.1:6379 handle error response: -WRONGTYPE Operation against", "WRONGTYPE"),
        ("ops/sec,  0.00 (avg:  0.00) msec latencyConnection error: Connection refused", "refused"),
        ("connection dropped.", "dropped"),
    ],
)
def test_its_complaints_are_seen(line: str, said: str) -> None:
    found = BROKEN.search(line)
    assert found is not None
    assert said in found[0]
    assert BROKEN.search("[RUN #1 50%,   1 secs]  2 threads  2 conns:  39373 ops") is None


def test_another_program_of_that_name_is_told_apart(tmp_path: Path) -> None:
    program = tmp_path / "memtier_benchmark"
    program.touch(mode=0o755)
    options = HostOptions(search_path=str(tmp_path))
    program.write_text("#!/bin/sh\necho memtier_benchmark 1.4.0\n")
    with pytest.raises(WrongProduct):
        PLUGIN.find_versions(options)
    for said, version in (("2.1.1", "2.1.1"), ("v=2.2.0 sha=0:0", "2.2.0")):
        program.write_text(f"#!/bin/sh\necho memtier_benchmark {said}\n")
        assert PLUGIN.find_versions(options)[0].version == version


def test_what_it_cannot_say_is_refused() -> None:
    target = DriverTarget(
        endpoints=("tcp://127.0.0.1:0",), options={"username": "u", "timeout_ms": 5}
    )
    phases = (
        LOAD,
        Phase(kind="warmup", duration_seconds=1.5),
        Phase(kind="measure", operation_count=7),
    )
    workload = Workload(name="w", operations=OperationMix(read=0.999, update=0.001))
    order = tool_order(workload, target=target, load=ClosedLoad(clients=3), phases=phases, shards=2)
    assert [each.partition(":")[0] for each in PLUGIN.refusals(order)] == [
        "options.timeout_ms", "options.username", "workload.insert_order",
        "workload.insert_start", "workload.operations", "workload.write_all_fields", "shards",
        "phases[1].duration_seconds", "phases[2].operation_count",
    ]  # fmt: skip


def test_command_line_says_what_the_order_says() -> None:
    options = {"database": 3, "resp3": True}
    order = tool_order(
        MIX.model_copy(update={"field_length": 9, "insert_count": 200}),
        load=ClosedLoad(clients=8, pipeline=4),
        target=DriverTarget(endpoints=("tcp://127.0.0.1:0",), options=options),
        shards=2,
    )
    assert arguments(order) == [
        "--threads", "2", "--clients", "4", "--pipeline", "4", "--protocol", "resp3",
        "--select-db", "3", "--randomize", "--distinct-client-seed", "--random-data",
        "--data-size", "9", "--key-prefix", "user", "--key-minimum", "1", "--key-maximum", "200",
        "--command", "HGETALL __key__", "--command-ratio", "3", "--command-key-pattern", "R",
        "--command", "HSET __key__ field0 __data__ field1 __data__", "--command-ratio", "1",
        "--command-key-pattern", "R", "--hide-histogram",
    ]  # fmt: skip
    words = arguments(
        tool_order(
            MIX.model_copy(update={"operations": OperationMix(update=1.0)}),
            target=DriverTarget(endpoints=("tcp://127.0.0.1:0",), options={"layout": "string"}),
        )
    )
    assert words[words.index("--data-size") + 1] == "200"
    assert words[words.index("--key-maximum") + 1] == "500"
    assert [words[n + 1] for n, word in enumerate(words) if word == "--command"] == [
        "SET __key__ __data__"
    ]


def test_keys_of_a_bell_are_its_own_bell() -> None:
    bell = MIX.model_copy(update={"request_distribution": "gaussian"})
    words = arguments(tool_order(bell))
    patterns = [words[at + 1] for at, word in enumerate(words) if word == "--command-key-pattern"]
    assert patterns == ["G", "G"]
    assert not PLUGIN.refusals(tool_order(bell))
    (told,) = PLUGIN.refusals(tool_order(bell.model_copy(update={"gaussian_stddev": 0.1})))
    assert told.startswith("workload.gaussian_median, gaussian_stddev:")


def test_shares_are_cycles_and_phases_are_runs() -> None:
    def mix(read: float) -> Workload:
        return Workload(name="w", operations=OperationMix(read=read, update=1 - read))

    assert [ratio(mix(each)) for each in (0.95, 1.0, 0.5, 0.01)] == [
        (19, 1), (1, 0), (1, 1), (1, 99),
    ]  # fmt: skip
    assert ratio(mix(0.9995)) is None
    assert runs_of(1, 1) == [1]
    assert runs_of(25, 1) == [2] * 11 + [3]
    assert runs_of(600, 1) == [10] * 60
    assert runs_of(12, 5) == [5, 7]
