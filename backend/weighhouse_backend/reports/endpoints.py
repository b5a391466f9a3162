"""Reports, their revisions, editions and files."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Header, Path, Query, Request, Response

from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.identity.senders import sender
from weighhouse_backend.kit.bodies import MEBIBYTE, BoundedRoute, takes
from weighhouse_backend.kit.etags import ASK_AGAIN, etag
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.reports import pdf
from weighhouse_backend.reports.dependencies import ReportServiceDep
from weighhouse_backend.reports.documents import document
from weighhouse_backend.reports.exports import markdown
from weighhouse_backend.reports.schemas import (
    DraftRead,
    DraftWrite,
    EditionRead,
    ReportCreate,
    ReportRead,
    ReportSummary,
    ReportWrite,
    RevisionRead,
)
from weighhouse_backend.reports.sheets import POLICY, page

router = APIRouter(
    route_class=BoundedRoute,
    prefix="/api/v1",
    tags=["reports"],
    responses={code: {"model": ProblemDocument} for code in (401, 403, 404, 422)},
)
Form = Literal["pdf", "html", "markdown"]
MEDIA: dict[Form, tuple[str, str]] = {
    "pdf": ("application/pdf", "pdf"),
    "html": ("text/html; charset=utf-8", "html"),
    "markdown": ("text/markdown; charset=utf-8", "md"),
}
FILES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}}},
    503: {"model": ProblemDocument},
}
Number = Annotated[int, Path(ge=1, le=1_000_000)]


@router.get("/reports")
def reports_list(
    caller: CallerDep, service: ReportServiceDep, part: PageDep, project_id: UUID | None = None
) -> Page[ReportSummary]:
    """Reports, newest first; of one project alone, if it is named."""
    return service.listed(caller, project_id, part)


@router.post("/reports", status_code=201)
def reports_create(
    body: ReportCreate, caller: CallerDep, service: ReportServiceDep, response: Response
) -> ReportRead:
    """Begin a report of campaigns, comparisons, series or studies, out of a template; takes a
    member.
    """
    made = service.create(caller, body)
    response.headers["ETag"] = etag(made.revision)
    return made


@router.get("/reports/{report_id}")
def reports_read(
    report_id: UUID, caller: CallerDep, service: ReportServiceDep, response: Response
) -> ReportRead:
    """A report: its text, and how it looks with what stands now; its ETag is the revision."""
    found = service.read(caller, report_id)
    response.headers["ETag"] = etag(found.revision)
    return found


@router.put("/reports/{report_id}", responses={412: {"model": ProblemDocument}})
@takes(MEBIBYTE, sender)
def reports_save(
    report_id: UUID,
    body: ReportWrite,
    caller: CallerDep,
    service: ReportServiceDep,
    response: Response,
    if_match: Annotated[str | None, Header()] = None,
) -> ReportRead:
    """Save it as the next revision, on top of the one that was edited (If-Match): where somebody
    saved meanwhile, 412, and nothing is written.
    """
    saved = service.save(caller, report_id, body, if_match)
    response.headers["ETag"] = etag(saved.revision)
    return saved


@router.delete("/reports/{report_id}", status_code=204)
def reports_remove(report_id: UUID, caller: CallerDep, service: ReportServiceDep) -> None:
    """Take a report without editions away; takes a maintainer."""
    service.remove(caller, report_id)


@router.post("/reports/{report_id}/draft")
@takes(MEBIBYTE, sender)
def reports_draft(
    report_id: UUID, body: DraftWrite, caller: CallerDep, service: ReportServiceDep
) -> DraftRead:
    """How a text would look, and all that it may refer to; nothing is kept."""
    return service.draft(caller, report_id, body)


@router.get("/reports/{report_id}/revisions/{number}")
def reports_read_revision(
    report_id: UUID, number: Number, caller: CallerDep, service: ReportServiceDep
) -> RevisionRead:
    """A report as somebody saved it."""
    return service.read_revision(caller, report_id, number)


@router.post("/reports/{report_id}/editions", status_code=201)
def reports_freeze(report_id: UUID, caller: CallerDep, service: ReportServiceDep) -> EditionRead:
    """Make an edition of the report as it stands: its figures stay what they are now."""
    return service.freeze(caller, report_id)


@router.get("/reports/{report_id}/editions/{number}")
def reports_read_edition(
    report_id: UUID, number: Number, caller: CallerDep, service: ReportServiceDep
) -> EditionRead:
    """An edition, which stays, with its digest and what changed since. What may not be shown any
    more, or is gone, is withdrawn in it, with the reason.
    """
    return service.read_edition(caller, report_id, number)


@router.get("/reports/{report_id}/file", response_class=Response, responses=FILES)
def reports_read_file(
    report_id: UUID,
    request: Request,
    caller: CallerDep,
    service: ReportServiceDep,
    form: Form = "pdf",
    edition: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
) -> Response:
    """A report, or one of its editions, as a file: PDF (where the backend's machine has a
    Chromium), one HTML document, or Markdown; with all notes in full.
    """
    settings: Settings = request.app.state.settings
    content = service.content(caller, report_id, edition)
    if form == "markdown":
        made = markdown(content).encode()
    else:
        html = page(content.title, document(content))
        made = pdf.made(html, settings.chromium) if form == "pdf" else html.encode()
    kind, ending = MEDIA[form]
    of = "" if edition is None else f"-edition-{edition}"
    headers = {
        "Cache-Control": ASK_AGAIN,
        "Content-Disposition": f'attachment; filename="report{of}.{ending}"',
        "Content-Security-Policy": f"{POLICY}; sandbox",
    }
    return Response(made, media_type=kind, headers=headers)
