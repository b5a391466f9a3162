"""A cell in figures, against base or anchor: estimate, error, p-values. Pure.

The level comes from the base. The variance between campaigns comes from every completed campaign of
the cell's series (`verdicts/campaigns.py`), and from a noise floor; where neither is known, nothing
is told. A gate's cells borrow from each other what they know of it (`arithmetic/shrinkage.py`): ten
campaigns alone leave a t with nine degrees of freedom, which over 24 cells and many looks could
tell almost nothing.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.families import holm
from weighhouse_judging.arithmetic.intervals import (
    RESOLUTION,
    Between,
    Floats,
    LogDifference,
    paired,
)
from weighhouse_judging.arithmetic.shrinkage import squeeze
from weighhouse_judging.verdicts.campaigns import Apart, learned
from weighhouse_judging.verdicts.figures import Method, Repeats
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.lone_anchors import beyond_the_others
from weighhouse_judging.verdicts.noise import against_base, within_campaigns
from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM

LATENCY_FACTOR = 2.0
"""The gate's threshold for p99 is this many times that for throughput (defaults 5 % and 10 %)."""

FAMILY_ERROR = 0.005
"""Chance of any false alarm over a gate's cells against the base, and again against the anchor."""

PASSING_ERROR = 0.05
"""Chance that a cell exactly at the threshold passes."""

TAIL_FREEDOM = 5.0
"""Between campaigns, beyond FAMILY_ERROR: degrees of freedom of tails as heavy as campaigns have.
One cell alone is not touched by them; of 24, one has to be that much further out."""

LATEST = 20
"""Campaigns that say how often a machine is slow by itself now."""

AS_BAD = 0.75
"""What is as bad: so much of a difference that was found."""

ONE_SIDED_95 = 1.6448536269514722


@dataclass(frozen=True)
class Against:
    """A cell against its base, or against the anchor. Relative figures: 0.05 = 5 %."""

    method: Method
    base_median: float
    median: float
    relative: float
    low: float
    high: float
    """The 95 % interval (at every look, if it was looked at); the range of ratios where it is not
    known how much campaigns differ."""
    base_repeats: int
    base_campaigns: int
    repeats: int
    p_worse: float
    """One-sided; adjusted over the gate's cells."""
    p_better: float
    p_beyond: float
    """One-sided p of "worse by the threshold or more"; small when the cell may pass."""
    threshold: float
    asked_threshold: float
    floor: float | None
    between_known: bool
    """Is the variance between campaigns part of the interval (or cancelled by pairs)?"""
    elsewhere: bool
    """Was the base measured on other machines, and nothing tells by how much they differ?"""
    hopeless: bool
    """Would even endless repeats leave the interval wider than the threshold?"""
    alone: float = 0.0
    """What an anchor is taken for that lies by itself above the campaigns next to it: so much other
    than its figure; 0 for most."""


def betweens(cells: Sequence[CellEvidence]) -> list[Between | None]:
    """What is known, for each cell, of the variance between campaigns; None where nothing is."""
    found = {index: learned(cell.course) for index, cell in enumerate(cells)}
    taught = {index: one for index, one in found.items() if one is not None}
    insides = [one.within for one in taught.values()]
    known: list[Between | None] = [
        None if cell.floor is None else cell.floor.between for cell in cells
    ]
    if not taught:
        return known
    raw = [one.between for one in taught.values()]
    scales = np.array(
        [
            max(float(one.share * inside.variance), RESOLUTION**2)
            for one, inside in zip(raw, insides, strict=True)
        ]
    )
    ratios, freedom = squeeze(
        np.array([float(one.variance) for one in raw]) / scales,
        np.array([float(one.freedom) for one in raw]),
        np.array([float(inside.freedom) for inside in insides]),
    )
    for place, index in enumerate(taught):
        own = Between(
            np.asarray(ratios[place] * scales[place]),
            np.asarray(freedom[place]),
            raw[place].share,
            tied=len(taught) > 1,
        )
        floor = known[index]
        known[index] = own if floor is None else own.with_more(floor, insides[place])
    return known


def against_all(
    cells: Sequence[CellEvidence],
    bases: Sequence[Mapping[str, Repeats]],
    known: Sequence[Between | None],
    threshold: float,
    *,
    looked_at: bool,
    family: int = 0,
) -> list[Against | None]:
    """Each cell against its base, corrected over all; None where five repeats a side are missing
    or a figure is not above 0.

    :param family: correct over so many cells at least: these are those that were chosen of them.
    """
    measured = [
        _measured(cell, base, between, threshold)
        for cell, base, between in zip(cells, bases, known, strict=True)
    ]
    present = [item for item in measured if item is not None]
    others = [1.0] * (family - len(present))
    size = len(present) + len(others)
    worse, better = (
        iter(holm([*(item.p(side, size, looked_at) for item in present), *others]))
        for side in ("worse", "better")
    )
    return [
        None if item is None else item.against(next(worse), next(better), looked_at)
        for item in measured
    ]


def as_bad_lately(cell: CellEvidence, *found: Against | None) -> int:
    """How many of the LATEST campaigns were by themselves as bad as what was found twice; 0 where
    they are too few to make it chance.

    A machine that became restless is slow more often than all its campaigns tell. A share of k of n
    is taken for (k + 1) / (n + 2) (Laplace's rule of succession); that two measurements of one
    campaign are both so slow by chance has the square of that.
    """
    taught = learned(cell.course)
    if taught is None:
        return 0
    turned = -1.0 if cell.metric.higher_is_better else 1.0
    least = min(turned * math.log1p(one.relative) for one in found if one is not None)
    rest = turned * taught.rest[-LATEST:]
    bad = int(np.sum(rest >= AS_BAD * least))
    return bad if ((bad + 1) / (rest.size + 2)) ** 2 > FAMILY_ERROR else 0


def logs(cell: CellEvidence, repeats: Repeats) -> Floats:
    """Logarithms of a cell's figures, turned so that more is worse."""
    sign = -1.0 if cell.metric.higher_is_better else 1.0
    return np.asarray(sign * np.log(list(repeats.values())))


@dataclass(frozen=True)
class _Measured:
    """A difference whose family is not yet corrected; positive when worse."""

    cell: CellEvidence
    method: Method
    difference: LogDifference
    base: tuple[float, ...]
    campaigns: int
    asked: float
    floor: float | None
    information: float
    least_error: float
    """What is left of the error after endless repeats."""
    elsewhere: bool = False
    alone: float = 0.0
    """Logarithmic."""

    @property
    def threshold(self) -> float:
        return max(self.asked, self.floor or 0.0)

    @property
    def limit(self) -> float:
        """The threshold in logarithms, on the worse side."""
        if self.cell.metric.higher_is_better:
            return -float(np.log1p(-min(self.threshold, 0.999)))
        return float(np.log1p(self.threshold))

    def p(self, side: str, family: int, looked_at: bool) -> float:
        if self.method == "unpaired":
            return 1.0
        difference = self.difference if side == "worse" else self.difference.mirrored()
        p_value = difference.p_above()
        if looked_at:
            error = FAMILY_ERROR / family
            p_value = looks.one_sided_p_at_every_look(p_value, self.information, error)
        if self.method == "two_level":
            # Looking again does not draw a campaign anew: its tails count once.
            tails = difference.p_above_with_tails(FAMILY_ERROR, TAIL_FREEDOM)
            p_value = np.maximum(p_value, tails)
        return float(p_value)

    def against(self, p_worse: float, p_better: float, looked_at: bool) -> Against:
        low, high, p_beyond = self._bounds(looked_at)
        estimate = float(self.difference.estimate)
        turned = -1.0 if self.cell.metric.higher_is_better else 1.0
        ends = sorted(float(np.expm1(turned * end)) for end in (low, high))
        return Against(
            method=self.method,
            base_median=float(np.median(self.base)),
            median=float(np.median(list(self.cell.candidate.values()))),
            relative=float(np.expm1(turned * estimate)),
            low=ends[0],
            high=ends[1],
            base_repeats=len(self.base),
            base_campaigns=self.campaigns,
            repeats=len(self.cell.candidate),
            p_worse=p_worse,
            p_better=p_better,
            p_beyond=p_beyond,
            threshold=self.threshold,
            asked_threshold=self.asked,
            floor=self.floor,
            between_known=self.method != "unpaired",
            elsewhere=self.elsewhere,
            hopeless=self.least_error * ONE_SIDED_95 > self.limit,
            alone=float(np.expm1(turned * self.alone)),
        )

    def _bounds(self, looked_at: bool) -> tuple[float, float, float]:
        """The drawn interval in logarithms, and the p of "worse by the threshold or more"."""
        if self.method == "unpaired":
            base = logs(self.cell, dict(enumerate(self.base)))
            other = logs(self.cell, self.cell.candidate)
            return float(other.min() - base.max()), float(other.max() - base.min()), 1.0
        half = self.difference.half_width()
        p_beyond = self.difference.p_below(self.limit)
        if looked_at:
            half = looks.half_width_at_every_look(self.difference, self.information)
            p_beyond = looks.one_sided_p_at_every_look(p_beyond, self.information, PASSING_ERROR)
        estimate = float(self.difference.estimate)
        return estimate - float(half), estimate + float(half), float(p_beyond)


def _measured(
    cell: CellEvidence, base: Mapping[str, Repeats], between: Between | None, threshold: float
) -> _Measured | None:
    groups = [repeats for repeats in base.values() if repeats]
    values = [value for repeats in groups for value in repeats.values()]
    if min(len(values), len(cell.candidate)) < REPEATS_FOR_A_CLAIM:
        return None
    if min(*values, *cell.candidate.values()) <= 0:
        return None
    asked = threshold * (1.0 if cell.metric.higher_is_better else LATENCY_FACTOR)
    shared = [
        (value, cell.candidate[block])
        for repeats in groups
        for block, value in repeats.items()
        if block in cell.candidate
    ]
    if shared:
        return _by_pairs(cell, shared, asked)
    measured = {name: repeats for name, repeats in base.items() if repeats}
    return _by_campaigns(cell, measured, between, asked)


def _by_pairs(
    cell: CellEvidence, shared: Sequence[tuple[float, float]], asked: float
) -> _Measured | None:
    if len(shared) < REPEATS_FOR_A_CLAIM:
        return None
    pairs = np.log(np.asarray(shared))
    own = paired((pairs[:, 1] - pairs[:, 0]) * (-1.0 if cell.metric.higher_is_better else 1.0))
    count = len(shared)
    lent = (cell.floor.lend(own, count) if cell.floor else None) or own
    return _Measured(
        cell=cell,
        method="paired",
        difference=lent,
        base=tuple(pair[0] for pair in shared),
        campaigns=1,
        asked=asked,
        floor=cell.floor.of_pairs(count) if cell.floor else None,
        information=count / looks.SHARPEST_AT,
        least_error=0.0,
    )


def _by_campaigns(
    cell: CellEvidence, groups: Mapping[str, Repeats], between: Between | None, asked: float
) -> _Measured:
    apart = _apart(cell, groups)
    if apart is None:
        between = None
    base = [
        logs(cell, repeats) + (0.0 if apart is None else apart[name].estimate)
        for name, repeats in groups.items()
    ]
    other = logs(cell, cell.candidate)
    taught = [logs(cell, one) for name, one in cell.base.items() if one and name not in groups]
    within = within_campaigns([*base, *taught, other])
    together = np.concatenate(base)
    floor, least, alone = None, math.inf, 0.0
    if between is not None and len(groups) == 1 and groups.keys() == cell.anchor.keys():
        ((name, repeats),) = groups.items()
        alone = beyond_the_others(
            logs(cell, repeats),
            [logs(cell, dict(enumerate(one))) for one in cell.next_to(name)],
            between.at(1 / len(repeats), within),
            math.log1p(asked),
        )
        base = [one + alone for one in base]
    if between is None:
        centre = float(np.mean([one.mean() for one in base]))
        difference = LogDifference(
            np.asarray(other.mean() - centre), np.asarray(math.inf), np.asarray(1.0)
        )
    else:
        difference = _moved(against_base(base, other, between, within), apart or {})
        inside = float(within.variance) / other.size
        least = float(np.sqrt(max(float(difference.error) ** 2 - inside, 0.0)))
        if cell.floor is not None:
            floor = cell.floor.of_campaigns([one.size for one in base], other.size, within)
    return _Measured(
        cell=cell,
        method="unpaired" if between is None else "two_level",
        difference=difference,
        base=tuple(value for repeats in groups.values() for value in repeats.values()),
        campaigns=len(groups),
        asked=asked,
        floor=floor,
        information=2 / (1 / together.size + 1 / other.size) / looks.SHARPEST_AT,
        least_error=least,
        elsewhere=apart is None,
        alone=alone,
    )


def _apart(cell: CellEvidence, groups: Collection[str]) -> dict[str, Apart] | None:
    """By how much the candidate's machines differ from those of each campaign, as `logs` are
    turned; None where that is not known of one of them.
    """
    places = {name: cell.places.get(name, "") for name in groups}
    found = dict.fromkeys(groups, Apart(0.0, 0.0))
    others = [name for name, place in places.items() if place and cell.place not in {"", place}]
    taught = learned(cell.course) if others else None
    turned = -1.0 if cell.metric.higher_is_better else 1.0
    for name in others:
        apart = None if taught is None else taught.machines.apart(cell.place, places[name])
        if apart is None:
            return None
        found[name] = Apart(turned * apart.estimate, apart.variance)
    return found


def _moved(difference: LogDifference, apart: Mapping[str, Apart]) -> LogDifference:
    """A difference whose base was moved to other machines: their error is one for all campaigns of
    a machine, and is taken for one over all.
    """
    added = sum(math.sqrt(one.variance) for one in apart.values()) / max(len(apart), 1)
    error = np.hypot(difference.error, added)
    return LogDifference(difference.estimate, np.asarray(error), difference.freedom)
