"""Reads bodies of JSON straight into their models, and refuses what no two programs read alike."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Any

from pydantic import TypeAdapter, ValidationError
from weighhouse_protocol.text import unkept

from weighhouse_backend.kit.problems import MOST_ERRORS

MOST_COUNTED = 5000
"""Of more faults none is told one by one: each would have to be made."""
MOST_VALUES = 30_000
"""What a body may hold. Reading takes as long as there are values, and longer for each that is not
right; whoever sends many events sends them in several bodies.
"""
MOST_LOOKED_AT_BYTES = 1024 * 1024
"""Larger bodies come from programs alone, and are not looked through for doubled keys."""
SUSPECT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])|NaN|Infinity")
"""Text that cannot be kept, and numbers that are none, as JSON would have them; what this does not
find need not be looked at.
"""
EXPECTED_TEXT = "text without U+0000 and without halves of surrogate pairs"

Found = dict[str, Any]
"""An error as Pydantic tells it: `type`, `loc`, `msg`, `ctx`."""


@dataclass(frozen=True, slots=True)
class Read:
    """A body that was read: its value, or what is wrong with it."""

    value: Any = None
    errors: Sequence[Found] = ()


def is_json(content_type: str | None) -> bool:
    """Whether a body says of itself that it is JSON."""
    if not content_type:
        return False
    message = Message()
    message["content-type"] = content_type
    subtype = message.get_content_subtype()
    known = message.get_content_maintype() == "application"
    return known and (subtype == "json" or subtype.endswith("+json"))


def values_in(content: bytes) -> int:
    """About how many values JSON holds, and never more than there are and commas in its texts."""
    return content.count(b",") + 1


def read(adapter: TypeAdapter[Any], content: bytes) -> Read:
    """A body as its model; Python sees no other object of it, but of small ones.

    Takes time: to be called off the event loop for whatever is not small.
    """
    if errors := faults_in(content):
        return Read(errors=errors)
    try:
        return Read(value=adapter.validate_json(content))
    except ValidationError as error:
        return Read(errors=_told(error))


def faults_in(content: bytes) -> list[Found]:
    """What is wrong with JSON whatever it is for: keys given twice, numbers that are none, text
    that cannot be kept. Of what is no JSON at all nothing: whoever reads it says so.
    """
    suspect = SUSPECT.search(content)
    if not suspect and len(content) > MOST_LOOKED_AT_BYTES:
        return []
    look = _Look()
    try:
        value = json.loads(
            content,
            object_pairs_hook=look.at_pairs,
            parse_constant=look.at_constant,
            parse_int=_nothing,
            parse_float=_nothing,
        )
    except (ValueError, RecursionError):
        value = None
    texts = _texts(value) if suspect else []
    return [*look.found, *texts][:MOST_ERRORS]


def unkept_words(code: str) -> str:
    """What is said of text with a character that cannot be kept."""
    return f"has {code}, which cannot be kept"


class _Look:
    def __init__(self) -> None:
        self.found: list[Found] = []

    def at_pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs) and len(self.found) < MOST_ERRORS:
            ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
            self.found.append(_fault((twice,), "is given twice in one object", "each key once"))
        return made

    def at_constant(self, name: str) -> None:
        if len(self.found) < MOST_ERRORS:
            self.found.append(_fault((), f"has {name}, which is no number of JSON", "a number"))


def _texts(value: Any) -> list[Found]:
    found = []
    for path, code in unkept(value):
        found.append(_fault(path, unkept_words(code), EXPECTED_TEXT))
        if len(found) == MOST_ERRORS:
            break
    return found


def _fault(path: Sequence[int | str], message: str, expected: str) -> Found:
    return {
        "type": "unfit",
        "loc": ("body", *path),
        "msg": message,
        "ctx": {"expected": expected},
    }


def _nothing(_: str) -> None:
    """Numbers are not looked at; making those of many digits takes long."""


def _told(error: ValidationError) -> list[Found]:
    if error.error_count() > MOST_COUNTED:
        many = f"has {error.error_count():,} faults"
        return [_fault((), many, "a body of the form that the operation says")]
    told = error.errors(include_url=False, include_input=False)
    return [{**one, "loc": ("body", *one["loc"])} for one in told]
