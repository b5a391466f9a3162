"""Serves the pages that errors and findings link to, as plain HTML, and their pictures."""

import html
import itertools
import posixpath
import re
from collections import Counter
from pathlib import Path, PurePosixPath

from fastapi import FastAPI
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from starlette.responses import FileResponse, HTMLResponse, Response

from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.search.help_pages import WORD, section_of

PATH = re.compile(r"([A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*(\.(md|svg|png))?)?")
PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}
REFERENCE = re.compile(r'(?P<kind>href|src)="(?P<to>[^":#]+)(?P<anchor>#[^"]*)?"')
"""A link or a picture of the same repository; others have a scheme."""
INDEX = "README"
CACHED = {"Cache-Control": "public, max-age=300"}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>{title} · Weighhouse</title>
<style>:root{{color-scheme:light dark}}body{{font:16px/1.6 system-ui,sans-serif;max-width:44rem;
margin:3rem auto;padding:0 1rem}}code,pre{{font-family:ui-monospace,monospace;font-size:.92em}}
pre{{overflow-x:auto;padding:.75rem;border:1px solid #8886}}td,th{{padding:.25rem .75rem .25rem 0;
text-align:left;vertical-align:top}}table{{display:block;overflow-x:auto}}code,a{{overflow-wrap:
anywhere}}img{{max-width:100%;height:auto}}</style>{body}</html>"""


def page(title: str, body: str) -> str:
    """A plain page.

    :param title: text.
    :param body: HTML.
    """
    return PAGE.format(title=html.escape(title), body=body)


def install_documentation(app: FastAPI, directory: Path | None) -> None:
    """Serve the Markdown files of a folder under /docs/…, a folder's own page being its README, and
    the pictures beside them.

    Pages link to each other as files do in the repository. A link leads to the page that is served,
    whichever of its addresses the reader came by; one to a file that is not served is shown as
    text, for there is nothing behind it.

    :param directory: the folder `docs/`; none: the addresses answer with 404.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.core.ruler.push("sections", _name_sections)

    @app.get("/docs", include_in_schema=False)
    @app.get("/docs/{path:path}", include_in_schema=False)
    def documentation_page(path: str = "") -> Response:
        file = None if directory is None else _file(directory, path.rstrip("/"))
        if directory is None or file is None:
            raise NotFound(f"there is no page about {path}")
        if file.suffix in PICTURES:
            return FileResponse(file, media_type=PICTURES[file.suffix], headers=CACHED)
        text = file.read_text(encoding="utf-8")
        title = text.lstrip("# ").split("\n", 1)[0]
        folder = PurePosixPath(file.relative_to(directory).parent.as_posix())
        body = _linked(markdown.render(text), directory, folder)
        return HTMLResponse(page(title, body), headers=CACHED)


def _name_sections(state: StateCore) -> None:
    """Give each heading the name that links lead to; of those alike, the later ones a number."""
    seen: Counter[str] = Counter()
    for token, inside in itertools.pairwise(state.tokens):
        if token.type == "heading_open":
            name = section_of(inside.content)
            token.attrSet("id", name if not seen[name] else f"{name}-{seen[name]}")
            seen[name] += 1
    _name_words(state, seen)


def _name_words(state: StateCore, seen: Counter[str]) -> None:
    """Give the rows of a list of words the names that links lead to: each its word's."""
    explains = False
    for row, cell, inside in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if row.type != "tr_open":
            continue
        if cell.type == "th_open":
            explains = inside.content == WORD
        elif explains and not seen[name := section_of(inside.content)]:
            row.attrSet("id", name)
            seen[name] += 1


def _file(directory: Path, path: str) -> Path | None:
    """The file an address stands for; None when nothing is served there."""
    if not PATH.fullmatch(path):
        return None
    place = directory / path
    if place.suffix in {".md", *PICTURES}:
        found = place
    else:
        found = place / f"{INDEX}.md" if place.is_dir() else place.with_suffix(".md")
    return found if found.is_file() else None


def _linked(body: str, directory: Path, folder: PurePosixPath) -> str:
    """The page with addresses that hold from wherever it is read."""

    def served(found: re.Match[str]) -> str:
        address = _address(directory, folder, found["to"])
        if address is None:
            return 'data-elsewhere=""' if found["kind"] == "href" else found[0]
        return f'{found["kind"]}="{address}{found["anchor"] or ""}"'

    return REFERENCE.sub(served, body)


def _address(directory: Path, folder: PurePosixPath, to: str) -> str | None:
    """Where a link of a page in `folder` leads; None when its file is not served."""
    if to.startswith("/"):
        return to
    path = posixpath.normpath((folder / to).as_posix())
    path = "" if path == "." else path
    file = None if path.startswith("..") else _file(directory, path)
    if file is None:
        return None
    if file.suffix in PICTURES:
        return f"/docs/{path}"
    place = PurePosixPath(file.relative_to(directory).as_posix()).with_suffix("")
    place = place.parent if place.name == INDEX else place
    return "/docs" if place == PurePosixPath() else f"/docs/{place}"
