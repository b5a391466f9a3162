"""Histograms that leave the house, as JSON."""

import datetime
from uuid import UUID

from pydantic import BaseModel

from weighhouse_backend.disclosure.caveat_schemas import CaveatRead


class HistogramFacts(BaseModel):
    """What a histogram is of: what has to be known before it is compared with another."""

    counts: str
    """Which operations, and from when to when each was timed."""
    unit: str
    """Of its values: `µs`."""
    system: str
    target: str
    target_name: str
    """What it is called beside the others of its campaign."""
    version: str | None
    workload: str
    load_level: str
    operation: str
    phase: str
    experiment: str
    campaign_id: UUID
    campaign_number: int
    run_ids: list[UUID]
    """Merged in it."""
    repetitions: list[int]
    overflow: int
    """Values above its range: counted by the run, and in no percentile."""
    software: str
    exported_at: datetime.datetime
    so_far: str
    """`so far, 12 of 30 runs, at 2026-11-26 19:40 UTC`, where more runs may come; else empty."""


class HistogramPercentile(BaseModel):
    """A point of its percentile spectrum; `count` operations took at most `value_us`."""

    quantile: float
    value_us: float
    count: int


class HistogramRead(BaseModel):
    """A merged histogram with its facts, and what must stand beside it."""

    facts: HistogramFacts
    total: int
    mean_us: float | None
    max_us: float | None
    percentiles: list[HistogramPercentile]
    buckets_us: list[float]
    """Upper ends of the buckets that hold something."""
    counts: list[int]
    """Operations in each of them."""
    encoded: str
    """The same in HdrHistogram's compressed V2 form, base64; its values are nanoseconds."""
    caveats: list[CaveatRead]
    view: str
    """Address of the page that shows it."""
    stamp: str | None
    """`not for publication: REASON`, where the systems' terms do not allow it."""
