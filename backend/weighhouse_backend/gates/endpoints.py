"""Verdicts of campaigns."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response
from weighhouse_protocol.bases import BaseChoice, BaseText

from weighhouse_backend.campaigns.dependencies import CampaignServiceDep, LeavingServiceDep
from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.gates.dependencies import (
    GateServiceDep,
    RejudgementServiceDep,
    TrackRecordServiceDep,
)
from weighhouse_backend.gates.limits import Asked
from weighhouse_backend.gates.models import Outcome
from weighhouse_backend.gates.rejudgement_schemas import (
    RejudgedCampaignRead,
    RejudgementCreate,
    RejudgementRead,
)
from weighhouse_backend.gates.schemas import GateRead, TrackRecordRead
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page, PageDep

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


@router.get("/campaigns/{campaign_id}/gate", tags=["campaigns"])
def gates_read_gate(
    campaign_id: UUID,
    caller: CallerDep,
    gating: GateServiceDep,
    campaigns: CampaignServiceDep,
    leaving: LeavingServiceDep,
    threshold_percent: Annotated[float | None, Query(gt=0, le=100)] = None,
    anchor_threshold_percent: Annotated[
        float | None,
        Query(gt=0, le=100, description="Of the cumulative loss against the anchor."),
    ] = None,
    base: Annotated[
        BaseText | None,
        Query(description="Another base than it was settled with: pooled, branch:NAME, …"),
    ] = None,
    audience: AudienceDep = "internal",
) -> GateRead:
    """May the build pass? The verdict of an ended campaign against its base, with an exit code."""
    leaving.require(campaigns.find(caller, campaign_id), audience)
    choice = None if base is None else BaseChoice.parse(base)
    asked = Asked(threshold_percent, anchor_threshold_percent)
    return gating.read(caller, campaign_id, asked, choice)


@router.get("/gate-record", tags=["campaigns"])
def gates_read_record(
    project_id: UUID, caller: CallerDep, track_record: TrackRecordServiceDep
) -> TrackRecordRead:
    """How often a project's verdicts and alerts were wrong, as far as it is known."""
    return track_record.read(caller, project_id)


@router.post("/rejudgements", status_code=202, tags=["campaigns"])
def gates_rejudge(
    body: RejudgementCreate,
    caller: CallerDep,
    rejudgements: RejudgementServiceDep,
    response: Response,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> RejudgementRead:
    """Judge ended campaigns again by today's rules; a dry run only says what would change.

    Goes on in the background, the oldest campaign first; the verdicts of before are kept. With an
    Idempotency-Key the request may be repeated.
    """
    made = rejudgements.create(caller, body, idempotency_key)
    response.headers["Location"] = f"/api/v1/rejudgements/{made.id}"
    return rejudgements.shown(made)


@router.get("/rejudgements/{rejudgement_id}", tags=["campaigns"])
def gates_read_rejudgement(
    rejudgement_id: UUID, caller: CallerDep, rejudgements: RejudgementServiceDep
) -> RejudgementRead:
    """How far a rejudgement is."""
    return rejudgements.read(caller, rejudgement_id)


@router.get("/rejudgements/{rejudgement_id}/campaigns", tags=["campaigns"])
def gates_list_rejudged(
    rejudgement_id: UUID,
    caller: CallerDep,
    rejudgements: RejudgementServiceDep,
    page: PageDep,
    outcome: Outcome | None = None,
) -> Page[RejudgedCampaignRead]:
    """What became of its campaigns, the newest first."""
    return rejudgements.campaigns_of(caller, rejudgement_id, outcome, page)
