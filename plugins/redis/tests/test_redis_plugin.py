"""The Redis plugin against the real redis-server."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_redis import PLUGIN
from weighhouse_plugin_redis.plugin import RedisPlugin
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import DeployFailed, NotReady, SystemFailed
from weighhouse_sdk.families.resp import ask, info
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.testkit.testing import PluginConformance, processes_below
from weighhouse_sdk.wire import Address, ReplyError


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
        "io_threads_do_reads": True,
        "hash_max_listpack_entries": 16,
        "hash_max_listpack_value": 128,
        "min_replicas_to_write": 1,
        "min_replicas_max_lag_seconds": 3,
        "repl_diskless_sync_delay_seconds": 0,
        "repl_backlog_bytes": 2_097_152,
        "cluster_node_timeout_ms": 2000,
        "cluster_require_full_coverage": False,
        "lazyfree_lazy_eviction": True,
        "lazyfree_lazy_expire": True,
        "lazyfree_lazy_server_del": True,
        "lazyfree_lazy_user_del": True,
        "active_expire_effort": 7,
        "hz": 50,
        "dynamic_hz": False,
        "maxmemory_samples": 10,
        "tls": True,
    }
    impossible: ClassVar = {"activedefrag": True}
    refusal = "Active defragmentation cannot be enabled"


def address_of(deployed: Deployed) -> Address:
    host, _, port = deployed.endpoints[0].removeprefix("tcp://").rpartition(":")
    return Address(host, int(port))


def say(deployed: Deployed, *words: str) -> object:
    return ask(address_of(deployed), 5.0, *words)


@pytest.fixture
def target() -> Target:
    return Target(name="r", system="redis", parameters={"save": "", "appendonly": True})


@pytest.fixture
def context(target: Target, tmp_path: Path) -> Iterator[Context]:
    context = Context.open(target, tmp_path / "attempt")
    yield context
    PLUGIN.clean_up(context)


@pytest.fixture
def other(target: Target, tmp_path: Path) -> Iterator[Context]:
    context = Context.open(target, tmp_path / "other")
    yield context
    PLUGIN.clean_up(context)


@pytest.fixture
def deployed(context: Context) -> Iterator[Deployed]:
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    yield deployed
    PLUGIN.stop(context, deployed)


def test_snapshots_can_be_switched_off(context: Context, deployed: Deployed) -> None:
    settings = {each.name: each for each in PLUGIN.describe(context, deployed).settings}
    assert settings["save"].value == ""
    assert settings["save"].default == "3600 1 300 100 60 10000"
    assert settings["save"].source == "experiment"


def test_plugin_changes_places_alone(context: Context, deployed: Deployed) -> None:
    described = PLUGIN.describe(context, deployed)
    assert {each.source for each in described.settings} <= {"default", "experiment", "place"}
    own = {each.name: each.default for each in described.settings if each.source == "place"}
    assert own == {"bind": "* -::*", "port": "6379", "dir": None}


def test_the_log_is_written_into_the_data_directory(context: Context, deployed: Deployed) -> None:
    say(deployed, "SET", "key", "x" * 10_000)
    assert list((context.data_directory / "appendonlydir").glob("*.incr.aof"))
    assert (PLUGIN.memory(context, deployed).disk_bytes or 0) >= 10_000


def test_server_is_never_root(context: Context, deployed: Deployed) -> None:
    status = Path(f"/proc/{deployed.processes[0].pid}/status").read_text(encoding="ascii")
    uids = next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1:]
    assert "0" not in uids
    assert stat.S_IMODE(context.data_directory.stat().st_mode) == 0o700


def test_metrics_follow_the_server(context: Context, deployed: Deployed) -> None:
    for number in range(10):
        say(deployed, "SET", f"key{number}", "value")
    say(deployed, "GET", "key1")
    say(deployed, "GET", "nowhere")
    metrics = PLUGIN.sample(context, deployed).metrics
    assert metrics["keys"] == 10
    assert metrics["keyspace_hits"] == 1
    assert metrics["keyspace_misses"] == 1


def test_what_redis_does_not_count_yet_is_not_told(context: Context, deployed: Deployed) -> None:
    """Its offset stays 0 until somebody replicates, however much is written; so does a fork's
    length until there was one.
    """
    say(deployed, "SET", "key", "value")
    told = info(address_of(deployed), 5.0)
    assert (told["master_repl_offset"], told["latest_fork_usec"]) == ("0", "0")
    metrics = PLUGIN.sample(context, deployed).metrics
    assert {"master_repl_offset", "latest_fork_usec"}.isdisjoint(metrics)
    say(deployed, "BGSAVE")
    assert PLUGIN.sample(context, deployed).metrics["latest_fork_usec"] > 0


def test_taken_port_is_told_in_the_servers_words(context: Context) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        options = HostOptions(port=holder.getsockname()[1])
        taken = Context.open(context.target, context.directory, options=options)
        deployed = PLUGIN.deploy(taken)
        with pytest.raises(NotReady) as caught:
            PLUGIN.wait_ready(taken, deployed)
    assert "Address already in use" in "\n".join(caught.value.log_lines)
    assert caught.value.failure().log_lines
    PLUGIN.stop(taken, deployed)


def test_another_server_on_the_port_is_not_taken_for_ours(context: Context, other: Context) -> None:
    there = PLUGIN.deploy(other)
    PLUGIN.wait_ready(other, there)
    options = HostOptions(port=address_of(there).port)
    mine = Context.open(context.target, context.directory, options=options)
    deployed = PLUGIN.deploy(mine)
    with pytest.raises(NotReady):
        PLUGIN.wait_ready(mine, deployed)
    assert say(there, "PING") == "PONG"
    PLUGIN.stop(mine, deployed)
    PLUGIN.stop(other, there)


def test_silence_is_not_readiness(context: Context) -> None:
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    os.kill(deployed.processes[0].pid, 19)
    options = HostOptions(ready_seconds=0.2)
    impatient = Context.open(context.target, context.directory, options=options)
    with pytest.raises(NotReady, match=r"not ready after 0\.2 s"):
        PLUGIN.wait_ready(impatient, deployed)
    assert PLUGIN.sample(context, deployed).metrics == {}
    stopped = PLUGIN.stop(context, deployed)
    assert not stopped.killed, "one that is frozen is let go on to end in order"
    assert stopped.exit_codes == (0,)
    assert not processes_below(context.directory)


def test_a_server_that_died_is_a_result_with_its_log(context: Context, deployed: Deployed) -> None:
    with pytest.raises(ConnectionError):
        say(deployed, "SHUTDOWN", "NOSAVE")
    assert deployed.processes[0].wait(120) == 0
    for verb in (PLUGIN.sample, PLUGIN.memory, PLUGIN.describe):
        with pytest.raises(SystemFailed) as caught:
            verb(context, deployed)
        assert caught.value.failure().kind == "database"
        assert "bye bye" in caught.value.log_lines[-1]


def test_error_replies_are_errors(deployed: Deployed) -> None:
    with pytest.raises(ReplyError, match="unknown command"):
        say(deployed, "NONSENSE")


def test_a_relative_is_not_taken_for_redis(tmp_path: Path, target: Target) -> None:
    relative = tmp_path / "redis-server"
    relative.write_text(
        f"#!{sys.executable}\nprint('Valkey server v=8.0.1 sha=00000000:0')\n", encoding="utf-8"
    )
    relative.chmod(0o755)
    with pytest.raises(DeployFailed, match=r"is not Redis; it says: Valkey server v=8\.0\.1"):
        PLUGIN.check_host(target, HostOptions(search_path=str(tmp_path)))


def test_forks_are_found_when_their_parent_is_gone(context: Context) -> None:
    """A snapshot's fork goes on after its parent was killed; it is a leftover too."""
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    say(deployed, "SET", "key", "value")
    say(deployed, "CONFIG", "SET", "rdb-key-save-delay", "10000000")
    say(deployed, "BGSAVE")
    parent = deployed.processes[0].pid
    fork = next(pid for pid in processes_below(context.directory) if pid != parent)
    os.kill(parent, 9)
    deployed.processes[0].wait(120)
    assert [leftover.pid for leftover in PLUGIN.leftovers(context)] == [fork]
    assert [leftover.pid for leftover in PLUGIN.clean_up(context).ended] == [fork]
    assert not processes_below(context.directory)


def test_version_is_what_the_program_says(target: Target) -> None:
    text = subprocess.run(
        ["redis-server", "--version"], check=True, capture_output=True, text=True
    ).stdout
    assert f"v={PLUGIN.check_host(target, HostOptions()).version} " in text


def test_a_plugin_from_before_is_asked_of_its_target_alone(tmp_path: Path) -> None:
    asked: list[Target] = []

    class Before(RedisPlugin):
        def check_target(self, target: Target) -> None:  # type: ignore[override]
            asked.append(target)
            super().check_target(target)

    target = Target(name="r", system="redis")
    Before(PLUGIN.manifest).check_here(Context.open(target, tmp_path))
    assert asked == [target]
