"""The life of a Valkey server under test: one, one with replicas, or a cluster."""

import re
from collections.abc import Mapping
from typing import ClassVar

from weighhouse_sdk.families.resp_server import (
    COUNTERS,
    GAUGES,
    SAMPLED,
    TLS_PLACES,
    RespServer,
)
from weighhouse_sdk.registry import packaged_manifest


class ValkeyPlugin(RespServer):
    """Valkey; what it has of Redis, and its own threads and replication."""

    program = "valkey-server"
    users = ("valkey", "nobody")
    version_line = re.compile(r"^Valkey server v=(\S+)")
    version_fields = ("valkey_version",)
    old_names = re.compile(r"slave|ziplist|^master(auth|user)$")
    places: ClassVar[Mapping[str, str | None]] = {
        "port": "6379",
        "bind": "* -::*",
        "dir": None,
        "replicaof": "",
        "protected-mode": "yes",
        "cluster-enabled": "no",
        "cluster-port": "0",
        "cluster-announce-ip": "",
        **TLS_PLACES,
    }
    sampled = (
        *SAMPLED,
        "io_threads_active",
        "io_threaded_reads_processed",
        "io_threaded_writes_processed",
    )
    gauges_marked = GAUGES
    counters_marked = COUNTERS


PLUGIN = ValkeyPlugin(packaged_manifest("weighhouse_plugin_valkey"))
