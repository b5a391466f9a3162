"""Verdicts as the API shows them."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.comparisons.schemas import DifferenceRead
from weighhouse_backend.disclosure.schemas import DisclaimerRead


class GateCellRead(BaseModel):
    """What the gate holds of one cell."""

    target: str
    workload: str
    load_level: LoadLevelRead
    metric: str
    outcome: Literal[
        "better",
        "equivalent",
        "not_worse",
        "worse",
        "unclear",
        "failed",
        "missing",
        "not_comparable",
    ]
    p_worse: float | None
    """One-sided, adjusted by Holm over the gate's cells."""
    stopped_by: Literal["base", "anchor", "failures"] | None
    """What made it worse or failed."""
    p_failures: float | None
    """One-sided p of more failures than before, adjusted likewise."""
    between_known: bool | None
    """Is what whole campaigns differ by part of the interval? None without one."""


class SubjectChangeRead(BaseModel):
    """Something in which the campaign's side is not what the base's was."""

    what: str
    before: str
    after: str
    confounder: bool
    """It could explain a difference by itself: topology, limits, deployment."""


class MismatchRead(BaseModel):
    """A field in which a cell is not the measurement that the base has under its name."""

    target: str
    workload: str
    load_level: LoadLevelRead
    field: str
    """For example `workload.record_count`."""
    base: str
    candidate: str


class GateRead(BaseModel):
    """May the build pass?"""

    verdict: Literal[
        "passed",
        "equivalent",
        "regression",
        "inconclusive",
        "infrastructure",
        "no_baseline",
        "not_comparable",
    ]
    exit_code: int
    """0 passed or equivalent, 1 regression, 2 inconclusive or no baseline, 3 infrastructure,
    4 not comparable."""
    campaign_id: UUID
    base_campaign_id: UUID | None
    """The latest of its bases."""
    base_campaign_ids: list[UUID]
    """All campaigns that it was compared with, the latest first."""
    anchor_campaign_id: UUID | None
    """The last release, or where the present level began."""
    threshold_percent: float
    """Of a loss against the base, throughput; twice that for p99."""
    anchor_threshold_percent: float
    """Of the cumulative loss against the anchor, likewise."""
    message: str
    link: str
    comparisons: list[DifferenceRead]
    cells: list[GateCellRead]
    subject: list[SubjectChangeRead]
    """What differs between the sides: what the verdict is about."""
    mismatches: list[MismatchRead]
    """Why cells are not comparable."""
    disclaimers: list[DisclaimerRead]
