"""Makes a Redis Cluster of servers that serve, and says what is missing until it is one.

Primaries are the first nodes, replicas follow: the first replica of the first primary, of the
second, and so on, then the second replicas. Which node is a primary may change later.

Source: Redis Cluster specification,
https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
"""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_sdk.families.resp import ask, info, lines
from weighhouse_sdk.places import Place
from weighhouse_sdk.wire import Address, ReplyError

SLOTS = 16_384


def primaries(place: Place) -> int:
    """How many nodes share the data of the system that a node belongs to."""
    return len(place.addresses) // place.replication_factor


def is_cluster(place: Place) -> bool:
    """Whether the node is one of a cluster: one primary with replicas is none."""
    return primaries(place) > 1


def primary_of(place: Place) -> int | None:
    """The number of the primary that a node begins as a replica of; None: it is a primary."""
    count = primaries(place)
    return None if place.number <= count else (place.number - count - 1) % count + 1


def share(number: int, count: int) -> tuple[int, int]:
    """First and last of the slots of a primary, so that no two shares differ by more than one.

    :param number: the primary's, counted from 1.
    :param count: how many there are.
    """
    return SLOTS * (number - 1) // count, SLOTS * number // count - 1


@dataclass(frozen=True)
class Seen:
    """A line of CLUSTER NODES: a node as another one sees it."""

    identity: str
    host: str
    """Empty of a node that does not know its own yet."""
    port: int
    flags: frozenset[str]
    slots: tuple[str, ...]

    @property
    def fresh(self) -> bool:
        """Whether it is a primary without slots, as every node begins."""
        return "master" in self.flags and not self.slots

    @property
    def known(self) -> bool:
        """Whether the two have shaken hands."""
        return not self.flags & {"handshake", "noaddr"}


def seen_by(address: Address, timeout_seconds: float) -> list[Seen]:
    """The cluster as a node sees it, itself among them.

    :raises ReplyError, OSError: as `resp.ask`.
    """
    text = ask(address, timeout_seconds, "CLUSTER", "NODES")
    if not isinstance(text, str):
        raise ReplyError(f"CLUSTER NODES answers {text!r}")
    found = []
    for line in text.splitlines():
        identity, where, flags, _, _, _, _, _, *slots = line.split(" ")
        host, _, port = where.partition("@")[0].rpartition(":")
        told = frozenset(flags.split(","))
        found.append(Seen(identity, host, int(port or 0), told, tuple(slots)))
    return found


def join(places: Sequence[Place], timeout_seconds: float) -> None:
    """Give the primaries their slots, introduce all nodes, and assign the replicas. Idempotent.

    :raises ReplyError: also when a replica has not heard of its primary yet.
    :raises OSError: when a node does not answer.
    """
    count = primaries(places[0])
    for place in places[:count]:
        own = _own(place, timeout_seconds)
        told = lines(place.address, timeout_seconds, "CLUSTER", "INFO")
        if own.fresh and int(told["cluster_slots_assigned"]) < SLOTS:
            first, last = share(place.number, count)
            ask(
                place.address,
                timeout_seconds,
                *("CLUSTER", "ADDSLOTSRANGE", str(first), str(last)),
            )
            if told["cluster_known_nodes"] == "1" and told["cluster_my_epoch"] == "0":
                # Different ones from the start spare the primaries a dispute.
                epoch = str(place.number)
                ask(place.address, timeout_seconds, "CLUSTER", "SET-CONFIG-EPOCH", epoch)
    introducer = places[0].address
    met = {(each.host, each.port) for each in seen_by(introducer, timeout_seconds)}
    for place in places[1:]:
        host, port, *_ = place.address
        if (host, port) not in met:
            ask(
                introducer,
                timeout_seconds,
                *("CLUSTER", "MEET", host, str(port), str(place.peer_port or port + 10_000)),
            )
    for place in places[count:]:
        number = primary_of(place)
        if number is None or not _own(place, timeout_seconds).fresh:
            continue
        primary = places[number - 1].address[:2]
        for each in seen_by(place.address, timeout_seconds):
            if (each.host, each.port) == primary and each.known:
                ask(place.address, timeout_seconds, "CLUSTER", "REPLICATE", each.identity)
                break
        else:
            raise ReplyError(f"node {place.number} has not heard of node {number} yet")


def missing(places: Sequence[Place], timeout_seconds: float) -> str | None:
    """What is missing until every node sees a whole cluster; None: nothing.

    :param places: the nodes that are up. While others are down, slots may be nobody's: only what
        these can do about it is held against them.
    :raises ReplyError, OSError: as `resp.ask`.
    """
    whole = len(places) == len(places[0].addresses)
    for place in places:
        name = f"node {place.number}"
        told = lines(place.address, timeout_seconds, "CLUSTER", "INFO")
        known, wanted = int(told["cluster_known_nodes"]), len(place.addresses)
        if known != wanted:
            return f"{name} knows {known} of {wanted} nodes"
        if whole and told["cluster_state"] != "ok":
            return f"{name} says cluster_state:{told['cluster_state']}"
        if whole and int(told["cluster_slots_ok"]) != SLOTS:
            return f"{name} says cluster_slots_ok:{told['cluster_slots_ok']} of {SLOTS}"
        unsure = [
            each for each in seen_by(place.address, timeout_seconds) if whole and _unsure(each)
        ]
        if unsure:
            return f"{name} does not count on {unsure[0].host}:{unsure[0].port} yet"
    return missing_links(places, timeout_seconds)


def missing_links(places: Sequence[Place], timeout_seconds: float) -> str | None:
    """Which replica does not follow its primary yet, of those whose primary is up.

    A primary that is lost before the first synchronisation has no successor.

    :raises ReplyError, OSError: as `resp.ask`.
    """
    up = {place.address[:2] for place in places}
    for place in places:
        told = info(place.address, timeout_seconds)
        if told["role"] == "master":
            continue
        primary = (told["master_host"], int(told["master_port"]))
        if primary in up and told["master_link_status"] != "up":
            return (
                f"node {place.number} is not in step with its primary: "
                f"master_link_status:{told['master_link_status']}"
            )
    return None


def _own(place: Place, timeout_seconds: float) -> Seen:
    nodes = seen_by(place.address, timeout_seconds)
    return next(each for each in nodes if "myself" in each.flags)


def _unsure(seen: Seen) -> bool:
    return bool(seen.flags & {"handshake", "noaddr", "fail", "fail?"}) or seen.fresh
