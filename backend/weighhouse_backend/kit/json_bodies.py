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
MOST_NESTED = 12_000
"""Lists and objects that a body may hold: they lie in one another without a comma."""
LONGEST_KEY = 1000
"""Characters. Each fault is told with the keys that it lies below."""
SUSPECT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
"""Text that cannot be kept, as JSON would have it; what has none need not be looked through."""
SHOWN = 40
"""Characters of a key that is too long."""
EXPECTED_TEXT = "text without U+0000 and without halves of surrogate pairs"

_ANY: TypeAdapter[Any] = TypeAdapter(Any)

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


def too_much(content: bytes) -> str:
    """What JSON has too much of, with the limit; empty: nothing. Signs in its texts count, too."""
    if (values := content.count(b",") + 1) > MOST_VALUES:
        return f"a body may have {MOST_VALUES:,} values, commas counted: {values:,}"
    if (nested := content.count(b"[") + content.count(b"{")) > MOST_NESTED:
        return f"a body may have {MOST_NESTED:,} lists and objects, brackets counted: {nested:,}"
    return ""


def read(adapter: TypeAdapter[Any], content: bytes) -> Read:
    """A body as its model.

    Takes time: to be called off the event loop for whatever is not small.
    """
    try:
        errors = _faults_in(content)
    except (ValueError, RecursionError):
        return Read(errors=_unreadable(content))
    if errors:
        return Read(errors=errors)
    try:
        return Read(value=adapter.validate_json(content))
    except ValidationError as error:
        return Read(errors=_told(error))


def faults_in(content: bytes) -> list[Found]:
    """What is wrong with JSON whatever it is for: keys given twice or too long, numbers that are
    none, text that cannot be kept. Of what is no JSON at all nothing: whoever reads it says so.
    """
    try:
        return _faults_in(content)
    except (ValueError, RecursionError):
        return []


def _faults_in(content: bytes) -> list[Found]:
    look = _Look()
    value = json.loads(
        content,
        object_pairs_hook=look.at_pairs,
        parse_constant=look.at_constant,
        parse_int=_nothing,
        parse_float=_nothing,
    )
    texts = _texts(value) if SUSPECT.search(content) else []
    return [*look.found, *texts][:MOST_ERRORS]


def _unreadable(content: bytes) -> list[Found]:
    """Why something is no JSON. No model is asked, which may take what Python does not."""
    try:
        _ANY.validate_json(content)
    except ValidationError as error:
        return _told(error)
    return [_fault((), "is JSON that not everybody reads", "JSON as RFC 8259 has it")]


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
        longest = max(map(len, made), default=0)
        if longest > LONGEST_KEY and len(self.found) < MOST_ERRORS:
            long = next(key for key in made if len(key) == longest)
            told = f"is a key of {longest:,} characters"
            expected = f"keys of at most {LONGEST_KEY:,} characters"
            self.found.append(_fault((long[:SHOWN],), told, expected))
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
