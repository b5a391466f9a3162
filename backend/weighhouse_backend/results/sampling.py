"""Resource samples of a run, merged by the database, so that no more is sent than is drawn."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.results.charts import width_for
from weighhouse_backend.results.models import ResourceSample


@dataclass(frozen=True)
class SampleStep:
    """Neighbouring samples of a member: shares of CPU by their mean, sizes by their largest."""

    at: datetime.datetime
    """Of the first."""
    cpu_percent: float | None
    resident_bytes: int | None
    driver_cpu_percent: float | None
    disk_bytes: int | None
    steal_percent: float | None


def sample_steps(session: Session, attempt_id: UUID, points: int) -> dict[int, list[SampleStep]]:
    """Samples of an attempt in at most about `points` steps, by member, in order of time."""
    of_attempt = ResourceSample.attempt_id == attempt_id
    counted = select(func.count()).where(of_attempt).group_by(ResourceSample.member)
    width = width_for(max(session.scalars(counted), default=0), points)
    place = func.row_number().over(
        partition_by=ResourceSample.member, order_by=ResourceSample.sequence
    )
    numbered = (
        select(
            ResourceSample.member,
            ResourceSample.at,
            ResourceSample.cpu_percent,
            ResourceSample.resident_bytes,
            ResourceSample.driver_cpu_percent,
            ResourceSample.disk_bytes,
            ResourceSample.steal_percent,
            ((place - 1) // width).label("step"),
        )
        .where(of_attempt)
        .subquery()
    )
    one = numbered.c
    rows = session.execute(
        select(
            one.member,
            func.min(one.at),
            func.avg(one.cpu_percent),
            func.max(one.resident_bytes),
            func.avg(one.driver_cpu_percent),
            func.max(one.disk_bytes),
            func.avg(one.steal_percent),
        )
        .group_by(one.member, one.step)
        .order_by(one.member, one.step)
    )
    found: dict[int, list[SampleStep]] = {}
    for member, *values in rows:
        found.setdefault(member, []).append(SampleStep(*values))
    return found
