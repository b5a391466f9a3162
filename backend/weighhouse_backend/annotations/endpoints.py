"""Annotations of runs, series and points."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response

from weighhouse_backend.annotations.dependencies import AnnotationServiceDep
from weighhouse_backend.annotations.schemas import (
    AnnotationCreate,
    AnnotationRead,
    AnnotationUpdate,
)
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.etags import etag
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.kit.problems import ProblemDocument

MOST = 100
"""Runs or series that one list is asked for."""

router = APIRouter(
    route_class=BoundedRoute,
    prefix="/api/v1",
    tags=["annotations"],
    responses={code: {"model": ProblemDocument} for code in (401, 403, 404, 422)},
)
Ids = Annotated[list[UUID] | None, Query(max_length=MOST)]


@router.get("/annotations")
def annotations_list(
    caller: CallerDep,
    service: AnnotationServiceDep,
    page: PageDep,
    run_id: Ids = None,
    series_id: Ids = None,
) -> Page[AnnotationRead]:
    """Annotations, newest first; of some runs and series alone, with those of the series' points,
    when any are named.
    """
    return service.listed(caller, page, run_ids=run_id or (), series_ids=series_id or ())


@router.post("/annotations", status_code=201)
def annotations_write(
    body: AnnotationCreate, caller: CallerDep, service: AnnotationServiceDep, response: Response
) -> AnnotationRead:
    """Write an annotation; takes a member."""
    made = service.write(caller, body)
    response.headers["ETag"] = etag(made.version)
    return made


@router.patch("/annotations/{annotation_id}", responses={412: {"model": ProblemDocument}})
def annotations_change(
    annotation_id: UUID,
    body: AnnotationUpdate,
    caller: CallerDep,
    service: AnnotationServiceDep,
    response: Response,
    if_match: Annotated[str | None, Header()] = None,
) -> AnnotationRead:
    """Change one's own annotation (a maintainer: anybody's); with If-Match only on top of what was
    edited.
    """
    changed = service.change(caller, annotation_id, body, if_match)
    response.headers["ETag"] = etag(changed.version)
    return changed


@router.delete("/annotations/{annotation_id}", status_code=204)
def annotations_remove(
    annotation_id: UUID, caller: CallerDep, service: AnnotationServiceDep
) -> None:
    """Remove one's own annotation (a maintainer: anybody's)."""
    service.remove(caller, annotation_id)
