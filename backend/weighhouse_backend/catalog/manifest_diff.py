"""What one manifest says otherwise than another, for people to read. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

MOST_DIFFERENCES = 200
MOST_TEXT = 400
"""Characters shown of a value; a longer one is cut where it begins to differ."""
BEFORE_IT = 40
"""Characters shown of what two long texts have in common, before they differ."""
ABSENT = object()


@dataclass(frozen=True)
class Difference:
    """One place that differs."""

    path: str
    """As `parameters.properties.hz.maximum`."""
    before: str | None
    """JSON of what is in force; None: it says nothing there."""
    after: str | None
    """JSON of what is offered; None: it says nothing there."""


def differences(
    before: Mapping[str, object], after: Mapping[str, object]
) -> tuple[Difference, ...]:
    """Places in which two manifests differ, in the order of their paths; `MOST_DIFFERENCES` at
    most. Objects are gone into, lists are shown whole.
    """
    return tuple(islice(_walk(before, after, ""), MOST_DIFFERENCES))


def _walk(before: object, after: object, path: str) -> Iterator[Difference]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted({*before, *after}):
            within = f"{path}.{key}" if path else str(key)
            yield from _walk(before.get(key, ABSENT), after.get(key, ABSENT), within)
    elif before != after:
        texts = [None if each is ABSENT else _text(each) for each in (before, after)]
        start = max(0, _common(*texts) - BEFORE_IT)
        yield Difference(path, *(_cut(text, start) for text in texts))


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _common(one: str | None, other: str | None) -> int:
    """How many characters two texts begin with alike; 0 where neither has to be cut."""
    if one is None or other is None or max(len(one), len(other)) <= MOST_TEXT:
        return 0
    alike, differ = 0, min(len(one), len(other)) + 1
    while differ - alike > 1:  # by halves: texts are compared faster than their characters
        middle = (alike + differ) // 2
        if one[alike:middle] == other[alike:middle]:
            alike = middle
        else:
            differ = middle
    return alike


def _cut(text: str | None, start: int) -> str | None:
    if text is None:
        return None
    end = start + MOST_TEXT
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
