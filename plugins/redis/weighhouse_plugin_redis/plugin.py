"""The life of a Redis server under test: one, one with replicas, or a cluster."""

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
        "protected-mode": "yes",
        "cluster-enabled": "no",
        "cluster-port": "0",
        "cluster-announce-ip": "",
        **TLS_PLACES,
    }
    sampled = SAMPLED
    gauges_marked = GAUGES
    counters_marked = COUNTERS


PLUGIN = RedisPlugin(packaged_manifest("weighhouse_plugin_redis"))
