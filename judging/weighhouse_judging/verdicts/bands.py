"""Noise bands of a series: where a campaign stays when nothing has changed. Pure.

A band is what the noise floor says, drawn about a level: between two confirmed steps, on one
machine, inside one segment. Its level is the median of its points. Where A/A campaigns told how
much whole campaigns differ, the band is the floor of one more campaign against those points
(`noise.Floor.of_campaigns`); else it is that of runs inside a block, which is narrower
than the truth, and says so.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weighhouse_judging.verdicts.noise import Floor, within_campaigns


@dataclass(frozen=True)
class BandPoint:
    """One campaign in a segment, in the metric's unit."""

    campaign: Any
    value: float
    repeats: Sequence[float]
    place: str | None
    """Digest of the machines; None: not known, and without a band."""


@dataclass(frozen=True)
class Band:
    """A stretch of campaigns on one machine, and between which values nothing can be told."""

    first: Any
    last: Any
    place: str
    level: float
    low: float
    high: float
    floor: float
    """Relative; high is level × (1 + floor), low is level / (1 + floor)."""
    between_known: bool
    """Does the floor hold what differs from campaign to campaign?"""


def noise_bands(
    segment: Sequence[BandPoint], steps: Collection[Any], floors: Mapping[str, Floor]
) -> list[Band]:
    """The bands of one segment, in order of their first campaign; none for a place that was never
    weighed against itself.

    :param segment: its points, oldest first.
    :param steps: first campaigns of the levels that confirmed steps began.
    :param floors: by place.
    """
    return [
        _band(points, floors[place])
        for place, points in _stretches(segment, steps)
        if place in floors and min(min(point.repeats) for point in points) > 0
    ]


def _stretches(
    segment: Sequence[BandPoint], steps: Collection[Any]
) -> Iterator[tuple[str, list[BandPoint]]]:
    """Points of one level and place, those of each level by place."""
    by_place: dict[str, list[BandPoint]] = {}
    for point in segment:
        if point.campaign in steps:
            yield from by_place.items()
            by_place = {}
        if point.place is not None and point.repeats:
            by_place.setdefault(point.place, []).append(point)
    yield from by_place.items()


def _band(points: Sequence[BandPoint], floor: Floor) -> Band:
    level = float(np.median([point.value for point in points]))
    sizes = [len(point.repeats) for point in points]
    usual = round(float(np.median(sizes)))
    width = floor.of_pairs(usual)
    if floor.between is not None:
        within = within_campaigns([np.log(np.asarray(point.repeats)) for point in points])
        width = max(width, floor.of_campaigns(sizes, usual, within))
    place = points[0].place
    assert place is not None  # noqa: S101 - chosen above
    return Band(
        first=points[0].campaign,
        last=points[-1].campaign,
        place=place,
        level=level,
        low=level / (1 + width),
        high=level * (1 + width),
        floor=width,
        between_known=floor.between is not None,
    )
