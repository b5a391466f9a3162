"""What may be used, what is, and who says so."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Response

from weighhouse_backend.identity.access import KnownCallerDep, ManagerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.etags import etag
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.quotas.dependencies import QuotaServiceDep
from weighhouse_backend.quotas.schemas import (
    OrganizationQuotasRead,
    QuotaLimits,
    QuotasRead,
    UsageRead,
)

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["quotas"])
CHANGES: dict[int | str, dict[str, Any]] = {412: {"model": ProblemDocument}}


@router.get("/usage")
def quotas_read_usage(
    caller: ManagerDep, quotas: QuotaServiceDep, response: Response, project_id: UUID | None = None
) -> UsageRead:
    """What a project and its organization use, and may; the tag is that of the project's quotas."""
    found = quotas.usage(caller, project_id)
    response.headers["ETag"] = etag(found.project.version)
    return found


@router.put("/project-quotas", responses=CHANGES)
def quotas_save_of_project(
    body: QuotaLimits,
    caller: ManagerDep,
    quotas: QuotaServiceDep,
    response: Response,
    project_id: UUID | None = None,
    if_match: Annotated[str | None, Header()] = None,
) -> QuotasRead:
    """Say what a project may use, in the place of all that was said; takes an owner of its
    organization. With If-Match only on top of what was seen.
    """
    saved = quotas.save_of_project(caller, project_id, body, if_match)
    response.headers["ETag"] = etag(saved.version)
    return saved


@router.get("/organization-quotas")
def quotas_list_organizations(
    caller: KnownCallerDep, quotas: QuotaServiceDep, page: PageDep
) -> Page[OrganizationQuotasRead]:
    """All organizations with what they may use, newest first; takes the installation's operator."""
    return quotas.organizations(caller, page)


@router.put("/organization-quotas/{organization_id}", responses=CHANGES)
def quotas_save_of_organization(
    organization_id: UUID,
    body: QuotaLimits,
    caller: KnownCallerDep,
    quotas: QuotaServiceDep,
    response: Response,
    if_match: Annotated[str | None, Header()] = None,
) -> QuotasRead:
    """Say what an organization may use, in the place of all that was said; takes the installation's
    operator. With If-Match only on top of what was seen.
    """
    saved = quotas.save_of_organization(caller, organization_id, body, if_match)
    response.headers["ETag"] = etag(saved.version)
    return saved
