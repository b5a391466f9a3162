"""Verdicts of campaigns."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from weighhouse_protocol.bases import BaseChoice, BaseText

from weighhouse_backend.gates.dependencies import GatesDep
from weighhouse_backend.gates.limits import Asked
from weighhouse_backend.gates.schemas import GateRead
from weighhouse_backend.identity.access import CallerDep

router = APIRouter(prefix="/api/v1")


@router.get("/campaigns/{campaign_id}/gate", tags=["campaigns"])
def gates_read_gate(
    campaign_id: UUID,
    caller: CallerDep,
    gates: GatesDep,
    threshold_percent: Annotated[float | None, Query(gt=0, le=100)] = None,
    anchor_threshold_percent: Annotated[
        float | None,
        Query(gt=0, le=100, description="Of the cumulative loss against the anchor."),
    ] = None,
    base: Annotated[
        BaseText | None,
        Query(description="Another base than it was settled with: pooled, branch:NAME, …"),
    ] = None,
) -> GateRead:
    """May the build pass? The verdict of an ended campaign against its base, with an exit code."""
    choice = None if base is None else BaseChoice.parse(base)
    asked = Asked(threshold_percent, anchor_threshold_percent)
    return gates.gating.read(caller, campaign_id, asked, choice)
