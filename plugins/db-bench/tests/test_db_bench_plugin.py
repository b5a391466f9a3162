"""db_bench, the real one, on directories of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_db_bench import PLUGIN
from weighhouse_plugin_db_bench.output import read
from weighhouse_plugin_db_bench.plugin import arguments
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Interval
from weighhouse_protocol.load import Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import DriverRun, describe_driver
from weighhouse_sdk.errors import DriverFailed, SystemFailed
from weighhouse_sdk.testkit.testing import processes_below
from weighhouse_sdk.testkit.testing_tools import (
    ToolConformance,
    events_of,
    tool_order,
    tool_target,
)
from weighhouse_sdk.toolrun.histograms import decoded

MIX = Workload(
    name="mix", record_count=2000, insert_order="ordered", write_all_fields=True,
    operations=OperationMix(read=0.75, update=0.25),
)  # fmt: skip
PRINTED = """\
readrandomwriterandom :      22.769 micros/op 87652 ops/sec 1.027 seconds 10 operations; ( reads:4)
Microseconds per read:
Count: 6 Average: 13.9555  StdDev: 452.67
Min: 0  Median: 0.7950  Max: 30
Percentiles: P50: 0.80 P75: 1.41 P99: 4.23 P99.9: 3542.86 P99.99: 26583.33
------------------------------------------------------
[       0,       1 ]        4  62.891%  62.891% #############
(       1,       2 ]        1  29.367%  92.258% ######
(      22,      34 ]        1   5.520%  97.778% #

Microseconds per write:
Count: 4 Average: 2.7945  StdDev: 0.83
Min: 1  Median: 2.5246  Max: 49407
Percentiles: P50: 0.52 P75: 0.79 P99: 1.92 P99.9: 73.14 P99.99: 18369.29
------------------------------------------------------
(       2,       3 ]        4  95.315%  95.315% ###################
"""


class TestConformance(ToolConformance):
    tool = PLUGIN
    fitting = MIX


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    context = Context.open(Target(name="t", system="rocksdb"), tmp_path / "attempt")
    yield context
    context.processes.remove_leftovers(0)


def order_on(directory: Path, workload: Workload = MIX) -> DriverOrder:
    target = tool_target(PLUGIN, (f"file://{directory}",), compression="none")
    return tool_order(workload, target=target)


@pytest.mark.parametrize(
    ("mix", "names"),
    [
        (OperationMix(read=1.0), {"read"}),
        (OperationMix(update=1.0), {"update"}),
        (OperationMix(read=0.75, update=0.25), {"read", "update"}),
    ],
    ids=["reads", "updates", "mix"],
)
def test_it_loads_and_measures_by_itself(
    context: Context, tmp_path: Path, mix: OperationMix, names: set[str]
) -> None:
    workload = MIX.model_copy(update={"operations": mix})
    events = events_of(PLUGIN, order_on(tmp_path / "db", workload), context)
    assert events[-1].event == "finished", events[-1]
    intervals = [each for each in events if isinstance(each, Interval)]
    assert [each.phase for each in intervals] == ["load", "measure"]
    load, measure = intervals
    assert load.operations["insert"].ok is not None
    assert load.operations["insert"].ok.count == MIX.record_count
    assert set(measure.operations) == names
    for each in measure.operations.values():
        assert each.ok is not None
        assert each.ok.response is not None
        assert each.ok.count == sum(decoded(each.ok.response).values())
        assert each.ok.count > 0
    assert list((tmp_path / "db").glob("OPTIONS-*"))


def test_measuring_what_was_never_loaded_is_told(context: Context, tmp_path: Path) -> None:
    phases = (Phase(kind="measure", duration_seconds=1),)
    workload = MIX.model_copy(update={"operations": OperationMix(read=1.0)})
    order = order_on(tmp_path / "empty", workload).model_copy(update={"phases": phases})
    last = events_of(PLUGIN, order, context)[-1]
    assert last.event == "failed"
    assert last.kind == "database"


def test_sigterm_ends_it(context: Context, tmp_path: Path) -> None:
    phases = (Phase(kind="load"), Phase(kind="measure", duration_seconds=600))
    order = order_on(tmp_path / "db").model_copy(update={"phases": phases})
    last = None
    with DriverRun("db-bench", order, context) as run:
        for event in run.events():
            if event.event == "phase_started" and event.phase == "measure":
                run.terminate()
            if event.event == "phase_finished":
                last = event
    assert last is not None
    assert last.interrupted
    assert not processes_below(context.directory)


def test_describes_itself_with_the_tools_own_version() -> None:
    assert describe_driver("db-bench").version == PLUGIN.find_versions(HostOptions())[0].version


def test_what_it_cannot_say_is_refused() -> None:
    wrong = {
        "insert_order": "hashed",
        "write_all_fields": False,
        "operations": OperationMix(read=0.123, update=0.877),
    }
    phases = (
        Phase(kind="load", operation_count=5),
        Phase(kind="warmup", operation_count=5),
        Phase(kind="measure", duration_seconds=1.5),
    )
    refused = PLUGIN.refusals(tool_order(MIX.model_copy(update=wrong), phases=phases))
    assert [each.partition(":")[0] for each in refused] == [
        "workload.insert_order", "workload.write_all_fields", "workload.operations.read",
        "phases[0]", "phases[1].operation_count", "phases[2].duration_seconds",
    ]  # fmt: skip


def test_options_and_defaults_of_the_driver_are_passed_on() -> None:
    target = DriverTarget(endpoints=("file:///d",), options={"wal": False, "compression": "zstd"})
    words = arguments(
        tool_order(MIX, target=target), Phase(kind="measure", duration_seconds=3), "/d"
    )
    assert {
        "--db=/d", "--num=2000", "--value_size=1000", "--cache_size=33554432", "--disable_wal=1",
        "--sync=0", "--compression_type=zstd", "--threads=2", "--duration=3",
        "--readwritepercent=75", "--seed=8",
    } <= set(words)  # fmt: skip


def test_buckets_are_read_with_their_upper_ends() -> None:
    outcome = read(PRINTED.splitlines())
    assert outcome.counts == {"read": {1000: 4, 2000: 1, 30_000: 1}, "write": {3000: 4}}
    assert outcome.duration_us == 1_027_000


def test_other_output_is_told_apart() -> None:
    with pytest.raises(DriverFailed):
        read(PRINTED.replace("(       2,       3 ]        4", "").splitlines())
    with pytest.raises(DriverFailed):
        read([])
    with pytest.raises(SystemFailed, match="found 3 of 4"):
        read(["readrandom   :  7.7 micros/op 25 ops/sec 1.0 seconds 4 operations; (3 of 4 found)"])
