"""The life of a memcached under test."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.serving.server import ServerPlugin
from weighhouse_sdk.wire import Address

from weighhouse_plugin_memcached.stats import stats

VERSION = re.compile(r"^memcached (\S+)")
METRICS = (
    "bytes",
    "limit_maxbytes",
    "curr_items",
    "total_items",
    "curr_connections",
    "cmd_get",
    "cmd_set",
    "get_hits",
    "get_misses",
    "evictions",
    "evicted_unfetched",
    "reclaimed",
    "store_no_memory",
    "store_too_large",
    "rejected_connections",
    "listen_disabled_num",
    "conn_yields",
    "slabs_moved",
    "hash_bytes",
)
"""Lines of `stats` that are sampled, where the version has them."""


class MemcachedPlugin(ServerPlugin):
    """Memcached as one process."""

    program = "memcached"
    users = ("memcache", "nobody")
    places: ClassVar[Mapping[str, str | None]] = {
        "tcpport": "11211",
        "inter": "NULL",
        "udpport": "0",
    }
    counters_marked: ClassVar[Mapping[str, str]] = {"evictions": "eviction"}

    def version_of(self, text: str) -> str | None:
        """From `memcached 1.6.18`."""
        found = VERSION.match(text)
        return found.group(1) if found else None

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """A parameter's schema names its option in `x-flag`; options that only switch something
        off (`x-flag-when` = false) stand there when the parameter has that value.
        """
        schemas = declared(self.manifest.parameters)
        words = ["-l", place.address.host, "-p", str(place.address.port), "-U", "0"]
        for name, value in sorted(parameters.items()):
            flag = str(schemas[name]["x-flag"])
            if not isinstance(value, bool):
                words += [flag, str(value)]
            elif value is schemas[name]["x-flag-when"]:
                words.append(flag)
        return words

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """The `pid` line of `stats`."""
        return int(stats(address, timeout_seconds)["pid"])

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """The `version` line of `stats`."""
        return stats(address, timeout_seconds)["version"]

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """`stats settings`, without what only repeats the number of threads for UDP."""
        found = stats(address, timeout_seconds, "settings")
        found.pop("num_threads_per_udp", None)
        return found

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """The lines of `stats` named in `METRICS`."""
        lines = stats(address, timeout_seconds)
        return {name: float(lines[name]) for name in METRICS if name in lines}

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """`bytes`: items with their headers, without the unused rest of their chunks."""
        return int(metrics["bytes"]) if "bytes" in metrics else None

    def records_held(self, metrics: Mapping[str, float]) -> int | None:
        """`curr_items`: without what was evicted."""
        return int(metrics["curr_items"]) if "curr_items" in metrics else None


PLUGIN = MemcachedPlugin(packaged_manifest("weighhouse_plugin_memcached"))
