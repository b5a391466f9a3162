"""The Cassandra plugin against a real node."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_cassandra import PLUGIN, home
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.families.cql import rows
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.wire import Address, ReplyError

SMALL: dict[str, Scalar] = {"heap_mebibytes": 256, "garbage_collector": "serial"}


class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "heap_mebibytes": 300,
        "garbage_collector": "serial",
        "concurrent_reads": 8,
        "concurrent_writes": 16,
        "commitlog_sync": "batch",
        "memtable": "trie",
        "sstable_format": "bti",
    }
    impossible: ClassVar = {"concurrent_reads": 1}
    refusal = "concurrent_reads must be at least 2"


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    target = Target(name="c", system="cassandra", parameters=SMALL)
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
    metrics = PLUGIN.metrics(address, 5.0)
    assert metrics["ReadStage.pending_tasks"] >= 0
    assert any(name.endswith(".hit_ratio") for name in metrics)
    assert PLUGIN.serving_process(address, 5.0) == deployed.processes[0].pid
    PLUGIN.stop(context, deployed)
    with pytest.raises(OSError, match="refused"):
        rows(address, 5.0, "SELECT * FROM system.local")


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
