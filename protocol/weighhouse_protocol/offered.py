"""A manifest as it comes from elsewhere: measured before it is read, refused in one line."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from weighhouse_protocol.text import UNKEPT, mended

MOST_VALUES = 3_000
"""Of a whole manifest, keys apart."""
MOST_DEPTH = 12
MOST_CHARACTERS = 500_000
"""Of all its texts and keys, the plugin's page among them."""
LONGEST_REFUSAL = 500
SHOWN = 100
"""Characters of a place in a refusal."""

_Place = tuple["_Place | None", object]


def check_whole(document: Mapping[str, object]) -> int:
    """Hold the size of a manifest against its limits, with as much work as they allow.

    :returns: its values.
    :raises ValueError: naming where it is larger, and the limit.
    """
    waiting: list[tuple[object, _Place | None, int]] = [(document, None, 1)]
    values = characters = 0
    while waiting:
        found, place, depth = waiting.pop()
        if isinstance(found, str):
            characters += len(found)
            _check_kept(found, place)
        elif isinstance(found, Mapping | list | tuple):
            values += len(found)
            if values > MOST_VALUES:
                raise ValueError(f"{_written(place)}: a manifest has up to {MOST_VALUES} values")
            if found and depth > MOST_DEPTH:
                raise ValueError(f"{_written(place)}: lies deeper than {MOST_DEPTH} levels")
            if isinstance(found, Mapping):
                names = "".join(map(str, found))
                characters += len(names)
                _check_kept(names, place)
            inner = found.items() if isinstance(found, Mapping) else enumerate(found)
            waiting.extend((each, (place, key), depth + 1) for key, each in inner)
        if characters > MOST_CHARACTERS:
            raise ValueError(
                f"{_written(place)}: a manifest has up to {MOST_CHARACTERS} characters"
            )
    return values


def _check_kept(text: str, place: _Place | None) -> None:
    if found := UNKEPT.search(text):
        raise ValueError(f"{_written(place)}: has U+{ord(found.group()):04X}, which no text has")


def toml_of(path: Path) -> dict[str, Any]:
    """What a manifest's file holds.

    :raises ValueError: when it is larger than a manifest may be, or no TOML.
    """
    content = path.read_bytes()
    if len(content) > MOST_CHARACTERS:
        raise ValueError(f"has {len(content)} bytes, up to {MOST_CHARACTERS} are read")
    try:
        return tomllib.loads(content.decode())
    except RecursionError as error:
        raise ValueError("lies too deep to be read") from error


def refusal(error: ValueError) -> str:
    """What is wrong with a manifest, in one line: the first fault, and how many more there are."""
    if not isinstance(error, ValidationError):
        return _line(str(error))
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part)[:SHOWN] for part in first["loc"] if _is_place(part))
    said = first["msg"].removeprefix("Value error, ")
    more = error.error_count() - 1
    told = f"{where}: {said}" if where else said
    return _line(told) + (f" (and {more} more)" if more else "")


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_REFUSAL]


def _is_place(part: int | str) -> bool:
    """Whether it is a key or an index, and not a branch of the model's own."""
    return isinstance(part, int) or not (part.startswith("constrained-") or "[" in part)


def _written(place: _Place | None) -> str:
    return ".".join(reversed([mended(str(key)[:SHOWN]) for key in _keys(place)])) or "the manifest"


def _keys(place: _Place | None) -> Iterator[object]:
    while place is not None:
        place, key = place
        yield key
