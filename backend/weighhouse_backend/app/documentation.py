"""Serves the pages that errors and findings link to, as plain, readable HTML."""

import html
from pathlib import Path

from fastapi import FastAPI
from markdown_it import MarkdownIt
from starlette.responses import HTMLResponse

from weighhouse_backend.kit.problems import NotFound

FOLDERS = ("findings", "problems", "plugins")
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>{title} · Weighhouse</title>
<style>:root{{color-scheme:light dark}}body{{font:16px/1.6 system-ui,sans-serif;max-width:44rem;
margin:3rem auto;padding:0 1rem}}code,pre{{font-family:ui-monospace,monospace;font-size:.92em}}
pre{{overflow-x:auto;padding:.75rem;border:1px solid #8886}}td,th{{padding:.25rem .75rem .25rem 0;
text-align:left;vertical-align:top}}</style>{body}</html>"""


def install_documentation(app: FastAPI, directory: Path | None) -> None:
    """Serve `docs/findings`, `docs/problems` and `docs/plugins` under /docs/…

    :param directory: the folder `docs/`; none: the addresses answer with 404.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

    @app.get("/docs/{folder}/{name}", include_in_schema=False)
    def documentation_page(folder: str, name: str) -> HTMLResponse:
        if directory is None or folder not in FOLDERS or not name.replace("-", "").isalnum():
            raise NotFound
        file = directory / folder / f"{name}.md"
        if not file.is_file():
            raise NotFound(f"there is no page about {name}")
        text = file.read_text(encoding="utf-8")
        title = text.lstrip("# ").split("\n", 1)[0]
        return HTMLResponse(PAGE.format(title=html.escape(title), body=markdown.render(text)))
