"""Has nodes leave a Redis Cluster, and makes empty ones part of it.

Source: Redis Cluster specification,
https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
"""

from collections import Counter
from collections.abc import Sequence

from weighhouse_sdk.families.resp import ask
from weighhouse_sdk.families.resp_cluster import Seen, own_line, seen_by
from weighhouse_sdk.places import Place
from weighhouse_sdk.wire import ReplyError


def hand_over(others: Sequence[Place], gone: Place, timeout_seconds: float) -> bool:
    """Have a replica take over from a primary that is up. Idempotent.

    :returns: whether it is done; else to be called again.
    :raises ReplyError: also when it has no replica that is up.
    :raises OSError: when a node does not answer.
    """
    own = own_line(gone, timeout_seconds)
    if not own.slots:
        return True
    replicas = {
        (each.host, each.port)
        for each in seen_by(gone.address, timeout_seconds)
        if each.follows == own.identity
    }
    for place in others:
        if place.address[:2] in replicas:
            ask(place.address, timeout_seconds, "CLUSTER", "FAILOVER")
            return False
    raise ReplyError(f"node {gone.number} has no replica that could take over")


def forget(others: Sequence[Place], gone: Place, timeout_seconds: float) -> None:
    """Have all others forget a node that has ended. Idempotent.

    :raises ReplyError: also while nobody has taken its slots over.
    :raises OSError: when a node does not answer.
    """
    for place in others:
        seen = _at(gone, seen_by(place.address, timeout_seconds))
        if seen is not None and seen.slots:
            raise ReplyError(f"node {place.number}: nobody has taken over from node {gone.number}")
    for place in others:
        seen = _at(gone, seen_by(place.address, timeout_seconds))
        if seen is not None:
            ask(place.address, timeout_seconds, "CLUSTER", "FORGET", seen.identity)


def adopt(others: Sequence[Place], fresh: Place, timeout_seconds: float) -> None:
    """Make an empty node a replica of the primary that has the fewest. Idempotent.

    :raises ReplyError: also while it has not heard of that one.
    :raises OSError: when a node does not answer.
    """
    own = own_line(fresh, timeout_seconds)
    if not own.fresh:
        return
    known = seen_by(others[0].address, timeout_seconds)
    if _at(fresh, known) is None:
        host, port, *_ = fresh.address
        peer_port = str(fresh.peer_port or port + 10_000)
        ask(others[0].address, timeout_seconds, "CLUSTER", "MEET", host, str(port), peer_port)
    following = Counter(each.follows for each in known)
    primaries = [each for each in known if each.slots]
    wanted = min(primaries, key=lambda one: (following[one.identity], one.port))
    heard = {each.identity for each in seen_by(fresh.address, timeout_seconds) if each.known}
    if wanted.identity not in heard:
        raise ReplyError(f"node {fresh.number} has not heard of {wanted.host}:{wanted.port} yet")
    ask(fresh.address, timeout_seconds, "CLUSTER", "REPLICATE", wanted.identity)


def _at(place: Place, seen: Sequence[Seen]) -> Seen | None:
    where = place.address[:2]
    return next((each for each in seen if (each.host, each.port) == where), None)
