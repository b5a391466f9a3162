"""What pages elsewhere, readers without scripts and search engines are given of what is public."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from weighhouse_protocol import pages

from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.etags import ASK_AGAIN
from weighhouse_backend.kit.problems import Invalid, Problem
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.sharing import drawings, html_pages
from weighhouse_backend.sharing.dependencies import (
    OpeningServiceDep,
    RenderingsDep,
    SharedDocumentsDep,
    ShareServiceDep,
)
from weighhouse_backend.sharing.documents import SharedDocuments
from weighhouse_backend.sharing.embeds import NO_PAGE, address, may_embed, origins_of
from weighhouse_backend.sharing.errors import ShareGone
from weighhouse_backend.sharing.openings import Opened
from weighhouse_backend.sharing.schemas import shows
from weighhouse_backend.studies.folders import read_studies

router = APIRouter(route_class=BoundedRoute, tags=["sharing"])
SVG, HTML = "image/svg+xml", "text/html; charset=utf-8"
DRAWN: dict[int | str, dict[str, Any]] = {200: {"content": {SVG: {"schema": {"type": "string"}}}}}
WRITTEN: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}}
}
CLOSED = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Of pages and pictures that need nothing: nothing in them is carried out."""
GONE = "Nothing is shared here (any more)"


@router.get("/badges/series/{share_id}.svg", response_class=Response, responses=DRAWN)
def sharing_read_badge(
    share_id: UUID, openings: OpeningServiceDep, documents: SharedDocumentsDep, kept: RenderingsDep
) -> Response:
    """The last figure of a series that is public, and the verdict of its campaign, as a badge."""

    def draw(opened: Opened) -> str:
        summary = documents.summary(opened)
        right = summary.latest or "not measured yet"
        words = f"{right}, {summary.verdict}" if summary.verdict else right
        return drawings.badge(opened.share.title, words, summary.verdict)

    try:
        opened = openings.public(share_id)
        if opened.share.series_id is None:
            raise ShareGone
        documents.insist(opened, kept)
    except Problem:
        return _svg(drawings.badge("Weighhouse", drawings.GONE).encode(), 404)
    return _svg(kept.get((share_id, "badge"), lambda: draw(opened).encode(), documents.state))


@router.get("/pictures/{share_id}.svg", response_class=Response, responses=DRAWN)
def sharing_read_picture(
    share_id: UUID, openings: OpeningServiceDep, documents: SharedDocumentsDep, kept: RenderingsDep
) -> Response:
    """Figures of something public with their intervals, and all that must stand beside them."""
    try:
        opened = openings.public(share_id)
        documents.insist(opened, kept)
    except Problem:
        return _svg(drawings.badge("Weighhouse", drawings.GONE).encode(), 404)

    def draw() -> bytes:
        return _picture(opened, documents).encode()

    return _svg(kept.get((share_id, "picture"), draw, documents.state))


@router.get("/embed/{share_id}", response_class=Response, responses=WRITTEN)
def sharing_read_embed(
    share_id: UUID,
    request: Request,
    openings: OpeningServiceDep,
    documents: SharedDocumentsDep,
    kept: RenderingsDep,
) -> Response:
    """Something public for the frame of another page, with its disclaimers; only pages that this
    installation names may frame it, and others are told.
    """
    settings: Settings = request.app.state.settings
    framed = request.headers.get("Sec-Fetch-Dest") in {"iframe", "frame"}
    if framed and may_embed(settings, request.headers.get("Referer")) is False:
        told = html_pages.told_page("This page may not embed what is shown here", NO_PAGE)
        return _html(told.encode(), 403, frame="*")
    frame = " ".join(origins_of(settings)) or "'none'"
    try:
        opened = openings.public(share_id, seen=True)
        documents.insist(opened, kept)
    except Problem:
        return _html(html_pages.told_page(GONE, "Ask whose page this is.").encode(), 404, frame)

    def write() -> bytes:
        summary = documents.summary(opened)
        # They stand below it in full, where they are read at any width.
        picture = drawings.picture(opened.share.title, replace(summary, caveats=()), [])
        page = html_pages.embed_page(
            opened.share.title, picture, summary.caveats, _said(opened),
            pages.at(settings.public_url, pages.public(share_id)),
        )  # fmt: skip
        return page.encode()

    return _html(kept.get((share_id, "embed"), write, documents.state), frame=frame)


@router.get("/public", response_class=Response, responses=WRITTEN)
def sharing_read_front_page(
    request: Request,
    shares: ShareServiceDep,
    kept: RenderingsDep,
    q: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """What this installation shows to everybody, or what of it has all words of `q` in its title;
    where it has no such page: 404.
    """
    settings: Settings = request.app.state.settings
    if not settings.public_page:
        told = html_pages.told_page("There is no public page here", "Sign in to see your own.")
        return _html(told.encode(), 404)
    shipped = kept.get("studies", lambda: _studies(settings))
    studies = [(str(title), str(asks)) for title, asks in json.loads(shipped)]
    here = address(settings, "/public")
    said = q.strip()
    try:
        found, refused = shares.public(kept, said), ""
    except Invalid as problem:
        found, refused = [], problem.detail or problem.title
    return _html(html_pages.front_page(here, found, studies, said, refused).encode())


@router.get("/public/{share_id}", response_class=Response, responses=WRITTEN)
def sharing_read_public_page(
    share_id: UUID,
    request: Request,
    openings: OpeningServiceDep,
    documents: SharedDocumentsDep,
    kept: RenderingsDep,
) -> Response:
    """The page of something public, its title and description written by the server."""
    settings: Settings = request.app.state.settings
    index = _index(settings.frontend_dir)
    try:
        opened = openings.public(share_id)
        documents.insist(opened, kept)
    except Problem:
        return _page(html_pages.with_head(index, GONE, "").encode(), 404)
    made = _head(opened, documents, settings)
    head = kept.get((share_id, "head"), made, documents.state)
    title = f"{opened.share.title} · Weighhouse"
    return _page(html_pages.with_head(index, title, head.decode()).encode())


def _studies(settings: Settings) -> bytes:
    found = [one.study for one in read_studies(settings.experiments_dir)]
    return json.dumps([(one.title, one.asks) for one in found]).encode()


def _head(opened: Opened, documents: SharedDocuments, settings: Settings) -> Callable[[], bytes]:
    def write() -> bytes:
        share, summary = opened.share, documents.summary(opened)
        page = pages.at(settings.public_url, pages.public(share.id))
        what = share.kind if share.kind in {"series", "report"} else "comparison"
        data = address(settings, f"/api/v1/shared/{what}?share={share.id}")
        described = html_pages.dataset(
            share.title, summary.sentence, opened.organization, page, data, share.created_at,
            [summary.figure],
        )  # fmt: skip
        return html_pages.head_of(share.title, summary.sentence, page, described).encode()

    return write


def _picture(opened: Opened, documents: SharedDocuments) -> str:
    return drawings.picture(opened.share.title, documents.summary(opened), _said(opened))


def _said(opened: Opened) -> list[str]:
    return [f"Measured by {opened.organization}, with Weighhouse. {shows(opened.share.stood_at)}"]


def _index(directory: Path | None) -> str:
    index = None if directory is None else directory / "index.html"
    if index is None or not index.is_file():
        return html_pages.told_page("Weighhouse", "The pages are not built here.")
    return index.read_text(encoding="utf-8")


def _svg(content: bytes, status: int = 200) -> Response:
    headers = {"Cache-Control": ASK_AGAIN, "Content-Security-Policy": CLOSED,
               "Cross-Origin-Resource-Policy": "cross-origin"}  # fmt: skip
    return Response(content, status, headers, SVG)


def _html(content: bytes, status: int = 200, frame: str = "'none'") -> Response:
    policy = f"{CLOSED}; img-src data:; frame-ancestors {frame}"
    headers = {"Cache-Control": ASK_AGAIN, "Content-Security-Policy": policy}
    return Response(content, status, headers, HTML)


def _page(content: bytes, status: int = 200) -> Response:
    return Response(content, status, {"Cache-Control": ASK_AGAIN}, HTML)
