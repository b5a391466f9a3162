"""Proves that the replicas of Redis and its relatives get what their primaries take.

A replica calls its link up when it has loaded the primary's data. With diskless synchronisation the
primary holds its stream back until the replica's first acknowledgement, which comes once a second:
killed before that, it leaves a replica without anything that was written meanwhile (seen on Redis
7.0.15; `replicaPutOnline` in src/replication.c says why). So links are not enough: each primary is
given a write, and has to say that all its replicas have it.
"""

import binascii
import itertools
from collections.abc import Sequence

from weighhouse_sdk.families import resp_cluster
from weighhouse_sdk.families.resp import converse, info
from weighhouse_sdk.places import Place
from weighhouse_sdk.wire import ReplyError

KEY = "weighhouse:ready"
"""Of the write; no record's, and gone with the next command."""
KEPT_MS = 10_000
"""How long it stays, should the connection break between the two."""
PATIENCE = 0.6
"""Part of the time for a question that a primary may spend waiting for its replicas."""
FULL = "OOM"
"""A primary that is full takes no write; then its links are all that can be held against it."""


def missing(places: Sequence[Place], timeout_seconds: float) -> str | None:
    """Which replica does not follow its primary, or what primary's replicas do not acknowledge what
    it takes; None: nothing. Of the nodes that are up: a replica whose primary is not has none to
    follow.

    :raises ReplyError, OSError: as `resp.ask`; also when a primary refuses the write.
    """
    up = {place.address[:2] for place in places}
    primaries: list[Place] = []
    followers: dict[tuple[str, int], list[Place]] = {}
    for place in places:
        told = info(place.address, timeout_seconds)
        if told["role"] == "master":
            primaries.append(place)
            continue
        followed = (told["master_host"], int(told["master_port"]))
        followers.setdefault(followed, []).append(place)
        if followed in up and told["master_link_status"] != "up":
            return (
                f"node {place.number} is not in step with its primary: "
                f"master_link_status:{told['master_link_status']}"
            )
    for primary in primaries:
        replicas = followers.get(primary.address[:2], [])
        wanted = len(replicas)
        reached = acknowledged(primary, wanted, timeout_seconds) if replicas else 0
        if reached < wanted:
            numbers = ", ".join(str(each.number) for each in replicas)
            return (
                f"{reached} of {wanted} replicas of node {primary.number} (nodes {numbers}) "
                "acknowledge what is written to it"
            )
    return None


def acknowledged(primary: Place, wanted: int, timeout_seconds: float) -> int:
    """Write to a primary; how many of its replicas say in time that they have it.

    :param wanted: with so many it does not wait longer.
    :raises ReplyError, OSError: as `missing`.
    """
    key = f"{KEY}:{{{tag(primary, timeout_seconds)}}}"
    patience_ms = str(int(timeout_seconds * PATIENCE * 1000))
    try:
        *_, reached = converse(
            primary.address,
            timeout_seconds,
            ("SET", key, "", "PX", str(KEPT_MS)),
            ("DEL", key),
            ("WAIT", str(wanted), patience_ms),
        )
    except ReplyError as error:
        if str(error).startswith(FULL):
            return wanted
        raise
    if not isinstance(reached, int):
        raise ReplyError(f"WAIT answers {reached!r}")
    return reached


def tag(primary: Place, timeout_seconds: float) -> str:
    """What is to stand in braces in a key that the primary takes, and no other of its cluster.

    :raises ReplyError, OSError: as `resp.ask`; also when it has no slots.
    """
    if not resp_cluster.is_cluster(primary):
        return "0"
    slots = resp_cluster.own_line(primary, timeout_seconds).slots
    mine = frozenset(resp_cluster.slots_in(slots))
    if not mine:
        raise ReplyError(f"node {primary.number} is a primary without slots")
    return next(str(each) for each in itertools.count() if slot_of(str(each)) in mine)


def slot_of(hashed: str) -> int:
    """The slot of a key, or of what stands in its braces: CRC-16/XMODEM by the specification."""
    return binascii.crc_hqx(hashed.encode(), 0) % resp_cluster.SLOTS
