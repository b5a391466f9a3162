"""The index of packages (PEP 503, PEP 691), its files, and the script that makes an agent.

No account is needed: what is served is software that everybody may have, and its address holds
nothing secret. Files are addressed by their digest and may be kept for ever.
"""

import html
import json
from importlib.resources import files as of_package
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse

from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.packages.release import (
    NotServed,
    Packages,
    Release,
    normalized,
    packages_of,
)
from weighhouse_backend.packages.script import refusing, script

SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
WHILE = {"Cache-Control": "no-cache", "Vary": "Accept"}

router = APIRouter(prefix="/agent", include_in_schema=False)


def _packages(request: Request) -> Packages:
    settings: Settings = request.app.state.settings
    return packages_of(settings.packages_dir)


def _release(request: Request) -> Release:
    try:
        return _packages(request).release()
    except NotServed as error:
        raise NotFound(f"this platform serves no packages: {error}") from error


@router.get("/simple/")
def packages_list(request: Request, accept: Annotated[str, Header()] = "") -> Response:
    """The projects."""
    projects = _release(request).projects()
    if SIMPLE_JSON in accept:
        return _json({"projects": [{"name": name} for name in projects]})
    return _page("".join(f'<a href="{name}/">{name}</a><br>' for name in projects))


@router.get("/simple/{project}/")
def packages_list_files(
    project: str, request: Request, accept: Annotated[str, Header()] = ""
) -> Response:
    """A project's files, with their digests."""
    release = _release(request)
    found = release.projects().get(normalized(project), ())
    if not found:
        raise NotFound(f"this index has no {project[:80]}: it holds what an agent needs, alone")
    if SIMPLE_JSON in accept:
        files = [
            {
                "filename": one.name,
                "url": f"../../packages/{one.sha256}/{one.name}",
                "hashes": {"sha256": one.sha256},
                "requires-python": ">=3.11",
                "size": one.size_bytes,
            }
            for one in found
        ]
        return _json({"name": normalized(project), "files": files})
    lines = [
        f'<a href="../../packages/{one.sha256}/{html.escape(one.name)}#sha256={one.sha256}" '
        f'data-requires-python="&gt;=3.11">{html.escape(one.name)}</a><br>'
        for one in found
    ]
    return _page("".join(lines))


@router.get("/packages/{sha256}/{name}")
def packages_read_file(sha256: str, name: str, request: Request) -> Response:
    """A wheel."""
    _release(request)
    path = _packages(request).file(sha256, name)
    if path is None:
        raise NotFound("no such file is of this platform's release")
    return FileResponse(path, media_type="application/octet-stream", headers=FOREVER)


@router.get("/install.sh")
def packages_read_script(request: Request) -> Response:
    """The script; where nothing can be installed, one that says why."""
    settings: Settings = request.app.state.settings
    source = (of_package("weighhouse_backend.packages") / "install.sh").read_text("utf-8")
    try:
        text = script(source, settings, _packages(request).release())
    except NotServed as error:
        text = refusing(settings.public_url, str(error))
    return PlainTextResponse(
        text, media_type="text/x-shellscript", headers={"Cache-Control": "no-cache"}
    )


def _json(content: dict[str, object]) -> Response:
    told = json.dumps({"meta": {"api-version": "1.0"}, **content})
    return Response(told, media_type=SIMPLE_JSON, headers=WHILE)


def _page(body: str) -> Response:
    return HTMLResponse(
        f'<!DOCTYPE html><html><head><meta name="pypi:repository-version" content="1.0">'
        f"<title>Packages</title></head><body>{body}</body></html>",
        headers=WHILE,
    )
