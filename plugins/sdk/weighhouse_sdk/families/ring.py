"""The shared half of plugins whose system speaks CQL, on a ring of equal nodes.

Clients of such a system learn of its nodes from it, and take one port for granted: so all nodes
share the number of a port, each on an address of its own. That is its machine's, and for several
nodes on one machine one of the loopback network.
"""

import json
from collections import Counter
from collections.abc import Sequence

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.target import Target, Topology

from weighhouse_sdk.announced import Announced
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.families.cql import ALL, rows, told
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.places import Place, is_loopback
from weighhouse_sdk.serving.certified import Certified
from weighhouse_sdk.serving.questions import UNTOLD
from weighhouse_sdk.serving.startup import UNREADABLE, asked_addresses
from weighhouse_sdk.wire import Address, ReplyError

STORAGE_PORT = 7000
"""Where nodes reach each other, each on its own address."""
TOKENS = 16
"""Of each node, as the vendors' shipped files have it."""


def own_address(port: int, number: int = 1) -> str:
    """An address of the loopback network that no other port's nodes have.

    :param port: where the clients of the deployment are served.
    :param number: of the node, from 1 to 254.
    """
    return f"127.{port // 256}.{port % 256}.{number}"


def tokens(number: int, nodes: int, each: int = TOKENS) -> tuple[int, ...]:
    """A node's tokens on Murmur3's ring, −2⁶³ to 2⁶³ − 1.

    All nodes' tokens together lie at even distances, by turns, so that every node has the same
    share. Drawn at random, as by default, shares differ by chance from one deployment to the next.

    :param number: of the node, from 1.
    :param each: tokens of each node.
    """
    whole = 2**64
    return tuple(
        -(2**63) + (turn * nodes + number - 1) * whole // (nodes * each) for turn in range(each)
    )


EVERYWHERE = "SELECT session_id FROM system_traces.sessions LIMIT 1"
"""Of a keyspace that every ring has, two copies of each range on different nodes; it is empty
unless somebody traces, so all ranges are looked at."""


KEYSPACE = "ycsb"
"""Where the driver keeps its table (its option `keyspace`, which no manifest offers)."""

LOCAL, PEERS, KEYSPACES = "system.local", "system.peers", "system_schema.keyspaces"
VERSION = "SELECT release_version FROM system.local"
NEIGHBOURS = "SELECT peer FROM system.peers"
CLIENTS_REACH = {
    LOCAL: "SELECT rpc_address FROM system.local",
    PEERS: "SELECT rpc_address FROM system.peers",
}
"""Where clients are told to reach the node that is asked, and the others."""
REPLICATION = (
    "SELECT JSON replication FROM system_schema.keyspaces WHERE keyspace_name = 'ycsb'"  # KEYSPACE
)


def copies_of(replication: str) -> set[int]:
    """How many copies a keyspace keeps in each data centre.

    :param replication: as `SELECT JSON replication` has it: `{"replication": {"class": …,
        "replication_factor": "1"}}`, or a number for each data centre, where `3/1` is three
        copies, one of them transient.
    """
    told = json.loads(replication)["replication"]
    return {int(str(value).split("/")[0]) for name, value in told.items() if name != "class"}


def copies_problem(topology: Topology, nodes: int, kept: set[int] | None) -> tuple[str, str] | None:
    """Why a target on somebody else's ring would not have the copies that it says.

    :param nodes: that the ring has.
    :param kept: copies of the keyspace in each data centre; None: it is not there yet.
    :returns: what is wrong, and how to mend it.
    """
    copies = topology.replication_factor
    if topology.nodes != nodes:
        wrong = (
            f"the ring has {nodes} nodes, the target's topology says {topology.nodes} with "
            f"{copies} copies of each record"
        )
        hint = f"say what is there: topology.nodes {nodes}, and the replication_factor you mean"
        return wrong, hint
    if kept is not None and kept != {copies}:
        found = ", ".join(map(str, sorted(kept)))
        wrong = (
            f"keyspace {KEYSPACE} is there and keeps {found} copies of each record; the target's "
            f"topology.replication_factor says {copies}"
        )
        hint = (
            f"say replication_factor {found}, or drop the keyspace, which is then made with "
            f"{copies}"
        )
        return wrong, hint
    return None


class RingPlugin(Certified):
    """Nodes that find each other by gossip."""

    def spread(self, addresses: tuple[Address, ...]) -> tuple[Address, ...]:
        """One port, that of the first node, and an address for each: its host, or one of the
        loopback network where several nodes have the same. A single one listens where it was told.
        """
        if len(addresses) == 1:
            return addresses
        port = addresses[0].port
        sharing = {
            host for host, nodes in Counter(each.host for each in addresses).items() if nodes > 1
        }
        for host in sharing:
            if not is_loopback(host):
                raise DeployFailed(
                    f"several nodes on one machine need the loopback network, and {host} is to have"
                    " more than one",
                    "use a machine for each node, or one machine for all, with `machine.host` of"
                    " its agent's policy at 127.0.0.1",
                )
        return tuple(
            Address(own_address(port, number) if each.host in sharing else each.host, port)
            for number, each in enumerate(addresses, 1)
        )

    def own(self, place: Place) -> str:
        """The address that a node's peers know it by."""
        return place.address.host if not place.alone else own_address(place.address.port)

    def seeds(self, place: Place) -> str:
        """All nodes: with one alone, others that start beside it may find nobody to talk to."""
        if place.alone:
            return f"{self.own(place)}:{STORAGE_PORT}"
        # One that is its own seed would begin without the data of others.
        hosts = [each.host for each in place.addresses]
        hosts = [each for each in hosts if not place.fresh or each != place.address.host]
        return ",".join(f"{each}:{STORAGE_PORT}" for each in hosts)

    def peer_ends(self, place: Place) -> tuple[Address, ...]:
        """The node's own address."""
        return (Address(self.own(place), STORAGE_PORT),)

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """`release_version` of the node itself."""
        local = told(address, timeout_seconds, {LOCAL: "SELECT release_version FROM system.local"})[
            LOCAL
        ]
        return str(local[0]["release_version"]) if local else UNTOLD

    def missing(self, places: Sequence[Place], timeout_seconds: float) -> str | None:
        """Ask every node: it has to see all others with their tokens, on the same schema. A node
        that serves before that answers quorum reads with nothing, after writes that succeeded.
        Then each has to read, through itself, all copies of all ranges: what it has heard of the
        others is one thing, whether it counts on them and they answer it another.
        """
        versions = set()
        for place in places:
            local, peers = rows(
                place.address,
                timeout_seconds,
                "SELECT schema_version FROM system.local",
                "SELECT tokens, schema_version FROM system.peers",
            )
            versions |= {row["schema_version"] for row in (*local, *peers)}
            seen = 1 + sum(bool(row["tokens"]) for row in peers)
            if seen < len(places):
                return f"node {place.number} sees {seen} of {len(places)} nodes"
        if len(versions) > 1:
            return f"{len(versions)} versions of the schema"
        if 1 < len(places) == len(places[0].addresses):
            for place in places:
                try:
                    rows(place.address, timeout_seconds, EVERYWHERE, consistency=ALL)
                except ReplyError as error:
                    return f"node {place.number} does not reach all others: {error}"
        return None

    def greet(self, address: Address, timeout_seconds: float) -> None:
        """Also hold that the server lets in whoever may ask nothing."""
        rows(address, timeout_seconds)
        super().greet(address, timeout_seconds)

    def _await_external(self, context: Context, deployed: Deployed) -> None:
        """Also refuse a ring that would not have the copies that the target says, as far as it
        tells.

        :raises DeployFailed: with what the ring has.
        """
        super()._await_external(context, deployed)
        address, topology = asked_addresses(context, deployed)[0], context.target.topology
        try:
            found = told(
                address,
                self.ask_seconds,
                {PEERS: NEIGHBOURS, KEYSPACES: REPLICATION},
            )
        except UNREADABLE as error:
            raise self._unfit(address, error) from error
        peers, spaces = found[PEERS], found[KEYSPACES]
        kept = copies_of(str(spaces[0]["[json]"])) if spaces else None
        wrong = copies_problem(topology, topology.nodes if peers is None else 1 + len(peers), kept)
        if wrong is not None:
            raise DeployFailed(*wrong)

    def find_nodes(self, context: Context, deployed: Deployed) -> tuple[Announced, ...]:
        """Where the client library goes by itself: the addresses that the nodes have for clients,
        by the port of the contact point. Those are asked that were written: others may be down.
        """
        if deployed.nodes:
            return ()
        address = asked_addresses(context, deployed)[0]
        try:
            found = told(address, self.ask_seconds, CLIENTS_REACH)
        except UNREADABLE as error:
            raise self._unfit(address, error) from error
        places = [row["rpc_address"] for rows_of in found.values() for row in rows_of or ()]
        hosts = [f"[{each}]" if ":" in str(each) else str(each) for each in places if each]
        return tuple(Announced(f"{each}:{address.port}", asked=False) for each in hosts)

    def driver_options(self, target: Target) -> dict[str, Scalar]:
        """The keyspace gets as many copies as the topology says, on servers of somebody else's too:
        there it is made when it is not there, and refused when it has another number.
        """
        return {
            **super().driver_options(target),
            "replication_factor": target.topology.replication_factor,
        }
