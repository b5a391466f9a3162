"""Campaigns for people and pipelines."""

import re
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.acceptance import AcceptanceWrite, ReleaseWrite
from weighhouse_backend.campaigns.dependencies import (
    CampaignSearchDep,
    CampaignServiceDep,
    CampaignViewsDep,
    LeavingServiceDep,
    LookServiceDep,
    StandingServiceDep,
)
from weighhouse_backend.campaigns.filters import CampaignFilter
from weighhouse_backend.campaigns.schemas import (
    CampaignCreate,
    CampaignRead,
    CampaignSummary,
    RepeatsWanted,
)
from weighhouse_backend.campaigns.stream import CampaignStream
from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.identity.access import CallerDep, recognize
from weighhouse_backend.identity.senders import sender
from weighhouse_backend.kit.bodies import KIBIBYTE, BoundedRoute, takes
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.kit.problems import Forbidden, NotAuthenticated
from weighhouse_backend.kit.services import services_of
from weighhouse_backend.quotas.errors import QUOTA_ANSWER

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["campaigns"])
WantedDep = Annotated[CampaignFilter, Depends()]
HISTORY_BYTES = 256 * KIBIBYTE
"""What comes with a campaign's commit: those before it, merges with many parents among them."""
EVENT_ID = re.compile(r"[0-9]{1,18}")
"""As far as the database counts; anything else is none of ours."""


@router.get("/campaigns")
def campaigns_list(
    caller: CallerDep,
    search: CampaignSearchDep,
    views: CampaignViewsDep,
    page: PageDep,
    wanted: WantedDep,
    project_id: UUID | None = None,
) -> Page[CampaignSummary]:
    """Campaigns, newest first: all, or those for which every condition holds.

    `text` is part of the experiment's name or slug, a number (`12`, `#12`), the first four or more
    digits of a commit, or a release; `label` is one that machines had to carry, as `rack=a`;
    `verdict=none` are those without one. `since` and `until` are about when it was asked for. Each
    page tells the one after and the one before; `cursor=oldest` is the last, `total=true` counts.
    """
    found = search.listed(caller, page, wanted, project_id)
    return found.of(views.summaries(found.items))


@router.post("/campaigns", status_code=201, responses=QUOTA_ANSWER)
@takes(HISTORY_BYTES, sender)
def campaigns_create(
    body: CampaignCreate,
    caller: CallerDep,
    campaigns: CampaignServiceDep,
    views: CampaignViewsDep,
    response: Response,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> CampaignRead:
    """Carry out an experiment. With an Idempotency-Key the request may be repeated."""
    campaign = campaigns.create(caller, body, idempotency_key)
    response.headers["Location"] = f"/api/v1/campaigns/{campaign.id}"
    return views.campaign(campaign)


@router.get("/campaigns/{campaign_id}")
def campaigns_get(
    campaign_id: UUID,
    caller: CallerDep,
    campaigns: CampaignServiceDep,
    leaving: LeavingServiceDep,
    views: CampaignViewsDep,
    audience: AudienceDep = "internal",
) -> CampaignRead:
    """A campaign with its matrix."""
    campaign = campaigns.find(caller, campaign_id)
    leaving.require(campaign, audience)
    return views.campaign(campaign)


@router.post("/campaigns/{campaign_id}/cancel", status_code=202)
def campaigns_cancel(
    campaign_id: UUID, caller: CallerDep, views: CampaignViewsDep, campaigns: CampaignServiceDep
) -> CampaignSummary:
    """End a campaign early; a second time: at once."""
    return views.summaries([campaigns.cancel(caller, campaign_id)])[0]


@router.put("/campaigns/{campaign_id}/acceptance")
def campaigns_accept(
    campaign_id: UUID,
    body: AcceptanceWrite,
    caller: CallerDep,
    standing: StandingServiceDep,
    views: CampaignViewsDep,
) -> CampaignSummary:
    """Its verdict was expected, for the reason in the note: it may be a base from now on."""
    accepted = standing.accept(caller, campaign_id, body.note)
    return views.summaries([accepted])[0]


@router.delete("/campaigns/{campaign_id}/acceptance")
def campaigns_withdraw_acceptance(
    campaign_id: UUID, caller: CallerDep, views: CampaignViewsDep, standing: StandingServiceDep
) -> CampaignSummary:
    """Its verdict was not expected after all."""
    return views.summaries([standing.withdraw(caller, campaign_id)])[0]


@router.put("/campaigns/{campaign_id}/release")
def campaigns_release(
    campaign_id: UUID,
    body: ReleaseWrite,
    caller: CallerDep,
    standing: StandingServiceDep,
    views: CampaignViewsDep,
) -> CampaignSummary:
    """Let it stand for a release: an anchor of later verdicts, and a base by that name."""
    released = standing.release(caller, campaign_id, body.name)
    return views.summaries([released])[0]


@router.post("/campaigns/{campaign_id}/pause", status_code=202)
def campaigns_pause(
    campaign_id: UUID, caller: CallerDep, views: CampaignViewsDep, campaigns: CampaignServiceDep
) -> CampaignSummary:
    """Begin no more runs; those under way go on."""
    return views.summaries([campaigns.pause(caller, campaign_id)])[0]


@router.post("/campaigns/{campaign_id}/resume", status_code=202)
def campaigns_resume(
    campaign_id: UUID, caller: CallerDep, views: CampaignViewsDep, campaigns: CampaignServiceDep
) -> CampaignSummary:
    """Go on with a paused campaign."""
    return views.summaries([campaigns.resume(caller, campaign_id)])[0]


@router.post("/campaigns/{campaign_id}/retry-failed", status_code=202, responses=QUOTA_ANSWER)
def campaigns_retry_failed(
    campaign_id: UUID, caller: CallerDep, views: CampaignViewsDep, campaigns: CampaignServiceDep
) -> CampaignSummary:
    """Queue the failed runs again."""
    return views.summaries([campaigns.retry_failed(caller, campaign_id)])[0]


@router.post("/campaigns/{campaign_id}/repeats", status_code=202, responses=QUOTA_ANSWER)
def campaigns_add_repeats(
    campaign_id: UUID,
    body: RepeatsWanted,
    caller: CallerDep,
    looks: LookServiceDep,
    views: CampaignViewsDep,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> CampaignSummary:
    """Measure a completed campaign's cells again, or those that are undecided.

    It is open again until the new runs have ended, and is then settled anew. With an
    Idempotency-Key the request may be repeated.
    """
    grown = looks.add(caller, campaign_id, body, idempotency_key)
    return views.summaries([grown])[0]


def _watched(
    campaign_id: UUID, request: Request, caller: CallerDep, service: CampaignServiceDep
) -> CampaignStream:
    project_id = service.find(caller, campaign_id).project_id

    def may_see(session: Session) -> bool:
        try:
            return project_id in recognize(request, session).project_ids
        except (NotAuthenticated, Forbidden):
            return False

    state, services = request.app.state, partial(services_of, request.app)
    return CampaignStream(
        state.session_factory, state.subscriptions, services, may_see, project_id,
        state.campaign_reads,
    )  # fmt: skip


@router.get("/campaigns/{campaign_id}/events", response_class=EventSourceResponse)
async def campaigns_stream_events(
    campaign_id: UUID,
    stream: Annotated[CampaignStream, Depends(_watched)],
    last_event_id: Annotated[str | None, Header()] = None,
) -> AsyncIterator[ServerSentEvent]:
    """What happens, as it happens: `campaign`, `run`, `progress`, and `live` samples.

    Reconnecting with Last-Event-ID misses nothing; without it the stream begins with how the
    campaign and its runs stand, and with what was told of runs before (`log`). It ends within a
    minute after the caller's access has ended.
    """
    known = int(last_event_id) if last_event_id and EVENT_ID.fullmatch(last_event_id) else None
    async for event in stream.events(campaign_id, known):
        yield event
