"""Comparisons of sides."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from weighhouse_backend.comparisons.dependencies import ComparisonsDep
from weighhouse_backend.comparisons.schemas import ComparisonRead
from weighhouse_backend.identity.access import CallerDep

router = APIRouter(prefix="/api/v1")


@router.get("/comparisons", tags=["comparisons"])
def comparisons_compare(
    caller: CallerDep,
    comparisons: ComparisonsDep,
    side: Annotated[list[str] | None, Query(description="`CAMPAIGN~TARGET`, repeated")] = None,
    campaign: UUID | None = None,
    base: UUID | None = None,
    baseline: Annotated[int, Query(ge=0)] = 0,
) -> ComparisonRead:
    """Compare sides: `side` repeated, or all targets of `campaign`, or those of `campaign` each
    against itself in `base`.
    """
    return comparisons.comparing.compare(
        caller, sides=side or (), campaign_id=campaign, base_id=base, baseline=baseline
    )
