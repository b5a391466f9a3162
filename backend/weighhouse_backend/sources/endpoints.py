"""Published sources: others' results, kept with who measured them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response

from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.files.uploads import Upload, UploadDep
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.identity.senders import sender
from weighhouse_backend.kit.bodies import KIBIBYTE, MEBIBYTE, BoundedRoute, takes
from weighhouse_backend.kit.etags import etag
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.sources.dependencies import PublishedSourceServiceDep
from weighhouse_backend.sources.received_files import UnderstoodDep
from weighhouse_backend.sources.schemas import (
    Because,
    FiguresTyped,
    FiguresUnderstood,
    PublishedPreviewRead,
    PublishedSourceRead,
    PublishedSourceSummary,
)
from weighhouse_backend.sources.typed import understood

DOCUMENT_BYTES = 16 * MEBIBYTE
"""Of a document of published results, intervals and histograms included."""

FILES_BYTES = 256 * MEBIBYTE
"""Of what is previewed; it is received as a file, and read by a program of its own."""

router = APIRouter(
    route_class=BoundedRoute,
    prefix="/api/v1/published-sources",
    tags=["published sources"],
    responses={code: {"model": ProblemDocument} for code in (401, 403, 404, 422)},
)
Number = Annotated[int | None, Query(ge=1, le=1_000_000, description="The latest when left out")]


@router.get("")
def sources_list(
    caller: CallerDep,
    sources: PublishedSourceServiceDep,
    page: PageDep,
    project_id: UUID | None = None,
) -> Page[PublishedSourceSummary]:
    """Published sources, the one kept last first."""
    return sources.listed(caller, page, project_id)


# What a body becomes comes first: while it arrives, nothing of the database is held.


@router.post("", status_code=201)
@takes(DOCUMENT_BYTES, sender, as_file=True)
def sources_keep(
    content: UploadDep,
    caller: CallerDep,
    sources: PublishedSourceServiceDep,
    response: Response,
    project_id: UUID | None = None,
) -> PublishedSourceRead:
    """Keep published results: the body is a document as a preview gives it, its source filled in.
    All of it is kept, or nothing. The same results are kept once: 200 with what is there when they
    come again. Takes a member.
    """
    kept, new = sources.keep(caller, project_id, _all_of(content))
    if not new:
        response.status_code = 200
    response.headers["ETag"] = etag(kept.version)
    return kept


@router.post("/preview", response_model=PublishedPreviewRead)
@takes(FILES_BYTES, sender, as_file=True)
def sources_preview(understood_of_it: UnderstoodDep, caller: CallerDep) -> Response:
    """What is understood of a file, or an archive of several (zip, tar): sides, cells and figures,
    what is unknown of them, and what was refused, by line and with the reason. Nothing is kept.
    """
    del caller
    return Response(understood_of_it, media_type="application/json")


@router.post("/figures")
@takes(256 * KIBIBYTE, sender)
def sources_read_figures(body: FiguresTyped, caller: CallerDep) -> FiguresUnderstood:
    """What typed figures stand for: their value in the platform's unit, and between which values
    the printed one was rounded from. Nothing is kept.
    """
    del caller
    return FiguresUnderstood(figures=understood(body.figures))


@router.get("/{source_id}")
def sources_read(
    source_id: UUID,
    caller: CallerDep,
    sources: PublishedSourceServiceDep,
    response: Response,
    number: Number = None,
) -> PublishedSourceRead:
    """A published source: what it published, what checks have to say of it, and its versions."""
    found = sources.read(caller, source_id, number)
    response.headers["ETag"] = etag(found.version)
    return found


@router.get("/{source_id}/document", response_class=Response)
def sources_read_document(
    source_id: UUID,
    caller: CallerDep,
    sources: PublishedSourceServiceDep,
    number: Number = None,
    audience: AudienceDep = "internal",
) -> Response:
    """The whole document, intervals and histograms included: what to correct, or take along."""
    whole = sources.whole(caller, source_id, number, audience)
    disposition = f'attachment; filename="published-{source_id}.json"'
    return Response(
        whole, media_type="application/json", headers={"Content-Disposition": disposition}
    )


@router.post("/{source_id}/versions", status_code=201, responses={412: {"model": ProblemDocument}})
@takes(DOCUMENT_BYTES, sender, as_file=True)
def sources_correct(
    content: UploadDep,
    source_id: UUID,
    caller: CallerDep,
    sources: PublishedSourceServiceDep,
    response: Response,
    because: Annotated[Because, Query(description="What was wrong")],
    if_match: Annotated[str | None, Header()] = None,
) -> PublishedSourceRead:
    """Correct a published source: the document in the body is its new version. The one before is
    kept, and shown as what it was. With If-Match only on top of what was seen. Takes a member.
    """
    corrected = sources.correct(caller, source_id, _all_of(content), because, if_match)
    response.headers["ETag"] = etag(corrected.version)
    return corrected


@router.delete("/{source_id}", status_code=204)
def sources_remove(source_id: UUID, caller: CallerDep, sources: PublishedSourceServiceDep) -> None:
    """Remove a published source: it stands in no list and no comparison any more. Takes a member;
    a maintainer, where others kept it.
    """
    sources.remove(caller, source_id)


def _all_of(content: Upload) -> bytes:
    return content.file.read()
