"""Makes invented requests meet what is there, and breaks them in ways that no schema forbids."""

import random
from collections.abc import Mapping
from typing import Any

from schemathesis.core.parameters import ParameterLocation

MEETING = {"path": 0.85, "query": 0.5, "body": 0.7}
"""How often a value gives way to a real one."""
UNKEPT = ("a\x00b", "\ud800", "x\udfffy", "\x00")
BEYOND = (2**31, 2**63, -(2**63) - 1, 10**30, 10**400, -1, 1.5e308)


def ground(case: Any, ids: Mapping[str, list[str]], dice: random.Random) -> None:
    """Put real ids into a request, so that it gets past 404; places broken on purpose stay so."""
    meta = case.meta

    def broken(place: ParameterLocation) -> bool:
        return meta is not None and bool(meta.is_negative_at(place))

    if not broken(ParameterLocation.PATH):
        _put(case.path_parameters, ids, dice, MEETING["path"])
    if not broken(ParameterLocation.QUERY):
        _put(case.query, ids, dice, MEETING["query"])
    if not broken(ParameterLocation.BODY) and isinstance(case.body, dict):
        _put(case.body, ids, dice, MEETING["body"])


def _put(values: Any, ids: Mapping[str, list[str]], dice: random.Random, often: float) -> None:
    if not isinstance(values, dict):
        return
    for name, value in values.items():
        if name not in ids or dice.random() >= often:
            continue
        chosen = dice.choice(ids[name])
        if isinstance(value, list):
            values[name] = [chosen]
        elif value is not None:
            values[name] = int(chosen) if chosen.isdecimal() else chosen


def break_value(value: Any, dice: random.Random) -> Any:
    """A document with one of its values made such that no database keeps it."""
    places = list(_places(value, ()))
    if not places:
        return dice.choice(UNKEPT)
    place = dice.choice(places)
    return _replaced(value, place, dice.choice([*UNKEPT, *BEYOND]))


def _places(value: Any, at: tuple[Any, ...]) -> Any:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _places(inner, (*at, index))
    elif at:
        yield at


def _replaced(value: Any, place: tuple[Any, ...], by: Any) -> Any:
    if not place:
        return by
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = _replaced(value[place[0]], place[1:], by)
    return copy
