"""The Garnet plugin: on the real server where there is one, and on answers written down from its
vendor's sources.
"""

import os
import socket
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_garnet import PLUGIN
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.families.resp_recorded import RecordedServer
from weighhouse_sdk.machine.procfs import listening_process
from weighhouse_sdk.places import Place
from weighhouse_sdk.testkit.at_hand import server
from weighhouse_sdk.testkit.resp_testing import drives_a_relative
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.wire import Address, ReplyError

HINT = "`dotnet tool install --tool-path … garnet-server` brings it"


@pytest.fixture
def garnet(request: pytest.FixtureRequest) -> Path:
    """The real server."""
    return server(request, "garnet-server", "WEIGHHOUSE_GARNET", HINT)


# Lines of libs/server/Metrics/Info/GarnetInfoMetrics.cs (commit e508a41); the values are made up.
INFO = """# Server
garnet_version:2.1.4
server_name:garnet
os:Unix 6.1.0.0
processor_count:2
monitor_task:disabled
monitor_freq:0
redis_version:7.4.3
redis_mode:standalone

# Memory
system_page_size:4096
proc_physical_memory_size:104857600
proc_physical_memory_size(MB):100
gc_heap_bytes:20971520
store_index_size:134217728
store_mainlog_memory_size:16777216
total_main_store_size:150994944
aof_memory_size:-1
store_heap_memory_target_size:17179869184

# Replication
role:master
connected_slaves:0
master_repl_offset:N/A

# Stats
total_commands_processed:0

# Store_DB_0
IndexMemorySizeBytes:134217728
LogDir:
Log.BeginAddress:64
ReadCache.MaxMemorySizeBytes:N/A

# Clients
connected_clients:0
"""
CONFIGURATION = [
    "timeout",
    "0",
    "save",
    "",
    "appendonly",
    "no",
    "slave-read-only",
    "no",
    "aof-memory",
    "128m",
]
ANSWERS = {"INFO": INFO, "CONFIG GET *": CONFIGURATION}


@pytest.mark.usefixtures("garnet")
class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "memory_bytes": 1_073_741_824,
        "index_bytes": 67_108_864,
        "storage_tier": True,
        "readcache": True,
        "aof": True,
        "aof_commit_freq_ms": 100,
        "aof_commit_wait": True,
        "aof_memory_bytes": 268_435_456,
        "aof_size_limit_bytes": 1_073_741_824,
        "aof_size_limit_interval_seconds": 10,
        "checkpoint_throttle_ms": 1,
        "min_threads": 64,
        "max_threads": 1024,
        "device_type": "FileStream",
        "metrics_sampling_seconds": 1,
        "commandstats_monitor": True,
    }
    impossible: ClassVar = {"readcache": True}
    refusal = "Read cache requires storage tiering to be enabled"


def test_what_it_says_of_itself_is_read() -> None:
    with RecordedServer(ANSWERS) as server:
        address = server.address
        assert PLUGIN.version_served(address, 5.0) == "2.1.4"
        assert PLUGIN.settings(address, 5.0) == {
            "timeout": "0", "save": "", "appendonly": "no", "aof-memory": "134217728",
            "memory": "17179869184", "index": "134217728", "storage-tier": "no",
            "readcache": "no", "metrics-sampling-freq": "0",
        }  # fmt: skip
        metrics = PLUGIN.metrics(address, 5.0)
        assert PLUGIN.serving_process(address, 5.0) == os.getpid()
    assert metrics["gc_heap_bytes"] == 20_971_520
    assert {"keys", "connected_clients", "total_commands_processed"}.isdisjoint(metrics)
    assert "aof_memory_size" not in PLUGIN.kept.told(metrics)
    assert PLUGIN.used_bytes(metrics) == 150_994_944
    assert PLUGIN.used_bytes({}) is None


def test_redis_is_not_taken_for_garnet() -> None:
    with (
        RecordedServer({"INFO": "redis_version:7.0.15\nprocess_id:1\n"}) as server,
        pytest.raises(ReplyError, match="not Garnet: INFO has no garnet_version"),
    ):
        PLUGIN.serving_process(server.address, 5.0)


def test_a_port_that_is_only_held_has_no_listener() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        assert listening_process(port) is None
        holder.listen()
        assert listening_process(port) == os.getpid()


def test_flags_stand_alone_and_only_when_they_are_on() -> None:
    address = Address("127.0.0.1", 7000)
    place = Place(1, "garnet", address, Path(), (address,))
    parameters = {
        "aof": True,
        "readcache": False,
        "memory_bytes": 1 << 26,
        "aof_commit_freq_ms": -1,
    }
    assert PLUGIN.arguments(parameters, place) == [
        *("--bind", "127.0.0.1", "--port", "7000"),
        *("--aof", "--aof-commit-freq", "-1", "--memory", "67108864"),
        *("--checkpointdir", "/proc/self/cwd"),
    ]


def test_what_zero_leaves_to_garnet_is_not_passed() -> None:
    address = Address("127.0.0.1", 7000)
    place = Place(1, "garnet", address, Path(), (address,))
    parameters = {"aof_size_limit_bytes": 0, "max_threads": 16, "checkpoint_throttle_ms": 0}
    assert PLUGIN.arguments(parameters, place)[4:] == [
        *("--checkpoint-throttle-delay", "0", "--maxthreads", "16"),
    ]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"aof_commit_wait": True}, "aof is false"),
        ({"aof_commit_freq_ms": 100}, "aof is false"),
        ({"aof_commit_freq_ms": -1}, "aof is false"),
        ({"aof_size_limit_bytes": 1 << 30}, "aof is false"),
        (
            {"aof": True, "aof_commit_wait": True, "aof_commit_freq_ms": -1},
            "a log that it commits itself",
        ),
        ({"readcache": True}, "storage_tier is false"),
        ({"memory_bytes": 8192}, "8192 is less than the minimum of 67108864"),
        ({"index_bytes": 100_000_000}, "100000000 is not a power of two: write 67108864"),
        ({"min_threads": 8, "max_threads": 4}, "at least 8 while min_threads is 8"),
        ({"max_threads": 1}, "No fewer threads than processors".lower()),
    ],
)
def test_what_garnet_refuses_is_refused_before_it(
    parameters: dict[str, int | bool], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(TargetInvalid) as caught:
        PLUGIN.check_target(Target(name="g", system="garnet", parameters=parameters))
    assert words in f"{caught.value} | {caught.value.hint}"


def test_an_index_is_as_large_as_garnet_and_the_machine_take() -> None:
    target = Target(name="g", system="garnet", parameters={"index_bytes": 1 << 36})
    PLUGIN.check_target(target, {"machine:memory_bytes": 1 << 36})
    with pytest.raises(TargetInvalid, match="takes the memory of its index when it starts"):
        PLUGIN.check_target(target, {"machine:memory_bytes": (1 << 36) - 1})
    larger = target.model_copy(update={"parameters": {"index_bytes": 1 << 37}})
    with pytest.raises(TargetInvalid, match="greater than the maximum of 68719476736"):
        PLUGIN.check_target(larger, {})


def test_what_goes_together_is_taken() -> None:
    for parameters in (
        {"min_threads": 8}, {"aof": True, "aof_commit_wait": True}, {"aof_commit_freq_ms": 0},
        {"aof": True, "aof_commit_freq_ms": -1}, {"memory_bytes": 67_108_865},
    ):  # fmt: skip
        PLUGIN.check_target(Target(name="g", system="garnet", parameters=parameters))


@pytest.mark.parametrize("printed", ["garnet-server 2.1.4", "GarnetServer 2.1.4+e508a41"])
def test_the_version_is_found(printed: str) -> None:
    assert PLUGIN.version_of(printed) == "2.1.4"
    assert PLUGIN.version_of("garnet 2.1.4") is None


def test_several_nodes_are_refused() -> None:
    topology = Topology(nodes=3, replication_factor=1)
    with pytest.raises(TargetInvalid, match="up to 1 node"):
        PLUGIN.check_target(Target(name="g", system="garnet", topology=topology))


@pytest.mark.stand_in("of Redis, whose protocol its driver speaks, not Garnet")
def test_the_driver_takes_the_plugins_options(tmp_path: Path) -> None:
    drives_a_relative(PLUGIN, "redis-server", tmp_path)


def test_a_counter_that_is_kept_is_told() -> None:
    counting = INFO.replace("monitor_task:disabled", "monitor_task:enabled")
    with RecordedServer({"INFO": counting}) as recorded:
        metrics = PLUGIN.metrics(recorded.address, 5.0)
    assert metrics["connected_clients"] == 0
