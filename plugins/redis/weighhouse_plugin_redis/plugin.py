"""The life of a Redis server under test."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.configuration import system_names, system_value
from weighhouse_sdk.credentials import NOT_SHOWN
from weighhouse_sdk.nodes import Place
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.server import ServerPlugin
from weighhouse_sdk.wire import Address

from weighhouse_plugin_redis.resp import configuration, info

VERSION = re.compile(r"^Redis server v=(\S+)")
OLD_NAMES = re.compile(r"slave|ziplist")
"""CONFIG GET lists some settings twice; these are the names kept for old clients."""
SECRETS = frozenset({"requirepass", "masterauth", "tls-key-file-pass", "tls-client-key-file-pass"})
"""Settings that CONFIG GET tells in the clear."""
METRICS = (
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
)
"""Lines of INFO that are sampled, where the version has them."""


class RedisPlugin(ServerPlugin):
    """Redis as one process, without replicas or cluster."""

    program = "redis-server"
    users = ("redis", "nobody")
    places: ClassVar[Mapping[str, str | None]] = {"port": "6379", "bind": "* -::*", "dir": None}

    def version_of(self, text: str) -> str | None:
        """From `Redis server v=7.0.15 sha=…`; relatives say their own name there."""
        found = VERSION.match(text)
        return found.group(1) if found else None

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """One `--name value…` for each parameter; those not set are left to Redis."""
        schemas = declared(self.manifest.parameters)
        names = system_names(self.manifest)
        address = place.address
        words = ["--bind", address.host, "--port", str(address.port), "--dir", "."]
        for name, value in sorted(parameters.items()):
            text = system_value(schemas[name], value)
            words += [f"--{names[name]}", *(text.split() or [""])]
        return words

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """INFO's `process_id`, once nothing is loading."""
        lines = info(address, timeout_seconds)
        return int(lines["process_id"]) if lines.get("loading") == "0" else None

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """INFO's `redis_version`."""
        return info(address, timeout_seconds)["redis_version"]

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """CONFIG GET, without the names kept for old clients, and without passwords."""
        found = configuration(address, timeout_seconds)
        return {
            name: NOT_SHOWN if value and name in SECRETS else value
            for name, value in found.items()
            if not OLD_NAMES.search(name)
        }

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """The lines of INFO named in `METRICS`, and the number of keys as `keys`."""
        lines = info(address, timeout_seconds)
        found = {name: float(lines[name]) for name in METRICS if name in lines}
        fields = dict(pair.split("=") for pair in lines.get("db0", "keys=0").split(","))
        found["keys"] = float(fields["keys"])
        return found

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """INFO's `used_memory`: what the allocator handed out, buffers included."""
        return int(metrics["used_memory"]) if "used_memory" in metrics else None


PLUGIN = RedisPlugin(packaged_manifest("weighhouse_plugin_redis"))
