"""Refuses text that the database cannot keep, wherever it arrives."""

import json
import re
from typing import Any

from fastapi import Request
from weighhouse_protocol.text import unkept

from weighhouse_backend.kit.problems import FieldProblem, Invalid, dotted

SUSPECT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
"""How it is written in JSON; what this does not find need not be looked at."""
MOST_NAMED = 20


async def refuse_unkept(request: Request) -> None:
    """Hold address, query and JSON body of a request against what text may have; of every endpoint.

    A body has been read by then, and is not read again.

    :raises Invalid: naming each place.
    """
    found = _asked("path", request.scope["path"])
    for name, value in request.query_params.multi_items():
        found += _asked(name, value)
    if not found and "json" in request.headers.get("content-type", ""):
        body = await request.body()
        if SUSPECT.search(body):
            found = _problems(_parsed(body))
    if found:
        detail = "; ".join(f"{each.path or 'body'}: {each.message}" for each in found[:3])
        raise Invalid(detail, errors=found[:MOST_NAMED])


def _asked(name: str, value: str) -> list[FieldProblem]:
    return [_problem(name, code) for _, code in unkept(value)]


def _problems(body: Any) -> list[FieldProblem]:
    return [_problem(dotted(path), code) for path, code in unkept(body)]


def _problem(path: str, code: str) -> FieldProblem:
    return FieldProblem(
        path=path,
        message=f"has {code}, which cannot be kept",
        expected="text without U+0000 and without halves of surrogate pairs",
    )


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None  # Whoever reads it says what is wrong with it.
