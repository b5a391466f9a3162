"""Intervals and samples of attempts one by one, through a cursor of the server's: any number of
them takes no more memory than one batch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.measurements.models import Interval, ResourceSample
from weighhouse_backend.measurements.packed_intervals import (
    DriverUse,
    StoredInterval,
    cut,
    unpack,
    unpack_extremes,
)
from weighhouse_backend.runs.instants import microseconds

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
        return each_interval(self.session, attempt_id, RAW)

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
    session: Session, attempt_id: UUID, span: int
) -> Iterator[tuple[int, StoredInterval]]:
    """Member and interval; unpacked as they come."""
    rows = session.execute(
        select(
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
        .where(Interval.attempt_id == attempt_id, Interval.span == span)
        .order_by(Interval.member, Interval.sequence)
        .execution_options(yield_per=BATCH)
    )
    for row in rows:
        yield (
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
