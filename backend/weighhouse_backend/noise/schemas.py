"""Noise floors as the API shows them. Relative figures: 0.05 = 5 %."""

import datetime
from uuid import UUID

from pydantic import BaseModel


class NoisePointRead(BaseModel):
    """What one A/A campaign found."""

    campaign_id: UUID
    measured_at: datetime.datetime
    pairs: int
    median_difference: float
    """Of |difference| of its pairs of twins."""
    largest_difference: float
    floor: float | None
    """The floor as it was known after it; None while too few pairs told."""


class NoiseFloorRead(BaseModel):
    """What a machine cannot tell of one cell and figure."""

    target: str
    system_id: str
    workload: str
    load_label: str
    metric: str
    place: str
    """Digest of the machines."""
    cell_identity: str
    floor: float | None
    """Equal sides of so many pairs as are asked for stay below it in 95 of 100; None while too few
    pairs told."""
    median_difference: float | None
    p95_difference: float | None
    largest_difference: float | None
    """Of |difference| of single pairs."""
    between_deviation: float | None
    """How much whole campaigns differ, one standard deviation; None while too few told."""
    pairs: int
    campaigns: int
    points: list[NoisePointRead]
    """By time."""


class NoiseFloors(BaseModel):
    """Floors of an agent, or of projects."""

    items: list[NoiseFloorRead]
