"""Where a series changed: steps and drifts, as they come to be known run by run. Pure.

`find_changes` looks once at a series, at which some changes may be known already. It adds one
change at a time, the one that the course of the series (`course`) speaks for most, until none is
evident; so a second step close to a first one is looked for with the first one taken away.

**Evident** is a change whose p-value, times the places where it could have begun (Bonferroni: it
was chosen because it looks best), is below the profile's. **Confirmed** is one that also has enough
points on both sides, matters in practice, and is told apart from the other kind: a step must
explain the values better than a slow drift does, and the other way round.

**What was confirmed stays.** Later points may show more exactly where a change was, and when a
drift ended; they do not take back what somebody was told. `watched` replays a series from its
beginning, as if it had been looked at after each run.

How often this is wrong, and how late, is measured by `bench.detection`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from weighhouse_judging.arithmetic.statistics import MAD_TO_SIGMA
from weighhouse_judging.series.course import (
    MODEL,
    Course,
    Evidence,
    Kind,
    Model,
    Piece,
    fitted,
)

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

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


RULE = Rule()


@dataclass(frozen=True)
class Point:
    """One campaign in a segment."""

    value: float
    place: str = ""
    """Which machines measured it."""


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
    """A step: the first point of the new level. A drift: the last point before it."""
    end: int | None
    """Where a drift ended; None while it goes on, and of a step."""
    before: float
    after: float
    """The levels around a step; the level where a drift began, and where it ended or stands now."""
    relative: float
    p_value: float
    """Two-sided, adjusted for the places where the change could have begun."""
    status: Literal["candidate", "confirmed"]
    profile: Literal["watch", "strict"] | None
    """The strictest profile that confirms it."""
    autocorrelation: float
    effective_points: float
    """How many independent points the segment is worth, given its autocorrelation."""


def find_changes(
    points: Sequence[Point], known: Sequence[Known] = (), *, rule: Rule = RULE
) -> list[Change]:
    """All changes of one segment, after one look at it.

    `points` are one figure a campaign, oldest first, without gaps or NaN, all of one kind of
    machine; `known` are changes confirmed by earlier looks at the same segment. Returns first the
    known ones, in their order, then those that are new, of which at most the last is a candidate;
    and nothing where the points are too few to carry what is known of them.
    Promises: deterministic.
    """
    look = _Look.at(points, rule)
    pieces = look.sharpened([Piece(one.kind, one.index, one.end) for one in known])
    if look.fitted(pieces) is None:
        return []
    pieces, candidate = look.extended(pieces)
    confirmed = [look.described(pieces, place, "confirmed") for place in range(len(pieces))]
    if candidate is None:
        return confirmed
    return [*confirmed, look.described([*pieces, candidate], len(pieces), "candidate")]


def watched(points: Sequence[Point], *, rule: Rule = RULE) -> list[Change]:
    """All changes of one segment, as if it had been looked at after each of its points."""
    changes: list[Change] = []
    for size in range(rule.points_before, len(points) + 1):
        changes = find_changes(points[:size], known_of(changes), rule=rule)
    return changes


def known_of(changes: Sequence[Change]) -> list[Known]:
    """What a look hands on to the next one: all that was confirmed."""
    return [Known(one.kind, one.index, one.end) for one in changes if one.status == "confirmed"]


def same_change(index: int, other: int) -> bool:
    """Are finds at these two places the same change, seen with more or fewer points?"""
    return abs(index - other) <= SAME_CHANGE_DISTANCE


@dataclass(frozen=True)
class _Best:
    """Where a kind of change is most evident."""

    index: int = 0
    likelihood: float = 0.0
    p_value: float = 1.0
    size: float = 0.0


@dataclass(frozen=True)
class _Look:
    """The points of a segment, and what a rule concludes of them."""

    values: Floats
    """Logarithms; of a segment with values that are not positive, shares of their median size."""
    places: Codes
    scale: float | None
    """What the values are shares of; None: they are logarithms."""
    rule: Rule

    @classmethod
    def at(cls, points: Sequence[Point], rule: Rule) -> "_Look":
        raw = np.array([point.value for point in points], dtype=np.float64)
        names = {name: code for code, name in enumerate(sorted({point.place for point in points}))}
        places = np.array([names[point.place] for point in points], dtype=np.int64)
        if raw.size and float(raw.min()) > 0:
            return cls(np.log(raw), places, None, rule)
        scale = float(np.median(np.abs(raw))) if raw.size else 0.0
        scale = scale if scale > 0 else 1.0
        return cls(raw / scale, places, scale, rule)

    @property
    def size(self) -> int:
        return int(self.values.size)

    def sharpened(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Steps with few points after them, moved to where all points now say they were."""
        pieces = list(pieces)
        for place, piece in enumerate(pieces):
            if piece.kind == "step" and self.size - piece.index <= self.rule.points_until_settled:
                others = pieces[:place] + pieces[place + 1 :]
                course = self.fitted(others)
                beginnings = self._beginnings(others, self.rule.points_after)
                near = beginnings[np.abs(beginnings - piece.index) <= SAME_CHANGE_DISTANCE]
                if course is not None and near.size:
                    index = int(near[np.argmax(course.step.likelihood[near])])
                    pieces[place] = replace(piece, index=index)
        return pieces

    def extended(self, pieces: Sequence[Piece]) -> tuple[list[Piece], Piece | None]:
        """Pieces with those that are newly confirmed; and a candidate, where there is one."""
        pieces = list(pieces)
        while (course := self.fitted(pieces)) is not None:
            step = self._best_step(course, pieces, self.rule.points_after)
            drift = self._best_drift(course)
            ended = self._ended(course, pieces, drift)
            if ended is not None:
                pieces[ended] = replace(pieces[ended], end=drift.index)
            elif self._is_step(course, pieces, step, drift):
                pieces.append(Piece("step", step.index))
            elif self._is_drift(step, drift):
                pieces.append(Piece("drift", drift.index))
            else:
                return pieces, self._candidate(course, pieces, step, drift)
        return pieces, None

    def described(
        self, pieces: Sequence[Piece], place: int, status: Literal["candidate", "confirmed"]
    ) -> Change:
        """One of the pieces, as the others leave it."""
        piece = pieces[place]
        others = [*pieces[:place], *pieces[place + 1 :]]
        whole = self._course(pieces)
        last = piece.index if piece.kind == "step" else self._last(piece)
        before, after = whole.level[piece.index - (piece.kind == "step")], whole.level[last]
        if piece.kind == "step":
            left, right = self._around(others, piece.index)
            before += np.median(whole.rest[left : piece.index])
            after += np.median(whole.rest[piece.index : right])
        p_value = self._p_value(piece, others)
        profile = self.rule.strict if p_value < self.rule.strict.evident_p else self.rule.watch
        level, new_level = self._in_units(before), self._in_units(after)
        correlation = whole.autocorrelation
        return Change(
            kind=piece.kind,
            index=piece.index,
            end=piece.end,
            before=level,
            after=new_level,
            relative=(new_level - level) / abs(level) if level else 0.0,
            p_value=p_value,
            status=status,
            profile=profile.name if status == "confirmed" else None,
            autocorrelation=correlation,
            effective_points=self.size * (1 - correlation) / (1 + correlation),
        )

    def fitted(self, pieces: Sequence[Piece]) -> Course | None:
        """The course with some pieces; None when there are too few points for them."""
        return fitted(self.values, self.places, pieces, model=self.rule.model)

    def _course(self, pieces: Sequence[Piece], end: int | None = None) -> Course:
        """The course (up to some point) of a segment that has carried as many pieces before."""
        course = fitted(self.values[:end], self.places[:end], pieces, model=self.rule.model)
        if course is None:
            message = f"{self.size} points cannot carry {len(pieces)} known changes"
            raise ValueError(message)
        return course

    def _best_step(self, course: Course, pieces: Sequence[Piece], points_after: int) -> _Best:
        beginnings = self._beginnings(pieces, points_after)
        return _best(course, course.step, beginnings)

    def _best_drift(self, course: Course) -> _Best:
        beginnings = np.arange(self.size - self.rule.points_of_a_drift)
        best = _best(course, course.drift, beginnings)
        return replace(best, size=best.size * (self.size - 1 - best.index))

    def _beginnings(self, pieces: Sequence[Piece], points_after: int) -> Codes:
        """Where a step may begin: away from both ends and from other steps."""
        indices = np.arange(self.rule.points_before, self.size - points_after + 1)
        for piece in pieces:
            if piece.kind == "step":
                indices = indices[np.abs(indices - piece.index) >= self.rule.points_after]
        return indices

    def _ended(self, course: Course, pieces: Sequence[Piece], drift: _Best) -> int | None:
        """Which drift is over: one that goes on, against which a later slope runs."""
        going_on = [
            place
            for place, piece in enumerate(pieces)
            if piece.kind == "drift" and piece.end is None
        ]
        if not going_on or drift.p_value >= self.rule.watch.evident_p:
            return None
        place = going_on[-1]
        against = course.sizes[place] * drift.size < 0
        return place if against and drift.index > pieces[place].index else None

    def _is_step(self, course: Course, pieces: Sequence[Piece], step: _Best, drift: _Best) -> bool:
        if step.p_value >= self.rule.watch.evident_p:
            return False
        if step.likelihood - drift.likelihood < self.rule.margin:
            return False
        left, right = self._around(pieces, step.index)
        before, after = course.rest[left : step.index], course.rest[step.index : right]
        level, new_level = float(np.median(before)), float(np.median(after))
        spread = np.abs(np.concatenate([before - level, after - new_level]))
        sigma = MAD_TO_SIGMA * float(np.median(spread))
        least = max(self._share(self.rule.smallest_shift), self.rule.smallest_sigmas * sigma)
        return abs(new_level - level) >= least

    def _is_drift(self, step: _Best, drift: _Best) -> bool:
        return (
            drift.p_value < self.rule.watch.evident_p
            and drift.likelihood - step.likelihood >= self.rule.drift_margin
            and abs(drift.size) >= self._share(self.rule.smallest_shift)
        )

    def _candidate(
        self, course: Course, pieces: Sequence[Piece], step: _Best, drift: _Best
    ) -> Piece | None:
        latest = self._best_step(course, pieces, self.rule.points_of_a_candidate)
        if latest.likelihood > step.likelihood:
            step = latest
        best = step if step.likelihood >= drift.likelihood else drift
        if best.p_value >= self.rule.watch.evident_p:
            return None
        return Piece("step" if best is step else "drift", best.index)

    def _around(self, others: Sequence[Piece], index: int) -> tuple[int, int]:
        """The part before and after a step that no other step cuts."""
        steps = [piece.index for piece in others if piece.kind == "step"]
        left = max((step for step in steps if step < index), default=0)
        right = min((step for step in steps if step > index), default=self.size)
        return left, right

    def _last(self, drift: Piece) -> int:
        """The last point to which a drift leads."""
        return self.size - 1 if drift.end is None else min(drift.end, self.size - 1)

    def _p_value(self, piece: Piece, others: Sequence[Piece]) -> float:
        """Of one piece given the others, adjusted for the places where it could begin."""
        if piece.kind == "step":
            course = self._course(others)
            places = self._beginnings(others, self.rule.points_of_a_candidate).size
            return min(1.0, course.p_value(course.step.likelihood[piece.index]) * places)
        end = self._last(piece) + 1
        earlier = [other for other in others if other.index < end]
        course = self._course(earlier, end)
        return min(1.0, course.p_value(course.drift.likelihood[piece.index]) * end)

    def _share(self, relative: float) -> float:
        """A relative size in the unit of the values."""
        return relative if self.scale is not None else math.log1p(relative)

    def _in_units(self, level: float) -> float:
        return float(math.exp(level) if self.scale is None else level * self.scale)


def _best(course: Course, evidence: Evidence, places: Codes) -> _Best:
    """The most evident of some places, its p adjusted for their number."""
    if not places.size:
        return _Best()
    index = int(places[np.argmax(evidence.likelihood[places])])
    likelihood = float(evidence.likelihood[index])
    p_value = min(1.0, course.p_value(likelihood) * places.size)
    return _Best(index, likelihood, p_value, float(evidence.size[index]))
