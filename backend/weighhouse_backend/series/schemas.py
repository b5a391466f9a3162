"""Series as the API shows them, but for what is found in them."""

import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from weighhouse_backend.campaigns.commits import GitRead
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead


class ExperimentOfSeries(BaseModel):
    """The experiment a series belongs to."""

    id: UUID
    name: str


class SeriesFacts(BaseModel):
    """A series: what it is of, and where it stands."""

    id: UUID
    system_id: str
    target: str
    target_name: str
    """What it is called beside the others of its experiment."""
    workload: str
    load_level: LoadLevelRead
    metric: str
    points_count: int
    last_value: float | None
    last_at: datetime.datetime | None
    experiment: ExperimentOfSeries


class SeriesPointRead(BaseModel):
    """One campaign in a series."""

    at: datetime.datetime
    """Where it stands: by the time and the ancestors of its commit; else when it was asked for."""
    asked_at: datetime.datetime
    """When the campaign was asked for."""
    campaign_id: UUID
    campaign_number: int
    value: float
    low: float
    high: float
    repeats: list[float]
    segment: int
    place: str | None
    """Digest of the machines that measured it; null where they did not say."""
    kernel: str | None
    memory_bytes: int | None
    """Of those machines; null where they did not say."""
    place_changes: list[str]
    """What of these machines changed since their last point that makes no other kind of them, in
    words: `kernel 6.1.90 → 6.1.92`."""
    off_main_line: bool
    """Its campaign is of a pull request or another branch than the main one: in no level, band,
    change or noise."""
    version: str | None
    git: GitRead | None
    """The commit that the campaign was started for."""


class SegmentRead(BaseModel):
    """Points measured on one kind of machines, be they neighbours or not."""

    index: int
    fingerprint: str
    """The kind of the machines that measured its first point; opaque."""
    label: str
    starts_at: datetime.datetime


class NoiseBandRead(BaseModel):
    """Where campaigns on one machine stay while nothing changes: its noise floor about a level."""

    segment: int
    place: str
    """Digest of the machines."""
    starts_at: datetime.datetime
    ends_at: datetime.datetime
    """Of its first and last campaign: between two confirmed steps, in one segment."""
    level: float
    """Median of its campaigns."""
    low: float
    high: float
    floor: float
    """Relative; 0.05 = 5 %."""
    between_known: bool
    """Is in it what differs from campaign to campaign? Else only what differs inside a block."""


class GapRead(BaseModel):
    """Where a series could have a point, and has none."""

    kind: Literal["not_started", "no_result"]
    """A date of the schedule on which nothing was started; a campaign that left no figure."""
    at: datetime.datetime
    """The date, or the first of a stretch; when the campaign was asked for."""
    until: datetime.datetime
    """The last date of a stretch; else the same."""
    dates_count: int
    reason: str
    """In words."""
    campaign_id: UUID | None
    campaign_number: int | None


class SeriesCourse(SeriesFacts):
    """A series with its points."""

    points: list[SeriesPointRead]
    segments: list[SegmentRead]
    gaps: list[GapRead]
    """Since its first point, oldest first."""
    caveats: list[CaveatRead]
    """Each thing once over all points, the gravest first."""
