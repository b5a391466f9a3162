"""Points of a series as they are read: thousands at once, and none is changed."""

import datetime
from typing import NamedTuple
from uuid import UUID


class StoredPoint(NamedTuple):
    """One campaign in a series, as `models.SeriesPoint` has it."""

    series_id: UUID
    campaign_id: UUID
    campaign_number: int
    at: datetime.datetime
    value: float
    low: float
    high: float
    repeats: list[float]
    fingerprint: str
    environment: str
    kernel: str | None
    memory_bytes: int | None
    version: str | None
    regressed: bool
    off_main_line: bool
    place: str | None
    stands_at: datetime.datetime
