"""Each system that counts its own work, and each tool that runs here: both columns are the same."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from weighhouse_backend.results.counts import asked_of, in_driver
from weighhouse_judging.findings.counted import NOT_TOLD, Reconciled, between, reconciled
from weighhouse_protocol.driver import DriverOrder, DriverTarget
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Expiry, OperationMix, Workload
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.registry import load_plugin, load_tool
from weighhouse_sdk.testkit import at_hand
from weighhouse_testing.agreement import held
from weighhouse_testing.driver_counts import phases_of

MIX = Workload(
    name="mix", record_count=500,
    operations=OperationMix(read=0.4, update=0.3, insert=0.1, read_modify_write=0.1, delete=0.1),
)  # fmt: skip
EXPIRING = MIX.model_copy(
    update={"expiry": Expiry(fraction=0.5, min_seconds=600, max_seconds=900), "name": "expiring"}
)
PLAIN = Workload(
    name="plain", record_count=500, write_all_fields=True,
    operations=OperationMix(read=0.5, update=0.5),
)  # fmt: skip
READS = Workload(
    name="reads", record_count=500, insert_order="ordered", zero_padding=12,
    operations=OperationMix(read=1.0),
)  # fmt: skip
SCANS = MIX.model_copy(
    update={"name": "scans", "max_scan_length": 20,
            "operations": OperationMix(scan=0.5, update=0.3, insert=0.2)}
)  # fmt: skip
UPDATES = READS.model_copy(
    update={"operations": OperationMix(update=1.0), "write_all_fields": True, "field_count": 2}
)
OPERATIONS = 1000
"""Of drivers; not each tool can be told how many."""
HALF = READS.model_copy(
    update={"operations": OperationMix(read=0.5, update=0.5), "write_all_fields": True}
)
SMALL: dict[str, dict[str, Any]] = {
    "cassandra": {"heap_mebibytes": 256},
    "garnet": {"commandstats_monitor": True},
    "rocksdb": {"statistics": True},
}
KEPT = {
    "valkey": ("WEIGHHOUSE_VALKEY", "valkey-server"),
    "garnet": ("WEIGHHOUSE_GARNET", "garnet-server"),
    "memtier-benchmark": ("WEIGHHOUSE_MEMTIER", "memtier_benchmark"),
    "ferretdb": ("WEIGHHOUSE_FERRETDB", "ferretdb"),
    "cassandra": ("WEIGHHOUSE_CASSANDRA", None),
    "ycsb": ("WEIGHHOUSE_YCSB", None),
    "cassandra-stress": ("CASSANDRA_STRESS_HOME", None),
}
"""Variable that says where a program is that the machine's packages do not bring."""


@pytest.fixture
def programs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a case needs beside the machine's packages, on the search path."""
    folders, case = contextlib.ExitStack(), request.node.callspec.params
    for name in filter(None, (case["system"], case["tool"])):
        variable, program = KEPT.get(name, (None, None))
        if variable is None or (program is not None and shutil.which(program)):
            continue
        folder = os.environ.get(variable)
        if folder is None:
            at_hand.not_run(request, f"{name} is not on this machine: {variable} names it")
        elif program is not None:
            # Whom the server becomes may not walk to where it is kept.
            place = folders.enter_context(tempfile.TemporaryDirectory(prefix="weighhouse-"))
            Path(place).chmod(0o755)
            kept = Path(folder)
            shutil.copy2(kept / program if kept.is_dir() else kept, place)
            monkeypatch.setenv("PATH", place, prepend=os.pathsep)
    with folders:
        yield


def carried_out(
    system: str, tool: str | None, workload: Workload, directory: Path, counted_as: str = ""
) -> Reconciled:
    """Load and measure on a system of its own, with a look at its counters before and after.

    :param counted_as: the system whose manifest says which command is which operation; it itself.
    """
    plugin = load_plugin(system)
    inside = plugin.manifest.deployments == ("in_process",)
    target = Target(
        name="t", system=system, parameters=SMALL.get(system, {}),
        deployment="in_process" if inside else "process",
    )  # fmt: skip
    options = HostOptions(ready_seconds=180.0)
    context = Context.open(target, directory / "attempt", options=options)
    try:
        deployed = plugin.deploy(context)
        plugin.wait_ready(context, deployed)
        driver, told = plugin.manifest.driver.id, dict(plugin.driver_options(target))
        if tool is not None:
            installed = load_tool(tool).find_versions(options)[0]
            told = load_tool(tool).order_options(told, installed, driver)
        measure = Phase(kind="measure", operation_count=OPERATIONS)
        if tool is not None:
            measure = Phase(kind="measure", duration_seconds=2.0)
        order = DriverOrder(
            workload=workload,
            target=DriverTarget(endpoints=plugin.endpoints(deployed), options=told),
            load=ClosedLoad(clients=4),
            phases=(Phase(kind="load", clients=4), measure),
            seed=7,
        )
        before = plugin.counts(context, deployed)
        with DriverRun(tool or driver, order, context) as run:
            events = list(run.events())
        assert events[-1].event == "finished", events[-1]
        phases = phases_of(events)
        counting = load_plugin(counted_as or system).manifest.counts
        assert counting is not None
        served = between(before, plugin.counts(context, deployed))
        if inside:
            assert served == NOT_TOLD
            served = in_driver(phases)
        return reconciled(counting, asked_of(phases), served, workload.keys_per_read)
    finally:
        plugin.clean_up(context)


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize(
    ("system", "tool", "workload"),
    [
        ("redis", None, MIX),
        ("redis", None, EXPIRING),
        ("valkey", None, MIX),
        ("memcached", None, MIX),
        ("ferretdb", None, MIX),
        ("cassandra", None, MIX),
        ("garnet", None, MIX),
        ("rocksdb", None, MIX),
        ("redis", None, SCANS),
        ("cassandra", None, SCANS),
        ("garnet", None, SCANS),
        ("rocksdb", None, SCANS),
        ("redis", "redis-benchmark", READS),
        ("redis", "redis-benchmark", UPDATES),
        ("redis", "ycsb", PLAIN),
        ("redis", "memtier-benchmark", PLAIN),
        ("cassandra", "cassandra-stress", PLAIN),
        ("rocksdb", "db-bench", HALF),
    ],
    ids=lambda case: case.name if isinstance(case, Workload) else case,
)
def test_both_columns_are_the_same(
    system: str, tool: str | None, workload: Workload, tmp_path: Path
) -> None:
    told = carried_out(system, tool, workload, tmp_path)
    manifest = load_plugin(system).manifest
    assert manifest.counts is not None
    apart = {
        row.name for row in manifest.counts.rows
        if any(getattr(workload.operations, name) for name in row.also)
    }  # fmt: skip
    held(told, system, tool or manifest.driver.id, apart)


@pytest.mark.stand_in("of FerretDB, which speaks MongoDB's protocol and is not MongoDB")
@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize(("system", "tool"), [("ferretdb", None)])
def test_mongodb_counts_as_its_relative_does(system: str, tool: None, tmp_path: Path) -> None:
    told = carried_out(system, tool, MIX, tmp_path, counted_as="mongodb")
    held(told, "mongodb", load_plugin("mongodb").manifest.driver.id)
