"""The life of a memcached under test."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.counts import NodeCounts
from weighhouse_protocol.layouts import HASHING
from weighhouse_protocol.target import Target
from weighhouse_sdk.announced import Announced
from weighhouse_sdk.configuration import explained, setting_word, system_value
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.figures import Kept, numbers
from weighhouse_sdk.lifecycle import Deployed, Description
from weighhouse_sdk.machine.certificates import CERTIFICATE, KEY
from weighhouse_sdk.parameters import declared, defaults
from weighhouse_sdk.places import Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.replies import Refused, unless_refused
from weighhouse_sdk.serving.certified import TLS, Certified
from weighhouse_sdk.serving.questions import UNTOLD as UNTOLD_VERSION
from weighhouse_sdk.serving.startup import UNREADABLE, asked_addresses
from weighhouse_sdk.wire import Address

from weighhouse_plugin_memcached.counts import counts_in
from weighhouse_plugin_memcached.stats import cluster, stats, version

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
    "get_extstore",
    "miss_from_extstore",
    "extstore_bytes_used",
    "extstore_bytes_written",
    "extstore_objects_evicted",
    "extstore_io_queue",
)
"""Lines of `stats` that are sampled, where the version has them."""


STORAGE = "extstore_limit_maxbytes"
"""Line of `stats` that is there when there is a file for values, and what no settings tell."""
MAY_BE_0 = frozenset({"slab_automove"})
"""Parameters of `-o` whose 0 is a value of the server's, not its own choice."""
UNTOLD = {"large_pages": "no"}
"""Settings that the server does not tell → the vendor's choice."""


class MemcachedPlugin(Certified):
    """Memcached as one process, or as several over which the client spreads the keys."""

    program = "memcached"
    users = ("memcache", "nobody")
    places: ClassVar[Mapping[str, str | None]] = {
        "tcpport": "11211",
        "inter": "NULL",
        "udpport": "0",
    }
    kept = Kept(asked="curr_connections", never_zero=frozenset({"limit_maxbytes", "hash_bytes"}))
    counters_marked: ClassVar[Mapping[str, str]] = {"evictions": "eviction"}

    def version_of(self, text: str) -> str | None:
        """From `memcached 1.6.18`."""
        found = VERSION.match(text)
        return found.group(1) if found else None

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """A parameter's schema names its option in `x-flag`; options that only switch something
        on or off stand there when the parameter has the value of `x-flag-when`. What is set by
        `-o` is named by `x-option`; there 0 leaves the size of the hash table to the server.
        """
        schemas = declared(self.manifest.parameters)
        words = ["-l", place.address.host, "-p", str(place.address.port), "-U", "0"]
        extended = []
        for name, value in sorted(parameters.items()):
            schema = schemas[name]
            if name == TLS:
                continue  # The address says so.
            if name == "extstore_mebibytes":
                extended += [f"ext_path=extstore:{value}m"] if value else []
            elif "x-option" in schema:
                extended += [f"{schema['x-option']}={value}"] if value or name in MAY_BE_0 else []
            elif not isinstance(value, bool):
                words += [str(schema["x-flag"]), str(value)]
            elif value is schema["x-flag-when"]:
                words.append(str(schema["x-flag"]))
        if place.address.tls:
            words.append("-Z")
            extended += [f"ssl_chain_cert={TLS}/{CERTIFICATE}", f"ssl_key={TLS}/{KEY}"]
        own, listed = self._own(place.settings)
        extended += listed
        return [*words, *own, *(["-o", ",".join(extended)] if extended else [])]

    def _own(self, settings: Mapping[str, Scalar]) -> tuple[list[str], list[str]]:
        """Settings beside parameters as arguments, where they have a letter, and as options of
        `-o`; there a flag stands as its name alone, or after `no_`.
        """
        table = self.manifest.settings
        letters = {} if table is None else {long: short for short, long in table.aliases.items()}
        words: list[str] = []
        listed: list[str] = []
        for name, value in sorted(settings.items()):
            if name in letters:
                words += [letters[name], setting_word(value)]
            elif isinstance(value, bool):
                listed.append(name if value else f"no_{name}")
            else:
                listed.append(f"{name}={value}")
        return words, listed

    def driver_options(self, target: Target) -> dict[str, Scalar]:
        """The target's, and of several servers how keys are spread over them."""
        options = super().driver_options(target)
        hashing = options.pop(HASHING, defaults(self.manifest.driver.options)[HASHING])
        return (
            {**options, HASHING: hashing} if self.manifest.topology.by_client(target) else options
        )

    def find_nodes(self, context: Context, deployed: Deployed) -> tuple[Announced, ...]:
        """Where the target says that there are more servers than it names: those that a managed
        service's configuration endpoint tells.
        """
        wanted = context.target.topology.nodes
        if deployed.nodes or wanted <= len(deployed.endpoints):
            return ()
        (address, *_) = asked_addresses(context, deployed)
        try:
            found = cluster(address, self.ask_seconds)
        except Refused as error:
            raise DeployFailed(
                f"topology.nodes says {wanted}, {len(deployed.endpoints)} are named; the server "
                f"does not tell the others: {error}",
                "name all servers, or the configuration endpoint of a managed service",
            ) from error
        except UNREADABLE as error:
            raise self._unfit(address, error) from error
        if len(found) != wanted:
            raise DeployFailed(
                f"there are {len(found)} servers, the target's topology says {wanted} nodes",
                f"say what is there: topology.nodes {len(found)}",
            )
        return tuple(Announced(each) for each in found)

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """The `pid` line of `stats`."""
        return int(stats(address, timeout_seconds)["pid"])

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """The answer to `version`, which a proxy gives that refuses `stats`."""
        told = unless_refused(address, "version", lambda: version(address, timeout_seconds))
        return told or UNTOLD_VERSION

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """`stats settings`, without what only repeats the number of threads for UDP, and the size
        of the file for values, which `stats` alone has.
        """
        found = (
            unless_refused(
                address, "stats settings", lambda: stats(address, timeout_seconds, "settings")
            )
            or {}
        )
        found.pop("num_threads_per_udp", None)
        if found:
            found.setdefault("ssl_enabled", "no")  # A build without it says nothing of it.
        if told := self._stats(address, timeout_seconds):
            found[STORAGE] = told.get(STORAGE, "0")
        return found

    def _stats(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """The lines of `stats`; none where the server may refuse to tell them, and does."""
        return unless_refused(address, "stats", lambda: stats(address, timeout_seconds)) or {}

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """The server's own settings, and as they were ordered those that it does not tell."""
        described = super().describe(context, deployed)
        if not deployed.nodes:
            return described
        schemas = declared(self.manifest.parameters)
        ordered = {
            name: system_value(schemas[name], value)
            for name, value in context.target.parameters.items()
            if name in UNTOLD
        }
        untold = explained({**UNTOLD, **ordered}, UNTOLD, ordered.keys())
        return replace(
            described,
            settings=tuple(sorted((*described.settings, *untold), key=lambda one: one.name)),
        )

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """The lines of `stats` named in `METRICS`."""
        return numbers(self._stats(address, timeout_seconds), METRICS)

    def counted(self, address: Address, timeout_seconds: float) -> NodeCounts | None:
        """The lines of `stats` that count commands."""
        return counts_in(address.endpoint, self._stats(address, timeout_seconds))

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """`bytes`: items with their headers, without the unused rest of their chunks."""
        return int(metrics["bytes"]) if "bytes" in metrics else None

    def records_held(self, metrics: Mapping[str, float]) -> int | None:
        """`curr_items`: without what was evicted."""
        return int(metrics["curr_items"]) if "curr_items" in metrics else None


PLUGIN = MemcachedPlugin(packaged_manifest("weighhouse_plugin_memcached"))
