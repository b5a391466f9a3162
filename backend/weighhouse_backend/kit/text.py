"""Refuses text that the database cannot keep in addresses; of bodies, reading them does."""

from fastapi import Request
from weighhouse_protocol.text import unkept

from weighhouse_backend.kit.json_bodies import EXPECTED_TEXT, unkept_words
from weighhouse_backend.kit.problems import MOST_ERRORS, FieldProblem, Invalid


async def refuse_unkept(request: Request) -> None:
    """Hold address and query of a request against what text may have; of every endpoint.

    :raises Invalid: naming each place.
    """
    found = _asked("path", request.scope["path"])
    for name, value in request.query_params.multi_items():
        found += _asked(name, value)
    if found:
        detail = "; ".join(f"{each.path}: {each.message}" for each in found[:3])
        raise Invalid(detail, errors=found[:MOST_ERRORS])


def _asked(name: str, value: str) -> list[FieldProblem]:
    return [
        FieldProblem(path=name, message=unkept_words(code), expected=EXPECTED_TEXT)
        for _, code in unkept(value)
    ]
