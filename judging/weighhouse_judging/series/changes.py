"""What a change of a series is, and what it must fulfil to be told. Pure."""

from dataclasses import dataclass
from typing import Literal

from weighhouse_judging.series.course import MODEL, Kind, Model

SAME_CHANGE_DISTANCE = 5
"""Two finds this many points apart or nearer are one change, whose place became clearer."""


@dataclass(frozen=True)
class Profile:
    """How much evidence a change needs."""

    name: Literal["watch", "strict"]
    evident_p: float
    """Largest p of a change, adjusted for the places it could have begun at."""


WATCH = Profile("watch", evident_p=0.015)
"""What is drawn as confirmed."""

STRICT = Profile("strict", evident_p=1e-3)
"""What notifies and gates."""


@dataclass(frozen=True)
class Rule:
    """What a confirmed change must fulfil; the bench varies it."""

    model: Model = MODEL
    watch: Profile = WATCH
    strict: Profile = STRICT
    points_before: int = 8
    points_after: int = 4
    points_of_a_candidate: int = 3
    """Points after a candidate."""
    points_of_a_drift: int = 20
    """Points over which a drift must last: what is shorter is a step that took its time."""
    smallest_shift: float = 0.03
    """Smallest relative size of a step; of a drift, from its beginning to now."""
    smallest_sigmas: float = 1.0
    """Smallest size of a step in robust standard deviations of a point."""
    margin: float = 1.5
    """By how much twice the log likelihood of a step must exceed that of a drift."""
    drift_margin: float = 2.0
    """By how much that of a drift must exceed that of a step."""
    points_until_settled: int = 30
    """Points after a step from which its place is no longer looked for."""
    points_of_a_spread: int = 8
    """Points on each side of a change of spread."""
    points_around_a_spread: int = 15
    """Points by which the place of a change of spread may move as more become known."""
    points_of_a_prior: int = 4
    """Points by which the spread before a change speaks for that after it."""
    wider_by_chance: float = 1.6
    """How much wider, in squares, the spread after a change is taken for chance."""
    weighed_p: float = 0.2
    """Adjusted p of a change of spread from which points are weighed by it, told or not."""
    smallest_ratio: float = 1.5
    """Smallest ratio of two spreads that is told."""
    smallest_spread: float = 0.01
    """The larger of two spreads below which a change of them matters to nobody, relative."""


RULE = Rule()


@dataclass(frozen=True)
class Point:
    """One campaign in a segment."""

    value: float
    place: str = ""
    """Which machines measured it."""
    altered: bool = False
    """Has something of them changed since their last campaign that makes no other kind?"""


@dataclass(frozen=True)
class Known:
    """A change that was confirmed before."""

    kind: Kind
    index: int
    end: int | None = None


@dataclass(frozen=True)
class Change:
    """A change of a segment."""

    kind: Kind
    index: int
    """A drift: the last point before it. All others: the first point of what is new."""
    end: int | None
    """Where a drift ended; None while it goes on, and of all others."""
    before: float
    after: float
    """The levels around a step; the level where a drift began, and where it ended or stands now. Of
    a change of spread: the standard deviations around the level, relative to it.
    """
    relative: float
    """By how much `after` is more than `before`."""
    p_value: float
    """Two-sided, adjusted for the places where the change could have begun."""
    status: Literal["candidate", "confirmed"]
    profile: Literal["watch", "strict"] | None
    """The strictest profile that confirms it."""
    autocorrelation: float
    effective_points: float
    """How many independent points the segment is worth, given its autocorrelation."""


def same_change(index: int, other: int) -> bool:
    """Are finds at these two places the same change, seen with more or fewer points?"""
    return abs(index - other) <= SAME_CHANGE_DISTANCE
