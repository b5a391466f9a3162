"""The API to read at /api/docs: the OpenAPI document as one plain page, without scripts."""

import html
import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from fastapi import FastAPI
from starlette.responses import HTMLResponse

from weighhouse_backend.app.documentation import page

METHODS = ("get", "post", "put", "patch", "delete")


def install_reference(app: FastAPI, document: Callable[[], bytes]) -> None:
    """Serve the page at /api/docs; it is made once, at the first request.

    :param document: gives the OpenAPI document as JSON.
    """

    @cache
    def content() -> str:
        return reference(json.loads(document()))

    @app.get("/api/docs", include_in_schema=False)
    def reference_page() -> HTMLResponse:
        return HTMLResponse(content())


def reference(document: dict[str, Any]) -> str:
    """The page of an OpenAPI document.

    :param document: OpenAPI 3.1, as FastAPI makes it.
    :returns: HTML: every operation by tag with parameters, body and answer, then every schema.
    """
    operations = sorted(
        (
            (str(operation.get("tags", ["other"])[0]), path, method, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if method in METHODS
        ),
        key=lambda one: (one[0], one[1], METHODS.index(one[2])),
    )
    info = {key: html.escape(str(value)) for key, value in document["info"].items()}
    parts = [
        f"<h1>{info['title']} {info['version']}</h1><p>{info.get('description', '')}</p>",
        '<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a></p>',
    ]
    for tag, group in groupby(operations, key=lambda one: one[0]):
        parts.append(f"<h2>{html.escape(tag)}</h2>")
        parts += [_operation(path, method, one) for _, path, method, one in group]
    parts.append("<h2>Schemas</h2>")
    schemas = document.get("components", {}).get("schemas", {})
    parts += [_schema(name, schema) for name, schema in sorted(schemas.items())]
    return page("API", "".join(parts))


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    name = html.escape(str(operation.get("operationId", "")))
    parts = [
        f'<h3 id="{name}"><code>{method.upper()} {html.escape(path)}</code></h3>',
        f"<p>{html.escape(operation.get('description', operation.get('summary', '')))}</p>",
    ]
    scopes = [each for one in operation.get("security", []) for each in one.get("token", [])]
    parts += [f"<p>Scope of a token: <code>{html.escape(scope)}</code></p>" for scope in scopes]
    rows = [
        (one["name"], one["in"], _type(one.get("schema", {})), _needed(one.get("required", False)))
        for one in operation.get("parameters", [])
    ]
    parts.append(_table(rows))
    takes = _content(operation.get("requestBody", {}))
    if takes:
        parts.append(f"<p>Takes {takes}.</p>")
    for status, answer in sorted(operation.get("responses", {}).items()):
        if status.startswith("2"):
            gives = _content(answer)
            parts.append(f"<p>Answers {status}{' with ' + gives if gives else ''}.</p>")
    return "".join(parts)


def _schema(name: str, schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    rows = [
        (key, _type(value), _needed(key in required), html.escape(value.get("description", "")))
        for key, value in schema.get("properties", {}).items()
    ]
    said = html.escape(schema.get("description", ""))
    choice = "" if rows else f"<p>{_type(schema)}</p>"
    safe = html.escape(name)
    return f'<h3 id="schema-{safe}">{safe}</h3><p>{said}</p>{choice}{_table(rows)}'


def _content(holder: dict[str, Any]) -> str:
    found = [
        f"{_type(media['schema'])} <small>({html.escape(kind)})</small>"
        for kind, media in holder.get("content", {}).items()
        if media.get("schema")
    ]
    return " or ".join(found)


def _type(schema: dict[str, Any]) -> str:
    """A schema in few words, with links to those that have a name."""
    if "$ref" in schema:
        name = html.escape(str(schema["$ref"]).rsplit("/", 1)[-1])
        return f'<a href="#schema-{name}">{name}</a>'
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(_type(one) for one in choices)
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if values:
        return " | ".join(f"<code>{html.escape(str(one))}</code>" for one in values)
    kind = str(schema.get("format") or schema.get("type", "any"))
    if kind == "array":
        kind = f"list of {_type(schema.get('items', {}))}"
    elif kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        kind = f"map of {_type(schema['additionalProperties'])}"
    return kind


def _needed(required: bool) -> str:
    return "required" if required else ""


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    lines = (
        f"<tr><td><code>{html.escape(first)}</code></td>"
        + "".join(f"<td>{cell}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return f"<table>{''.join(lines)}</table>"
