"""Resource samples over time: merged while a run is taken in, so that a long one is drawn soon."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.kit.db import insert_new
from weighhouse_backend.measurements.charts import width_for
from weighhouse_backend.measurements.models import ResourceSample, SampleWindow
from weighhouse_backend.measurements.sample_levels import (
    FIGURES,
    LOWEST,
    WIDTHS,
    Samples,
    packed,
    unpacked,
    windows,
)
from weighhouse_backend.runs.instants import instant, microseconds

FIRST = -1
"""Behind it lies everything: a sequence below every one."""
STREAMED = 500
"""Rows in memory at a time."""


@dataclass(frozen=True)
class _Latest:
    """Where a level of a member ends."""

    slot: int
    last_sequence: int


@dataclass(frozen=True)
class Ends:
    """The last samples of a member's stretches."""

    width: int
    """How many samples a stretch has; the last one may have fewer."""
    sequences: list[int]
    """Of their events, in order."""


@dataclass(frozen=True)
class SampleService:
    """Writes the levels of samples, and reads them also while they grow.

    Nothing is kept beside the windows: where to go on follows from the latest of each level.
    """

    session: Session

    def advance(
        self, attempt_id: UUID, project_id: UUID, member: int, *, final: bool = False
    ) -> None:
        """Close the windows that are full; in the transaction that stores the samples.

        Idempotent.

        :param final: nothing more comes, so the last windows are closed as they are.
        """
        for width in WIDTHS:
            latest = self._latest(attempt_id, member, width)
            after = FIRST if latest is None else latest.last_sequence
            if width == LOWEST:
                parts, each = self._reported(attempt_id, member, after), LOWEST
            else:
                parts, each = self._windows(attempt_id, member, width // 2, after), 2
            begin = 0 if latest is None else latest.slot + 1
            rows = [
                {
                    "attempt_id": attempt_id, "member": member, "width": width, "slot": slot,
                    "project_id": project_id, "last_sequence": one.last_sequence,
                    "at": instant(one.at_us), "figures": packed(one.figures),
                    "metrics": packed(one.metrics),
                }
                for slot, one in enumerate(windows(parts, each, final=final), begin)
            ]  # fmt: skip
            if rows:
                insert_new(self.session, SampleWindow, rows)
            elif not final:
                return

    def finish(self, attempt_id: UUID, project_id: UUID, fewest: int) -> None:
        """Close the last windows of an attempt that nothing more is taken of.

        :param fewest: samples of a member from which on it has levels.
        """
        counted = select(ResourceSample.member, func.count()).where(
            ResourceSample.attempt_id == attempt_id
        )
        for member, count in self.session.execute(counted.group_by(ResourceSample.member)):
            if count >= fewest or self._latest(attempt_id, member, LOWEST) is not None:
                self.advance(attempt_id, project_id, member, final=True)

    def steps(self, attempt_id: UUID, points: int) -> dict[int, list[Samples]]:
        """Samples of an attempt in at most about `points` steps, by member, in order of time."""
        found = {
            member: self._drawn(attempt_id, member, width)
            for member, width in self._levels(attempt_id, points).items()
        }
        for member in self._sampled(attempt_id):
            if member not in found:
                samples = list(self._reported(attempt_id, member, FIRST))
                found[member] = list(windows(samples, width_for(len(samples), points), final=True))
        return dict(sorted(found.items()))

    def ends(self, attempt_id: UUID, points: int) -> dict[int, Ends]:
        """Which samples end the stretches of `steps`, by member: of what only grows, such as a
        counter, the last is what a stretch comes to.
        """
        found: dict[int, Ends] = {}
        for member, width in self._levels(attempt_id, points).items():
            closed = select(SampleWindow.last_sequence).where(
                SampleWindow.attempt_id == attempt_id,
                SampleWindow.member == member,
                SampleWindow.width == width,
            )
            lasts = list(self.session.scalars(closed.order_by(SampleWindow.slot)))
            rest = self._behind(attempt_id, member, lasts[-1] if lasts else FIRST)
            found[member] = Ends(width, lasts + _thinned(rest, width))
        for member in self._sampled(attempt_id):
            if member not in found:
                every = self._behind(attempt_id, member, FIRST)
                width = width_for(len(every), points)
                found[member] = Ends(width, _thinned(every, width))
        return dict(sorted(found.items()))

    def _levels(self, attempt_id: UUID, points: int) -> dict[int, int]:
        """Which level at most about `points` steps are read from, by member; those with few samples
        are left out.
        """
        slots = select(SampleWindow.member, func.max(SampleWindow.slot)).where(
            SampleWindow.attempt_id == attempt_id, SampleWindow.width == LOWEST
        )
        widths = {
            member: _width((slot + 1) * LOWEST, points)
            for member, slot in self.session.execute(slots.group_by(SampleWindow.member))
        }
        return {member: width for member, width in widths.items() if width is not None}

    def _sampled(self, attempt_id: UUID) -> Iterator[int]:
        """Members that samples are there of, in order: from each to the next by the key, for an
        attempt has few members and may have very many samples.
        """
        of_attempt = select(func.min(ResourceSample.member)).where(
            ResourceSample.attempt_id == attempt_id
        )
        member = self.session.scalar(of_attempt)
        while member is not None:
            yield member
            member = self.session.scalar(of_attempt.where(ResourceSample.member > member))

    def _behind(self, attempt_id: UUID, member: int, after: int) -> list[int]:
        """Sequences of a member's samples behind one, in order."""
        behind = select(ResourceSample.sequence).where(
            ResourceSample.attempt_id == attempt_id,
            ResourceSample.member == member,
            ResourceSample.sequence > after,
        )
        return list(self.session.scalars(behind.order_by(ResourceSample.sequence)))

    def _drawn(self, attempt_id: UUID, member: int, width: int) -> list[Samples]:
        found = list(self._windows(attempt_id, member, width, FIRST))
        after = found[-1].last_sequence if found else FIRST
        tail = list(self._reported(attempt_id, member, after))
        return [*found, *windows(tail, width, final=True)]

    def _latest(self, attempt_id: UUID, member: int, width: int) -> _Latest | None:
        row = self.session.execute(
            select(SampleWindow.slot, SampleWindow.last_sequence)
            .where(
                SampleWindow.attempt_id == attempt_id,
                SampleWindow.member == member,
                SampleWindow.width == width,
            )
            .order_by(SampleWindow.slot.desc())
            .limit(1)
        ).one_or_none()
        return None if row is None else _Latest(row.slot, row.last_sequence)

    def _windows(self, attempt_id: UUID, member: int, width: int, after: int) -> Iterator[Samples]:
        """Windows of a level behind a sequence, as they are fetched."""
        rows = self.session.execute(
            select(
                SampleWindow.at,
                SampleWindow.last_sequence,
                SampleWindow.figures,
                SampleWindow.metrics,
            )
            .where(
                SampleWindow.attempt_id == attempt_id,
                SampleWindow.member == member,
                SampleWindow.width == width,
                SampleWindow.last_sequence > after,
            )
            .order_by(SampleWindow.slot)
            .execution_options(yield_per=STREAMED)
        )
        for at, last, figures, metrics in rows:
            yield Samples(microseconds(at), last, unpacked(figures), unpacked(metrics))

    def _reported(self, attempt_id: UUID, member: int, after: int) -> Iterator[Samples]:
        """Samples of a member behind a sequence, as they are fetched."""
        for row in self._rows(
            attempt_id, ResourceSample.member == member, ResourceSample.sequence > after
        ):
            yield Samples.of(row)

    def _rows(self, attempt_id: UUID, *those: Any) -> Iterator[Any]:
        columns: list[Any] = [getattr(ResourceSample, name) for name in FIGURES]
        yield from self.session.execute(
            select(
                ResourceSample.member,
                ResourceSample.sequence,
                ResourceSample.at,
                ResourceSample.metrics,
                *columns,
            )
            .where(ResourceSample.attempt_id == attempt_id, *those)
            .order_by(ResourceSample.member, ResourceSample.sequence)
            .execution_options(yield_per=STREAMED)
        )


def _thinned(sequences: Sequence[int], width: int) -> list[int]:
    """Every `width`th, and the last one."""
    rest = sequences[-1:] if len(sequences) % width else ()
    return [*sequences[width - 1 :: width], *rest]


def _width(samples: int, points: int) -> int | None:
    """The narrowest level that has at most about `points` windows; None: the samples are few."""
    if samples <= points:
        return None
    return next((one for one in WIDTHS if samples <= one * points), WIDTHS[-1])
