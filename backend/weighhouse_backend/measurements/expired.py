"""What was removed of a run, as the API shows it."""

import datetime

from pydantic import BaseModel

from weighhouse_backend.measurements.models import ThinnedAttempt


class ThinnedRead(BaseModel):
    """What was removed of a run because it was older than its project's rules keep it.

    Its figures, merged histograms, findings and what was sampled are never removed.
    """

    intervals_at: datetime.datetime | None
    """When its intervals were; null: they are all there."""
    step_seconds: int | None
    """Width of the steps that were kept in their stead."""
    logs_at: datetime.datetime | None
    artifacts_at: datetime.datetime | None


def thinned_read(row: ThinnedAttempt | None) -> ThinnedRead | None:
    """What was removed of an attempt; None where nothing was, though it was looked at."""
    if row is None:
        return None
    found = ThinnedRead(
        intervals_at=None if row.step_seconds is None else row.intervals_at,
        step_seconds=row.step_seconds,
        logs_at=row.logs_at,
        artifacts_at=row.artifacts_at,
    )
    return found if any(value is not None for value in dict(found).values()) else None
