"""Sharing, and what whoever comes by a link is shown."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from weighhouse_backend.alerts.schemas import SeriesRead
from weighhouse_backend.comparisons.answer_schemas import AnswerRead
from weighhouse_backend.comparisons.endpoints import MOST_SIDES
from weighhouse_backend.comparisons.scaling_schemas import ScalingRead
from weighhouse_backend.comparisons.schemas import ComparisonRead
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.etags import ASK_AGAIN
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.reports.schemas import SharedReportRead
from weighhouse_backend.sharing.dependencies import (
    OpenedDep,
    OpeningServiceDep,
    RenderingsDep,
    SeenDep,
    SharedDocumentsDep,
    ShareServiceDep,
    token_of,
)
from weighhouse_backend.sharing.schemas import (
    PasswordWrite,
    SharedRead,
    ShareRead,
    ShareWrite,
    UnlockedRead,
)

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["sharing"])


@router.post("/shares", status_code=201)
def sharing_share(body: ShareWrite, caller: CallerDep, shares: ShareServiceDep) -> ShareRead:
    """Show a campaign, a comparison, a series or a report to people without a role in its project.

    Takes a member; for the public a maintainer. Refused (403) where the terms of a system in it do
    not allow it, with the clause and what would mend it; it stands in the audit log.
    """
    return shares.share(caller, body)


@router.get("/shares")
def sharing_list(
    project_id: UUID, caller: CallerDep, shares: ShareServiceDep, page: PageDep
) -> Page[ShareRead]:
    """All that is and was shared of a project, by whom, seen how often; newest first."""
    return shares.listed(caller, project_id, page)


@router.post("/shares/{share_id}/revoke")
def sharing_revoke(share_id: UUID, caller: CallerDep, shares: ShareServiceDep) -> ShareRead:
    """Take it back: link, embeds and badge show nothing from here on. Takes who may share so."""
    return shares.revoke(caller, share_id)


@router.get("/shared")
def sharing_read_shared(
    opened: SeenDep, documents: SharedDocumentsDep, kept: RenderingsDep, response: Response
) -> SharedRead:
    """What is shared: over a link, which is the bearer's token, or by `share`, the id of what is
    public. A link that was guessed, has ended or was revoked: 404, whichever it is.
    """
    response.headers["Cache-Control"] = ASK_AGAIN
    return documents.about(opened, kept)


@router.post("/shared/password")
def sharing_unlock(
    body: PasswordWrite, request: Request, openings: OpeningServiceDep
) -> UnlockedRead:
    """Exchange a link and its password for a token that opens it for twelve hours."""
    sessions = request.app.state.session_factory
    return openings.unlock(sessions, token_of(request), body.password.get_secret_value())


@router.get("/shared/comparison", response_model=ComparisonRead)
def sharing_read_comparison(
    opened: OpenedDep, documents: SharedDocumentsDep, kept: RenderingsDep
) -> Any:
    """A campaign or comparison that is shared, with all that must stand beside its figures."""
    return _answer(documents.comparison(opened, kept))


@router.get("/shared/answer", response_model=AnswerRead)
def sharing_read_answer(
    opened: OpenedDep,
    documents: SharedDocumentsDep,
    kept: RenderingsDep,
    figure: Annotated[str | None, Query(max_length=63)] = None,
    hidden: Annotated[
        list[Annotated[int, Field(ge=0, le=MOST_SIDES)]] | None, Query(max_length=MOST_SIDES)
    ] = None,
) -> Any:
    """Who leads in it by a figure, among the sides that are not hidden."""
    return _answer(documents.answer(opened, kept, figure, hidden or ()))


@router.get("/shared/scaling", response_model=ScalingRead)
def sharing_read_scaling(
    opened: OpenedDep, documents: SharedDocumentsDep, kept: RenderingsDep, law: bool = True
) -> Any:
    """How its sides scale with their load."""
    return _answer(documents.scaling(opened, kept, law=law))


@router.get("/shared/series", response_model=SeriesRead)
def sharing_read_series(
    opened: OpenedDep, documents: SharedDocumentsDep, kept: RenderingsDep
) -> Any:
    """A series that is shared."""
    return _answer(documents.series(opened, kept))


@router.get("/shared/report", response_model=SharedReportRead)
def sharing_read_report(
    opened: OpenedDep, documents: SharedDocumentsDep, kept: RenderingsDep
) -> Any:
    """A report that is shared; what may not be shown in it is withdrawn, with the reason."""
    return _answer(documents.report(opened, kept))


def _answer(content: bytes) -> Response:
    headers = {"Cache-Control": ASK_AGAIN}
    return Response(content, media_type="application/json", headers=headers)
