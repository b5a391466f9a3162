"""The shared half of plugins whose system is Redis or a relative of it."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.counts import NodeCounts
from weighhouse_protocol.layouts import HASHING
from weighhouse_protocol.target import Target, Topology

from weighhouse_sdk.configuration import system_names, system_value, word_groups
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.credentials import NOT_SHOWN
from weighhouse_sdk.errors import DeployFailed, NotReady
from weighhouse_sdk.families import resp_cluster, resp_counts, resp_membership, resp_replication
from weighhouse_sdk.families.resp import configuration, info
from weighhouse_sdk.families.resp_found import FindsNodes, is_sharded
from weighhouse_sdk.figures import Kept, numbers
from weighhouse_sdk.lifecycle import Deployed, Installed
from weighhouse_sdk.machine.certificates import AUTHORITY, CERTIFICATE, KEY
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place, is_loopback
from weighhouse_sdk.replies import OtherProtocol, ReplyError, unless_refused
from weighhouse_sdk.serving.certified import TLS, Certified
from weighhouse_sdk.serving.questions import UNTOLD
from weighhouse_sdk.wire import Address

SECRETS = frozenset({"requirepass", "masterauth", "tls-key-file-pass", "tls-client-key-file-pass"})
"""Settings that CONFIG GET tells in the clear."""
SAMPLED = (
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
"""Lines of INFO that Redis has, and whoever came of its code."""
GAUGES: Mapping[str, str] = {
    "rdb_bgsave_in_progress": "snapshot",
    "aof_rewrite_in_progress": "aof_rewrite",
}
"""Their events that last."""
TLS_PLACES: Mapping[str, str | None] = {
    "tls-port": "0",
    "tls-auth-clients": "yes",
    "tls-cert-file": "",
    "tls-key-file": "",
    "tls-ca-cert-file": "",
    "tls-replication": "no",
    "tls-cluster": "no",
}
"""Settings that a deployment with TLS has to change → the vendor's defaults."""
HAND_OVER_SECONDS = 0.5
"""Between two looks whether a replica has taken over."""
COUNTERS: Mapping[str, str] = {
    "evicted_keys": "eviction",
    "aof_delayed_fsync": "delayed_fsync",
    "sync_full": "full_sync",
    "primary": "failover",
}
"""Their events that are counted."""


class RespServer(FindsNodes, Certified):
    """Servers with INFO and CONFIG GET, alone, or one with replicas, or a Redis Cluster, or several
    that know nothing of each other.
    """

    version_line: ClassVar[re.Pattern[str]]
    """What `PROGRAM --version` begins with; its first group is the version."""
    version_fields: ClassVar[tuple[str, ...]] = ("redis_version",)
    """Lines of INFO that must be there; the first is the version."""
    old_names: ClassVar[re.Pattern[str]] = re.compile(r"slave|ziplist")
    """CONFIG GET lists some settings twice; these are the names kept for old clients."""
    sampled: ClassVar[tuple[str, ...]]
    """Lines of INFO that are sampled, where the version has them."""
    kept = Kept(
        asked="connected_clients",
        never_zero=frozenset({"used_memory", "used_memory_rss", "mem_fragmentation_ratio"}),
    )
    kept_while: ClassVar[Mapping[str, str]] = {
        "master_repl_offset": "repl_backlog_active",
        "latest_fork_usec": "total_forks",
    }
    """Lines of INFO that stay 0 for as long as another one is 0."""
    always: ClassVar[tuple[str, ...]] = ()
    """Arguments of every deployment, for what the server would do by itself and must not."""
    told_by_info: ClassVar[Mapping[str, str]] = {}
    """Settings that CONFIG GET leaves out → the line of INFO that has them."""
    cluster_since: ClassVar[int] = 7
    """First major version that a cluster can be made of here."""

    # before a run

    def version_of(self, text: str) -> str | None:
        """From what the program prints; relatives say their own name there."""
        found = self.version_line.match(text)
        return found.group(1) if found else None

    def check_host(self, target: Target, options: HostOptions) -> Installed:
        """Choose the version that the target asks for.

        :raises DeployFailed: also when a cluster cannot be made of it.
        """
        installed = super().check_host(target, options)
        major = installed.version.partition(".")[0]  # An image need not tell its version.
        too_old = major.isdigit() and int(major) < self.cluster_since
        if self._clustered(target) and too_old:
            raise DeployFailed(
                f"no cluster of {self.manifest.name} {installed.version}: its nodes need a port "
                "of their own for each other",
                f"install {self.manifest.name} {self.cluster_since} or later",
            )
        return installed

    # how it is started

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """One `--name value…` for each parameter, and for each setting beside them; those not set
        are left to the server.
        """
        schemas = declared(self.manifest.parameters)
        names = system_names(self.manifest)
        address = place.address
        ports = _tls_ports(place) if address.tls else ["--port", str(address.port)]
        words = ["--bind", address.host, *ports, "--dir", ".", *self.always]
        if not is_loopback(address.host):
            # Else clients and peers of other machines are refused; the operator chose the address.
            words += ["--protected-mode", "no"]
        if resp_cluster.is_cluster(place):
            words += ["--cluster-enabled", "yes", "--cluster-port", str(place.peer_port)]
            if len({each.host for each in place.addresses}) > 1:
                # What a node says of itself, not what its packets seem to come from.
                words += ["--cluster-announce-ip", address.host]
        elif place.number > 1 and not place.alone:
            host, port, *_ = place.addresses[0]
            words += ["--replicaof", host, str(port)]
        for name, value in sorted(parameters.items()):
            if name == TLS:
                continue  # The address says so.
            text = system_value(schemas[name], value)
            words += [f"--{names[name]}", *(text.split() or [""])]
        for name, value in sorted(place.settings.items()):
            for group in word_groups(self.manifest, name, value):
                words += [f"--{name}", *group]
        return words

    # how it is asked

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """INFO's `process_id`, once nothing is loading."""
        told = info(address, timeout_seconds)
        return int(told["process_id"]) if told.get("loading", "0") == "0" else None

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """INFO's line with the version.

        :raises OtherProtocol: also when another product answers.
        """
        told = self._info(address, timeout_seconds)
        if not told:
            return UNTOLD
        lacking = [name for name in self.version_fields if name not in told]
        if lacking:
            raise OtherProtocol(
                f"not {self.manifest.name}: INFO has no {lacking[0]}",
                "name its address, or the system that answers there",
            )
        return told[self.version_fields[0]]

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """CONFIG GET, without the names kept for old clients, without passwords, with what INFO
        alone has, and in one word, `tls`, whether there is a port for it.
        """
        found = (
            unless_refused(address, "CONFIG GET", lambda: configuration(address, timeout_seconds))
            or {}
        )
        told = self._info(address, timeout_seconds) if self.told_by_info else {}
        found |= {name: told[line] for name, line in self.told_by_info.items() if line in told}
        if found and TLS in declared(self.manifest.parameters):
            found[TLS] = "no" if found.get("tls-port", "0") == "0" else "yes"
        return {
            name: NOT_SHOWN if value and name in SECRETS else value
            for name, value in found.items()
            if not self.old_names.search(name)
        }

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """The lines of INFO named in `sampled`; the number of keys in the address' database as
        `keys`; whether it is a primary as `primary`; of a replica, whether it is in touch with one
        as `link_up`.
        """
        told = self._info(address, timeout_seconds)
        if not told:
            return {}
        idle = {name for name, monitor in self.kept_while.items() if told.get(monitor) == "0"}
        found = numbers(told, (name for name in self.sampled if name not in idle))
        fields = dict(
            pair.split("=") for pair in told.get(f"db{address.database}", "keys=0").split(",")
        )
        found["keys"] = float(fields["keys"])
        if "role" in told:
            found["primary"] = float(told["role"] == "master")
        if "master_link_status" in told:
            found["link_up"] = float(told["master_link_status"] == "up")
        return found

    def counted(self, address: Address, timeout_seconds: float) -> NodeCounts | None:
        """INFO's `commandstats` and `stats`; none of a replica, which repeats its primary's."""
        return resp_counts.counted(address, timeout_seconds)

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """INFO's `used_memory`: what the allocator handed out, buffers included."""
        return int(metrics["used_memory"]) if "used_memory" in metrics else None

    def records_held(self, metrics: Mapping[str, float]) -> int | None:
        """Its keys; a replica answers for none. None at all: a server that may not tell."""
        keys = metrics.get("keys")
        if not keys:
            return None
        return int(keys) if metrics.get("primary", 1.0) else 0

    # how several nodes become one system

    def needs_peer_port(self, topology: Topology) -> bool:
        """The bus of a cluster."""
        return is_sharded(topology)

    def peer_ends(self, place: Place) -> tuple[Address, ...]:
        """The client port, which replicas use as well; in a cluster its bus too."""
        if place.alone:
            return ()
        bus = [Address(place.address.host, place.peer_port)] if place.peer_port else []
        return (place.address, *bus)

    def join(self, places: Sequence[Place], timeout_seconds: float) -> None:
        """Make a cluster; replicas of one primary find it by themselves."""
        if resp_cluster.is_cluster(places[0]):
            resp_cluster.join(places, timeout_seconds)

    def missing(self, places: Sequence[Place], timeout_seconds: float) -> str | None:
        """Every node sees a whole cluster, and every replica has what its primary takes."""
        if resp_cluster.is_cluster(places[0]):
            unseen = resp_cluster.missing(places, timeout_seconds)
            if unseen is not None:
                return unseen
        return resp_replication.missing(places, timeout_seconds)

    # how a node is replaced, and how one leaves

    def forget(self, others: Sequence[Place], gone: Place, timeout_seconds: float) -> None:
        """In a cluster, once another has its slots: an empty node has an identity of its own."""
        if resp_cluster.is_cluster(gone):
            resp_membership.forget(others, gone, timeout_seconds)

    def adopt(self, others: Sequence[Place], fresh: Place, timeout_seconds: float) -> None:
        """In a cluster a replica of the primary that has the fewest."""
        if resp_cluster.is_cluster(fresh):
            resp_membership.adopt(others, fresh, timeout_seconds)

    def expel(self, context: Context, others: Sequence[Place], gone: Place, *, up: bool) -> None:
        """A replica takes over from a primary that is up; of one that has ended the cluster itself
        makes it do so. `forget` follows.
        """
        if not up:
            return
        last = "it still has its slots"
        for _ in context.attempts(math.inf, every_seconds=HAND_OVER_SECONDS):
            try:
                if resp_membership.hand_over(others, gone, self.ask_seconds):
                    return
            except (OSError, ReplyError) as error:
                last = str(error)
        raise NotReady(f"node {gone.number} cannot leave: {last}", "its log tells more")

    # for the driver

    def endpoints(self, deployed: Deployed) -> tuple[str, ...]:
        """All nodes of a cluster, those that begin as primaries first, and all that the client
        spreads keys over; of a primary with replicas the primary alone, for no other takes writes.
        """
        if deployed.nodes:
            place = deployed.nodes[0].place
            if not (place.alone or resp_cluster.is_cluster(place)):
                return deployed.endpoints[:1]
        return deployed.endpoints

    def driver_options(self, target: Target) -> dict[str, Scalar]:
        """The target's, and `cluster` where several primaries know of each other."""
        options = super().driver_options(target)
        hashing = options.pop(HASHING, None)
        if hashing is not None and self.manifest.topology.by_client(target):
            return {**options, HASHING: hashing}
        return {**options, "cluster": True} if is_sharded(target.topology) else options

    def _clustered(self, target: Target) -> bool:
        return is_sharded(target.topology) and not self.manifest.topology.by_client(target)


def _tls_ports(place: Place) -> list[str]:
    """No port without TLS; no certificate is asked of clients."""
    words = ["--port", "0", "--tls-port", str(place.address.port), "--tls-auth-clients", "no"]
    words += ["--tls-cert-file", f"{TLS}/{CERTIFICATE}", "--tls-key-file", f"{TLS}/{KEY}"]
    words += ["--tls-ca-cert-file", f"{TLS}/{AUTHORITY}"]
    if resp_cluster.is_cluster(place):
        words += ["--tls-cluster", "yes"]
    return words if place.alone else [*words, "--tls-replication", "yes"]
