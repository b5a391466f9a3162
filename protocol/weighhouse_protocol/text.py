"""Text that every part can keep: PostgreSQL takes no U+0000, and UTF-8 has no halves of surrogate
pairs. What arises with one is mended where it arises; what arrives with one is refused.
"""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

REPLACEMENT = "\ufffd"
UNKEPT = re.compile("[\x00\ud800-\udfff]")

Path = tuple[str | int, ...]


def mended(text: str) -> str:
    """A text with U+FFFD in the place of what cannot be kept."""
    return UNKEPT.sub(REPLACEMENT, text)


def unkept(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Where a JSON value, keys included, has characters that cannot be kept, and which.

    :param value: strings, numbers, lists and mappings.
    :param path: of the value itself.
    :returns: pairs of a path and `U+XXXX`.
    """
    if isinstance(value, str):
        if found := UNKEPT.search(value):
            yield path, f"U+{ord(found.group()):04X}"
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from unkept(key, (*path, mended(str(key))))
            yield from unkept(each, (*path, mended(str(key))))
    elif isinstance(value, list | tuple):
        for index, each in enumerate(value):
            yield from unkept(each, (*path, index))


def mended_json(document: BaseModel) -> str:
    """A document as JSON, every text in it mended."""
    try:
        text = document.model_dump_json()
    except PydanticSerializationError:
        text = ""
    if text and "\\u0000" not in text:
        return text
    told = _mended(document.model_dump())
    return type(document).model_validate(told).model_dump_json()


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, dict):
        return {_mended(key): _mended(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(each) for each in value]
    return value
