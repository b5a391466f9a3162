"""The feature's services in the graph, and for endpoints."""

from collections.abc import Callable
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Request

from weighhouse_backend.identity.cookie_names import session_sent
from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.sharing.documents import SharedDocuments
from weighhouse_backend.sharing.errors import ShareGone
from weighhouse_backend.sharing.frozen import FrozenService
from weighhouse_backend.sharing.notice_links import NoticeLinkService
from weighhouse_backend.sharing.openings import Opened, OpeningService
from weighhouse_backend.sharing.renderings import Renderings
from weighhouse_backend.sharing.repository import ShareRepository
from weighhouse_backend.sharing.service import ShareService
from weighhouse_backend.sharing.subjects import SubjectService

SERVICES = provided(
    FrozenService,
    NoticeLinkService,
    OpeningService,
    ShareRepository,
    ShareService,
    SharedDocuments,
    SubjectService,
)

ShareServiceDep = Annotated[ShareService, wired(ShareService)]
OpeningServiceDep = Annotated[OpeningService, wired(OpeningService)]
SharedDocumentsDep = Annotated[SharedDocuments, wired(SharedDocuments)]

ShareIdDep = Annotated[
    UUID | None,
    Query(description="The id of what is public, in place of a link's token."),
]


def token_of(request: Request) -> str:
    """What stands behind a link's `#`.

    :raises ShareGone: when nothing came along.
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ShareGone("what stands behind its # did not come along; open the whole link")
    return token.strip()


def _opens(*, seen: bool) -> Callable[..., Opened]:
    def opened(request: Request, openings: OpeningServiceDep, share: ShareIdDep = None) -> Opened:
        if share is not None:
            return openings.public(share, seen=seen)
        return openings.by_link(token_of(request), session_sent(request), seen=seen)

    return opened


OpenedDep = Annotated[Opened, Depends(_opens(seen=False))]
"""What somebody came to; the transaction sees it alone."""
SeenDep = Annotated[Opened, Depends(_opens(seen=True))]
"""The same, counted as opened."""


def _renderings(request: Request) -> Renderings:
    found: Renderings = request.app.state.renderings
    return found


RenderingsDep = Annotated[Renderings, Depends(_renderings)]
