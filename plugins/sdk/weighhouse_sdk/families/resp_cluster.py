"""Makes a Redis Cluster of servers that serve, and says what is missing until it is one.

Primaries are the first nodes, replicas follow: the first replica of the first primary, of the
second, and so on, then the second replicas. On several machines they follow one further on, so that
none is on its primary's machine. Which node is a primary may change later.

Source: Redis Cluster specification,
https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weighhouse_sdk.families.resp import ask, lines
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
    """The number of the primary that a node begins as a replica of; None: it is a primary.

    All replicas of a turn, one for each primary, follow at the same distance: the first one by
    which the fewest of them share a machine with another copy of the same data.
    """
    count = primaries(place)
    hosts = [each.host for each in place.addresses]
    copies = [[host] for host in hosts[:count]]
    distance = 0
    for turn in range(1, place.replication_factor):
        own = hosts[turn * count : (turn + 1) * count]
        together = [
            sum(copies[(at + distance) % count].count(host) for at, host in enumerate(own))
            for distance in range(count)
        ]
        distance = together.index(min(together))
        if place.number <= (turn + 1) * count:
            break
        for at, host in enumerate(own):
            copies[(at + distance) % count].append(host)
    return None if place.number <= count else (place.number - 1 + distance) % count + 1


def share(number: int, count: int) -> tuple[int, int]:
    """First and last of the slots of a primary, so that no two shares differ by more than one.

    :param number: the primary's, counted from 1.
    :param count: how many there are.
    """
    return SLOTS * (number - 1) // count, SLOTS * number // count - 1


def slots_in(ranges: Sequence[str]) -> Iterator[int]:
    """The slots that CLUSTER NODES says are a node's: `0-5460`, `7000`; not those that move."""
    for each in ranges:
        if not each.startswith("["):
            first, _, last = each.partition("-")
            yield from range(int(first), int(last or first) + 1)


@dataclass(frozen=True)
class Seen:
    """A line of CLUSTER NODES: a node as another one sees it."""

    identity: str
    host: str
    """Empty of a node that does not know its own yet."""
    port: int
    flags: frozenset[str]
    slots: tuple[str, ...]
    follows: str = ""
    """Identity of the primary whose replica it is; empty of a primary."""

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
        identity, where, flags, follows, _, _, _, _, *slots = line.split(" ")
        host, _, port = where.partition("@")[0].rpartition(":")
        told = frozenset(flags.split(","))
        primary = "" if follows == "-" else follows
        found.append(Seen(identity, host, int(port or 0), told, tuple(slots), primary))
    return found


def join(places: Sequence[Place], timeout_seconds: float) -> None:
    """Give the primaries their slots, introduce all nodes, and assign the replicas. Idempotent.

    :raises ReplyError: also when a replica has not heard of its primary yet.
    :raises OSError: when a node does not answer.
    """
    count = primaries(places[0])
    for place in places[:count]:
        own = own_line(place, timeout_seconds)
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
        if number is None or not own_line(place, timeout_seconds).fresh:
            continue
        primary = places[number - 1].address[:2]
        for each in seen_by(place.address, timeout_seconds):
            if (each.host, each.port) == primary and each.known:
                ask(place.address, timeout_seconds, "CLUSTER", "REPLICATE", each.identity)
                break
        else:
            raise ReplyError(f"node {place.number} has not heard of node {number} yet")


def missing(places: Sequence[Place], timeout_seconds: float) -> str | None:
    """What is missing until every node sees a whole cluster; None: nothing. Whether replicas get
    what their primaries take is another question: `resp_replication`.

    :param places: the nodes that are up. While others are down, slots may be nobody's: only what
        these can do about it is held against them.
    :raises ReplyError, OSError: as `resp.ask`.
    """
    whole = len(places) == len(places[0].addresses)
    for place in places:
        name = f"node {place.number}"
        told = lines(place.address, timeout_seconds, "CLUSTER", "INFO")
        known = int(told["cluster_known_nodes"])
        # One that is down may have left for good.
        wanted = len(place.addresses) if whole else len(places)
        if known < wanted or (whole and known > wanted):
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
    return None


def own_line(place: Place, timeout_seconds: float) -> Seen:
    """A node as it sees itself.

    :raises ReplyError, OSError: as `resp.ask`.
    """
    nodes = seen_by(place.address, timeout_seconds)
    return next(each for each in nodes if "myself" in each.flags)


def _unsure(seen: Seen) -> bool:
    return bool(seen.flags & {"handshake", "noaddr", "fail", "fail?"}) or seen.fresh
