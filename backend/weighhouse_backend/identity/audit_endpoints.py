"""The audit log, searched and taken along."""

import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Response

from weighhouse_backend.identity.access import ManagerDep
from weighhouse_backend.identity.audit import AuditQuery
from weighhouse_backend.identity.dependencies import AuditServiceDep
from weighhouse_backend.identity.schemas import AuditEntryRead
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.downloads import content_disposition
from weighhouse_backend.kit.pages import Page, PageDep

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["projects"])


WantedDep = Annotated[AuditQuery, Depends()]


@router.get("/audit-entries")
def identity_list_audit_entries(
    caller: ManagerDep,
    service: AuditServiceDep,
    wanted: WantedDep,
    page: PageDep,
    project_id: UUID | None = None,
) -> Page[AuditEntryRead]:
    """Who did what to what, newest first; takes a maintainer."""
    found = service.entries(caller, project_id, wanted, page)
    return found.of(AuditEntryRead.model_validate(row) for row in found.items)


@router.get(
    "/audit-entries/export",
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}},
)
def identity_export_audit_entries(
    caller: ManagerDep, service: AuditServiceDep, wanted: WantedDep, project_id: UUID | None = None
) -> Response:
    """The same as a file, oldest first, up to 50,000 entries; the export is an entry of its own."""
    day = datetime.datetime.now(datetime.UTC).date()
    return Response(
        service.export(caller, project_id, wanted),
        media_type="text/csv",
        headers={"Content-Disposition": content_disposition(f"audit-{day}.csv")},
    )
