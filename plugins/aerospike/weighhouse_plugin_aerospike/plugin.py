"""The life of Aerospike nodes under test."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.counts import NodeCounts
from weighhouse_sdk.configuration import explained, system_value
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.figures import Kept
from weighhouse_sdk.lifecycle import Deployed, Description
from weighhouse_sdk.machine.procfs import all_processes, command_line
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place, is_loopback
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.serving.questions import UNTOLD
from weighhouse_sdk.serving.server import ServerPlugin
from weighhouse_sdk.wire import Address

from weighhouse_plugin_aerospike import conffile, counts
from weighhouse_plugin_aerospike.info import ask, fields, number, told

VERSION = re.compile(r"^Aerospike (?:Community|Enterprise|Federal|Standard) Edition build (\S+)")
MOST_FILES = 64
CONTEXTS = ("get-config:context=service", "get-config:context=network")
MOVING = "migrate_partitions_remaining"
NODE_METRICS = (
    "cluster_size", MOVING, "client_connections", "rw_in_progress", "heap_allocated_kbytes",
    "process_cpu_pct",
)  # fmt: skip
"""Of the answer to `statistics`."""
NAMESPACE_METRICS = (
    "objects", "master_objects", "prole_objects", "data_used_bytes", "data_used_pct",
    "data_avail_pct", "index_used_bytes", "set_index_used_bytes", "sindex_used_bytes",
    "cache_read_pct", "stop_writes", "hwm_breached", "evicted_objects", "expired_objects",
    "unavailable_partitions", "dead_partitions", "migrate_records_transmitted",
    "client_read_success", "client_read_error", "client_read_timeout", "client_read_not_found",
    "client_write_success", "client_write_error", "client_write_timeout",
    "client_delete_success", "client_delete_error", "client_delete_not_found",
    "client_proxy_complete", "client_tsvc_timeout", "batch_sub_read_success",
    "fail_key_busy", "fail_record_too_big",
)  # fmt: skip
"""Of the answer to `namespace/NAME`, where the version and the storage engine have them."""
PARTS = ("write_q", "writes", "defrag_q", "defrag_reads", "defrag_writes")
"""Of each file or stripe; the sums are told as `storage NAME`."""
PART = re.compile(r"^storage-engine\.(?:file|device|stripe)\[\d+\]\.(\w+)$")
STRIPE = re.compile(r"^storage-engine\.stripe\[")
USED = ("data_used_bytes", "index_used_bytes", "set_index_used_bytes", "sindex_used_bytes")
ORDERED = {
    "batch_index_threads": "0", "data_size_mebibytes": "4096", "files": "1", "service_threads": "0",
}  # fmt: skip
"""Parameters that no setting has as such → what stands for the vendor's choice."""


class AerospikePlugin(ServerPlugin):
    """Aerospike as one node or as a cluster, each node a process with a namespace of its own."""

    program = "asd"
    users = ("aerospike", "nobody")
    ready_floor_seconds = 60.0
    kept = Kept(asked="client_connections")
    places: ClassVar[Mapping[str, str | None]] = {
        "service.address": None,
        "service.port": "3000",
        "heartbeat.mode": None,
        "heartbeat.address": None,
        "heartbeat.port": None,
        "heartbeat.mesh-seed-address-port": None,
        **{f"heartbeat.mesh-seed-address-port[{number}]": None for number in range(MOST_FILES)},
        "fabric.address": None,
        "fabric.port": "3001",
        "cluster-name": None,
        "node-id": None,
        "work-directory": "/opt/aerospike",
        "replication-factor": "2",
        **{f"storage-engine.file[{number}]": None for number in range(MOST_FILES)},
    }
    gauges_marked: ClassVar[Mapping[str, str]] = {
        MOVING: "migration",
        "stop_writes": "writes_stopped",
    }
    counters_marked: ClassVar[Mapping[str, str]] = {"evicted_objects": "eviction"}
    kept_files = ("node-*.conf",)

    # how it is started

    def version_of(self, text: str) -> str | None:
        """From `Aerospike Community Edition build 8.1.1.2`."""
        found = VERSION.match(text)
        return found.group(1) if found else None

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:  # noqa: ARG002 - they stand in the file
        """The configuration file, by its name in the working directory."""
        return ("--foreground", "--config-file", conffile.file_name(place))

    def prepare(self, parameters: Mapping[str, Scalar], place: Place) -> None:
        """Write the configuration file, and make the directories that the server does not."""
        schemas = declared(self.manifest.parameters)
        file = place.directory / conffile.file_name(place)
        file.write_text(conffile.text(parameters, schemas, place), encoding="ascii")
        for name in ("smd", "lua"):
            directory = place.directory / name
            directory.mkdir(exist_ok=True)
            # The server's user writes here; nobody else gets through the directory above.
            directory.chmod(0o777)

    # how it is asked

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """The process whose configuration file names the node that answers; None until the node
        has its partitions and takes requests for the namespace.
        """
        namespace = self._namespace(address, timeout_seconds)
        told = ask(address, timeout_seconds, "node", "partition-generation", namespace)
        stopped = fields(told[namespace]).get("stop_writes") == "true"
        if stopped or int(told["partition-generation"]) < 0:
            return None
        name = f"node-{told['node'].lower()}.conf"
        for stat in all_processes():
            words = command_line(stat.pid) if stat.alive else ()
            if words and words[-1] == name and words[0].endswith(self.program):
                return stat.pid
        return None

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """The answer to `build`."""
        return told(address, timeout_seconds, "build").get("build", UNTOLD)

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """`get-config` of service, network and the namespace, without the names of stripes in
        memory, which say nothing.
        """
        names = told(address, timeout_seconds, "namespaces").get("namespaces")
        questions = [*CONTEXTS]
        if names:
            questions.append(f"get-config:context=namespace;namespace={_weighed(names)}")
        found: dict[str, str] = {}
        for answer in told(address, timeout_seconds, *questions).values():
            found |= fields(answer)
        return {key: value for key, value in found.items() if not STRIPE.match(key)}

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """What `NODE_METRICS` and `NAMESPACE_METRICS` name, and sums over the files."""
        names = told(address, timeout_seconds, "namespaces").get("namespaces")
        namespace = f"namespace/{_weighed(names)}" if names else ""
        answers = told(address, timeout_seconds, "statistics", *([namespace] if namespace else ()))
        statistics = fields(answers.get("statistics", ""))
        records = fields(answers.get(namespace, ""))
        found = {name: number(statistics, name) for name in NODE_METRICS}
        found |= {name: number(records, name) for name in NAMESPACE_METRICS}
        for name, value in records.items():
            part = PART.match(name)
            if part and part.group(1) in PARTS:
                label = f"storage {part.group(1)}"
                found[label] = (found.get(label) or 0.0) + float(value)
        return {name: value for name, value in found.items() if value is not None}

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """Records, wherever the namespace keeps them, and the indexes."""
        return int(sum(metrics.get(name, 0.0) for name in USED)) if USED[0] in metrics else None

    def records_held(self, metrics: Mapping[str, float]) -> int | None:
        """The namespace's records that this node is the master of."""
        return int(metrics["master_objects"]) if "master_objects" in metrics else None

    def counted(self, address: Address, timeout_seconds: float) -> NodeCounts | None:
        """Transactions of the namespace that clients sent to this node."""
        names = told(address, timeout_seconds, "namespaces").get("namespaces")
        if not names:
            return None
        namespace = f"namespace/{_weighed(names)}"
        answer = told(address, timeout_seconds, namespace).get(namespace, "")
        return counts.counts_in(address.endpoint, fields(answer))

    # how several nodes become one system

    def spread(self, addresses: tuple[Address, ...]) -> tuple[Address, ...]:
        """As they are; but nodes that share a machine reach each other over its loopback network,
        and nodes of other machines do not.
        """
        hosts = Counter(each.host for each in addresses)
        crowded = [host for host, nodes in hosts.items() if nodes > 1]
        if len(hosts) > 1 and crowded and not all(map(is_loopback, hosts)):
            raise DeployFailed(
                f"several nodes are on {crowded[0]}, and others elsewhere: they have one port for"
                " their peers, the same on each machine",
                "use a machine for each node, or one machine for all",
            )
        return addresses

    def peer_ends(self, place: Place) -> tuple[Address, ...]:
        """Fabric and heartbeat."""
        host = conffile.peer_host(place, place.address)
        return (Address(host, conffile.FABRIC_PORT), Address(host, conffile.HEARTBEAT_PORT))

    def missing(self, places: Sequence[Place], timeout_seconds: float) -> str | None:
        """Every node has to see all of them and to be of the same cluster as the others; as long as
        the namespace is empty, no partition may be left to move. Records that move once there are
        some are a part of what is measured, and may take hours.
        """
        keys, moving, records = set(), [], 0.0
        for place in places:
            namespace = self._namespace(place.address, timeout_seconds)
            answers = ask(place.address, timeout_seconds, "statistics", namespace)
            told = fields(answers["statistics"])
            if told.get("cluster_size") != str(len(places)):
                return f"{place.name} sees {told.get('cluster_size')} nodes of {len(places)}"
            if told.get("cluster_integrity") != "true" or told.get("migrate_allowed") != "true":
                return f"{place.name}: its cluster is still being formed"
            if told.get(MOVING) != "0":
                moving.append(f"{place.name} has {told.get(MOVING)} partitions left to move")
            keys.add(told.get("cluster_key"))
            records += number(fields(answers[namespace]), "objects") or 0.0
        if len(keys) > 1:
            return f"there are {len(keys)} clusters"
        return moving[0] if moving and not records else None

    # what was set up

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """The nodes' own settings; what stands in no setting as it was ordered; and, with their
        defaults, settings that another storage engine has: here they are without effect.
        """
        described = super().describe(context, deployed)
        parameters, schemas = context.target.parameters, declared(self.manifest.parameters)
        ordered = {
            name: system_value(schemas[name], value)
            for name, value in parameters.items()
            if name in ORDERED
        }
        rows = {one.name: one for one in described.settings}
        if deployed.nodes:
            whole = {**ORDERED, **ordered}
            added = explained(whole, ORDERED, by_experiment=ordered.keys())
            absent = {
                str(schema["x-setting"]): system_value(schema, schema["default"])
                for name, schema in schemas.items()
                if name not in ORDERED and schema["x-setting"] not in rows
            }
            added += explained(absent, absent)
            rows |= {one.name: one for one in added}
        return Description(
            version=described.version,
            settings=tuple(rows[name] for name in sorted(rows)),
            commands=described.commands,
        )

    # inside

    def _namespace(self, address: Address, timeout_seconds: float) -> str:
        """The question for the namespace that is weighed: the plugin's own, or the first that a
        node set up by somebody else has.
        """
        names = ask(address, timeout_seconds, "namespaces")["namespaces"]
        return f"namespace/{_weighed(names)}"


def _weighed(names: str) -> str:
    """Which of a node's namespaces is weighed."""
    found = names.split(";")
    return conffile.NAMESPACE if conffile.NAMESPACE in found else found[0]


PLUGIN = AerospikePlugin(packaged_manifest("weighhouse_plugin_aerospike"))
