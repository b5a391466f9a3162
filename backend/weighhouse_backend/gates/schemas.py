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
