"""The Valkey plugin against the real valkey-server: one, with replicas, and as a cluster."""

import sys
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_valkey import PLUGIN
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.families.resp import info
from weighhouse_sdk.testkit.resp_client_sharding import RespClientSharding
from weighhouse_sdk.testkit.resp_membership_testing import RespLeaving
from weighhouse_sdk.testkit.resp_testing import RespCluster, RespReplicas
from weighhouse_sdk.testkit.resp_tls import RespTls
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.wire import ReplyError


class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "appendonly": True,
        "appendfsync": "always",
        "no_appendfsync_on_rewrite": True,
        "auto_aof_rewrite_percentage": 0,
        "save": "60 100 30 7",
        "maxmemory_bytes": 100_000_000,
        "maxmemory_policy": "allkeys-lru",
        "io_threads": 2,
        "hash_max_listpack_entries": 16,
        "hash_max_listpack_value": 128,
        "min_replicas_to_write": 1,
        "min_replicas_max_lag_seconds": 3,
        "repl_diskless_sync_delay_seconds": 0,
        "repl_backlog_bytes": 2_097_152,
        "dual_channel_replication_enabled": True,
        "cluster_node_timeout_ms": 2000,
        "cluster_require_full_coverage": False,
    }
    impossible: ClassVar = {"activedefrag": True}
    refusal = "Active defragmentation cannot be enabled"


class TestReplicas(RespReplicas):
    plugin = PLUGIN


class TestCluster(RespCluster):
    plugin = PLUGIN


class TestStrangers(RespClientSharding):
    plugin = PLUGIN


class TestTls(RespTls):
    plugin = PLUGIN


class TestLeaving(RespLeaving):
    plugin = PLUGIN


@pytest.fixture
def target() -> Target:
    return Target(name="v", system="valkey")


def test_redis_is_not_taken_for_valkey(tmp_path: Path, target: Target) -> None:
    relative = tmp_path / "valkey-server"
    relative.write_text(
        f"#!{sys.executable}\nprint('Redis server v=7.0.15 sha=00000000:0')\n", encoding="utf-8"
    )
    relative.chmod(0o755)
    with pytest.raises(DeployFailed, match=r"is not Valkey; it says: Redis server v=7\.0\.15"):
        PLUGIN.check_host(target, HostOptions(search_path=str(tmp_path)))


def test_its_version_is_not_the_one_of_redis_that_it_speaks_for(
    tmp_path: Path, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = Context.open(target, tmp_path / "attempt")
    deployed = PLUGIN.deploy(context)
    try:
        PLUGIN.wait_ready(context, deployed)
        address = deployed.nodes[0].place.address
        told = info(address, 5.0)
        assert PLUGIN.version_served(address, 5.0) == told["valkey_version"] == deployed.version
        assert told["redis_version"] != deployed.version
        monkeypatch.setattr(PLUGIN, "version_fields", ("another_version",))
        with pytest.raises(ReplyError, match="not Valkey: INFO has no another_version"):
            PLUGIN.version_served(address, 5.0)
    finally:
        PLUGIN.stop(context, deployed)
        PLUGIN.clean_up(context)
