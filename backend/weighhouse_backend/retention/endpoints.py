"""How long things are kept; campaigns that are kept, or deleted."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Response

from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.etags import etag
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.retention.dependencies import RetentionServiceDep
from weighhouse_backend.retention.schemas import (
    CampaignKeepingRead,
    DeletionRead,
    DeletionWrite,
    KeepWrite,
    RetentionPreview,
    RetentionRead,
    RetentionRules,
)

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["retention"])
CHANGES: dict[int | str, dict[str, Any]] = {412: {"model": ProblemDocument}}
HELD: dict[int | str, dict[str, Any]] = {409: {"model": ProblemDocument}}


@router.get("/retention")
def retention_read(
    caller: CallerDep,
    retention: RetentionServiceDep,
    response: Response,
    project_id: UUID | None = None,
) -> RetentionRead:
    """How many days a project keeps what it measured; what is not set is kept for ever."""
    found = retention.read(caller, project_id)
    response.headers["ETag"] = etag(found.version)
    return found


@router.put("/retention", responses=CHANGES)
def retention_save(
    body: RetentionRules,
    caller: CallerDep,
    retention: RetentionServiceDep,
    response: Response,
    project_id: UUID | None = None,
    if_match: Annotated[str | None, Header()] = None,
) -> RetentionRead:
    """Say how many days a project keeps what it measured, in the place of all that was said; takes
    an owner. With If-Match only on top of what was seen. Carried out by the worker within minutes.
    """
    saved = retention.save(caller, project_id, body, if_match)
    response.headers["ETag"] = etag(saved.version)
    return saved


@router.post("/retention/preview")
def retention_preview(
    body: RetentionRules,
    caller: CallerDep,
    retention: RetentionServiceDep,
    project_id: UUID | None = None,
) -> RetentionPreview:
    """What rules would remove if they were carried out now; nothing is."""
    return retention.preview(caller, project_id, body)


@router.get("/campaigns/{campaign_id}/keeping")
def retention_read_keeping(
    campaign_id: UUID, caller: CallerDep, retention: RetentionServiceDep
) -> CampaignKeepingRead:
    """Whether a campaign is kept whatever the rules say, and whether it can be deleted."""
    return retention.keeping(caller, campaign_id)


@router.put("/campaigns/{campaign_id}/keeping")
def retention_keep(
    campaign_id: UUID, body: KeepWrite, caller: CallerDep, retention: RetentionServiceDep
) -> CampaignKeepingRead:
    """Keep a campaign whole, whatever the rules say; takes a member."""
    return retention.keep(caller, campaign_id, body.because)


@router.delete("/campaigns/{campaign_id}/keeping", status_code=204)
def retention_release(campaign_id: UUID, caller: CallerDep, retention: RetentionServiceDep) -> None:
    """Have the rules hold for a campaign again; takes a member."""
    retention.release(caller, campaign_id)


@router.post("/campaigns/{campaign_id}/deletion", status_code=202, responses=HELD)
def retention_delete_campaign(
    campaign_id: UUID, body: DeletionWrite, caller: CallerDep, retention: RetentionServiceDep
) -> DeletionRead:
    """Have a campaign deleted with all it measured; takes a maintainer. The worker does it soon;
    409 names what holds the campaign. Its number is never given again.
    """
    return retention.delete(caller, campaign_id, body.because)
