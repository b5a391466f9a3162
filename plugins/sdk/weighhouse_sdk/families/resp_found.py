"""The nodes of somebody else's Redis, as it announces them.

Of a cluster each server names all (CLUSTER SLOTS, which clients ask, too); of a primary with
replicas the primary does (ROLE).
"""

import contextlib
from collections.abc import Sequence

from weighhouse_protocol.counts import NodeCounts
from weighhouse_protocol.target import Topology

from weighhouse_sdk.announced import Announced
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.families import resp_counts
from weighhouse_sdk.families.resp import Reply, ask, info
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.replies import ReplyError, unless_refused
from weighhouse_sdk.serving.server import SAMPLE_SECONDS, ServerPlugin
from weighhouse_sdk.serving.startup import UNREADABLE, asked_addresses
from weighhouse_sdk.wire import Address

READ_FROM, REPLICAS = "read_from", "replicas"
"""The driver's option where reads go, and its value for servers with a copy."""


def is_sharded(topology: Topology) -> bool:
    """Whether several primaries share the data."""
    return topology.nodes > topology.replication_factor


class FindsNodes(ServerPlugin):
    """The part of such a plugin that asks servers for each other."""

    def find_nodes(self, context: Context, deployed: Deployed) -> tuple[Announced, ...]:
        """All nodes of a cluster, or a primary and its replicas, where the target says that there
        are several; a cluster is found, too, where it does not.
        """
        target = context.target
        if deployed.nodes or self.manifest.topology.by_client(target):
            return ()
        several, whole = target.topology.nodes > 1, is_sharded(target.topology)
        for address in asked_addresses(context, deployed):
            try:
                if not several:
                    whole = self._info(address, self.ask_seconds).get("cluster_enabled") == "1"
                if not (several or whole):
                    return ()
                look = of_cluster if whole else of_primary
                nodes = look(address, self.ask_seconds)
            except UNREADABLE as error:
                raise self._unfit(address, error) from error
            if not nodes:
                continue  # A replica: another endpoint may be the primary's.
            problem = layout_problem(target.topology, nodes)
            if problem is not None and (several or len(nodes) > 1):
                raise problem
            if whole or target.driver_options.get(READ_FROM) == REPLICAS:
                return nodes if several else ()
            return tuple(each._replace(loaded=each.role == "primary") for each in nodes)
        where = ", ".join(deployed.endpoints)
        raise DeployFailed(
            f"none of {where} is a primary, and the target says that there are replicas",
            "name the primary's address",
        )

    def counts(self, context: Context, deployed: Deployed) -> tuple[NodeCounts, ...]:
        """Where reads go to replicas, also what those were asked."""
        found = super().counts(context, deployed)
        if context.target.driver_options.get(READ_FROM) != REPLICAS:
            return found
        told = {each.node for each in found}
        copies = [each for each in asked_addresses(context, deployed) if each.endpoint not in told]
        more = []
        for address in copies:
            with contextlib.suppress(*UNREADABLE):
                more.append(resp_counts.read_copies(address, SAMPLE_SECONDS, self.manifest.counts))
        return (*found, *(each for each in more if each is not None))

    def _info(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """The lines of INFO; none where the server may refuse to tell them, and does."""
        return unless_refused(address, "INFO", lambda: info(address, timeout_seconds)) or {}


def of_cluster(address: Address, timeout_seconds: float) -> tuple[Announced, ...]:
    """Primaries that have slots, in the order of those, and then their replicas.

    :raises ReplyError, OSError: as `resp.ask`.
    """
    told = ask(address, timeout_seconds, "CLUSTER", "SLOTS")
    if not isinstance(told, list):
        raise ReplyError(f"CLUSTER SLOTS answers {told!r}")
    primaries: dict[str, None] = {}
    replicas: dict[str, None] = {}
    for stretch in sorted(told, key=_begin):
        if not isinstance(stretch, list) or len(stretch) < 3:  # noqa: PLR2004 - first, last, primary
            raise ReplyError(f"CLUSTER SLOTS answers {stretch!r}")
        primaries[_place(stretch[2], address)] = None
        replicas |= {_place(each, address): None for each in stretch[3:]}
    return (
        *(Announced(each, "primary") for each in primaries),
        *(Announced(each, "replica") for each in replicas if each not in primaries),
    )


def of_primary(address: Address, timeout_seconds: float) -> tuple[Announced, ...]:
    """A primary and its replicas; none where a replica is asked.

    :raises ReplyError, OSError: as `resp.ask`.
    """
    told = ask(address, timeout_seconds, "ROLE")
    if not isinstance(told, list) or not told or not isinstance(told[-1], list):
        return ()
    own = Announced(f"{_bracketed(address.host)}:{address.port}", "primary")
    return (own, *(Announced(_place(each, address), "replica") for each in told[-1]))


def layout_problem(topology: Topology, nodes: Sequence[Announced]) -> DeployFailed | None:
    """Why a target's topology is not the one that is there; None: it is."""
    primaries = sum(each.role == "primary" for each in nodes)
    copies = 1 + (len(nodes) - primaries) // max(1, primaries)
    whole, said = primaries * copies, topology.replication_factor
    if topology.nodes in (whole, len(nodes)) and said == copies:
        return None
    return DeployFailed(
        f"there are {primaries} primaries and {len(nodes) - primaries} replicas; the target's "
        f"topology says {topology.nodes} nodes with {said} copies of each record",
        f"say what is there: topology: {{nodes: {whole}, replication_factor: {copies}}}",
    )


def _begin(stretch: Reply) -> int:
    """The first slot of an answer's stretch."""
    first = stretch[0] if isinstance(stretch, list) and stretch else 0
    return first if isinstance(first, int) else 0


def _place(node: Reply, asked: Address) -> str:
    """Host and port of an answer; the host is the one that was asked where it is not known."""
    if not isinstance(node, list) or len(node) < 2:  # noqa: PLR2004 - host, port
        raise ReplyError(f"a node is told as {node!r}")
    host, port = node[0], node[1]
    known = host if isinstance(host, str) and host not in ("", "?") else asked.host
    return f"{_bracketed(known)}:{port}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
