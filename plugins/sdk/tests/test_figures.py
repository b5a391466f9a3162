"""What of a server's answer is a figure."""

import math
from pathlib import Path

import pytest
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.families.resp_recorded import RecordedServer
from weighhouse_sdk.figures import Kept, in_bytes, numbers
from weighhouse_sdk.registry import load_plugin

NOBODY_COUNTS = {"connected_clients": 0.0, "commands": 0.0, "hits": 0.0, "heap_bytes": 7.0}


def test_what_a_server_does_not_keep_is_not_told() -> None:
    found = {"aof_memory_size": -1.0, "ratio": math.nan, "rate": math.inf, "evicted": 0.0}
    assert Kept().told(found) == {"evicted": 0.0}
    assert Kept(signed=frozenset({"fragmentation"})).told({"fragmentation": -5.0}) == {
        "fragmentation": -5.0
    }


def test_a_zero_of_a_monitor_that_is_off_is_not_told() -> None:
    kept = Kept(asked="connected_clients")
    assert kept.told(NOBODY_COUNTS) == {"heap_bytes": 7.0}
    counting = {**NOBODY_COUNTS, "connected_clients": 1.0}
    assert kept.told(counting) == counting
    silent = {"commands": 0.0}  # one that has no such line
    assert kept.told(silent) == silent


def test_a_word_is_no_number() -> None:
    """As a server answers that knows a line and has nothing to say there."""
    words = {"master_repl_offset": "N/A", "keys": "7", "ratio": "0.5"}
    assert numbers(words, ("keys", "master_repl_offset", "ratio", "missing")) == {
        "keys": 7.0, "ratio": 0.5,
    }  # fmt: skip


def test_a_server_that_counts_nothing_tells_no_counter(tmp_path: Path) -> None:
    """A relative of Redis whose statistics are off, as it answers somebody who is connected."""
    lines = ["redis_version:7.4.3", "role:master", "used_memory:1048576", "aof_current_size:-1",
             "connected_clients:0", "total_commands_processed:0", "keyspace_hits:0",
             "master_repl_offset:N/A", "evicted_keys:0"]  # fmt: skip
    plugin = load_plugin("redis")
    with RecordedServer({"INFO": "\r\n".join(lines), "CONFIG GET *": []}) as server:
        target = Target(name="t", system="redis", deployment="external",
                        endpoints=(server.address.endpoint,))  # fmt: skip
        context = Context.open(target, tmp_path)
        deployed = plugin.deploy(context)
        assert plugin.sample(context, deployed).metrics == {
            "used_memory": 1048576.0, "primary": 1.0,
        }  # fmt: skip
        assert plugin.memory(context, deployed).records is None


def test_what_cannot_be_zero_was_not_counted_yet() -> None:
    kept = Kept(never_zero=frozenset({"write_amplification"}))
    assert kept.told({"write_amplification": 0.0, "stalled_seconds": 0.0}) == {
        "stalled_seconds": 0.0
    }


@pytest.mark.parametrize(
    ("name", "value", "told", "size"),
    [
        ("heap_allocated_kbytes", 2.0, "heap_allocated_bytes", 2048.0),
        ("mem_kb", 1.0, "mem_bytes", 1024.0),
        ("cache.MiB", 3.0, "cache.bytes", 3145728.0),
        ("VmRSS kB", 4.0, "VmRSS bytes", 4096.0),
        ("pool_gigabytes", 1.0, "pool_bytes", 1073741824.0),
        ("limit_maxbytes", 5.0, "limit_maxbytes", 5.0),
        ("wal_bytes", 5.0, "wal_bytes", 5.0),
        ("bytes", 5.0, "bytes", 5.0),
        ("bytes currently in the cache", 5.0, "bytes currently in the cache", 5.0),
        ("network.bytesIn", 5.0, "network.bytesIn", 5.0),
        ("numb", 5.0, "numb", 5.0),
    ],
)
def test_a_name_that_says_bytes_is_in_bytes(
    name: str, value: float, told: str, size: float
) -> None:
    assert in_bytes(name, value) == (told, size)
    assert Kept().told({name: value}) == {told: size}
