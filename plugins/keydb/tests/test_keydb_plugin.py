"""The KeyDB plugin against the real keydb-server, where there is one; no registry has it."""

import shutil
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_keydb import PLUGIN
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.errors import DeployFailed, TargetInvalid
from weighhouse_sdk.families import resp_counts
from weighhouse_sdk.families.resp_recorded import RecordedServer
from weighhouse_sdk.places import Place
from weighhouse_sdk.testkit.question_log import Resp
from weighhouse_sdk.testkit.resp_client_sharding import RespClientSharding
from weighhouse_sdk.testkit.resp_testing import RespReplicas, drives_a_relative
from weighhouse_sdk.testkit.rights_testing import Visitor, refused_in_turn
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.wire import Address

needs_keydb = pytest.mark.skipif(
    shutil.which("keydb-server") is None,
    reason="there is no keydb-server on PATH: the vendor's package keydb brings it",
)


@needs_keydb
class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "server_threads": 2,
        "min_clients_per_thread": 0,
        "appendonly": True,
        "appendfsync": "always",
        "no_appendfsync_on_rewrite": True,
        "auto_aof_rewrite_percentage": 0,
        "save": "60 100 30 7",
        "maxmemory_bytes": 100_000_000,
        "maxmemory_policy": "allkeys-lru",
        "hash_max_ziplist_entries": 16,
        "hash_max_ziplist_value": 128,
        "min_replicas_to_write": 1,
        "min_replicas_max_lag_seconds": 3,
        "repl_diskless_sync_delay_seconds": 0,
        "repl_backlog_bytes": 2_097_152,
    }
    impossible: ClassVar = {"activedefrag": True}
    refusal = "Active defragmentation cannot be enabled"


@needs_keydb
class TestReplicas(RespReplicas):
    plugin = PLUGIN


@needs_keydb
class TestStrangers(RespClientSharding):
    plugin = PLUGIN


def test_threads_are_set_and_nobody_is_asked_for_a_message() -> None:
    address = Address("127.0.0.1", 7000)
    place = Place(1, "keydb", address, Path(), (address,))
    words = list(PLUGIN.arguments({"server_threads": 4, "save": ""}, place))
    assert words[words.index("--server-threads") + 1] == "4"
    assert words[words.index("--enable-motd") + 1] == "no"
    assert words[-2:] == ["--save", ""]


def test_each_rule_of_snapshots_is_an_argument_of_its_own() -> None:
    address = Address("127.0.0.1", 7000)
    place = Place(1, "keydb", address, Path(), (address,))
    words = list(PLUGIN.arguments({"save": "60 100 30 7"}, place))
    assert words[-6:] == ["--save", "60", "100", "--save", "30", "7"]


def test_redis_is_not_taken_for_keydb(tmp_path: Path) -> None:
    relative = tmp_path / "keydb-server"
    relative.write_text(
        f"#!{sys.executable}\nprint('Redis server v=7.0.15 sha=00000000:0')\n", encoding="utf-8"
    )
    relative.chmod(0o755)
    with pytest.raises(DeployFailed, match=r"is not KeyDB; it says: Redis server v=7\.0\.15"):
        PLUGIN.check_host(Target(name="k", system="keydb"), HostOptions(search_path=str(tmp_path)))


def test_a_cluster_is_refused() -> None:
    topology = Topology(nodes=6, replication_factor=2)
    with pytest.raises(TargetInvalid, match="every node has a copy of all"):
        PLUGIN.check_target(Target(name="k", system="keydb", topology=topology))


def test_processes_that_the_client_spreads_keys_over_are_no_replicas() -> None:
    """The second of two is started as if it were alone."""
    options: dict[str, Scalar] = {"hashing": "ketama"}
    target = Target(name="k", system="keydb", topology=Topology(nodes=2), driver_options=options)
    PLUGIN.check_target(target)
    assert PLUGIN.driver_options(target) == options
    address = Address("127.0.0.1", 7001)
    words = PLUGIN.arguments({}, Place(2, "keydb-2", address, Path(), (address,)))
    assert "--replicaof" not in words
    with pytest.raises(TargetInvalid, match="every node has a copy of all"):
        PLUGIN.check_target(target.model_copy(update={"driver_options": {}}))


@pytest.mark.stand_in("of Redis, whose protocol its driver speaks, not KeyDB")
def test_the_driver_takes_the_plugins_options(tmp_path: Path) -> None:
    drives_a_relative(PLUGIN, "redis-server", tmp_path)


@pytest.mark.stand_in("of answers written after its documentation, not KeyDB")
def test_each_question_may_be_refused(tmp_path: Path) -> None:
    """What answers is written after its documentation, and no KeyDB."""
    info = "redis_version:6.3.4\nmvcc_depth:0\nserver_threads:2\nused_memory:100\ndb0:keys=3\n"
    counters = {f"INFO {one.upper()}": info for one in resp_counts.ASKED}
    answers = {"INFO": info, **counters, "CONFIG GET *": ["maxmemory", "0"]}
    with RecordedServer(answers) as server:
        visitor = Visitor(PLUGIN, server.address, tmp_path, drives=False)
        assert set(refused_in_turn(visitor, Resp())) == {"INFO", "CONFIG GET"}
