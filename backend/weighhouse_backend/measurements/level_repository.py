"""All queries of levels."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any
from uuid import UUID

from sqlalchemy import Select, delete, exists, func, select
from sqlalchemy.orm import Session

from weighhouse_backend.kit.db import Base, among, insert_new
from weighhouse_backend.measurements.interval_rows import RAW
from weighhouse_backend.measurements.levels import Closed, Piece, Place, reported
from weighhouse_backend.measurements.models import (
    Interval,
    LevelsWanted,
    LevelWindow,
    ThinnedAttempt,
)
from weighhouse_backend.measurements.packed_intervals import (
    DriverUse,
    StoredInterval,
    cut,
    pack,
    unpack,
)
from weighhouse_backend.measurements.packed_intervals import unpack_extremes as extremes
from weighhouse_backend.measurements.points import Window, packed_points, unpacked_points
from weighhouse_backend.runs.instants import instant, microseconds
from weighhouse_backend.runs.models import Attempt

STREAMED = 200
"""Rows in memory at a time."""
USUAL = 100
"""Intervals that tell the usual length of one."""


@dataclass(frozen=True)
class Span:
    """Which levels an attempt has."""

    lowest: int
    """Width of its lowest level, s."""
    seconds: float
    """How long the attempt's closed windows last in all."""
    member: int | None
    """Whose intervals they merge; None: those of several drivers."""


@dataclass(frozen=True)
class Drawn:
    """A stored window, as charts take it."""

    window: Window
    merged: int


@dataclass(frozen=True)
class LevelRepository:
    """Reads and writes windows of levels; everything is asked for by attempt."""

    session: Session

    def span(self, attempt_id: UUID) -> Span | None:
        """Which levels an attempt has; None when it has none."""
        lowest = self.session.execute(
            select(LevelWindow.width_seconds, LevelWindow.member)
            .where(LevelWindow.attempt_id == attempt_id)
            .order_by(LevelWindow.width_seconds, LevelWindow.sequence)
            .limit(1)
        ).one_or_none()
        if lowest is None:
            return None
        ends = [
            self.session.execute(
                select(LevelWindow.started_at, LevelWindow.duration_us)
                .where(
                    LevelWindow.attempt_id == attempt_id,
                    LevelWindow.width_seconds == lowest.width_seconds,
                )
                .order_by(order)
                .limit(1)
            ).one()
            for order in (LevelWindow.sequence, LevelWindow.sequence.desc())
        ]
        first, last = ends
        length = microseconds(last.started_at) + last.duration_us - microseconds(first.started_at)
        return Span(lowest.width_seconds, length / 1e6, lowest.member)

    def leveled(self, attempt_ids: Collection[UUID]) -> set[UUID]:
        """Those of some attempts that have levels."""
        has_levels = exists().where(LevelWindow.attempt_id == Attempt.id)
        of_them = select(Attempt.id).where(among(Attempt.id, attempt_ids), has_levels)
        return set(self.session.scalars(of_them))

    def hold(self, attempt_id: UUID, *, wait: bool) -> bool:
        """Be the only one who builds levels of an attempt, until the end of the transaction: two
        would wait for each other, each for rows that the other has stored.

        :param wait: for another who is at it; else false is told of one.
        """
        key = func.hashtextextended(f"levels {attempt_id}", 0)
        take = func.pg_advisory_xact_lock if wait else func.pg_try_advisory_xact_lock
        return self.session.scalar(select(take(key))) is not False

    def latest(self, attempt_id: UUID, width: int) -> Place | None:
        """Where the latest window of a level lies; None when it has none."""
        row = self.session.execute(
            select(
                LevelWindow.phase_index,
                LevelWindow.phase_began_at,
                LevelWindow.slot,
                LevelWindow.last_sequence,
            )
            .where(LevelWindow.attempt_id == attempt_id, LevelWindow.width_seconds == width)
            .order_by(LevelWindow.sequence.desc())
            .limit(1)
        ).one_or_none()
        return None if row is None else _place(row)

    def durations(self, attempt_id: UUID, member: int) -> list[int]:
        """Lengths of the latest intervals of a member, µs."""
        return list(
            self.session.scalars(
                select(Interval.duration_us)
                .where(
                    Interval.attempt_id == attempt_id,
                    Interval.member == member,
                    Interval.span == RAW,
                )
                .order_by(Interval.sequence.desc())
                .limit(USUAL)
            )
        )

    def reported(self, attempt_id: UUID, member: int, after: int) -> Iterator[Piece]:
        """Intervals of a member as reported, behind a sequence, as they are fetched."""
        query = (
            select(Interval)
            .where(
                Interval.attempt_id == attempt_id,
                Interval.member == member,
                Interval.span == RAW,
                Interval.sequence > after,
            )
            .order_by(Interval.sequence)
        )
        for row in self._streamed(query, Interval):
            yield reported(row.sequence, _interval(row))

    def more(self, attempt_id: UUID, member: int, after: int) -> bool:
        """Whether a member reported an interval behind a sequence."""
        behind = select(Interval.sequence).where(
            Interval.attempt_id == attempt_id,
            Interval.member == member,
            Interval.span == RAW,
            Interval.sequence > after,
        )
        return self.session.scalar(behind.limit(1)) is not None

    def pieces(self, attempt_id: UUID, width: int, after: int) -> Iterator[Piece]:
        """Windows of a level behind a sequence, as they are fetched."""
        query = (
            select(LevelWindow)
            .where(
                LevelWindow.attempt_id == attempt_id,
                LevelWindow.width_seconds == width,
                LevelWindow.sequence > after,
            )
            .order_by(LevelWindow.sequence)
        )
        for row in self._streamed(query, LevelWindow):
            yield Piece(_interval(row), row.sequence, row.last_sequence, row.merged, _place(row))

    def drawn(
        self, attempt_id: UUID, width: int, *, heat: bool = False
    ) -> tuple[list[Drawn], Place | None]:
        """The windows of a level, in order, without their histograms; and where the last lies.

        :param heat: with the latencies' distribution, else without.
        """
        columns: list[Any] = [
            LevelWindow.phase,
            LevelWindow.phase_index,
            LevelWindow.phase_began_at,
            LevelWindow.slot,
            LevelWindow.last_sequence,
            LevelWindow.started_at,
            LevelWindow.duration_us,
            LevelWindow.merged,
            LevelWindow.driver,
            LevelWindow.heat if heat else LevelWindow.figures,
        ]
        rows = self.session.execute(
            select(*columns)
            .where(LevelWindow.attempt_id == attempt_id, LevelWindow.width_seconds == width)
            .order_by(LevelWindow.sequence)
        ).all()
        drawn = [Drawn(_window(row, heat=heat), row.merged) for row in rows]
        return drawn, _place(rows[-1]) if rows else None

    def merged(self, attempt_id: UUID, width: int) -> int:
        """How many intervals as reported the windows of a level merge."""
        counted = select(func.sum(LevelWindow.merged)).where(
            LevelWindow.attempt_id == attempt_id, LevelWindow.width_seconds == width
        )
        return self.session.scalar(counted) or 0

    def thinned(self, attempt_id: UUID) -> bool:
        """Whether an attempt's intervals were removed."""
        step = select(ThinnedAttempt.step_seconds).where(ThinnedAttempt.attempt_id == attempt_id)
        return self.session.scalar(step) is not None

    def remove_below(self, attempt_id: UUID, width: int) -> None:
        """Remove an attempt's intervals, and its levels that are finer than a width, s."""
        self.session.execute(
            delete(LevelWindow).where(
                LevelWindow.attempt_id == attempt_id, LevelWindow.width_seconds < width
            )
        )
        self.session.execute(delete(Interval).where(Interval.attempt_id == attempt_id))

    def insert(
        self, attempt_id: UUID, project_id: UUID, member: int | None, width: int,
        windows: Iterable[Closed],
    ) -> int:  # fmt: skip
        """Store windows as they come, those of one insert at a time in memory; how many."""
        stored = 0
        rows = (_row(attempt_id, project_id, member, width, one) for one in windows)
        while batch := list(islice(rows, STREAMED)):
            insert_new(self.session, LevelWindow, batch)
            stored += len(batch)
        return stored

    def next_wanted(self) -> LevelsWanted | None:
        """An attempt whose levels are still to be built, locked; one that nobody else builds."""
        return self.session.scalar(
            select(LevelsWanted)
            .order_by(LevelsWanted.attempt_id.desc())
            .limit(1)
            .with_for_update(skip_locked=True)
        )

    def built(self, wanted: LevelsWanted) -> None:
        """What was wanted is there: its former merged intervals go."""
        self.session.execute(
            delete(Interval).where(
                Interval.attempt_id == wanted.attempt_id, Interval.member == 0, Interval.span > RAW
            )
        )
        self.session.delete(wanted)

    def driving(self, attempt_id: UUID) -> list[int]:
        """Members of an attempt that reported intervals, in order."""
        return list(
            self.session.scalars(
                select(Interval.member)
                .where(Interval.attempt_id == attempt_id, Interval.span == RAW)
                .distinct()
                .order_by(Interval.member)
            )
        )

    def count(self, attempt_id: UUID, member: int) -> int:
        """How many intervals a member reported."""
        return (
            self.session.scalar(
                select(func.count())
                .select_from(Interval)
                .where(
                    Interval.attempt_id == attempt_id,
                    Interval.member == member,
                    Interval.span == RAW,
                )
            )
            or 0
        )

    def _streamed(self, query: Select[Any], table: type[Base]) -> Iterator[Any]:
        columns = [column for column in table.__table__.columns if column.name != "figures"]
        plain = query.with_only_columns(*columns)
        yield from self.session.execute(plain.execution_options(yield_per=STREAMED))


def _place(row: Any) -> Place:
    return Place(row.phase_index, microseconds(row.phase_began_at), row.slot, row.last_sequence)


def _interval(row: Any) -> StoredInterval:
    return StoredInterval(
        phase=row.phase,
        phase_index=row.phase_index,
        start_us=microseconds(row.started_at),
        duration_us=row.duration_us,
        operations=unpack(row.operations, row.histograms),
        lag=cut(row.histograms, row.lag),
        driver=DriverUse(**row.driver),
        extremes=extremes(row.operations),
    )


def _window(row: Any, *, heat: bool) -> Window:
    start = microseconds(row.started_at)
    if heat:
        return Window(row.phase, start, start + row.duration_us, {}, dict(row.heat))
    drawn = unpacked_points(row.phase, start, start + row.duration_us, row.figures)
    driver = DriverUse(**row.driver)
    return replace(drawn, drain=driver.drain, due=driver.due)


def _row(
    attempt_id: UUID, project_id: UUID, member: int | None, width: int, one: Closed
) -> dict[str, Any]:
    interval = one.piece.interval
    operations, histograms, lag = pack(interval)
    figures, heat = packed_points(one.window)
    return {
        "attempt_id": attempt_id,
        "width_seconds": width,
        "sequence": one.piece.sequence,
        "last_sequence": one.piece.last_sequence,
        "member": member,
        "project_id": project_id,
        "phase": interval.phase,
        "phase_index": interval.phase_index,
        "phase_began_at": instant(one.place.phase_began_us),
        "slot": one.place.slot,
        "started_at": instant(interval.start_us),
        "duration_us": interval.duration_us,
        "merged": one.piece.merged,
        "figures": figures,
        "heat": heat,
        "operations": operations,
        "histograms": histograms,
        "lag": lag,
        "driver": {
            name: value for name, value in vars(interval.driver).items() if value is not None
        },
    }
