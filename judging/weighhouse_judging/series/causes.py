"""Changes with one cause are one alert. Pure.

A slower build moves throughput, every percentile and several cells of an experiment at the same
campaign. That is told once: the change that explains the others leads, the others are named as
downstream of it.

A change leads when no figure further up in the catalogue changed with it: in a closed loop
clients = throughput × latency (Little's law), so latency follows throughput; a higher percentile
follows a lower one. Among equals the more evident one leads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.series.changes import RULE, SAME_CHANGE_DISTANCE
from weighhouse_judging.series.course import Kind

DISTANCES: dict[Kind, int] = {
    "step": SAME_CHANGE_DISTANCE,
    "drift": RULE.points_of_a_drift,
    "spread": 2 * SAME_CHANGE_DISTANCE,
    "moved": SAME_CHANGE_DISTANCE,
}
"""So many campaigns apart or fewer, two changes may be one: when it began is known no better."""


@dataclass(frozen=True)
class Sighting:
    """A confirmed change of one series."""

    change: str
    """Its identifier."""
    subject: str
    """What can have one cause: an experiment's target."""
    cell: str
    figure: str
    kind: Kind
    order: int
    """Where in the sequence of the subject's campaigns it began."""
    p_value: float


@dataclass(frozen=True)
class Cause:
    """What happened to a subject at one time."""

    lead: str
    """The change that stands for all."""
    downstream: tuple[str, ...]
    """Those that followed from it, the most evident first."""


def causes(sightings: Sequence[Sighting]) -> list[Cause]:
    """Group changes by cause, in the order in which they began.

    Changes of one subject and kind belong together when they began no further apart than
    DISTANCES. Two changes of one series are never one cause, so that two steps close together stay
    two. Promises: deterministic, whatever the order given; every change is in exactly one cause.
    """
    evident = sorted(sightings, key=_evidence)
    firsts: list[Sighting] = []
    for sighting in evident:
        if not any(_belongs(sighting, [first]) for first in firsts):
            firsts.append(sighting)
    followers = [one for one in evident if one not in firsts]
    groups = _gathered(followers, [[first] for first in firsts])
    ordered = sorted(groups, key=lambda group: (min(one.order for one in group), group[0].change))
    return [_cause(group) for group in ordered]


def _gathered(
    sightings: Sequence[Sighting], groups: Sequence[list[Sighting]]
) -> list[list[Sighting]]:
    """Each sighting put to the nearest group that it belongs to, or made the first of a new one."""
    gathered = [list(group) for group in groups]
    for sighting in sightings:
        near = [group for group in gathered if _belongs(sighting, group)]
        if near:
            min(near, key=lambda group: _distance(sighting, group)).append(sighting)
        else:
            gathered.append([sighting])
    return gathered


def _belongs(sighting: Sighting, group: Sequence[Sighting]) -> bool:
    first = group[0]
    return (
        (sighting.subject, sighting.kind) == (first.subject, first.kind)
        and abs(sighting.order - first.order) <= DISTANCES[first.kind]
        and all((sighting.cell, sighting.figure) != (one.cell, one.figure) for one in group)
    )


def _distance(sighting: Sighting, group: Sequence[Sighting]) -> tuple[int, str]:
    return abs(sighting.order - group[0].order), group[0].change


def _evidence(sighting: Sighting) -> tuple[float, str]:
    return sighting.p_value, sighting.change


def _cause(group: Sequence[Sighting]) -> Cause:
    lead = min(group, key=lambda one: (CATALOGUE.cause_rank(one.figure), *_evidence(one)))
    rest = sorted((one for one in group if one is not lead), key=_evidence)
    return Cause(lead.change, tuple(one.change for one in rest))
