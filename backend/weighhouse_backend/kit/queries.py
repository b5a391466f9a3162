"""Refuses what an address asks twice and the operation takes once: one of the two would be dropped
without a word, and the answer would be to another question.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, get_args, get_origin

from fastapi import Request
from fastapi.dependencies.models import Dependant

from weighhouse_backend.kit.problems import MOST_ERRORS, FieldProblem, Invalid


async def refuse_repeated(request: Request) -> None:
    """Hold the query of a request against what its operation takes; of every endpoint.

    :raises Invalid: naming each parameter that is given several times and takes one value.
    """
    given = Counter(name for name, _ in request.query_params.multi_items())
    repeated = [name for name, times in given.items() if times > 1]
    if not repeated:
        return
    single = set(_single(request.scope["route"].dependant))
    found = [
        FieldProblem(
            path=name, message=f"is given {given[name]} times", expected="one value, given once"
        )
        for name in repeated
        if name in single
    ]
    if found:
        detail = "; ".join(f"{each.path} {each.message} and takes one value" for each in found[:3])
        raise Invalid(detail, errors=found[:MOST_ERRORS])


def _single(dependant: Dependant) -> Iterator[str]:
    """The parameters of an operation's query that take one value."""
    for field in dependant.query_params:
        if not _is_many(field.field_info.annotation):
            yield field.alias
    for each in dependant.dependencies:
        yield from _single(each)


def _is_many(annotation: Any) -> bool:
    """Does a type hold several values, itself or in one of its alternatives?"""
    made = get_origin(annotation) or annotation
    if isinstance(made, type) and issubclass(made, Collection):
        return not issubclass(made, str | bytes)
    return any(_is_many(each) for each in get_args(annotation))
