"""Builds the levels of runs: while they are taken in, when they are settled, and of runs from
before there were any.

Nothing is kept beside the windows: where to go on follows from the latest window of each level, so
whoever is killed in the middle leaves nothing half done, and nothing is counted twice.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from uuid import UUID

import structlog
from weighhouse_judging.arithmetic.histograms import HistogramError

from weighhouse_backend.measurements.interval_rows import RAW
from weighhouse_backend.measurements.level_repository import Drawn, LevelRepository, Span
from weighhouse_backend.measurements.levels import (
    WIDTHS,
    Closed,
    Piece,
    Place,
    closed,
    lowest_width,
    reported,
)
from weighhouse_backend.measurements.packed_intervals import StoredInterval
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.measurements.samples import SampleService

log = structlog.get_logger(__name__)

BUILT_FROM = 600
"""Intervals from which on a run has levels; fewer are drawn at once without. While a run is taken
in, all its events count for it, which needs no query."""
WANTED_EVERY = 256
"""Events of a member after which its levels are wanted: fewer would cost more in looking where to
go on, more make whoever watches merge more of what is in no window yet."""
READ_AT_ONCE = 1024
"""Pieces of a level that one transaction merges."""
FIRST = -1
"""Behind it lies everything: a sequence below every one."""


@dataclass(frozen=True)
class LevelService:
    """Writes the levels of attempts, and reads them also while they grow."""

    levels: LevelRepository
    results: ResultRepository
    sampling: SampleService

    def advance(self, attempt_id: UUID, member: int) -> bool:
        """Close the windows that what a member reported so far closes; whether it has to be called
        again, as there was more than a transaction should hold.

        May run at any time, also beside intake and settlement: a window that is closed is what it
        is, whoever closes it. Leaves it to whoever is at it already. What cannot be read closes
        nothing: the run fails of it when it is settled. Runs of several drivers have their levels
        when they are settled: only then the bounds are known that are common to all.
        """
        members = self.results.members([attempt_id])[attempt_id]
        own = next((one for one in members if one.index == member), None)
        if own is None or own.events_stored < BUILT_FROM:
            return False
        if not self.levels.hold(attempt_id, wait=False):
            return False
        left = False
        if [one.index for one in members if one.share is not None] in ([], [member]):
            with suppress(HistogramError):
                left = self._go_on(attempt_id, own.project_id, member)
        self.sampling.advance(attempt_id, own.project_id, member)
        return left

    def finish(
        self, attempt_id: UUID, project_id: UUID, drivers: Sequence[int]
    ) -> Iterable[StoredInterval] | None:
        """Close the last windows of an attempt that nothing more is taken of.

        Idempotent. Raises HistogramError.

        :param drivers: members that reported intervals.
        :returns: its widest windows, in which every interval is once; None of a short run, which
            has no levels, and of several drivers.
        """
        self.levels.hold(attempt_id, wait=True)
        self.sampling.finish(attempt_id, project_id, BUILT_FROM)
        if len(drivers) != 1:
            if drivers:
                self._build_together(attempt_id, project_id)
            return None
        (member,) = drivers
        known = self.levels.span(attempt_id) is not None
        if not known and self.levels.count(attempt_id, member) < BUILT_FROM:
            return None
        self._build(attempt_id, project_id, member)
        widest = self.levels.pieces(attempt_id, WIDTHS[-1], FIRST)
        return (piece.interval for piece in widest)

    def build_wanted(self) -> bool:
        """Build the levels of one run from before there were any; False when none is left."""
        wanted = self.levels.next_wanted()
        if wanted is None:
            return False
        drivers = self.levels.driving(wanted.attempt_id)
        try:
            with self.levels.session.begin_nested():
                self.finish(wanted.attempt_id, wanted.project_id, drivers)
        except HistogramError as error:
            # It is drawn from its intervals as before, as far as they can be read.
            log.warning("levels_not_built", attempt=str(wanted.attempt_id), reason=str(error))
            self.levels.session.delete(wanted)
        else:
            self.levels.built(wanted)
        return True

    def drawn(self, attempt_id: UUID, points: int, *, heat: bool = False) -> list[Drawn] | None:
        """What is drawn of an attempt in at most about `points` windows, in order of time.

        None where it is drawn from its intervals: it has no levels, or few enough intervals, which
        are still there.

        :param heat: distributions of latency instead of figures.
        """
        span = self.levels.span(attempt_id)
        if span is None:
            return None
        width = _width(span, points)
        if width < span.lowest and not self.levels.thinned(attempt_id):
            found, _ = self.levels.drawn(attempt_id, span.lowest)
            if sum(one.merged for one in found) <= points:
                return None
        width = max(width, span.lowest)
        found, last = self.levels.drawn(attempt_id, width, heat=heat)
        tail = self._tail(attempt_id, span, width, last)
        return [*found, *(Drawn(one.window, one.piece.merged) for one in tail)]

    def finest_drawn(self, attempt_id: UUID, points: int) -> int | None:
        """The width of the level that an attempt is drawn from in at most about `points` windows,
        s; None where it is drawn from its intervals.
        """
        span = self.levels.span(attempt_id)
        if span is None:
            return None
        width = _width(span, points)
        if width < span.lowest and self.levels.merged(attempt_id, span.lowest) <= points:
            return None
        return max(width, span.lowest)

    def _tail(
        self, attempt_id: UUID, span: Span, width: int, before: Place | None
    ) -> Iterable[Closed]:
        """Windows at the end of an attempt that are not closed yet, from what there is of them.

        :param before: where the latest closed one lies, as it was read; others may have followed.
        """
        after = FIRST if before is None else before.last_sequence
        if span.member is None or not self.levels.more(attempt_id, span.member, after):
            return ()
        return closed(self._behind(attempt_id, span, width, before), width, before, final=True)

    def _behind(
        self, attempt_id: UUID, span: Span, width: int, before: Place | None
    ) -> Iterable[Piece]:
        """All that lies behind a window, as pieces of windows of a width."""
        after = FIRST if before is None else before.last_sequence
        if width == span.lowest and span.member is not None:
            return self.levels.reported(attempt_id, span.member, after)
        below = width // 2
        stored = list(self.levels.pieces(attempt_id, below, after))
        last = stored[-1].place if stored else self.levels.latest(attempt_id, below)
        if last is not None and last.last_sequence < after:
            last = before
        tail = self._tail(attempt_id, span, below, last)
        return chain(stored, (one.piece for one in tail))

    def _build(self, attempt_id: UUID, project_id: UUID, member: int) -> None:
        """Close the windows of all levels, the last ones as well: nothing more comes."""
        lowest = self._lowest(attempt_id, member)
        for width in WIDTHS[WIDTHS.index(lowest) :] if lowest else ():
            before = self.levels.latest(attempt_id, width)
            pieces = self._parts(attempt_id, member, width, lowest, before)
            windows = closed(pieces, width, before, final=True)
            self.levels.insert(attempt_id, project_id, member, width, windows)

    def _go_on(self, attempt_id: UUID, project_id: UUID, member: int) -> bool:
        """Close the windows of all levels that can be, from so many pieces of each at most. First
        all are merged, then they are stored: intake waits where their size is written down.

        :returns: whether pieces were left.
        """
        lowest, left, fresh = self._lowest(attempt_id, member), False, list[Closed]()
        found: dict[int, list[Closed]] = {}
        for width in WIDTHS[WIDTHS.index(lowest) :] if lowest else ():
            before = self.levels.latest(attempt_id, width)
            parts = self._parts(attempt_id, member, width, lowest, before)
            pieces = list(islice(parts, READ_AT_ONCE))
            if len(pieces) < READ_AT_ONCE:
                pieces += [one.piece for one in fresh]
            fresh = list(closed(pieces, width, before, final=False))
            if not fresh:  # of a window wider than all that was read, settlement makes one
                break
            left = left or len(pieces) >= READ_AT_ONCE
            found[width] = fresh
        for width, windows in found.items():
            self.levels.insert(attempt_id, project_id, member, width, windows)
        return left

    def _lowest(self, attempt_id: UUID, member: int) -> int | None:
        """The width of an attempt's lowest level, s; None while nothing was reported."""
        span = self.levels.span(attempt_id)
        if span is not None:
            return span.lowest
        durations = self.levels.durations(attempt_id, member)
        return lowest_width(durations) if durations else None

    def _parts(
        self, attempt_id: UUID, member: int, width: int, lowest: int | None, before: Place | None
    ) -> Iterable[Piece]:
        """What is stored of what the windows of a level are made of, behind its latest."""
        after = FIRST if before is None else before.last_sequence
        if width == lowest:
            return self.levels.reported(attempt_id, member, after)
        return self.levels.pieces(attempt_id, width // 2, after)

    def _build_together(self, attempt_id: UUID, project_id: UUID) -> None:
        """Levels of several drivers, from their intervals on common bounds."""
        intervals = self.results.intervals(attempt_id, span=RAW)
        if len(intervals) < BUILT_FROM or self.levels.span(attempt_id) is not None:
            return
        lowest = lowest_width([one.duration_us for one in intervals])
        pieces = [reported(number, one) for number, one in enumerate(intervals)]
        for width in WIDTHS[WIDTHS.index(lowest) :]:
            windows = list(closed(pieces, width, None, final=True))
            self.levels.insert(attempt_id, project_id, None, width, windows)
            pieces = [one.piece for one in windows]


def _width(span: Span, points: int) -> int:
    return next((one for one in WIDTHS if span.seconds <= one * points), WIDTHS[-1])
