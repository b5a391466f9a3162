"""The Cassandra plugin against a real node."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_cassandra import PLUGIN, home
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed, TargetInvalid
from weighhouse_sdk.families.cql import rows
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.testkit.tls_testing import check_tls
from weighhouse_sdk.wire import Address, ReplyError

SMALL: dict[str, Scalar] = {"heap_mebibytes": 256, "garbage_collector": "serial"}

TUNED: dict[str, Scalar] = {
    "memtable_heap_mebibytes": 33,
    "memtable_offheap_mebibytes": 17,
    "key_cache_mebibytes": 5,
    "commitlog_sync_period_ms": 2000,
    "default_compaction": "UnifiedCompactionStrategy",
    "ucs_scaling_parameters": "L10, T4",
    "ucs_target_table_mebibytes": 256,
    "ucs_base_shards": 2,
}


class TestConformance(PluginConformance):
    plugin = PLUGIN
    follows = True
    changed: ClassVar = {
        "heap_mebibytes": 300,
        "garbage_collector": "serial",
        "concurrent_reads": 8,
        "concurrent_writes": 16,
        "commitlog_sync": "batch",
        "memtable": "trie",
        "sstable_format": "bti",
        "concurrent_compactors": 3,
        "compaction_throughput_mebibytes_per_second": 16,
        "memtable_flush_writers": 3,
        "memtable_heap_mebibytes": 64,
        "memtable_offheap_mebibytes": 32,
        "commitlog_segment_mebibytes": 8,
        "commitlog_disk_access_mode": "auto",
        "key_cache_mebibytes": 5,
        "row_cache_mebibytes": 3,
        "stream_throughput_mebibytes_per_second": 11,
        "table_stream_throughput_mebibytes_per_second": 12,
        "default_compaction": "UnifiedCompactionStrategy",
        "ucs_scaling_parameters": "L10, T4",
        "ucs_target_table_mebibytes": 256,
        "ucs_base_shards": 2,
    }
    impossible: ClassVar = {"concurrent_reads": 1}
    refusal = "concurrent_reads must be at least 2"


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    target = Target(name="c", system="cassandra", parameters={**SMALL, **TUNED})
    context = Context.open(target, tmp_path / "attempt")
    yield context
    PLUGIN.clean_up(context)


def test_questions_are_answered_or_refused(context: Context) -> None:
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    host, _, port = deployed.endpoints[0].removeprefix("tcp://").rpartition(":")
    address = Address(host, int(port))
    ((local,),) = rows(address, 5.0, "SELECT * FROM system.local")
    assert local["release_version"] == deployed.version
    assert local["cluster_name"] == "weighhouse"
    with pytest.raises(ReplyError, match="nonsense"):
        rows(address, 5.0, "SELECT * FROM nonsense.at_all")
    told = {each.name: each.value for each in PLUGIN.describe(context, deployed).settings}
    assert told["memtable_heap_space"] == "33MiB"
    assert told["memtable_offheap_space"] == "17MiB"
    assert told["key_cache_size"] == "5MiB"
    assert told["commitlog_sync_period"] == "2000ms"
    one_copy = "{'class': 'SimpleStrategy', 'replication_factor': 1}"
    rows(
        address,
        30.0,
        f"CREATE KEYSPACE ycsb WITH replication = {one_copy}",
        "CREATE TABLE ycsb.usertable (y_id varchar PRIMARY KEY)",
    )
    ((table,),) = rows(
        address,
        5.0,
        "SELECT JSON compaction FROM system_schema.tables WHERE keyspace_name = 'ycsb'",
    )
    assert json.loads(str(table["[json]"]))["compaction"] == {
        "class": "org.apache.cassandra.db.compaction.UnifiedCompactionStrategy",
        "scaling_parameters": "L10, T4",
        "target_sstable_size": "256MiB",
        "base_shard_count": "2",
    }
    somebody_elses(deployed, context.directory)
    metrics = PLUGIN.metrics(address, 5.0)
    assert metrics["ReadStage.pending_tasks"] >= 0
    assert metrics["keys.capacity_bytes"] > 0
    # A cache without room counts nothing.
    assert not [name for name in metrics if name.startswith("rows.")]
    assert PLUGIN.serving_process(address, 5.0) == deployed.processes[0].pid
    PLUGIN.stop(context, deployed)
    with pytest.raises(OSError, match="refused"):
        rows(address, 5.0, "SELECT * FROM system.local")


def somebody_elses(deployed: Deployed, directory: Path) -> None:
    """The same node as an external target: copies as they are stated, or no run."""
    target = Target(
        name="x", system="cassandra", deployment="external", endpoints=deployed.endpoints
    )
    for topology, said in [
        (Topology(), None),
        (Topology(nodes=3, replication_factor=3), "the ring has 1 nodes"),
    ]:
        stated = target.model_copy(update={"topology": topology})
        context = Context.open(stated, directory / "external")
        there = PLUGIN.deploy(context)
        if said is None:
            PLUGIN.wait_ready(context, there)
            continue
        with pytest.raises(DeployFailed, match=said):
            PLUGIN.wait_ready(context, there)


def test_unified_compaction_is_tuned_where_it_compacts() -> None:
    for parameters, options in [
        ({"ucs_base_shards": 2}, {}),
        (
            {"ucs_base_shards": 2, "default_compaction": "UnifiedCompactionStrategy"},
            {"compaction": "LeveledCompactionStrategy"},
        ),
    ]:
        target = Target(name="c", system="cassandra", parameters=parameters, driver_options=options)
        with pytest.raises(TargetInvalid, match="ucs_base_shards: "):
            PLUGIN.check_target(target)


def test_heap_follows_the_rule_of_the_start_script() -> None:
    gibibyte = 2**30
    heaps = [home.heap_mebibytes(size * gibibyte) for size in (1, 4, 24, 64)]
    assert heaps == [512, 1024, 6144, 8192]


def test_a_machine_without_cassandra_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("WEIGHHOUSE_CASSANDRA", "CASSANDRA_HOME", "WEIGHHOUSE_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(DeployFailed) as caught:
        home.find()
    assert "CASSANDRA_HOME" in caught.value.hint


def test_it_speaks_tls_and_the_driver_verifies_it(tmp_path: Path) -> None:
    check_tls(PLUGIN, tmp_path)
