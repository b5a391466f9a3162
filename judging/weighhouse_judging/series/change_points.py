"""Where a series changed: steps and drifts, as they come to be known run by run. Pure.

`find_changes` looks once at a series, at which some changes may be known already. It adds one
change at a time, the one that the course of the series (`course`) speaks for most, until none is
evident; so a second step close to a first one is looked for with the first one taken away.

**Evident** is a change whose p-value, times the places where it could have begun (Bonferroni: it
was chosen because it looks best), is below the profile's. **Confirmed** is one that also has enough
points on both sides, matters in practice, and is told apart from the other kind: a step must
explain the values better than a slow drift does, and the other way round.

**Spread.** A change of spread is found like a step, of how far points are from the fit. Points are
weighed by one that is likely, long before it is told; and a step after which points scatter wider
than before has that much less evidence (each side has its own spread: Pein, Sieling & Munk 2017,
Heterogeneous Change Point Inference, Journal of the Royal Statistical Society B 79).

**Moved with the machine.** Where one machine takes over from another for good, the two are taken
for one at that place alone: a new level there is the machine's or the build's, nobody knows which.
The same is said of a step where a machine was altered (`places`).

**What was confirmed stays.** Later points may show more exactly where a change was, and when a
drift ended; they do not take back what somebody was told. `watched` replays a series from its
beginning. How often this is wrong, and how late, is measured by `bench.detection`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from weighhouse_judging.arithmetic.statistics import MAD_TO_SIGMA
from weighhouse_judging.series.changes import RULE, SAME_CHANGE_DISTANCE, Change, Known, Point, Rule
from weighhouse_judging.series.course import Course, Piece, fitted
from weighhouse_judging.series.findings import Best, Found, best_of, handovers
from weighhouse_judging.series.places import as_fitted, as_told

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

LEVELS: tuple[str, ...] = ("step", "moved")
"""Changes at which a level ends and another begins."""


def find_changes(
    points: Sequence[Point], known: Sequence[Known] = (), *, rule: Rule = RULE
) -> list[Change]:
    """All changes of one segment, after one look at it.

    `points` are one figure a campaign, oldest first, without gaps or NaN, all of one kind of
    machine; `known` are changes confirmed by earlier looks at the same segment. Returns first the
    known ones, in their order, then those that are new, of which at most the last is a candidate;
    and nothing where the points are too few to carry what is known of them. Deterministic.
    """
    look = _Look.at(points, rule)
    pieces = look.sharpened(as_fitted(known, look.places))
    if look.fitted(pieces) is None:
        return []
    found = look.extended(pieces)
    pieces, weighed = found.pieces, found.weighed
    changes = [look.described(pieces, at, weighed, "confirmed") for at in range(len(pieces))]
    if found.candidate is not None:
        pieces = [*pieces, found.candidate]
        changes.append(look.described(pieces, len(pieces) - 1, weighed, "candidate"))
    return as_told(changes, points, rule)


def watched(points: Sequence[Point], *, rule: Rule = RULE) -> list[Change]:
    """All changes of one segment, as if it had been looked at after each of its points."""
    changes: list[Change] = []
    for size in range(rule.points_before, len(points) + 1):
        changes = find_changes(points[:size], known_of(changes), rule=rule)
    return changes


def known_of(changes: Sequence[Change]) -> list[Known]:
    """What a look hands on to the next one: all that was confirmed."""
    return [Known(one.kind, one.index, one.end) for one in changes if one.status == "confirmed"]


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
        """Changes with few points after them, moved to where all points now say they were."""
        pieces = list(pieces)
        for place, piece in enumerate(pieces):
            settled = self.size - piece.index > self.rule.points_until_settled
            if settled or piece.kind not in ("step", "spread"):
                continue
            others = pieces[:place] + pieces[place + 1 :]
            whole = self.fitted(pieces)
            if whole is None:
                break
            if piece.kind == "spread":
                course = self._course(others).restlessness()
            else:
                course = self._course(others, spread=whole.spread)
            beginnings = self._beginnings(others, self.rule.points_after, piece.kind)
            apart = (
                SAME_CHANGE_DISTANCE if piece.kind == "step" else self.rule.points_around_a_spread
            )
            near = beginnings[np.abs(beginnings - piece.index) <= apart]
            if course is not None and near.size:
                index = int(near[np.argmax(course.step.likelihood[near])])
                pieces[place] = replace(piece, index=index)
        return pieces

    def extended(self, pieces: Sequence[Piece]) -> Found:
        """Pieces with those that are newly confirmed; and a candidate, where there is one."""
        pieces = list(pieces)
        weighed: list[Piece] = []
        while (course := self.fitted([*pieces, *weighed])) is not None:
            step = self._best_step(course, pieces, self.rule.points_after)
            drift = self._best_drift(course)
            moved = self._best_move(pieces, weighed)
            spread = self._best_spread(course, [*pieces, *weighed], self.rule.points_after)
            lasting = self._best_spread(course, pieces, self.rule.points_of_a_spread)
            ended = self._ended(course, pieces, drift)
            latest = self._best_step(course, pieces, 1)
            rivals = max(one.likelihood for one in (step, latest, drift, moved))
            if self._weighs(lasting, rivals) and self._is_spread(course, pieces, lasting):
                pieces, weighed = [*pieces, Piece("spread", lasting.index)], []
            elif self._weighs(spread, rivals):
                weighed.append(Piece("spread", spread.index))
            elif self._is_moved(pieces, weighed, moved, step):
                pieces.append(Piece("moved", moved.index))
            elif ended is not None:
                pieces[ended] = replace(pieces[ended], end=drift.index)
            elif self._is_step(course, pieces, step, drift):
                pieces.append(Piece("step", step.index))
            elif self._is_drift(step, drift):
                pieces.append(Piece("drift", drift.index))
            else:
                return Found(pieces, weighed, self._candidate(course, pieces, step, drift))
        return Found(pieces, weighed, None)

    def described(
        self,
        pieces: Sequence[Piece],
        place: int,
        weighed: Sequence[Piece],
        status: Literal["candidate", "confirmed"],
    ) -> Change:
        """One of the pieces, as the others leave it."""
        piece = pieces[place]
        others = [*pieces[:place], *pieces[place + 1 :]]
        whole = self._course([*pieces, *weighed])
        before, after = self._sides(whole, piece, others)
        p_value = self._p_value(piece, [*others, *weighed], whole.spread)
        profile = self.rule.strict if p_value < self.rule.strict.evident_p else self.rule.watch
        correlation = whole.autocorrelation
        return Change(
            kind=piece.kind,
            index=piece.index,
            end=piece.end,
            before=before,
            after=after,
            relative=(after - before) / abs(before) if before else 0.0,
            p_value=p_value,
            status=status,
            profile=profile.name if status == "confirmed" else None,
            autocorrelation=correlation,
            effective_points=self.size * (1 - correlation) / (1 + correlation),
        )

    def _sides(self, whole: Course, piece: Piece, others: Sequence[Piece]) -> tuple[float, float]:
        """What is before a piece and after it, in units; of a spread, shares of the level."""
        if piece.kind == "spread":
            return self._spreads(whole, others, piece.index)
        if piece.kind == "drift":
            first, last = whole.level[piece.index], whole.level[self._last(piece)]
            return self._in_units(first), self._in_units(last)
        left, right = self._around(others, piece.index)
        before = whole.level[piece.index - 1] + np.median(whole.rest[left : piece.index])
        after = whole.level[piece.index] + np.median(whole.rest[piece.index : right])
        return self._in_units(before), self._in_units(after)

    def fitted(self, pieces: Sequence[Piece]) -> Course | None:
        """The course with some pieces; None when there are too few points for them."""
        return fitted(self.values, self.places, pieces, model=self.rule.model)

    def _course(
        self, pieces: Sequence[Piece], end: int | None = None, spread: Floats | None = None
    ) -> Course:
        """The course (up to some point) of a segment that has carried as many pieces before."""
        told = None if spread is None else spread[:end]
        values, places = self.values[:end], self.places[:end]
        course = fitted(values, places, pieces, model=self.rule.model, spread=told)
        if course is None:
            message = f"{self.size} points cannot carry {len(pieces)} known changes"
            raise ValueError(message)
        return course

    def _best_step(self, course: Course, pieces: Sequence[Piece], points_after: int) -> Best:
        beginnings = self._beginnings(pieces, points_after)
        best = best_of(course, course.step, beginnings)
        rest = course.rest[best.index :]
        return self._by_side(course, best, rest - np.median(rest), beginnings.size)

    def _best_drift(self, course: Course) -> Best:
        beginnings = np.arange(self.size - self.rule.points_of_a_drift)
        best = best_of(course, course.drift, beginnings)
        rest = course.rest[best.index :]
        rest = rest - best.size * np.arange(rest.size)
        best = self._by_side(course, best, rest - np.median(rest), beginnings.size)
        return replace(best, size=best.size * (self.size - 1 - best.index))

    def _by_side(self, course: Course, best: Best, rest: Floats, places: int) -> Best:
        """A change held against the spread after it, as far as that is wider than the one before.

        `rest` is of the points after it. Until they say otherwise theirs is the one before.
        """
        if not places:
            return best
        squares = np.minimum((rest / course.spread[best.index :]) ** 2, course.clip**2)
        prior = self.rule.points_of_a_prior
        wider = (prior + float(squares.sum())) / (prior + rest.size)
        likelihood = best.likelihood / max(1.0, wider / self.rule.wider_by_chance)
        p_value = min(1.0, course.p_value(likelihood) * places)
        return replace(best, likelihood=likelihood, p_value=p_value)

    def _best_spread(self, course: Course, pieces: Sequence[Piece], points_after: int) -> Best:
        restless = course.restlessness()
        beginnings = self._beginnings(pieces, points_after, "spread")
        return best_of(restless, restless.step, beginnings) if restless is not None else Best()

    def _best_move(self, pieces: Sequence[Piece], weighed: Sequence[Piece]) -> Best:
        """Where a machine took over, and the level is most evidently another one."""
        best = Best()
        beginnings = self._beginnings(pieces, self.rule.points_after)
        for index in handovers(self.places, beginnings, self.rule):
            course = self._as_one_machine(index, [*pieces, *weighed])
            if course is not None:
                found = best_of(course, course.step, np.array([index]))
                best = max(best, found, key=lambda one: one.likelihood)
        return best

    def _as_one_machine(self, index: int, pieces: Sequence[Piece]) -> Course | None:
        """The course if the machine that took over had no level of its own."""
        old, new = self.places[index - 1], self.places[index]
        places = np.where(self.places == new, old, self.places)
        places = np.unique(places, return_inverse=True)[1].astype(np.int64)
        return fitted(self.values, places, pieces, model=self.rule.model)

    def _beginnings(self, pieces: Sequence[Piece], points_after: int, kind: str = "step") -> Codes:
        """Where a change may begin: away from both ends and from others of its like."""
        indices = np.arange(self.rule.points_before, self.size - points_after + 1)
        kinds, apart = LEVELS, self.rule.points_after
        if kind == "spread":
            kinds, apart = ("spread",), self.rule.points_of_a_spread
        for piece in pieces:
            if piece.kind in kinds:
                indices = indices[np.abs(indices - piece.index) >= apart]
        return indices

    def _ended(self, course: Course, pieces: Sequence[Piece], drift: Best) -> int | None:
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

    def _is_step(self, course: Course, pieces: Sequence[Piece], step: Best, drift: Best) -> bool:
        if step.p_value >= self.rule.watch.evident_p:
            return False
        if step.likelihood - drift.likelihood < self.rule.margin:
            return False
        return self._shifts(course, pieces, step.index)

    def _shifts(self, course: Course, pieces: Sequence[Piece], index: int) -> bool:
        """Do the levels around a point differ by what matters?"""
        left, right = self._around(pieces, index)
        before, after = course.rest[left:index], course.rest[index:right]
        level, new_level = float(np.median(before)), float(np.median(after))
        sigma = _spread_of(np.concatenate([before - level, after - new_level]))
        least = max(self._share(self.rule.smallest_shift), self.rule.smallest_sigmas * sigma)
        return abs(new_level - level) >= least

    def _is_moved(
        self, pieces: Sequence[Piece], weighed: Sequence[Piece], moved: Best, step: Best
    ) -> bool:
        if moved.p_value >= self.rule.watch.evident_p or moved.likelihood < step.likelihood:
            return False
        course = self._as_one_machine(moved.index, [*pieces, *weighed])
        return course is not None and self._shifts(course, pieces, moved.index)

    def _weighs(self, spread: Best, rivals: float) -> bool:
        return spread.p_value < self.rule.weighed_p and spread.likelihood >= rivals

    def _is_spread(self, course: Course, pieces: Sequence[Piece], spread: Best) -> bool:
        if spread.p_value >= self.rule.watch.evident_p:
            return False
        low, high = sorted(self._spreads(course, pieces, spread.index))
        return high >= max(self.rule.smallest_ratio * low, self.rule.smallest_spread)

    def _spreads(self, course: Course, pieces: Sequence[Piece], index: int) -> tuple[float, float]:
        """Robust standard deviations before a change of spread, and after it."""
        left, right = self._around(pieces, index, ("spread",))
        before, after = course.rest[left:index], course.rest[index:right]
        return _spread_of(before), _spread_of(after)

    def _is_drift(self, step: Best, drift: Best) -> bool:
        return (
            drift.p_value < self.rule.watch.evident_p
            and drift.likelihood - step.likelihood >= self.rule.drift_margin
            and abs(drift.size) >= self._share(self.rule.smallest_shift)
        )

    def _candidate(
        self, course: Course, pieces: Sequence[Piece], step: Best, drift: Best
    ) -> Piece | None:
        latest = self._best_step(course, pieces, self.rule.points_of_a_candidate)
        if latest.likelihood > step.likelihood:
            step = latest
        best = step if step.likelihood >= drift.likelihood else drift
        if best.p_value >= self.rule.watch.evident_p:
            return None
        return Piece("step" if best is step else "drift", best.index)

    def _around(
        self, others: Sequence[Piece], index: int, kinds: Sequence[str] = LEVELS
    ) -> tuple[int, int]:
        """The part before and after a change that no other of its like cuts."""
        cuts = [piece.index for piece in others if piece.kind in kinds]
        left = max((cut for cut in cuts if cut < index), default=0)
        right = min((cut for cut in cuts if cut > index), default=self.size)
        return left, right

    def _last(self, drift: Piece) -> int:
        """The last point to which a drift leads."""
        return self.size - 1 if drift.end is None else min(drift.end, self.size - 1)

    def _p_value(self, piece: Piece, others: Sequence[Piece], spread: Floats) -> float:
        """Of one piece given the others, adjusted for the places where it could begin."""
        if piece.kind == "moved":
            one = self._as_one_machine(piece.index, others)
            return 1.0 if one is None else one.p_value(one.step.likelihood[piece.index])
        if piece.kind == "spread":
            restless = self._course(others).restlessness()
            if restless is None:
                return 1.0
            places = self._beginnings(others, self.rule.points_after, "spread").size
            return min(1.0, restless.p_value(restless.step.likelihood[piece.index]) * places)
        if piece.kind == "step":
            course = self._course(others, spread=spread)
            places = self._beginnings(others, self.rule.points_of_a_candidate).size
            return min(1.0, course.p_value(course.step.likelihood[piece.index]) * places)
        end = self._last(piece) + 1
        earlier = [other for other in others if other.index < end]
        course = self._course(earlier, end, spread)
        return min(1.0, course.p_value(course.drift.likelihood[piece.index]) * end)

    def _share(self, relative: float) -> float:
        """A relative size in the unit of the values."""
        return relative if self.scale is not None else math.log1p(relative)

    def _in_units(self, level: float) -> float:
        return float(math.exp(level) if self.scale is None else level * self.scale)


def _spread_of(rest: Floats) -> float:
    return MAD_TO_SIGMA * float(np.median(np.abs(rest)))
