"""The life of a Redis server under test: one, one with replicas, or a cluster."""

import re
from collections.abc import Mapping
from typing import ClassVar

from weighhouse_sdk.families.resp_server import RespServer
from weighhouse_sdk.registry import packaged_manifest


class RedisPlugin(RespServer):
    """Redis."""

    program = "redis-server"
    users = ("redis", "nobody")
    version_line = re.compile(r"^Redis server v=(\S+)")
    places: ClassVar[Mapping[str, str | None]] = {
        "port": "6379",
        "bind": "* -::*",
        "dir": None,
        "replicaof": "",
        "cluster-enabled": "no",
        "cluster-port": "0",
    }
    sampled = (
        "used_memory",
        "used_memory_rss",
        "used_memory_dataset",
        "mem_fragmentation_ratio",
        "connected_clients",
        "total_commands_processed",
        "keyspace_hits",
        "keyspace_misses",
        "evicted_keys",
        "expired_keys",
        "rejected_connections",
        "rdb_bgsave_in_progress",
        "aof_rewrite_in_progress",
        "aof_current_size",
        "aof_delayed_fsync",
        "aof_pending_bio_fsync",
        "current_cow_size",
        "latest_fork_usec",
        "connected_slaves",
        "master_repl_offset",
        "sync_full",
    )
    gauges_marked: ClassVar[Mapping[str, str]] = {
        "rdb_bgsave_in_progress": "snapshot",
        "aof_rewrite_in_progress": "aof_rewrite",
    }
    counters_marked: ClassVar[Mapping[str, str]] = {
        "evicted_keys": "eviction",
        "aof_delayed_fsync": "delayed_fsync",
        "sync_full": "full_sync",
        "primary": "failover",
    }


PLUGIN = RedisPlugin(packaged_manifest("weighhouse_plugin_redis"))
