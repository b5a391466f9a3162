"""Refuses what an address asks that its operation does not take, and asks twice what it takes once:
it would be dropped without a word, and the answer would be to another question.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, get_args, get_origin

from fastapi import Request
from fastapi.dependencies.models import Dependant
from weighhouse_protocol.document_errors import did_you_mean, listed

from weighhouse_backend.kit.problems import MOST_ERRORS, FieldProblem, Invalid

SHOWN = 100
"""Characters of a name that are told."""
IN_WORDS = 3
"""Parameters that the sentence names; the others stand in the list of errors."""
PEOPLE = "/api/v1/"


async def refuse_unknown(request: Request) -> None:
    """Hold the names in a query against those that its operation takes; of every endpoint for
    people. An agent may be newer than its platform, and say more; so may pages that show a badge.

    :raises Invalid: naming each parameter that is none of the operation's, and what it takes.
    """
    path = request.scope["path"]
    if not request.query_params or not path.startswith(PEOPLE):
        return
    known = set(_names(request.scope["route"].dependant))
    # An address has room for thousands: no more are looked at than are told.
    unknown = list(
        islice((name for name in request.query_params if name not in known), MOST_ERRORS)
    )
    if not unknown:
        return
    names = sorted(known)
    expected = listed(names) if names else "nothing behind the `?`"
    found = [
        FieldProblem(
            path=name[:SHOWN],
            message="is not asked for here" + (did_you_mean(name, names) if at < IN_WORDS else ""),
            expected=expected,
        )
        for at, name in enumerate(unknown)
    ]
    detail = "; ".join(f"{each.path} {each.message}" for each in found[:IN_WORDS])
    end = "" if detail.endswith("?") else ";"
    raise Invalid(f"{detail}{end} this takes {expected}", errors=found)


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
        detail = "; ".join(
            f"{each.path} {each.message} and takes one value" for each in found[:IN_WORDS]
        )
        raise Invalid(detail, errors=found[:MOST_ERRORS])


def _names(dependant: Dependant) -> Iterator[str]:
    """All parameters of an operation's query."""
    for field in dependant.query_params:
        yield field.alias
    for each in dependant.dependencies:
        yield from _names(each)


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
