"""Serves the pages that errors and findings link to, as plain, readable HTML."""

import html
import re
from pathlib import Path

from fastapi import FastAPI
from markdown_it import MarkdownIt
from starlette.responses import HTMLResponse

from weighhouse_backend.kit.problems import NotFound

PATH = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)?")
LINK = re.compile(r'href="([^":]+)\.md(#[^"]*)?"')
"""A link from page to page; in the repository it names the file."""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>{title} · Weighhouse</title>
<style>:root{{color-scheme:light dark}}body{{font:16px/1.6 system-ui,sans-serif;max-width:44rem;
margin:3rem auto;padding:0 1rem}}code,pre{{font-family:ui-monospace,monospace;font-size:.92em}}
pre{{overflow-x:auto;padding:.75rem;border:1px solid #8886}}td,th{{padding:.25rem .75rem .25rem 0;
text-align:left;vertical-align:top}}</style>{body}</html>"""


def page(title: str, body: str) -> str:
    """A plain page.

    :param title: text.
    :param body: HTML.
    """
    return PAGE.format(title=html.escape(title), body=body)


def install_documentation(app: FastAPI, directory: Path | None) -> None:
    """Serve the Markdown files of a folder under /docs/…, a folder's own page being its README.

    :param directory: the folder `docs/`; none: the addresses answer with 404.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

    @app.get("/docs/{path:path}", include_in_schema=False)
    def documentation_page(path: str) -> HTMLResponse:
        if directory is None or not PATH.fullmatch(path):
            raise NotFound(f"there is no page about {path}")
        place = directory / path
        file = place / "README.md" if place.is_dir() else place.with_suffix(".md")
        if not file.is_file():
            raise NotFound(f"there is no page about {path}")
        text = file.read_text(encoding="utf-8")
        title = text.lstrip("# ").split("\n", 1)[0]
        body = LINK.sub(r'href="\1\2"', markdown.render(text))
        return HTMLResponse(page(title, body), headers={"Cache-Control": "public, max-age=300"})
