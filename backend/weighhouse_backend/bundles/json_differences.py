"""Where two things that should be the same are not. Pure."""

import math
from collections.abc import Iterator
from typing import Any

LONGEST = 80
"""Signs of a value that are shown."""
TOLERANCE = 1e-9
"""By which two numbers may differ that two machines worked out by one formula."""


def differing(told: Any, found: Any, where: str) -> Iterator[str]:
    """What JSON tells against what was found, in words: one sentence a place that differs.

    :param where: what it is of; places inside it are named behind.
    """
    if isinstance(told, dict) and isinstance(found, dict):
        for name in [*told, *(one for one in found if one not in told)]:
            if name not in told or name not in found:
                yield f"{where}.{name} is {'not there' if name not in told else 'told'}, and " + (
                    "is found" if name not in told else "not found"
                )
            else:
                yield from differing(told[name], found[name], f"{where}.{name}")
    elif isinstance(told, list) and isinstance(found, list):
        if len(told) != len(found):
            yield f"{where}: {len(told)} are told, and {len(found)} found"
            return
        for place, (one, other) in enumerate(zip(told, found, strict=True)):
            yield from differing(one, other, f"{where}[{place}]")
    elif not _same(told, found):
        yield f"{where} is told as {_short(told)}, and comes to {_short(found)}"


def _same(told: Any, found: Any) -> bool:
    if isinstance(told, bool) or isinstance(found, bool):
        return told is found
    if isinstance(told, int | float) and isinstance(found, int | float):
        return math.isclose(told, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(told == found)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
