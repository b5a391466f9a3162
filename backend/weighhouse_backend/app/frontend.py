"""Serves the built frontend: files by name, and its first page for every other address."""

from mimetypes import guess_type
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Match, Route
from starlette.types import Scope
from weighhouse_protocol import pages

from weighhouse_backend.kit.codings import accepted_codings
from weighhouse_backend.kit.problems import NotFound

FOREVER = "public, max-age=31536000, immutable"
BY_LINK = (
    pages.REPLY,
    pages.SHARED,
    pages.JOIN,
    pages.PASSWORD,
    pages.DOMAIN,
    pages.SIGN_IN_ANSWER,
)
"""Pages that people come to by an address with something secret, and that tell none where from."""
OTHERS = ("/api/", "/agent/", "/docs/")
PACKED = {"br": ".br", "gzip": ".gz"}
"""Codings that the build puts beside a file, the smallest first, and what their names end in."""


class _Pages(Route):
    """Every address but those of others: a page is never the answer to a wrong method there."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether an address is a page's."""
        if scope["path"].startswith(OTHERS):
            return Match.NONE, {}
        return super().matches(scope)


def install_frontend(app: FastAPI, directory: Path | None) -> None:
    """Serve a directory with `index.html` and `assets/`; without one, the API alone.

    Assets carry their hash in the name and may be kept for ever; the first page never.
    """
    if directory is None:
        return
    root = directory.resolve()

    def frontend_file(request: Request) -> Response:
        path: str = request.path_params["path"]
        file = _file(root, path)
        if file is not None:
            return _answer(request, file, FOREVER if path.startswith("assets/") else "no-cache")
        if path.startswith("assets/"):
            raise NotFound("this page is from before an update; load it again")
        index = root / "index.html"
        if not index.is_file():
            raise NotFound("the frontend is not built; `make install` builds it")
        answer = _answer(request, index, "no-cache")
        if f"/{path}".startswith(BY_LINK):
            answer.headers["Referrer-Policy"] = "no-referrer"
        return answer

    app.router.routes.append(_Pages("/{path:path}", frontend_file, methods=["GET"]))


def _answer(request: Request, file: Path, cache: str) -> FileResponse:
    """A file as the build has packed it for who can unpack it, else as it is."""
    headers = {"Cache-Control": cache, "Vary": "Accept-Encoding"}
    taken = accepted_codings(request.headers.get("accept-encoding", ""))
    served = file
    for coding, ending in PACKED.items():
        packed = file.with_name(file.name + ending)
        if coding in taken and packed.is_file():
            served, headers["Content-Encoding"] = packed, coding
            break
    return FileResponse(served, headers=headers, media_type=guess_type(file.name)[0])


def _file(root: Path, path: str) -> Path | None:
    """The file of a name; None when there is none, or no file can be called so."""
    try:
        file = (root / path).resolve()
        return file if path and file.is_file() and file.is_relative_to(root) else None
    except (OSError, ValueError):
        return None
