"""The life of a Cassandra node under test."""

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.counts import NodeCounts
from weighhouse_protocol.target import Topology
from weighhouse_sdk.configuration import explained, nested, overlaid, system_names, system_value
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.families.cql import rows, told
from weighhouse_sdk.families.ring import STORAGE_PORT, TOKENS, RingPlugin, tokens
from weighhouse_sdk.lifecycle import Deployed, Description, Installed
from weighhouse_sdk.machine.certificates import BOTH
from weighhouse_sdk.machine.procfs import all_processes, working_directory
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place
from weighhouse_sdk.rebalance import Streamed
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.serving.certified import TLS
from weighhouse_sdk.wire import Address

from weighhouse_plugin_cassandra import counts, home, ring_operations

JAVA = {"heap_mebibytes": "0", "garbage_collector": "g1"}
"""Parameters of the Java machine → the vendor's choice; they stand on the command line."""
UNIFIED = {
    "ucs_scaling_parameters": ("scaling_parameters", "T4"),
    "ucs_target_table_mebibytes": ("target_sstable_size", "1024"),
    "ucs_base_shards": ("base_shard_count", "4"),
}
"""Parameters of unified compaction → its own names, and the vendor's choice."""
UNIFIED_KIND = "UnifiedCompactionStrategy"
UNTOLD = {
    "tls": "false",
    **JAVA,
    "memtable": "skiplist",
    "default_compaction": "SizeTieredCompactionStrategy",
    **{name: choice for name, (_, choice) in UNIFIED.items()},
}
"""Parameters that the node does not tell of itself → the vendor's choice."""
OLD_NAME = re.compile(r"_(in_(ms|kb|mb|secs|seconds)|mb(_per_sec)?|megabits_per_sec)$")
"""Settings that are listed twice: once with a unit in their value, and once by their old name."""
COLLECTORS = {
    "g1": ("-XX:+UseG1GC", "-XX:MaxGCPauseMillis=300", "-XX:InitiatingHeapOccupancyPercent=70"),
    "zgc": ("-XX:+UseZGC",),
    "serial": ("-XX:+UseSerialGC",),
}
POOLS = (
    "MutationStage", "ReadStage", "Native-Transport-Requests", "CompactionExecutor",
    "MemtableFlushWriter",
)  # fmt: skip
PLACES = (
    "data_file_directories", "commitlog_directory", "saved_caches_directory", "hints_directory",
    "cdc_raw_directory", "local_system_data_file_directory",
)  # fmt: skip
SETTINGS = "system_views.settings"
FROM_PEM = "org.apache.cassandra.security.PEMBasedSslContextFactory"
ALL_SETTINGS = "SELECT name, value FROM system_views.settings"
FIGURES = {
    "system_views.thread_pools": "SELECT name, active_tasks, pending_tasks, blocked_tasks "
    "FROM system_views.thread_pools",
    "system_views.caches": "SELECT name, capacity_bytes, entry_count, hit_ratio, size_bytes "
    "FROM system_views.caches",
    "system_views.sstable_tasks": "SELECT task_id FROM system_views.sstable_tasks",
}
"""What is sampled: virtual tables → what is asked of them."""
READY_SECONDS = 120.0
GONE = ("LEFT", "removed")
"""How gossip begins to tell of nodes that have left, or were removed when they were dead."""
NESTED: Mapping[str, Callable[[str], dict[str, object]]] = {
    "memtable": lambda kind: {
        "memtable": {
            "configurations": {
                "skiplist": {"class_name": "SkipListMemtable"},
                "trie": {"class_name": "TrieMemtable"},
                "default": {"inherits": kind},
            }
        }
    },
    "sstable_format": lambda kind: {
        "sstable": {"selected_format": kind},
        # Tables that older versions cannot read have to be asked for.
        "storage_compatibility_mode": "NONE" if kind == "bti" else "CASSANDRA_4",
    },
}
"""Parameters that stand deeper in the yaml file."""
LOGBACK = """<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%d{HH:mm:ss.SSS} %-5level %msg%n</pattern></encoder>
  </appender>
  <root level="INFO"><appender-ref ref="OUT"/></root>
</configuration>
"""


def default_compaction(parameters: Mapping[str, Scalar]) -> dict[str, object]:
    """What cassandra.yaml's `default_compaction` is to say; empty: nothing."""
    kind = str(parameters.get("default_compaction", ""))
    own = {
        ours: f"{parameters[name]}MiB" if name.endswith("_mebibytes") else str(parameters[name])
        for name, (ours, _) in UNIFIED.items()
        if name in parameters
    }
    if not kind:
        return {}
    # Another kind of compaction refuses them.
    return {"class_name": kind, "parameters": own if kind == UNIFIED_KIND else {}}


class CassandraPlugin(RingPlugin):
    """Cassandra: a ring of nodes, which may be one."""

    program = "java"
    users = ()
    ready_floor_seconds = READY_SECONDS
    orderly_exit_codes: ClassVar = frozenset({0, 143})
    places: ClassVar[Mapping[str, str | None]] = {
        **dict.fromkeys(PLACES),
        "listen_address": None,
        "rpc_address": None,
        "native_transport_port": "9042",
        "seed_provider.parameters": None,
        "seed_provider": None,
        "initial_token": None,
    }
    chosen: ClassVar[Mapping[str, str | None]] = {"storage_compatibility_mode": "CASSANDRA_4"}
    defaults_stay = True
    gauges_marked: ClassVar[Mapping[str, str]] = {"sstable_tasks": "compaction"}
    kept_files = ("cassandra.yaml",)

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """Java on the search path, and the version that the server's own jar names."""
        java = self.executable(self.program, options)
        _, version = home.find()
        return (Installed(java, version),)

    def version_of(self, text: str) -> str | None:
        """Never asked: `java --version` tells another product's."""
        return text or None

    def prepare(self, parameters: Mapping[str, Scalar], place: Place) -> None:
        """Write cassandra.yaml and logback.xml into the node's directory.

        What its yaml file sets as it is shipped and no parameter decides is set here likewise.
        """
        directory, address = place.directory, place.address
        own = self.own(place)
        settings: dict[str, object] = {
            "cluster_name": "weighhouse",
            "num_tokens": TOKENS,
            "partitioner": "org.apache.cassandra.dht.Murmur3Partitioner",
            "endpoint_snitch": "SimpleSnitch",
            "commitlog_sync": "periodic",
            "storage_compatibility_mode": "CASSANDRA_4",
            # The first nodes have nothing to get from each other; one that comes later has.
            "auto_bootstrap": place.fresh,
            "start_native_transport": True,
            "listen_address": own,
            "rpc_address": address.host,
            "native_transport_port": address.port,
            "storage_port": STORAGE_PORT,
            "seed_provider": [
                {
                    "class_name": "org.apache.cassandra.locator.SimpleSeedProvider",
                    "parameters": [{"seeds": self.seeds(place)}],
                }
            ],
            "data_file_directories": [str(directory / "data")],
            "commitlog_directory": str(directory / "commitlog"),
            "saved_caches_directory": str(directory / "saved_caches"),
            "hints_directory": str(directory / "hints"),
            "cdc_raw_directory": str(directory / "cdc_raw"),
        }
        if not (place.alone or place.fresh):
            mine = tokens(place.number, len(place.addresses))
            settings["initial_token"] = ",".join(map(str, mine))
        schemas = declared(self.manifest.parameters)
        names = system_names(self.manifest)
        compaction = default_compaction(parameters)
        if compaction:
            settings["default_compaction"] = compaction
        for name, value in parameters.items():
            within = name in UNIFIED or name == "default_compaction"
            if within or schemas[name].get("x-unset") == value:
                continue
            if name in NESTED:
                settings |= NESTED[name](str(value))
            elif name not in (*JAVA, TLS):
                suffixed = "x-suffix" in schemas[name]
                settings[names[name]] = system_value(schemas[name], value) if suffixed else value
        super().prepare(parameters, place)
        if address.tls:
            settings["client_encryption_options"] = {
                "enabled": True,
                "optional": False,
                "keystore": str(directory / TLS / BOTH),
                "ssl_context_factory": {"class_name": FROM_PEM},
            }
        if settings["commitlog_sync"] == "periodic":
            settings.setdefault("commitlog_sync_period", "10000ms")
        # What the agent decides wins; JSON is YAML.
        settings = overlaid(nested(place.settings), settings)
        (directory / "cassandra.yaml").write_text(json.dumps(settings, indent=1))
        (directory / "logback.xml").write_text(LOGBACK)

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """Java's options, then the class of the daemon."""
        home_place, _ = home.find()
        heap = int(parameters.get("heap_mebibytes", 0))
        # An empty one has to have heard of all others before it takes the tokens of the one that
        # was at its address: it waits as long as the vendor has it wait.
        begins = (
            f"-Dcassandra.replace_address_first_boot={self.own(place)}"
            if place.fresh
            else "-Dcassandra.ring_delay_ms=1000"
        )
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return (
            f"@{home.JAVA_OPTIONS}",
            *([f"-Xms{heap}m"] if heap else []),
            f"-Xmx{heap or home.heap_mebibytes(memory)}m",
            *COLLECTORS[str(parameters.get("garbage_collector", "g1"))],
            "-XX:+ExitOnOutOfMemoryError",
            "-Dcassandra.config=file:cassandra.yaml",
            "-Dlogback.configurationFile=logback.xml",
            "-Dcassandra.storagedir=.",
            # Else it closes its output, and with it its log, as soon as it serves.
            "-Dcassandra-foreground=yes",
            begins,
            "-Dcassandra.skip_wait_for_gossip_to_settle=0",
            "-Dcassandra.superuser_setup_delay_ms=0",
            *ring_operations.options(place),
            "-cp",
            f"{home_place}/lib/*",
            "org.apache.cassandra.service.CassandraDaemon",
        )

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """The process that works where the node says its commit log is; None until the node has
        joined its ring and says so to others. An open port alone is not ready.
        """
        local, gossip, log = rows(
            address,
            timeout_seconds,
            "SELECT bootstrapped FROM system.local",
            "SELECT status_with_port FROM system_views.gossip_info",
            "SELECT value FROM system_views.settings WHERE name = 'commitlog_directory'",
        )
        joined = [row["bootstrapped"] for row in local] == ["COMPLETED"]
        said = [str(row["status_with_port"]) for row in gossip]
        normal = said and all(each.startswith(("NORMAL", *GONE)) for each in said)
        if not (joined and normal and log):
            return None
        directory = Path(str(log[0]["value"])).parent
        for stat in all_processes():
            if stat.alive and working_directory(stat.pid) == directory:
                return stat.pid
        return None

    def missing(self, places: Sequence[Place], timeout_seconds: float) -> str | None:
        """Besides what every ring needs: each node has heard of each other that it is in normal
        operation.
        """
        for place in places:
            (gossip,) = rows(
                place.address,
                timeout_seconds,
                "SELECT status_with_port FROM system_views.gossip_info",
            )
            # What has left is known of for three days.
            said = [str(row["status_with_port"]) for row in gossip]
            normal = sum(each.startswith(("NORMAL", *GONE)) for each in said)
            if normal < len(place.addresses):
                return (
                    f"node {place.number} knows of {normal} of {len(place.addresses)} nodes that "
                    "they are in normal operation"
                )
        return super().missing(places, timeout_seconds)

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """All of `system_views.settings` but old names of what is there by its own; what is not
        set is left out.
        """
        found = (
            told(
                address,
                timeout_seconds,
                {SETTINGS: "SELECT name, value FROM system_views.settings"},
            )[SETTINGS]
            or ()
        )
        shown = {str(row["name"]): str(row["value"]) for row in found if row["value"] is not None}
        return {
            name: value
            for name, value in shown.items()
            if OLD_NAME.sub("", name) not in shown or not OLD_NAME.search(name)
        }

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """The nodes' own settings, and as they were ordered those that they do not tell."""
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
        return Description(
            version=described.version,
            settings=tuple(sorted((*described.settings, *untold), key=lambda one: one.name)),
            commands=described.commands,
        )

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """Thread pools, caches and compactions, from the node's virtual tables."""
        answers = told(address, timeout_seconds, FIGURES)
        pools, caches, tasks = (answers[table] for table in FIGURES)
        found = {} if tasks is None else {"sstable_tasks": float(len(tasks))}
        there = [row for row in caches or () if row["capacity_bytes"]]  # One without room is off.
        for row in [*(row for row in pools or () if row["name"] in POOLS), *there]:
            for column, value in row.items():
                if isinstance(value, int | float):
                    found[f"{row['name']}.{column}"] = float(value)
        return found

    def counted(self, address: Address, timeout_seconds: float) -> NodeCounts | None:
        """Virtual tables of coordinated requests."""
        return counts.counted(address, timeout_seconds)

    def needs_peer_port(self, topology: Topology) -> bool:
        """Where `nodetool` asks a node to leave its ring."""
        return topology.nodes > 1

    def expel(self, context: Context, others: Sequence[Place], gone: Place, *, up: bool) -> None:
        """`nodetool decommission` at a node that is up, `nodetool removenode` at another one."""
        if up:
            ring_operations.decommission(context, gone)
        else:
            ring_operations.remove_dead(context, others, gone, self.own(gone), self.ask_seconds)

    def streams(self, address: Address, timeout_seconds: float) -> Sequence[Streamed]:
        """`system_views.streaming`, which Cassandra has since 4.1."""
        return ring_operations.streams(address, timeout_seconds)

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:  # noqa: ARG002 - the node does not tell
        """Not told: the heap is taken as a whole when the node starts."""
        return None


PLUGIN = CassandraPlugin(packaged_manifest("weighhouse_plugin_cassandra"))
