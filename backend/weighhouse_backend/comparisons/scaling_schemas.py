"""How sides scale, and what they take, as the API shows it."""

from typing import Literal

from pydantic import BaseModel

from weighhouse_backend.campaigns.schemas import CompletenessRead, LoadLevelRead
from weighhouse_backend.comparisons.estimate_schemas import EstimateRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.results.footprints import Measure
from weighhouse_backend.scenarios.schemas import ScalabilityRead

Shown = Literal["before", "after_load", "after", "peak", "per_record"]
"""Before anything was loaded; loaded; after the measured phase; the most that was sampled in the
run; what the load added, for each record that is held."""


class ScaledPointRead(BaseModel):
    """One load of a line."""

    load_level: LoadLevelRead
    throughput: EstimateRead
    efficiency: float | None
    """Of clients: X(n) / (n/n₀ × X(n₀)) against the line's fewest (1 = grows with them)."""
    efficiency_low: float | None
    efficiency_high: float | None
    efficiency_is_interval: bool
    """Do they hold it with 95 %? Else they are the least and the greatest that a repeat of the
    fewest clients and one of these give; null where each has one."""


class ScaledLineRead(BaseModel):
    """A side under one workload, over loads that differ in clients, or in rate, alone."""

    side: str
    workload: str
    load_kind: Literal["closed", "open"]
    variant: str
    """What all its loads have besides: `pipeline 10`; empty mostly."""
    points: list[ScaledPointRead]
    """By rising load; those without a figure are left out."""
    knee: str | None
    """Label of the load at which throughput over response time is greatest; null of fewer than
    three loads."""
    knee_inside: bool
    """Was there a lower and a higher load? Else the knee may lie outside of what was measured."""
    saturation: str | None
    """Label of the least load that reaches the most throughput but for 5 %."""
    scalability: ScalabilityRead | None
    scalability_note: str
    """Why no law is told; empty when it is."""


class ScalingRead(BaseModel):
    """How sides scale with their load."""

    completeness: CompletenessRead
    lines: list[ScaledLineRead]
    """Of two loads or more."""


class FootprintFigureRead(BaseModel):
    """What a side took at a moment."""

    measure: Measure
    """Memory of the system's processes; memory that the system says it uses for data; its files."""
    moment: Shown
    estimate: EstimateRead
    """Bytes."""


class FootprintSideRead(BaseModel):
    """A side's memory and disk at one cell."""

    side: str
    machines: int
    """On how many its nodes stood, at most; of several, sizes add up, and `peak` is the sum of each
    one's, which need not have come at one instant."""
    records: int | None
    """Held after the load."""
    records_told: bool
    """Does the system say so? Else they are those of the workload."""
    figures: list[FootprintFigureRead]


class FootprintRead(BaseModel):
    """Memory and disk of sides by moment, at one cell."""

    completeness: CompletenessRead
    workload: str
    load_level: LoadLevelRead
    sides: list[FootprintSideRead]
    caveats: list[CaveatRead]
    """Of this cell's runs, and of the sides."""
