"""What clients counted beside what the server counted of the same. Pure.

Two looks at the server's counters, one before the driver's first phase and one after its last, say
what it served meanwhile. Of each operation the client knows what it asked and what came back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from weighhouse_protocol.counts import (
    CommandCount,
    CountedCommands,
    Counting,
    Counts,
    NodeCounts,
)


@dataclass(frozen=True)
class Asked:
    """One operation's counts of a client, over all phases."""

    found: int = 0
    """Answered, with what was asked for; whether it was what had been written or not."""
    not_found: int = 0
    failed: int = 0
    """Answered with an error, which a server may count among its calls, or not."""
    unanswered: int = 0
    """Sent, and no answer came: timeouts, connections that were lost."""

    @property
    def answered(self) -> int:
        """With what the server certainly counted."""
        return self.found + self.not_found

    @property
    def asked(self) -> int:
        """All that was sent."""
        return self.answered + self.failed + self.unanswered

    def __add__(self, other: "Asked") -> "Asked":
        """Both together."""
        return Asked(
            self.found + other.found,
            self.not_found + other.not_found,
            self.failed + other.failed,
            self.unanswered + other.unanswered,
        )


@dataclass(frozen=True)
class Row:
    """Some operations of the client, and the commands that they become."""

    name: str
    operations: Sequence[str]
    commands: Sequence[str]
    """Those of them that the server counted."""
    client: Asked
    served: int
    """Calls, by the server."""
    failed: int | None = None
    us: int | None = None
    """Time that the server spent on them, µs."""
    why_not: str = ""
    """Why the two columns cannot be compared; empty: they can."""
    counts: bool = True
    """Whether the system counts these commands as it is set up."""


@dataclass(frozen=True)
class Reconciled:
    """The two columns of a run."""

    source: str
    rows: Sequence[Row] = ()
    strangers: Mapping[str, int] | None = None
    """Commands that nobody of ours sends → calls."""
    hits: int | None = None
    misses: int | None = None
    """Keys that the server was asked for, by its own count."""
    received_bytes: int | None = None
    sent_bytes: int | None = None
    reads: str | None = None
    """The row that hits and misses are of."""
    why_not: str = ""
    """Why nothing can be compared: `not told`, or what became of the counters."""


NOT_TOLD = "not told"
BEGAN_ANEW = "began anew"
"""A server was started again, its counters were set back, or they wrapped."""
NONE = CommandCount(calls=0, failed=0, us=0)
OTHER_NODES = "other nodes"
"""Not the same nodes told at both times."""


@dataclass(frozen=True)
class Served:
    """What nodes counted between two looks."""

    commands: Mapping[str, CommandCount]
    hits: int | None
    misses: int | None
    received_bytes: int | None
    sent_bytes: int | None
    known: frozenset[str] = frozenset()
    """Commands that were ever counted."""
    lacking: frozenset[str] = frozenset()
    """Commands that the system does not count as it is set up."""


def together(parts: Iterable[Served | str]) -> Served | str:
    """All that was counted in several stretches of time; a word where nothing follows from one."""
    whole = list(parts)
    if unclear := next((one for one in whole if isinstance(one, str)), None):
        return unclear
    served = [one for one in whole if isinstance(one, Served)]
    if not served:
        return NOT_TOLD
    commands: dict[str, CommandCount] = {}
    for one in served:
        for name, count in one.commands.items():
            commands[name] = _sum(commands.get(name), count, NONE)
    return Served(
        commands=commands,
        hits=_added([one.hits for one in served]),
        misses=_added([one.misses for one in served]),
        received_bytes=_added([one.received_bytes for one in served]),
        sent_bytes=_added([one.sent_bytes for one in served]),
        known=frozenset().union(*(one.known for one in served)),
        lacking=frozenset().union(*(one.lacking for one in served)),
    )


def in_stretch(counts: Counts) -> Served:
    """What a system counted in a stretch of time, as it says itself."""
    return Served(
        commands={name: count for name, count in counts.commands.items() if count.calls},
        hits=counts.hits,
        misses=counts.misses,
        received_bytes=counts.received_bytes,
        sent_bytes=counts.sent_bytes,
        known=frozenset(counts.commands),
        lacking=frozenset(counts.lacking),
    )


def between(before: Sequence[NodeCounts], after: Sequence[NodeCounts]) -> Served | str:
    """The growth of all nodes' counters; a word where nothing follows from them."""
    if not before or not after:
        return NOT_TOLD
    first, last = ({each.node: each for each in nodes} for nodes in (before, after))
    if first.keys() != last.keys():
        return OTHER_NODES
    grown: dict[str, CommandCount] = {}
    for node, begun in first.items():
        ended = last[node]
        if begun.life != ended.life or begun.commands.keys() - ended.commands.keys():
            return BEGAN_ANEW
        for name, count in ended.commands.items():
            since = begun.commands.get(name, NONE)
            if count.calls < since.calls:
                return BEGAN_ANEW
            grown[name] = _sum(grown.get(name), count, since)
    pairs = [(first[node], last[node]) for node in first]
    return Served(
        commands={name: count for name, count in grown.items() if count.calls},
        hits=_grown([(a.hits, b.hits) for a, b in pairs]),
        misses=_grown([(a.misses, b.misses) for a, b in pairs]),
        received_bytes=_grown([(a.received_bytes, b.received_bytes) for a, b in pairs]),
        sent_bytes=_grown([(a.sent_bytes, b.sent_bytes) for a, b in pairs]),
        known=frozenset(name for each in after for name in each.commands),
        lacking=frozenset(name for each in after for name in each.lacking),
    )


def reconciled(
    counting: Counting,
    client: Mapping[str, Asked],
    served: Served | str,
    keys_per_read: int = 1,
) -> Reconciled:
    """Set what a client counted beside what the server did.

    :param counting: which commands operations become, by the system's manifest.
    :param client: by operation, of everything between the two looks.
    """
    if isinstance(served, str):
        return Reconciled(counting.source, why_not=served)
    rows = [_row(one, client, served, keys_per_read) for one in counting.rows]
    lacking = any(row.served < row.client.answered for row in rows if not row.why_not)
    if lacking and served.known & set(counting.resets):
        # Somebody sets them back again and again: the last time may have been in between.
        return Reconciled(counting.source, why_not=BEGAN_ANEW)
    known = {command for one in counting.rows for command in one.commands}
    return Reconciled(
        source=counting.source,
        rows=[row for row in rows if row.served or row.client.asked],
        strangers={
            name: count.calls
            for name, count in served.commands.items()
            if name not in known and not counting.is_beside(name)
        },
        hits=served.hits,
        misses=served.misses,
        received_bytes=served.received_bytes,
        sent_bytes=served.sent_bytes,
        reads=next((one.name for one in counting.rows if one.found), None),
    )


def _row(
    one: CountedCommands, client: Mapping[str, Asked], served: Served, keys_per_read: int
) -> Row:
    done = {name: client[name] for name in one.operations if name in client}
    counts = {name: served.commands[name] for name in one.commands if name in served.commands}
    why_not, lacks = "", bool(served.lacking & set(one.commands))
    if any(client[name].asked for name in one.also if name in client):
        why_not = f"{', '.join(one.also)} sends as many of them as it needs"
    elif keys_per_read > 1 and "read" in done and (one.keys == "either" or len(done) > 1):
        why_not = "a read is of several keys"
    elif lacks:
        why_not = one.unless or "the system does not count them as it is set up"
    times = keys_per_read if one.keys == "each" else 1
    return Row(
        name=one.name,
        operations=tuple(done),
        commands=tuple(counts),
        client=sum((_times(each, times) for each in done.values()), Asked()),
        served=sum(count.calls for count in counts.values()),
        failed=_whole([count.failed for count in counts.values()]),
        us=_whole([count.us for count in counts.values()]),
        why_not=why_not,
        counts=not lacks,
    )


def _times(one: Asked, times: int) -> Asked:
    return sum([one] * times, Asked())


def _sum(total: CommandCount | None, ended: CommandCount, begun: CommandCount) -> CommandCount:
    failed = _grown([(begun.failed, ended.failed)])
    us = _grown([(begun.us, ended.us)])
    if total is not None:
        failed, us = _whole([total.failed, failed]), _whole([total.us, us])
    calls = ended.calls - begun.calls + (0 if total is None else total.calls)
    return CommandCount(calls=calls, failed=failed, us=us)


def _grown(pairs: Iterable[tuple[int | None, int | None]]) -> int | None:
    """None where one is not told, or was set back."""
    total = 0
    for begun, ended in pairs:
        if begun is None or ended is None or ended < begun:
            return None
        total += ended - begun
    return total


def _added(parts: Sequence[int | None]) -> int | None:
    """None where one is not told."""
    return None if None in parts else sum(part for part in parts if part is not None)


def _whole(found: Sequence[int | None]) -> int | None:
    known = [each for each in found if each is not None]
    return sum(known) if known and len(known) == len(found) else None
