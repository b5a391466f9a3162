"""Intervals and samples of attempts one by one, through a cursor of the server's: any number of
them takes no more memory than one batch.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.kit.db import among
from weighhouse_backend.measurements.models import Interval, ResourceSample
from weighhouse_backend.measurements.packed_intervals import (
    DriverUse,
    StoredInterval,
    cut,
    pack,
    unpack,
    unpack_extremes,
)
from weighhouse_backend.runs.instants import instant, microseconds

RAW = 1
"""Span of an interval as reported."""

BATCH = 500
"""Rows fetched at a time when all intervals of a run are gone through."""


@dataclass(frozen=True)
class MeasuredRowService:
    """Hands out rows of attempts in order; access is the caller's to check."""

    session: Session

    def intervals(self, attempt_id: UUID) -> Iterator[tuple[int, StoredInterval]]:
        """Member and interval, as its driver reported it, by its machine's clock."""
        for _, member, interval in each_interval(self.session, [attempt_id], RAW):
            yield member, interval

    def samples(self, attempt_id: UUID) -> Iterator[ResourceSample]:
        """What system, driver and machine used, by member; each by its machine's clock."""
        rows = self.session.execute(
            select(ResourceSample)
            .where(ResourceSample.attempt_id == attempt_id)
            .order_by(ResourceSample.member, ResourceSample.sequence)
            .execution_options(yield_per=BATCH)
        )
        for (sample,) in rows:
            yield sample
            self.session.expunge(sample)


def each_interval(
    session: Session, attempt_ids: Collection[UUID], span: int
) -> Iterator[tuple[UUID, int, StoredInterval]]:
    """Attempt, member and interval, in order; unpacked as they come."""
    rows = session.execute(
        select(
            Interval.attempt_id,
            Interval.member,
            Interval.phase,
            Interval.phase_index,
            Interval.started_at,
            Interval.duration_us,
            Interval.operations,
            Interval.histograms,
            Interval.lag,
            Interval.driver,
        )
        .where(among(Interval.attempt_id, attempt_ids), Interval.span == span)
        .order_by(Interval.attempt_id, Interval.member, Interval.sequence)
        .execution_options(yield_per=BATCH)
    )
    for row in rows:
        yield (
            row.attempt_id,
            row.member,
            StoredInterval(
                phase=row.phase,
                phase_index=row.phase_index,
                start_us=microseconds(row.started_at),
                duration_us=row.duration_us,
                operations=unpack(row.operations, row.histograms),
                lag=cut(row.histograms, row.lag),
                driver=DriverUse(**row.driver),
                extremes=unpack_extremes(row.operations),
            ),
        )


def by_member(
    rows: Iterable[tuple[UUID, int, StoredInterval]],
) -> dict[int, list[StoredInterval]]:
    """One attempt's rows of `each_interval`, by member."""
    found: dict[int, list[StoredInterval]] = {}
    for _, member, interval in rows:
        found.setdefault(member, []).append(interval)
    return found


def interval_row(
    interval: StoredInterval,
    *,
    attempt_id: UUID,
    member: int,
    project_id: UUID,
    sequence: int,
    span: int = RAW,
) -> dict[str, Any]:
    """A row of `intervals`."""
    operations, histograms, lag = pack(interval)
    return {
        "attempt_id": attempt_id,
        "member": member,
        "project_id": project_id,
        "span": span,
        "sequence": sequence,
        "phase": interval.phase,
        "phase_index": interval.phase_index,
        "started_at": instant(interval.start_us),
        "duration_us": interval.duration_us,
        "operations": operations,
        "histograms": histograms,
        "lag": lag,
        "driver": {
            name: value for name, value in asdict(interval.driver).items() if value is not None
        },
    }
