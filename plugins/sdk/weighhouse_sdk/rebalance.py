"""Data that goes from node to node so that each has its share: begin, end, and how much."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from weighhouse_protocol.redistribution import BEGAN, ENDED, amount_label, began_label


@dataclass(frozen=True)
class Streamed:
    """One transfer, as one of the nodes tells it that take part."""

    identity: str
    """The same on all of them."""
    begun_at_us: int
    ended_at_us: int | None
    """None: it is under way."""
    sent_bytes: int
    """By that node."""
    failed: bool = False


@dataclass(frozen=True)
class Transfer:
    """One transfer, of what all nodes tell that were asked."""

    begun_at_us: int
    ended_at_us: int | None
    bytes: int
    failed: bool = False


def together(told: Iterable[Streamed]) -> dict[str, Transfer]:
    """The transfers by their identities. Every byte is sent by one node alone, also where several
    machines have some of the nodes each.
    """
    parts: dict[str, list[Streamed]] = defaultdict(list)
    for one in told:
        parts[one.identity].append(one)
    return {identity: _transfer(some) for identity, some in parts.items()}


def _transfer(parts: list[Streamed]) -> Transfer:
    return Transfer(
        min(one.begun_at_us for one in parts),
        _latest([one.ended_at_us for one in parts]),
        sum(one.sent_bytes for one in parts),
        any(one.failed for one in parts),
    )


def _latest(ends: list[int | None]) -> int | None:
    """None: one has not ended."""
    known = [end for end in ends if end is not None]
    return max(known) if known and len(known) == len(ends) else None


@dataclass(frozen=True)
class Redistributed:
    """A mark for the timeline."""

    mark: str
    label: str
    at_us: int


@dataclass
class Redistributing:
    """Turns one look at the transfers after the other into marks.

    A redistribution begins with the first transfer and ends when none is under way any more; what
    begins later is another one. Its instants are those that the nodes tell, so that one between two
    looks is not missed. One that ends while a node does not answer is told when it does again: only
    then its bytes are known.
    """

    _told: set[str] = field(default_factory=set)
    """Transfers of redistributions that have ended."""
    _open: dict[str, Transfer] = field(default_factory=dict)

    def first(self, seen: Mapping[str, Transfer]) -> None:
        """What was before anybody looked is nobody's doing."""
        self._told = {one for one, transfer in seen.items() if transfer.ended_at_us is not None}

    def marks(self, seen: Mapping[str, Transfer], *, settled: bool) -> list[Redistributed]:
        """What began and ended since the look before.

        :param settled: whether every node answered that belongs to the system.
        """
        fresh = {name: one for name, one in seen.items() if name not in self._told}
        found = []
        if fresh and not self._open:
            begun = min(one.begun_at_us for one in fresh.values())
            found.append(Redistributed(BEGAN, began_label(), begun))
        for name, one in fresh.items():
            # One that leaves tells no more what it sent.
            before = self._open.get(name, one)
            self._open[name] = replace(one, bytes=max(one.bytes, before.bytes))
        ended_at_us = _latest([one.ended_at_us for one in self._open.values()])
        if settled and ended_at_us is not None:
            label = amount_label(
                sum(one.bytes for one in self._open.values()),
                len(self._open),
                sum(one.failed for one in self._open.values()),
            )
            found.append(Redistributed(ENDED, label, ended_at_us))
            self._told |= self._open.keys()
            self._open = {}
        return found
