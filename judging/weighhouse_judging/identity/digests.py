"""Identities: a digest for matching, and the fields behind it for naming what differs. Pure."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NOT_KNOWN = "not known"
"""What stands for a fact that nobody told; it agrees with no fact that is known."""
DIGEST_LENGTH = 32
"""Hex digits of a digest: 128 bits, so that no two things share one by chance."""


@dataclass(frozen=True)
class FieldChange:
    """A field in which two things that go by one name are not the same."""

    field: str
    """For example `workload.record_count`."""
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.field} {self.before} → {self.after}"


@dataclass(frozen=True)
class Identity:
    """What something is: equal digests are the same thing, whatever it is called."""

    digest: str
    fields: Mapping[str, str]
    """Every field with its value in words, defaults included."""


def identity_of(content: Mapping[str, Any], fields: Mapping[str, str]) -> Identity:
    """An identity out of plain JSON data.

    :param content: what is hashed; the order of keys does not matter.
    :param fields: the same for people; may name more, such as values left at their defaults.
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return Identity(hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH], dict(fields))


def differences(before: Identity, after: Identity) -> list[FieldChange]:
    """Field by field what differs, in the order of the fields; empty for equal digests."""
    if before.digest == after.digest:
        return []
    names = dict.fromkeys([*before.fields, *after.fields])
    return [
        FieldChange(name, before.fields.get(name, "none"), after.fields.get(name, "none"))
        for name in names
        if before.fields.get(name) != after.fields.get(name)
    ]


def flattened(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Plain JSON data as fields: `{"a": {"b": 1}}` under `x` is `x.a.b = 1`."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from flattened(inner, f"{path}.{name}")
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for place, inner in enumerate(value):
            yield from flattened(inner, f"{path}[{place}]")
    else:
        yield path, words(value)


def words(value: object) -> str:
    """A value of a document in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", (), [], {}):
        return "none"
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


def joined(values: Sequence[str | None]) -> str:
    """What several repeats said, each answer once; NOT_KNOWN where none said anything."""
    said = sorted({value for value in values if value})
    return " and ".join(said) or NOT_KNOWN
