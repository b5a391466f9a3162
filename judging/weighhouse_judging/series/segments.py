"""Which points of a series can be held against each other. Pure.

Another kind of machine begins a segment of its own, drawn and never alerted. When the old kind
comes back, its segment is rejoined: a segment is all points of one kind, not a run of neighbours.
Machines of the same kind share a segment and are told apart inside it, as places.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Segment:
    """The points of one kind."""

    kind: str
    members: tuple[int, ...]
    """Their indices in the series, ascending."""


def segments_by_kind(kinds: Sequence[str]) -> list[Segment]:
    """Segments of a series, in the order in which their kinds first appear.

    `kinds` holds, for each point, a fingerprint of all that a change of which is no regression.
    """
    members: dict[str, list[int]] = {}
    for index, kind in enumerate(kinds):
        members.setdefault(kind, []).append(index)
    return [Segment(kind, tuple(indices)) for kind, indices in members.items()]
