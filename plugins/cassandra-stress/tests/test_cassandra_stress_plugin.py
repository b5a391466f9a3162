"""cassandra-stress, the real one, on a real Cassandra."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_cassandra_stress import PLUGIN
from weighhouse_plugin_cassandra_stress.log import HistogramLog
from weighhouse_plugin_cassandra_stress.plugin import arguments
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Interval
from weighhouse_protocol.load import ClosedLoad, OpenLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import describe_driver
from weighhouse_sdk.errors import DriverFailed
from weighhouse_sdk.kept_files import KEPT
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit.testing_tools import (
    ToolConformance,
    events_of,
    tool_order,
    tool_target,
)
from weighhouse_sdk.toolrun.histograms import decoded, encoded
from weighhouse_sdk.toolrun.work import Work

MIX = Workload(
    name="mix", record_count=500, write_all_fields=True,
    operations=OperationMix(read=0.5, update=0.5),
)  # fmt: skip
LOAD = Phase(kind="load", clients=2)
OPEN = OpenLoad(model="open", rate_per_second=100, connections=4)


class TestConformance(ToolConformance):
    tool = PLUGIN
    fitting = MIX


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    target = Target(name="t", system="cassandra", parameters={"heap_mebibytes": 256})
    context = Context.open(
        target,
        tmp_path_factory.mktemp("cassandra") / "attempt",
        options=HostOptions(ready_seconds=120.0),
    )
    yield context
    load_plugin("cassandra").clean_up(context)


@pytest.fixture(scope="module")
def cassandra(context: Context) -> Deployed:
    plugin = load_plugin("cassandra")
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    return deployed


def order_on(deployed: Deployed) -> DriverOrder:
    target = tool_target(PLUGIN, deployed.endpoints)
    return tool_order(MIX, target=target)


def test_it_loads_and_measures_in_closed_and_open_loops(
    context: Context, cassandra: Deployed
) -> None:
    measure = Phase(kind="measure", duration_seconds=3)
    closed = order_on(cassandra).model_copy(update={"phases": (LOAD, measure)})
    events = events_of(PLUGIN, closed, context)
    assert events[-1].event == "finished", events[-1]
    files = {each.name for each in (context.driver_directory / KEPT).iterdir()}
    assert files == {"output.txt", "load.hdr", "measure.hdr"}
    totals = [each.operations for each in events if each.event == "phase_finished"]
    assert totals[0]["insert"].ok == MIX.record_count
    assert min(totals[1]["read"].ok, totals[1]["update"].ok) > 10
    answers = [
        seen.ok
        for each in events
        if isinstance(each, Interval)
        for seen in each.operations.values()
    ]
    for each in answers:
        assert each is not None
        assert each.response is not None
        assert sum(decoded(each.response).values()) == each.count
    opened = order_on(cassandra).model_copy(
        update={"load": OPEN, "phases": (Phase(kind="measure", operation_count=200),)}
    )
    events = events_of(PLUGIN, opened, context)
    assert events[-1].event == "finished", events[-1]
    seen = [each for each in events if isinstance(each, Interval)]
    kept = [each.operations[name].ok for each in seen for name in each.operations]
    assert sum(each.count for each in kept if each) == 200
    assert all(each and each.service and each.response for each in kept)


def test_records_that_are_not_there_are_the_systems_failure(
    context: Context, cassandra: Deployed
) -> None:
    workload = MIX.model_copy(
        update={"operations": OperationMix(read=1.0), "record_count": 1_000_000}
    )
    phases = (Phase(kind="measure", operation_count=50),)
    order = order_on(cassandra).model_copy(update={"workload": workload, "phases": phases})
    last = events_of(PLUGIN, order, context)[-1]
    assert last.event == "failed"
    assert last.kind == "database"


def test_describes_itself_with_the_tools_own_version() -> None:
    assert describe_driver("cassandra-stress").version == (
        PLUGIN.find_versions(HostOptions())[0].version
    )


def test_what_it_cannot_say_is_refused() -> None:
    target = DriverTarget(
        endpoints=("tcp://127.0.0.1:0",), options={"read_consistency": "one", "timeout_ms": 5}
    )
    load = OpenLoad(model="open", arrival="poisson", rate_per_second=10.5)
    phases = (Phase(kind="load", operation_count=1), Phase(kind="measure", duration_seconds=1.5))
    workload = MIX.model_copy(update={"write_all_fields": False})
    order = tool_order(workload, target=target, load=load, phases=phases)
    assert [each.partition(":")[0] for each in PLUGIN.refusals(order)] == [
        "options.timeout_ms", "workload.write_all_fields", "options.read_consistency",
        "load.arrival", "load.rate_per_second", "phases[0]", "phases[1].duration_seconds",
    ]  # fmt: skip


def test_command_line_says_what_the_order_says() -> None:
    options = {"read_consistency": "local_one", "replication_factor": 3}
    ends = ("tcp://127.0.0.1:9042", "tcp://127.0.0.2:9042")
    workload = MIX.model_copy(update={"operations": OperationMix(read=1.0), "field_count": 3})
    order = tool_order(
        workload, target=DriverTarget(endpoints=ends, options=options), load=ClosedLoad(clients=7)
    )
    work = Work(order, Path("java"), Path())
    assert arguments(work, Phase(kind="measure", duration_seconds=9), "x.hdr") == [
        "read", "duration=9s", "cl=LOCAL_ONE", "no-warmup", "-rate", "threads=7",
        "-col", "size=FIXED(100)", "n=FIXED(3)", "-pop", "dist=UNIFORM(1..500)",
        "-schema", "replication(factor=3)", "keyspace=weighhouse_stress", "-errors", "retries=0",
        "-node", "127.0.0.1,127.0.0.2", "-port", "native=9042", "-mode", "native", "cql3",
        "-log", "hdrfile=x.hdr", "interval=1000ms",
    ]  # fmt: skip


def test_log_is_read_while_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "log.hdr"
    log = HistogramLog(path, {"READ": "read", "WRITE": "update"}, begun_us=5_000_000)
    assert list(log.grown()) == []
    short, long = (encoded({value: 3}) for value in (1000, 2000))
    lines = [
        f"Tag=READ-st,1.999,1.000,0.1,{short}",
        f"Tag=READ-rt,1.999,1.000,0.1,{long}",
        f"Tag=WRITE-st,1.999,1.000,0.1,{short}",
        f"Tag=READ-st,2.999,0.500,0.1,{short}",
    ]
    path.write_text("#[BaseTime: 1]\n" + "\n".join(lines[:3]) + "\n" + lines[3])
    assert list(log.grown()) == []
    path.write_text("#[BaseTime: 1]\n" + "\n".join(lines) + "\n")
    (first,) = log.grown()
    (second,) = log.rest()
    assert (first.start_us, first.duration_us) == (5_000_000, 1_000_000)
    assert (second.start_us, second.duration_us) == (6_000_000, 500_000)
    read, update = first.operations["read"].ok, first.operations["update"].ok
    assert read is not None
    assert update is not None
    assert (read.count, decoded(read.response or ""), decoded(read.service or "")) == (
        3, {2000: 3}, {1000: 3},
    )  # fmt: skip
    assert update.service is None
    path.write_text(path.read_text() + "Tag=READ-st,nonsense\n")
    with pytest.raises(DriverFailed):
        list(log.grown())
