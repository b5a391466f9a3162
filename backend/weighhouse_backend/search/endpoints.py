"""Search over everything."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.search.dependencies import SearchServiceDep
from weighhouse_backend.search.schemas import FoundRead, Kind
from weighhouse_backend.search.service import Question

router = APIRouter(
    route_class=BoundedRoute,
    prefix="/api/v1",
    tags=["search"],
    responses={code: {"model": ProblemDocument} for code in (401, 403, 404, 422)},
)


@router.get("/search")
def search_find(
    caller: CallerDep,
    service: SearchServiceDep,
    q: Annotated[str, Query(min_length=1, max_length=200)],
    kind: Kind | None = None,
    project_id: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
) -> FoundRead:
    """Experiments, campaigns, commits, series, systems, parameters, studies, reports, published
    results, notes and pages of help that have all words of `q`, or words that begin so. Of all
    projects of the caller that are not archived, or of the one that is named; up to `limit` of each
    kind, those with the whole word first, then the newest. `cursor` goes on in one kind.
    """
    return service.search(caller, Question(q, kind, project_id, limit, cursor))
