"""Comparisons as the API shows them."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from weighhouse_backend.campaigns.schemas import FailureRead, LoadLevelRead
from weighhouse_backend.disclosure.schemas import DisclaimerRead, DisclosureRead
from weighhouse_backend.experiments.fairness_schemas import AspectRead
from weighhouse_backend.findings.schemas import FindingRead


class EstimateRead(BaseModel):
    """The median of repeats with its interval."""

    median: float
    low: float
    high: float
    repeats: int
    confidence: float


class DifferenceRead(BaseModel):
    """One side against its baseline in one metric. Relative figures: 0.05 = 5 %."""

    metric: str
    workload: str
    load_level: LoadLevelRead
    baseline_side: str
    side: str
    baseline_median: float
    median: float
    relative: float
    low: float
    high: float
    p_value: float
    """Mann-Whitney, two-sided."""
    p_holm: float | None
    """Adjusted over all differences shown; does not decide the verdict."""
    cliffs_delta: float
    verdict: Literal["changed", "equivalent", "inconclusive", "insufficient"]
    better: bool | None
    significance: float
    """|relative| over half the interval's width."""
    threshold: float
    repeats_needed: int | None
    """Further repeats a side that would about settle it."""


class SideRead(BaseModel):
    """A side of a comparison: a target in a campaign."""

    key: str
    """`CAMPAIGN~TARGET`."""
    label: str
    campaign_id: UUID
    campaign_number: int
    target: str
    system_id: str
    colour: str
    mark: str
    version: str | None


class RepeatRead(BaseModel):
    """The figures of one repeat."""

    run_id: UUID
    throughput: float | None
    p50_us: float | None
    p95_us: float | None
    p99_us: float | None
    p999_us: float | None
    mean_us: float | None
    memory_bytes: float | None
    load_throughput: float | None


class FailedRunRead(BaseModel):
    """A repeat that gave no figure."""

    run_id: UUID
    repetition: int
    status: str
    failure: FailureRead | None


class ComparedCellRead(BaseModel):
    """A cell of one side."""

    side: str
    workload: str
    load_level: LoadLevelRead
    status: Literal["completed", "partial", "failed", "pending"]
    repeats: list[RepeatRead]
    failed_runs: list[FailedRunRead]
    throughput: EstimateRead | None
    mean_us: EstimateRead | None
    p50_us: EstimateRead | None
    p95_us: EstimateRead | None
    p99_us: EstimateRead | None
    p999_us: EstimateRead | None
    memory_before_bytes: EstimateRead | None
    memory_bytes: EstimateRead | None
    load_throughput: EstimateRead | None


class UnmatchedRead(BaseModel):
    """A cell that some side lacks."""

    workload: str
    load_level: LoadLevelRead
    side: str
    reason: Literal["not planned", "failed", "pending"]


class ComparisonRead(BaseModel):
    """Sides, their cells, and what may be said of the differences."""

    sides: list[SideRead]
    baseline: int
    workloads: list[str]
    load_levels: list[LoadLevelRead]
    cells: list[ComparedCellRead]
    differences: list[DifferenceRead]
    fairness: list[AspectRead]
    findings: list[FindingRead]
    disclaimers: list[DisclaimerRead]
    unmatched: list[UnmatchedRead]
    disclosure: DisclosureRead
