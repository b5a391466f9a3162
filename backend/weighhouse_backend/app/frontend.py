"""Serves the built frontend: files by name, and its first page for every other address."""

from pathlib import Path

from fastapi import FastAPI, Request
from starlette.responses import FileResponse, Response

from weighhouse_backend.kit.problems import NotFound

FOREVER = "public, max-age=31536000, immutable"


def install_frontend(app: FastAPI, directory: Path | None) -> None:
    """Serve a directory with `index.html` and `assets/`; without one, the API alone.

    Assets carry their hash in the name and may be kept for ever; the first page never.
    """
    if directory is None:
        return
    root = directory.resolve()

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def frontend_file(path: str, request: Request) -> Response:
        if path.startswith(("api/", "agent/", "docs/")):
            raise NotFound(f"there is no {request.url.path}")
        file = (root / path).resolve()
        if path and file.is_file() and file.is_relative_to(root):
            cache = FOREVER if path.startswith("assets/") else "no-cache"
            return FileResponse(file, headers={"Cache-Control": cache})
        if path.startswith("assets/"):
            raise NotFound("this page is from before an update; load it again")
        index = root / "index.html"
        if not index.is_file():
            raise NotFound("the frontend is not built; `make install` builds it")
        return FileResponse(index, headers={"Cache-Control": "no-cache"})
