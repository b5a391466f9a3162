"""YCSB, the real one with a stand-in for its Redis binding, on a real Redis.

`recorded/` is what YCSB 0.17.0 with HdrHistogram 2.1.12 logged of 400 operations at 200 a second;
not a measurement of the Redis that they were sent to.
"""

import itertools
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from weighhouse_plugin_ycsb import PLUGIN, properties
from weighhouse_plugin_ycsb.installed import class_path, home
from weighhouse_plugin_ycsb.log import HistogramLogs, key_of
from weighhouse_plugin_ycsb.plugin import place_of
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Interval
from weighhouse_protocol.load import ClosedLoad, OpenLoad, Phase, Share
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_protocol.ycsb import translate
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun, describe_driver
from weighhouse_sdk.errors import BinaryMissing, DriverFailed, TargetInvalid
from weighhouse_sdk.kept_files import KEPT
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit.testing import processes_below
from weighhouse_sdk.testkit.testing_tools import (
    ToolConformance,
    events_of,
    tool_order,
    tool_target,
)
from weighhouse_sdk.toolrun.histograms import decoded, encoded

RECORDED = Path(__file__).parent / "recorded"
MIX = Workload(
    name="mix", record_count=300, request_distribution="zipfian", max_scan_length=5,
    operations=OperationMix(read=0.5, update=0.4, scan=0.1),
)  # fmt: skip
LOAD = Phase(kind="load", clients=2)
SECOND = 1_000_000


class TestConformance(ToolConformance):
    tool = PLUGIN
    fitting = MIX


def order_on(deployed: Deployed, workload: Workload, *phases: Phase) -> DriverOrder:
    target = tool_target(PLUGIN, deployed.endpoints)
    return tool_order(workload, target=target, phases=phases)


def test_it_loads_and_measures_in_closed_and_open_loops(context: Context, redis: Deployed) -> None:
    order = order_on(redis, MIX, LOAD, Phase(kind="measure", duration_seconds=2))
    events = events_of(PLUGIN, order, context)
    assert events[-1].event == "finished", events[-1]
    files = {each.name for each in (context.driver_directory / KEPT).iterdir()}
    assert files >= {"output.txt", "measure.properties", "measure-READ.hdr"}
    totals = [each.operations for each in events if each.event == "phase_finished"]
    assert totals[0]["insert"].ok == MIX.record_count
    assert set(totals[1]) == {"read", "update", "scan"}
    assert all(each.ok > 0 and not each.errors for each in totals[1].values())
    seen = [each for each in events if isinstance(each, Interval)]
    for one, other in itertools.pairwise(seen):
        assert other.start_us >= one.start_us + one.duration_us
    for answers in (each.ok for interval in seen for each in interval.operations.values()):
        assert answers is not None
        assert answers.response is not None
        assert sum(decoded(answers.response).values()) == answers.count
    keys = load_plugin("redis").sample(context, redis).metrics["keys"]
    assert keys == MIX.record_count + 1  # and the index of scans

    opened = order_on(redis, MIX, Phase(kind="measure", operation_count=200)).model_copy(
        update={"load": OpenLoad(model="open", rate_per_second=200, connections=4)}
    )
    events = events_of(PLUGIN, opened, context)
    assert events[-1].event == "finished", events[-1]
    kept = [
        each.ok
        for interval in events
        if isinstance(interval, Interval)
        for each in interval.operations.values()
    ]
    assert sum(each.count for each in kept if each) == 200
    assert all(each and each.service and each.response for each in kept)


def test_halves_of_a_read_modify_write_are_not_counted(context: Context, redis: Deployed) -> None:
    workload = MIX.model_copy(update={"operations": OperationMix(read_modify_write=1.0)})
    order = order_on(redis, workload, Phase(kind="measure", operation_count=100))
    finished = events_of(PLUGIN, order, context)[-2]
    assert finished.event == "phase_finished"
    assert {name: each.ok for name, each in finished.operations.items()} == {
        "read_modify_write": 100
    }


def test_missing_records_are_errors(context: Context, redis: Deployed) -> None:
    changes = {"record_count": 3000, "insert_start": 2000, "operations": OperationMix(read=1.0)}
    order = order_on(
        redis, MIX.model_copy(update=changes), Phase(kind="measure", operation_count=50)
    )
    finished = events_of(PLUGIN, order, context)[-2]
    assert finished.event == "phase_finished"
    assert finished.operations["read"].ok == 0
    assert finished.operations["read"].errors == {"error": 50}


def test_system_that_is_not_there_is_the_systems_failure(context: Context) -> None:
    nowhere = Deployed(endpoints=("tcp://127.0.0.1:1",), version="0")
    last = events_of(PLUGIN, order_on(nowhere, MIX, LOAD), context)[-1]
    assert last.event == "failed"
    assert last.kind == "database"
    assert "refused" in last.message


def test_exception_is_a_failure_though_it_exits_with_success(
    context: Context, redis: Deployed
) -> None:
    (port,) = (urlsplit(each).port for each in redis.endpoints)
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"SET user1 a-string\r\n")
        assert connection.recv(5) == b"+OK\r\n"
    changes = {"insert_order": "ordered", "operations": OperationMix(read=1.0)}
    changes |= {"record_count": 3, "insert_start": 1, "insert_count": 1}
    order = order_on(
        redis, MIX.model_copy(update=changes), Phase(kind="measure", operation_count=100)
    )
    last = events_of(PLUGIN, order, context)[-1]
    assert last.event == "failed"
    assert last.kind == "database"
    assert "WRONGTYPE" in last.message


def test_sigterm_ends_it_with_what_was_measured(context: Context, redis: Deployed) -> None:
    order = order_on(redis, MIX, Phase(kind="measure", duration_seconds=600))
    last = None
    with DriverRun("ycsb", order, context) as run:
        for event in run.events():
            if isinstance(event, Interval):
                run.terminate()
            if event.event == "phase_finished":
                last = event
    assert last is not None
    assert last.interrupted
    assert last.operations["read"].ok > 0
    assert not processes_below(context.scratch_directory)


def test_describes_itself_with_the_tools_own_version(context: Context) -> None:
    assert context.scratch_directory.is_dir()
    described = describe_driver("ycsb")
    assert described.version == home()[1]
    assert described.load_models == ("closed", "open")


def test_recorded_logs_are_read() -> None:
    logs = HistogramLogs(RECORDED, frozenset({"read", "update"}), SECOND)
    (slice_,) = logs.rest(70)
    read, update = slice_.operations["read"], slice_.operations["update"]
    assert read.ok is not None
    assert update.ok is not None
    assert (read.ok.count, read.errors["error"].count, update.ok.count) == (180, 18, 202)
    # The highest values that YCSB printed of them, µs.
    for text, longest in (
        (read.ok.service, 15_231), (read.ok.response, 44_607), (update.ok.service, 6_663),
        (update.ok.response, 60_639), (read.errors["error"].service, 4_085),
    ):  # fmt: skip
        assert max(decoded(text or "")) == pytest.approx(longest * 1000, rel=0.001)
    assert slice_.driver.cpu_us == 70
    assert slice_.duration_us == pytest.approx(2.0 * SECOND, rel=0.05)


def line(start: float, length: float, counts: dict[int, int]) -> str:
    return f"{start:.3f},{length:.3f},0.001,{encoded(counts)}\n"


def test_intervals_are_told_apart_while_logs_grow(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path, frozenset({"read"}), SECOND)
    head = '#[StartTime: 100.000 (seconds since epoch)]\n"StartTimestamp"\n'
    reads, missing = tmp_path / "READ.hdr", tmp_path / "READ-NOT_FOUND.hdr"
    assert list(logs.grown(0)) == []
    text = head + line(0.0, 0.02, {5: 1})
    reads.write_text(text)
    assert list(logs.grown(10)) == []
    text += line(0.02, 0.98, {5: 9})
    reads.write_text(text + "1.000,")
    missing.write_text(head + line(0.5, 0.52, {7: 2}))
    assert list(logs.grown(30)) == []
    text += line(1.0, 1.0, {5: 4})
    reads.write_text(text)
    (first,) = logs.grown(60)
    text += line(2.0, 0.1, {5: 1})
    reads.write_text(text)
    assert list(logs.grown(70)) == []
    (second,) = logs.rest(80)
    assert (first.start_us, first.duration_us) == (100 * SECOND, 1_020_000)
    assert (second.start_us, second.duration_us) == (101_020_000, 1_080_000)
    answers = [each.operations["read"] for each in (first, second)]
    assert [each.ok.count if each.ok else 0 for each in answers] == [10, 5]
    assert [each.not_found.count if each.not_found else 0 for each in answers] == [2, 0]
    assert (first.driver.cpu_us, second.driver.cpu_us) == (30, 50)
    reads.write_text(text + "nonsense\n")
    with pytest.raises(DriverFailed):
        list(logs.grown(90))


def test_answers_between_two_logs_are_counted_once(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path, frozenset({"read"}), SECOND, due=True)
    head = '#[StartTime: 100.000 (seconds since epoch)]\n"StartTimestamp"\n'
    reads, due = tmp_path / "READ.hdr", tmp_path / "Intended-READ.hdr"
    reads.write_text(head + line(0.0, 1.0, {5: 3}))
    due.write_text(head)
    assert list(logs.grown(10)) == []
    reads.write_text(reads.read_text() + line(1.0, 1.0, {5: 4}))
    due.write_text(due.read_text() + line(1.0, 1.0, {6: 7}))
    first, *_ = logs.grown(20)
    (second,) = logs.rest(30)
    assert first.operations == {}
    read = second.operations["read"].ok
    assert read is not None
    assert (read.count, sum(decoded(read.service or "").values())) == (7, 7)


def test_names_of_measurements_are_known() -> None:
    assert key_of("READ") == ("read", "", False)
    assert key_of("Intended-READ-MODIFY-WRITE-UNEXPECTED_STATE") == (
        "read_modify_write", "UNEXPECTED_STATE", True,
    )  # fmt: skip
    assert key_of("SCAN-NOT_FOUND") == ("scan", "NOT_FOUND", False)
    for other in ("CLEANUP", "SCAN-LATENCY-PER-RECORD", "VERIFY"):
        assert key_of(other) is None


def test_property_file_means_the_workload() -> None:
    workload = Workload(
        name="w", record_count=700, insert_start=100, insert_count=300, field_count=4,
        field_length=50, min_field_length=20, field_length_distribution="zipfian",
        read_all_fields=False, write_all_fields=True, request_distribution="hotspot",
        hotspot_data_fraction=0.1, hotspot_operation_fraction=0.9, insert_order="ordered",
        zero_padding=8, min_scan_length=2, max_scan_length=9, scan_length_distribution="zipfian",
        insert_retry_limit=0, exponential_percentile=90.0, exponential_fraction=0.5,
        operations=OperationMix(read=0.5, update=0.25, insert=0.125, scan=0.125),
    )  # fmt: skip
    order = tool_order(workload, load=ClosedLoad(clients=6))
    phase = Phase(kind="measure", operation_count=1234, duration_seconds=60)
    told = properties.of_workload(workload) | properties.of_phase(order, phase)
    found = translate([("w.properties", properties.text(told))])
    assert found.workload == workload
    assert (found.threads, found.measure_operations, found.measure_seconds) == (6, 1234, 60)
    defaults = Workload(name="w")
    said = properties.text(properties.of_workload(defaults) | properties.of_phase(order, phase))
    assert translate([("w", said)]).workload == defaults.model_copy(update={"insert_count": 1000})


def test_phases_are_told_as_the_client_wants_them() -> None:
    opened = OpenLoad(model="open", rate_per_second=300, connections=5)
    order = tool_order(MIX, load=opened, interval_seconds=2.0)
    told = properties.of_phase(order, Phase(kind="measure", duration_seconds=9))
    chosen = (
        "threadcount",
        "target",
        "measurement.interval",
        "maxexecutiontime",
        "status.interval",
    )
    assert [told[name] for name in chosen] == ["5", "300", "both", "9", "2"]
    assert told["operationcount"] == "2147483647"
    loading = properties.of_phase(order, LOAD)
    assert loading["threadcount"] == "2"
    assert not {"target", "measurement.interval", "maxexecutiontime"} & set(loading)
    sliced = properties.of_workload(MIX.model_copy(update={"insert_start": 100}))
    assert (sliced["insertstart"], sliced["insertcount"]) == ("100", "200")


def test_where_the_system_is_in_the_bindings_words() -> None:
    tcp = urlsplit("tcp://127.0.0.1:7000")
    assert place_of(tcp, "redis") == {"redis.host": "127.0.0.1", "redis.port": "7000"}
    (url,) = place_of(urlsplit("tcp://[::1]:7000"), "mongodb").values()
    assert url.startswith("mongodb://[::1]:7000/ycsb?")
    with pytest.raises(TargetInvalid):
        place_of(urlsplit("unix:///tmp/redis"), "redis")


def test_what_it_cannot_say_is_refused() -> None:
    target = DriverTarget(
        endpoints=("tcp://127.0.0.1:0",),
        options={"layout": "string", "scan_index": "lex", "timeout_ms": 5},
    )
    load = OpenLoad(model="open", arrival="poisson", rate_per_second=10.5)
    phases = (
        Phase(kind="load", operation_count=1),
        Phase(kind="warmup", duration_seconds=1.5),
        Phase(kind="measure", operation_count=3),
    )
    workload = MIX.model_copy(
        update={
            "operations": OperationMix(read=0.5, read_modify_write=0.25, insert=0.25),
            "field_length_distribution": "histogram",
            "field_length_histogram": ((10, 1.0),),
            "field_name_prefix": "f",
            "record_count": 2**31,
        }
    )
    order = tool_order(workload, target=target, load=load, phases=phases)
    assert [each.partition(":")[0] for each in PLUGIN.refusals(order)] == [
        "workload.field_length_histogram", "workload.field_name_prefix", "options.timeout_ms",
        "workload.field_length_distribution", "workload.record_count",
        "workload.operations.read_modify_write", "workload.operations.insert",
        "workload.operations.insert", "load.arrival", "load.rate_per_second", "phases[0]",
        "phases[1].duration_seconds", "phases[2].operation_count", "options.layout",
        "options.scan_index",
    ]  # fmt: skip


def test_folder_is_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("lib", "redis-binding/lib"):
        (tmp_path / folder).mkdir(parents=True)
    for jar in ("lib/core-0.17.0.jar", "lib/HdrHistogram-2.1.4.jar"):
        (tmp_path / jar).touch()
    (tmp_path / "redis-binding/lib/HdrHistogram-2.1.12.jar").touch()
    monkeypatch.delenv("WEIGHHOUSE_YCSB", raising=False)
    monkeypatch.setenv("YCSB_HOME", str(tmp_path))
    assert home() == (tmp_path, "0.17.0")
    parts = [Path(each) for each in class_path(tmp_path, "redis").split(":")]
    assert [each.name for each in parts] == [
        "conf", "HdrHistogram-2.1.12.jar", "HdrHistogram-2.1.4.jar", "*", "*",
    ]  # fmt: skip
    with pytest.raises(BinaryMissing):
        class_path(tmp_path, "mongodb")
    shutil.rmtree(tmp_path / "lib")
    with pytest.raises(BinaryMissing):
        home()


def test_parts_of_the_records_meet_and_leave_nothing_out():
    workload = MIX.model_copy(update={"record_count": 100, "insert_start": 10})
    orders = [tool_order(workload, share=Share(index=n, of=3)) for n in range(3)]
    slices = [properties.of_phase(each, LOAD) for each in orders]
    loaded = [
        range(int(each["insertstart"]), int(each["insertstart"]) + int(each["insertcount"]))
        for each in slices
    ]
    assert [key for part in loaded for key in part] == list(range(10, 100))
    chosen = properties.of_phase(orders[1], Phase(kind="measure", duration_seconds=1.0))
    assert "insertstart" not in chosen
