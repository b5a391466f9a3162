"""Analysis as the API shows it."""

import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel
from weighhouse_judging.findings import checks

from weighhouse_backend.campaigns.commits import GitRead
from weighhouse_backend.campaigns.schemas import FailureRead, LoadLevelRead
from weighhouse_backend.disclosure.schemas import DisclaimerRead, DisclosureRead
from weighhouse_backend.experiments.fairness_schemas import AspectRead
from weighhouse_backend.results.schemas import RunFacts


class FindingRead(BaseModel):
    """What a check has to say of a run or a comparison."""

    id: str
    severity: Literal["info", "caution", "error"]
    title: str
    message: str
    numbers: dict[str, float | int | str | bool | None]
    formula: str
    source: str
    documentation: str
    scope: Literal["run", "comparison"]

    @classmethod
    def of(cls, finding: checks.Finding) -> "FindingRead":
        """A finding as it is shown."""
        return cls(
            id=finding.id,
            severity=finding.severity,
            title=finding.title,
            message=finding.message,
            numbers=dict(finding.numbers),
            formula=finding.formula,
            source=finding.source,
            documentation=finding.documentation,
            scope=finding.scope,
        )


class RunRead(RunFacts):
    """A run with its facts, what checks have to say of it, and what must stand beside it."""

    findings: list[FindingRead]
    disclaimers: list[DisclaimerRead]


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


class GateCellRead(BaseModel):
    """What the gate holds of one cell."""

    target: str
    workload: str
    load_level: LoadLevelRead
    metric: str
    outcome: Literal["better", "equivalent", "not_worse", "worse", "unclear", "failed", "missing"]
    p_worse: float | None
    """One-sided t-test, adjusted by Holm over the gate's cells."""


class GateRead(BaseModel):
    """May the build pass?"""

    verdict: Literal[
        "passed", "equivalent", "regression", "inconclusive", "infrastructure", "no_baseline"
    ]
    exit_code: int
    """0 passed or equivalent, 1 regression, 2 inconclusive or no baseline, 3 infrastructure."""
    campaign_id: UUID
    base_campaign_id: UUID | None
    threshold_percent: float
    message: str
    link: str
    comparisons: list[DifferenceRead]
    cells: list[GateCellRead]
    disclaimers: list[DisclaimerRead]


class ExperimentOfSeries(BaseModel):
    """The experiment a series belongs to."""

    id: UUID
    name: str


class SeriesSummaryRead(BaseModel):
    """A series in a list."""

    id: UUID
    system_id: str
    target: str
    workload: str
    load_level: LoadLevelRead
    metric: str
    points_count: int
    last_value: float | None
    last_at: datetime.datetime | None
    change_points_count: int
    """Confirmed ones."""
    experiment: ExperimentOfSeries


class SeriesPointRead(BaseModel):
    """One campaign in a series."""

    at: datetime.datetime
    campaign_id: UUID
    campaign_number: int
    value: float
    low: float
    high: float
    repeats: list[float]
    segment: int
    version: str | None
    git: GitRead | None
    """The commit that the campaign was started for."""


class SegmentRead(BaseModel):
    """Points measured under one environment."""

    index: int
    fingerprint: str
    label: str
    starts_at: datetime.datetime


class ChangePointRead(BaseModel):
    """Where a series shifted."""

    id: UUID
    at: datetime.datetime
    campaign_id: UUID
    before: float
    after: float
    relative: float
    p_value: float
    profile: Literal["watch", "strict"] | None
    status: Literal["candidate", "confirmed"]
    state: str


class SeriesRead(SeriesSummaryRead):
    """A series with its points."""

    points: list[SeriesPointRead]
    segments: list[SegmentRead]
    change_points: list[ChangePointRead]
    disclaimers: list[DisclaimerRead]
