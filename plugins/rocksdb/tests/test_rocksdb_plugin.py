"""The RocksDB plugin with the real driver and the real library."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_rocksdb import PLUGIN, files
from weighhouse_protocol.target import Limits, Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.testkit.testing import PluginConformance, order_for


class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "block_cache_bytes": 8_388_608,
        "compression": "zstd",
        "wal": False,
    }
    impossible: ClassVar = {"wal": False, "sync_writes": True}
    refusal = "without a log"


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    target = Target(
        name="rocks",
        system="rocksdb",
        deployment="in_process",
        parameters={"compression": "none", "sync_writes": True},
    )
    context = Context.open(target, tmp_path / "attempt")
    yield context
    PLUGIN.clean_up(context)


def test_limits_cannot_be_kept_inside_the_driver(context: Context) -> None:
    limited = context.target.model_copy(update={"limits": Limits(memory_mebibytes=64)})
    with pytest.raises(TargetInvalid, match="limits: cannot be kept for the deployment"):
        PLUGIN.check_target(limited)


def test_parameters_reach_the_database_that_is_weighed(context: Context) -> None:
    """Not only the scratch one that the description is read from."""
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    assert deployed.endpoints == (f"file://{context.data_directory}",)
    assert list(context.data_directory.iterdir()) == []
    order = order_for(PLUGIN.endpoints(deployed), PLUGIN.driver_options(context.target))
    with DriverRun("rocksdb", order, context) as run:
        events = list(run.events())
    assert events[-1].event == "finished"
    weighed = files.options(context.data_directory)
    assert weighed["cf.compression"] == "kNoCompression"
    described = {each.name: each for each in PLUGIN.describe(context, deployed).settings}
    for name, value in weighed.items():
        assert described[name].value == value, name
    assert described["write.sync"].value == "true"
    assert described["write.sync"].source == "experiment"
    assert files.version(context.data_directory) == deployed.version


def test_memory_is_the_drivers_and_unknown_without_it(context: Context) -> None:
    deployed = PLUGIN.deploy(context)
    assert PLUGIN.memory(context, deployed).resident_bytes is None
    assert PLUGIN.sample(context, deployed).cpu_seconds is None
    order = order_for(PLUGIN.endpoints(deployed), {}, measure_seconds=0.5)
    with DriverRun("rocksdb", order, context) as run:
        for event in run.events():
            if event.event == "phase_finished" and event.phase == "load":
                loaded = PLUGIN.memory(context, deployed, run.pid)
                metrics = PLUGIN.sample(context, deployed, run.pid).metrics
    # 5 MB of records: still in the write buffer, and in the log on disk.
    assert loaded.resident_bytes is not None
    assert loaded.resident_bytes > 5_000_000
    assert (loaded.disk_bytes or 0) > 5_000_000
    assert metrics["wal_bytes"] > 5_000_000
    assert PLUGIN.memory(context, deployed, run.pid).resident_bytes is None


def test_without_a_log_none_is_written(context: Context) -> None:
    deployed = PLUGIN.deploy(context)
    order = order_for(PLUGIN.endpoints(deployed), {"wal": False})
    with DriverRun("rocksdb", order, context) as run:
        assert list(run.events())[-1].event == "finished"
    assert PLUGIN.sample(context, deployed).metrics["wal_bytes"] == 0


def test_a_directory_without_a_database_tells_nothing(tmp_path: Path) -> None:
    assert files.options(tmp_path) == {}
    assert files.version(tmp_path) is None


def test_the_missing_network_is_said_loudly() -> None:
    manifest = PLUGIN.manifest
    [caution] = [each for each in manifest.disclaimers if each.id == "rocksdb-no-network"]
    assert caution.severity == "caution"
    assert "network" in caution.title.lower()
    assert manifest.aspects["network"].startswith("None")
