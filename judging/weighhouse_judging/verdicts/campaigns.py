"""How much whole campaigns differ, and what may be decided by it. Pure.

Two campaigns of the same thing differ by more than their repeats explain: a machine that was
started again, a disk that is fuller, another neighbour. Only many campaigns tell by how much.

**Learned from all of them.** The variance is that of the campaigns' means about the fitted course
of their series (`series.watching`): steps, drifts and machines that differ are taken out, and cost
their degrees of freedom. All completed campaigns count but regressions that a second measurement
confirmed, and nobody accepted: what a build lost is no noise. Those that passed alone would be a
sample with its tail cut off, which makes each next one look worse (Cohen 1959, Technometrics 1).

**Machines.** Those of one kind differ by some percent. By how much is read off the same course, and
taken out where a campaign is set against one of another machine; where nothing tells, nothing is.

**Decided with care.** A few campaigns that lie close together may have come by chance from a
machine of two speeds, and campaigns have heavier tails than a normal distribution. What is
*decided* between campaigns therefore takes in what machines usually do, as if so many campaigns
before had differed by PRIOR_DEVIATION, and a t of few degrees of freedom. What is *drawn* is not
widened by either.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from weighhouse_judging.arithmetic.intervals import (
    Between,
    Floats,
    LogDifference,
    Spread,
    two_campaigns,
)
from weighhouse_judging.series.change_points import find_changes
from weighhouse_judging.series.changes import Point
from weighhouse_judging.series.course import Piece, column
from weighhouse_judging.verdicts.noise import (
    FEWEST_CAMPAIGNS,
    mean_share,
    told_within,
    within_campaigns,
)

PRIOR_DEVIATION = 0.03
"""By how much campaigns of one thing usually differ on machines of which nothing is known."""

PRIOR_FREEDOM = 3.0
"""Campaigns that this is worth; it fades as more are known."""

MOST_FREEDOM = 6.0
"""Degrees of freedom of the t by which is decided: tails as campaigns have them."""

ESTIMABLE = 1e-6
"""What rounding leaves of a contrast that the campaigns tell."""

MOST_PAST = 60
"""The latest campaigns that are looked at: machines change."""


@dataclass(frozen=True)
class PastCampaign:
    """A completed campaign of one cell and figure that is no confirmed regression."""

    repeats: tuple[float, ...]
    """In the figure's unit, above 0; one or more."""
    place: str = ""
    """Which machines measured it."""


@dataclass(frozen=True)
class Apart:
    """By how much a machine's campaigns lie above another's; logarithms."""

    estimate: float
    variance: float


@dataclass(frozen=True)
class Machines:
    """By how much the machines of a series differ, as its fitted course has it."""

    places: tuple[str, ...]
    """The last columns of the course are those of all but the first."""
    weights: Floats
    covariance: Floats
    """Of the weights."""
    told: Floats
    """Projection on what the campaigns tell of the weights."""

    def apart(self, place: str, other: str) -> Apart | None:
        """One machine against another; None where they cannot be told from the course: one has no
        campaign, or took over where the level changed.
        """
        if place not in self.places or other not in self.places:
            return None
        contrast = self._column(place) - self._column(other)
        if not np.allclose(contrast @ self.told, contrast, atol=ESTIMABLE):
            return None
        variance = float(contrast @ self.covariance @ contrast)
        return Apart(float(contrast @ self.weights), variance)

    def _column(self, place: str) -> Floats:
        column = np.zeros(self.weights.size)
        index = self.places.index(place)
        if index:
            column[index - len(self.places)] = 1.0
        return column


@dataclass(frozen=True)
class Learned:
    """What the campaigns of a series tell of their noise."""

    between: Between
    within: Spread
    campaigns: int
    machines: Machines
    rest: Floats
    """By how much each campaign's mean lies above the course, oldest first; logarithms."""


def learned(past: Sequence[PastCampaign]) -> Learned | None:
    """How much campaigns differ about the course of their series, oldest first; None if too few.

    Freedom: campaigns less what the course took (a level, each change, each further machine).
    """
    usable = tuple(one for one in past if one.repeats and min(one.repeats) > 0)[-MOST_PAST:]
    return None if len(usable) < FEWEST_CAMPAIGNS else _learned(usable)


@lru_cache(maxsize=1024)
def _learned(usable: tuple[PastCampaign, ...]) -> Learned | None:
    groups = [np.log(np.asarray(one.repeats, dtype=np.float64)) for one in usable]
    means = np.array([float(group.mean()) for group in groups])
    places = tuple(sorted({one.place for one in usable}))
    design = _design(usable, means, places)
    weights, _, rank, _ = np.linalg.lstsq(design, means, rcond=None)
    freedom = len(usable) - int(rank)
    if freedom < FEWEST_CAMPAIGNS - 1:
        return None
    variance = float(np.square(means - design @ weights).sum()) / freedom
    between = Between(
        np.asarray(variance),
        np.asarray(float(freedom)),
        np.asarray(mean_share(groups)),
        within=told_within(groups),
    )
    inverse = np.linalg.pinv(design)
    machines = Machines(places, weights, variance * (inverse @ inverse.T), inverse @ design)
    return Learned(
        between, within_campaigns(groups), len(usable), machines, means - design @ weights
    )


def as_decided(a: Floats, b: Floats, between: Between) -> LogDifference:
    """A campaign against another, as is decided by; `intervals.two_campaigns` is what is drawn."""
    careful = with_prior(between, between.within or within_campaigns([a, b]))
    return two_campaigns(a, b, careful).with_tails(MOST_FREEDOM)


def with_prior(between: Between, within: Spread) -> Between:
    """What is known, and what machines usually do; the freedom stays that of what is known."""
    usual = PRIOR_DEVIATION**2 + between.share * within.variance
    total = between.freedom + PRIOR_FREEDOM
    variance = (between.freedom * between.variance + PRIOR_FREEDOM * usual) / total
    return replace(between, variance=np.asarray(variance))


def _design(past: Sequence[PastCampaign], means: Floats, all_places: Sequence[str]) -> Floats:
    """Columns of the course: level, evident changes, machines."""
    points = [
        Point(math.exp(mean), one.place) for mean, one in zip(means.tolist(), past, strict=True)
    ]
    changes = [
        Piece(one.kind, one.index, one.end) for one in find_changes(points) if one.kind != "spread"
    ]
    return np.stack(
        [
            np.ones(means.size),
            *(column(means.size, piece) for piece in changes),
            *(
                np.array([one.place == place for one in past], dtype=np.float64)
                for place in all_places[1:]
            ),
        ],
        axis=1,
    )
