"""The RocksDB plugin with the real driver and the real library."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_rocksdb import PLUGIN, files
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.target import Limits, Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.testing import PluginConformance


class TestConformance(PluginConformance):
    plugin = PLUGIN
    follows = True
    changed: ClassVar = {
        "block_cache_bytes": 8_388_608,
        "compression": "zstd",
        "wal": False,
        "bloom_bits_per_key": 12,
        "block_bytes": 16_384,
        "cache_index_and_filter_blocks": True,
        "write_buffer_bytes": 1_048_576,
        "max_write_buffers": 4,
        "max_background_jobs": 3,
        "max_subcompactions": 2,
        "compaction_style": "universal",
        "compaction_priority": "round_robin",
        "level0_compaction_trigger": 3,
        "level0_slowdown_trigger": 10,
        "level0_stop_trigger": 15,
        "target_file_bytes": 2_097_152,
        "level_base_bytes": 8_388_608,
        "direct_reads": True,
        "direct_flush_and_compaction": True,
        "rate_limit_bytes_per_second": 50_000_000,
        "stats_dump_period_seconds": 5,
        "statistics": True,
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


def test_a_report_tells_stalls_and_amplification(context: Context) -> None:
    """Small write buffers and a slow rate limiter: RocksDB says in its LOG what that cost."""
    options: dict[str, Scalar] = {
        "write_buffer_bytes": 262_144,
        "level0_compaction_trigger": 2,
        "level0_slowdown_trigger": 3,
        "level0_stop_trigger": 4,
        "rate_limit_bytes_per_second": 2_000_000,
        "bloom_bits_per_key": 10,
        "stats_dump_period_seconds": 1,
    }
    deployed = PLUGIN.deploy(context)
    assert PLUGIN.sample(context, deployed).metrics.keys() == {
        "sst_files",
        "wal_files",
        "wal_bytes",
    }
    order = order_for(PLUGIN.endpoints(deployed), options, measure_seconds=8.0)
    with DriverRun("rocksdb", order, context) as run:
        assert list(run.events())[-1].event == "finished"
    log = (context.data_directory / "LOG").read_text(encoding="utf-8", errors="replace")
    assert "Options.rate_limiter: 0x" in log
    metrics = PLUGIN.sample(context, deployed).metrics
    assert metrics["write_amplification"] >= 1
    assert 0 < metrics["stalled_pct"] <= 100
    assert metrics["stalled_seconds"] > 0
    assert files.options(context.data_directory)["table.filter_policy"] == "bloomfilter"


def test_a_directory_without_a_database_tells_nothing(tmp_path: Path) -> None:
    assert files.options(tmp_path) == {}
    assert files.version(tmp_path) is None
    assert files.reported(tmp_path) == {}


def test_the_missing_network_is_said_loudly() -> None:
    manifest = PLUGIN.manifest
    [caution] = [each for each in manifest.disclaimers if each.id == "rocksdb-no-network"]
    assert caution.severity == "caution"
    assert "network" in caution.title.lower()
    assert manifest.aspects["network"].startswith("None")
