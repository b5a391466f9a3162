"""Marks of a timeline that tell what a fault cost, and what was redistributed after it. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from weighhouse_protocol.redistribution import BEGAN, ENDED, amount_of

from weighhouse_backend.faults.schemas import RedistributionRead
from weighhouse_backend.measurements.summaries import US_PER_SECOND

PAIRS = {BEGAN: ENDED, "migration_began": "migration_ended"}
"""Marks by which systems tell that data goes from node to node."""
TELLING = ("fault", *(name.removesuffix("began") for name in PAIRS))
"""What the marks begin with that are looked at."""


@dataclass(frozen=True)
class Mark:
    """Something on a run's timeline, by the clock of its intervals."""

    kind: str
    label: str
    at_us: int
    member: int = 0
    """Who did it."""


class Moved(NamedTuple):
    """Data went from node to node."""

    begin_us: int
    end_us: int | None
    """None: it had not ended when the system was stopped."""
    bytes: int | None = None
    """None: the system does not tell."""
    transfers: int | None = None
    failed: int = 0


def redistributions(marks: Sequence[Mark]) -> list[Moved]:
    """What went from node to node, as each member's marks tell it, in order of time."""
    found: list[Moved] = []
    opened: dict[tuple[int, str, str], int] = {}
    for mark in sorted(marks, key=lambda one: one.at_us):
        node = mark.label.partition(":")[0] if mark.label.startswith("node ") else ""
        if mark.kind in PAIRS:
            opened[(mark.member, PAIRS[mark.kind], node)] = mark.at_us
        elif (begun := opened.pop((mark.member, mark.kind, node), None)) is not None:
            amount = amount_of(mark.label)
            told = (None, None, 0) if amount is None else amount
            found.append(Moved(begun, mark.at_us, *told))
    found += [Moved(begun, None) for begun in opened.values()]
    return sorted(found, key=lambda one: one.begin_us)


def redistribution(
    moved: Sequence[Moved], begun_us: int, since_us: int, until_us: float
) -> RedistributionRead | None:
    """What went from node to node because of a fault; None: nothing that the system told of.

    :param begun_us: the measured phase's begin, which seconds count from.
    :param since_us: the fault's begin.
    :param until_us: the next one's.
    """
    some = [one for one in moved if since_us <= one.begin_us < until_us]
    if not some:
        return None
    ends = [one.end_us for one in some if one.end_us is not None]
    sizes = [one.bytes for one in some if one.bytes is not None]
    counts = [one.transfers for one in some if one.transfers is not None]
    ended = len(ends) == len(some)
    stretches = _stretches(some)
    moving = sum(end - begin for begin, end in stretches) / US_PER_SECOND
    return RedistributionRead(
        begin_seconds=(some[0].begin_us - begun_us) / US_PER_SECOND,
        end_seconds=(max(ends) - begun_us) / US_PER_SECOND if ended else None,
        moving_seconds=moving if ended else None,
        stretches=len(stretches),
        bytes=sum(sizes) if len(sizes) == len(some) else None,
        transfers=sum(counts) if len(counts) == len(some) else None,
        failed=sum(one.failed for one in some),
    )


def _stretches(moved: Sequence[Moved]) -> list[tuple[float, float]]:
    """When something moved, as long as anything did: begin and end, µs, in order.

    :param moved: in order of their begin.
    """
    found: list[tuple[float, float]] = []
    for one in moved:
        end = math.inf if one.end_us is None else float(one.end_us)
        if found and one.begin_us <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((one.begin_us, end))
    return found
