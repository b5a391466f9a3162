"""The Dragonfly plugin: on answers written down from its vendor's sources, and on the real server
where there is one; no registry has it.
"""

import shutil
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_dragonfly import PLUGIN
from weighhouse_protocol.driver import Interval
from weighhouse_protocol.faults import FaultVerb
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import DeployFailed, TargetInvalid
from weighhouse_sdk.families import resp_counts
from weighhouse_sdk.families.resp import ask
from weighhouse_sdk.families.resp_recorded import RecordedServer
from weighhouse_sdk.places import Place
from weighhouse_sdk.testkit.question_log import Resp
from weighhouse_sdk.testkit.resp_testing import (
    ASK_SECONDS,
    RespAlone,
    RespNodes,
    drives_a_relative,
    errors_of,
    order_for,
)
from weighhouse_sdk.testkit.rights_testing import Visitor, refused_in_turn
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.wire import Address, ReplyError

needs_dragonfly = pytest.mark.skipif(
    shutil.which("dragonfly") is None,
    reason="there is no dragonfly on PATH: the vendor's package dragonfly brings it",
)

# The lines of src/server/server_family.cc (commit f8eca6d); the values are made up.
INFO = """# Server
redis_version:7.4.0
dragonfly_version:df-v1.39.0
redis_mode:standalone
arch_bits:64
process_id:4711
thread_count:2
multiplexing_api:iouring
tcp_port:6379
uptime_in_seconds:3

# Clients
connected_clients:5
pipeline_queue_length:0

# Memory
used_memory:8388608
used_memory_human:8.00MiB
used_memory_rss:20971520
object_used_memory:5242880
table_used_memory:1048576
maxmemory:1073741824
cache_mode:store

# Stats
total_commands_processed:1000
keyspace_hits:600
keyspace_misses:7
evicted_keys:0
hard_evictions:0

# Replication
role:master
connected_slaves:0

# Keyspace
db0:keys=42,expires=0,hits=600,misses=7,hit_ratio=98.85,avg_ttl=-1
"""
PERSISTENCE = "# Persistence\nloading:0\nsaving:1\nrdb_bgsave_in_progress:1\n"
CONFIGURATION = ["dbfilename", "dump-{timestamp}", "dbnum", "16", "dir", "", "maxmemory", "1.00GiB"]
ANSWERS = {"INFO": INFO, "INFO PERSISTENCE": PERSISTENCE, "CONFIG GET *": CONFIGURATION}


@needs_dragonfly
class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "proactor_threads": 1,
        "maxmemory_bytes": 1_073_741_824,
        "cache_mode": True,
        "dbfilename": "snapshot",
        "snapshot_cron": "*/5 * * * *",
        "tiered": True,
        "tiered_max_file_bytes": 1_073_741_824,
        "tiered_offload_threshold": 0.25,
    }
    impossible: ClassVar = {"maxmemory_bytes": 1_048_576}
    refusal = "are required. Exiting"
    untold = frozenset({"proactor_threads", "maxmemory_bytes", "tiered", "tiered_max_file_bytes"})


@needs_dragonfly
class TestOneServer(RespAlone):
    plugin = PLUGIN
    parameters: ClassVar = {"proactor_threads": 2}

    def target(self, nodes: int, copies: int) -> Target:
        """With two threads, each of which owns a part of the keys."""
        plain = super().target(nodes, copies)
        return plain.model_copy(update={"parameters": self.parameters})

    def test_an_orderly_end_keeps_what_was_written(self, directory: Path) -> None:
        context, deployed = self.up(1, 1, directory)
        address = deployed.nodes[0].place.address
        for key in ("one", "two"):
            assert ask(address, ASK_SECONDS, "SET", key, "kept") == "OK"
        assert "serves again" in self.do(context, deployed, "restart", 1)
        assert ask(address, ASK_SECONDS, "MGET", "one", "two") == ["kept", "kept"]
        assert self.plugin.sample(context, deployed).metrics["keys"] == 2
        assert list(context.data_directory.glob("dump-*.dfs"))
        self.plugin.stop(context, deployed)

    def test_a_kill_loses_what_came_after_the_last_snapshot(self, directory: Path) -> None:
        context, deployed = self.up(1, 1, directory)
        address = deployed.nodes[0].place.address
        assert ask(address, ASK_SECONDS, "SET", "one", "kept") == "OK"
        assert ask(address, ASK_SECONDS, "SAVE") == "OK"
        assert ask(address, ASK_SECONDS, "SET", "two", "lost") == "OK"
        assert self.do(context, deployed, "kill", 1) == "node 1: killed"
        assert "serves again" in self.do(context, deployed, "start", 1)
        assert ask(address, ASK_SECONDS, "MGET", "one", "two") == ["kept", None]
        self.plugin.stop(context, deployed)

    def test_load_outlives_the_verbs(self, directory: Path) -> None:
        """It is killed, comes back, is restarted, and frozen for a moment, while it is loaded."""
        context, deployed = self.up(1, 1, directory)
        settings = {each.name: each for each in self.plugin.describe(context, deployed).settings}
        assert settings["proactor_threads"].value == "2"
        assert settings["maxmemory"].default is None
        verbs: dict[int, FaultVerb] = {
            4: "kill", 6: "start", 12: "restart", 18: "pause", 20: "resume",
        }  # fmt: skip
        order = order_for(self.plugin, context, deployed, seconds=10.0)
        intervals: list[Interval] = []
        said = []
        with DriverRun(self.plugin.manifest.driver.id, order, context) as run:
            for event in run.events():
                if isinstance(event, Interval) and event.phase == "measure":
                    intervals.append(event)
                    if verb := verbs.get(len(intervals)):
                        said.append(self.do(context, deployed, verb, 1))
        assert said[0] == "node 1: killed"
        assert all("serves again" in each for each in said[1:3])
        assert said[3:] == ["node 1: paused", "node 1: goes on"]
        assert errors_of(intervals[0]) == 0
        assert sum(map(errors_of, intervals)) > 0, "a server that is gone shows"
        assert errors_of(intervals[-1]) == 0, "and is over in the end"
        assert sum(each.ok.count for each in intervals[-1].operations.values() if each.ok) > 0
        assert deployed.ended_by_itself() is None
        self.plugin.stop(context, deployed)


@needs_dragonfly
class TestWithoutSnapshots(RespNodes):
    plugin = PLUGIN

    def target(self, nodes: int, copies: int) -> Target:
        """One that has no name for snapshots."""
        plain = super().target(nodes, copies)
        return plain.model_copy(update={"parameters": {"dbfilename": ""}})

    def test_nothing_is_written_and_nothing_is_read(self, directory: Path) -> None:
        context, deployed = self.up(1, 1, directory)
        address = deployed.nodes[0].place.address
        assert ask(address, ASK_SECONDS, "SET", "one", "lost") == "OK"
        assert "serves again" in self.do(context, deployed, "restart", 1)
        assert ask(address, ASK_SECONDS, "EXISTS", "one") == 0
        assert not list(context.data_directory.rglob("*"))
        self.plugin.stop(context, deployed)


def test_what_it_says_of_itself_is_read() -> None:
    with RecordedServer(ANSWERS) as server:
        address = server.address
        assert PLUGIN.serving_process(address, 5.0) == 4711
        assert PLUGIN.version_served(address, 5.0) == "1.39.0"
        settings = PLUGIN.settings(address, 5.0)
        assert settings["dbfilename"] == "dump-{timestamp}"
        assert settings["proactor_threads"] == "2"
        assert settings["cache_mode"] == "false"
        metrics = PLUGIN.metrics(address, 5.0)
    assert metrics["keys"] == 42
    assert metrics["saving"] == 1
    assert metrics["primary"] == 1
    assert PLUGIN.used_bytes(metrics) == 8_388_608
    assert PLUGIN.gauges_marked["saving"] == "snapshot"


def test_it_does_not_serve_while_it_loads_a_snapshot() -> None:
    loading = "# Persistence\nloading:1\nsaving:0\n"
    with RecordedServer(ANSWERS | {"INFO PERSISTENCE": loading}) as server:
        assert PLUGIN.serving_process(server.address, 5.0) is None


def test_redis_is_not_taken_for_dragonfly() -> None:
    with (
        RecordedServer({"INFO": "redis_version:7.0.15\nprocess_id:1\n"}) as server,
        pytest.raises(ReplyError, match="not Dragonfly: INFO has no dragonfly_version"),
    ):
        PLUGIN.version_served(server.address, 5.0)


def test_parameters_are_flags() -> None:
    address = Address("127.0.0.1", 7000)
    place = Place(1, "dragonfly", address, Path(), (address,))
    parameters = {"cache_mode": True, "snapshot_cron": "*/5 * * * *", "dbfilename": ""}
    assert PLUGIN.arguments(parameters, place) == [
        "--bind=127.0.0.1",
        "--port=7000",
        "--logtostderr",
        "--version_check=false",
        "--cache_mode=true",
        "--dbfilename=",
        "--snapshot_cron=*/5 * * * *",
    ]


def test_replicas_follow_the_first_node() -> None:
    addresses = (Address("127.0.0.1", 7000), Address("127.0.0.1", 7001))
    first, second = (
        PLUGIN.arguments(
            {"tiered": True}, Place(number, "d", addresses[number - 1], Path(), addresses, 2)
        )
        for number in (1, 2)
    )
    assert first[-1] == second[-1] == "--tiered_prefix=tiered"
    assert not any("replicaof" in word for word in first)
    assert "--replicaof=127.0.0.1:7000" in second


@pytest.mark.parametrize(
    ("link", "acknowledge", "unseen"),
    [
        ("down", 1, "node 2 is not in step with its primary"),
        ("up", 0, "0 of 1 replicas of node 1"),
        ("up", 1, None),
    ],
)
def test_a_replica_has_what_its_primary_takes(
    link: str, acknowledge: int, unseen: str | None
) -> None:
    key = "WEIGHHOUSE:READY:{0}"
    taken = {f"SET {key}  PX 10000": "OK", f"DEL {key}": 1, "WAIT 1 3000": acknowledge}
    with RecordedServer({"INFO": INFO, **taken}) as primary:
        host, port, *_ = primary.address
        follows = f"role:slave\nmaster_host:{host}\nmaster_port:{port}\nmaster_link_status:{link}"
        with RecordedServer({"INFO": INFO.replace("role:master", follows)}) as replica:
            addresses = (primary.address, replica.address)
            places = [
                Place(number, "d", address, Path(), addresses, 2)
                for number, address in enumerate(addresses, start=1)
            ]
            said = PLUGIN.missing(places, 5.0)
    assert said is None if unseen is None else said is not None and said.startswith(unseen)


def test_what_was_not_tried_stands_beside_it_alone() -> None:
    def said(**more: object) -> set[str]:
        target = Target(name="d", system="dragonfly", **more)
        return {each.id for each in PLUGIN.manifest.concerning(target)}

    untried = {"dragonfly-tiers-untried", "dragonfly-asynchronous"}
    assert not said() & untried
    assert said(parameters={"tiered": True}) & untried == {"dragonfly-tiers-untried"}
    two = Topology(nodes=2, replication_factor=2)
    assert said(topology=two) & untried == {"dragonfly-asynchronous"}


def test_only_strings_go_to_disk() -> None:
    target = Target(name="d", system="dragonfly", parameters={"tiered": True})
    with pytest.raises(TargetInvalid, match="layout to string"):
        PLUGIN.check_target(target)
    PLUGIN.check_target(target.model_copy(update={"driver_options": {"layout": "string"}}))


@pytest.mark.parametrize("printed", ["v1.39.0-3f8a", "\x1b[0;32mv1.39.0-3f8a\x1b[m"])
def test_the_version_is_found_under_its_colours(printed: str) -> None:
    assert PLUGIN.version_of(f"dragonfly {printed}\nbuild time: 2026-06-01") == "1.39.0"


def test_another_program_of_that_name_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "dragonfly"
    program.write_text(f"#!{sys.executable}\nprint('DragonFly mail agent v0.13')\n", "utf-8")
    program.chmod(0o755)
    with pytest.raises(DeployFailed, match="is not Dragonfly; it says: DragonFly mail agent"):
        PLUGIN.check_host(
            Target(name="d", system="dragonfly"), HostOptions(search_path=str(tmp_path))
        )


def test_shards_and_odd_schedules_are_refused() -> None:
    target = Target(
        name="d",
        system="dragonfly",
        topology=Topology(nodes=3, replication_factor=1),
        parameters={"snapshot_cron": "hourly"},
    )
    with pytest.raises(TargetInvalid) as caught:
        PLUGIN.check_target(target)
    assert [path for path, _ in caught.value.problems] == ["topology", "parameters.snapshot_cron"]


@pytest.mark.stand_in("of Redis, whose protocol its driver speaks, not Dragonfly")
def test_the_driver_takes_the_plugins_options(tmp_path: Path) -> None:
    drives_a_relative(PLUGIN, "redis-server", tmp_path)


@pytest.mark.stand_in("of answers written after its sources, not Dragonfly")
def test_each_question_may_be_refused(tmp_path: Path) -> None:
    """What answers is written after its sources, and no Dragonfly."""
    counters = {f"INFO {one.upper()}": INFO for one in resp_counts.ASKED}
    with RecordedServer({**ANSWERS, **counters}) as server:
        visitor = Visitor(PLUGIN, server.address, tmp_path, drives=False)
        assert set(refused_in_turn(visitor, Resp())) == {"INFO", "CONFIG GET"}
