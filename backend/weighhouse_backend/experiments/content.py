"""The content of a revision: canonical form, hash, difference. Pure."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.gate import Gate
from weighhouse_protocol.placement import Placement
from weighhouse_protocol.scenarios import PARTS

MISSING = object()
"""Stands for a value that one of two documents does not have."""

NAMED_BY = ("name", "system")
"""Keys that name an element of a list; elements are matched by them, not by their place."""
CAME_LATER: Mapping[str, Mapping[str, Any]] = {
    "placement": {
        name: value
        for name, value in Placement().model_dump(mode="json").items()
        if name in {"servers", "drivers", "apart"}
    },
    "thresholds": {"anchor_percent": None, "confirm": True, "figures": {}},
    "gate": Gate().model_dump(mode="json"),
    "phases": {"chain": []},
    "targets": {"edition": None},
    "disclosure": {"conflicts": "", "hosting": ""},
    "systems": {"tuning_effort": ""},
}
"""Fields that documents of before do not have, by their part, with their defaults; of a list of
parts each one's."""
WHOLLY_LATER = frozenset({"gate", *PARTS})
"""Parts that documents of before do not have at all."""


@dataclass(frozen=True)
class Change:
    """One difference between two revisions."""

    path: str
    """For example `targets[redis].parameters.appendfsync`."""
    before: Any
    """None when it was not there."""
    after: Any
    """None when it is not there any more."""


def stored_form(experiment: Experiment) -> dict[str, Any]:
    """The document as it is stored: complete, so that a later change of defaults changes nothing.

    :returns: plain JSON data; `Experiment.model_validate` gives back an equal experiment.
    """
    return experiment.model_dump(mode="json")


def content_hash(document: Mapping[str, Any]) -> str:
    """SHA-256, hex, of a stored document; the order of its keys does not matter, and neither do
    fields that came later and are left at their defaults: a document of before has its hash.
    """
    known = {key: _as_before(key, value) for key, value in document.items()}
    kept = {key: value for key, value in known.items() if value or key not in WHOLLY_LATER}
    canonical = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _as_before(key: str, part: Any) -> Any:
    if isinstance(part, list):
        return [_as_before(key, each) for each in part]
    later = CAME_LATER.get(key)
    if later is None or not isinstance(part, Mapping):
        return part
    return {
        name: _as_before(name, value) if key == "disclosure" else value
        for name, value in part.items()
        if name not in later or value != later[name]
    }


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """What differs between two stored documents, field by field.

    Elements of lists are matched by name (targets, workloads, systems of the disclosure) or by
    what they say (load levels); an element only one side has is one change.

    :returns: the changes in document order.
    """
    return list(_compare("", before, after))


def _compare(path: str, before: Any, after: Any) -> Iterator[Change]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from _compare_keys(path, before, after, "{path}.{key}" if path else "{key}")
    elif _is_list_of_mappings(before) and _is_list_of_mappings(after):
        yield from _compare_keys(path, _by_name(before), _by_name(after), "{path}[{key}]")
    elif before is MISSING or after is MISSING or before != after:
        yield Change(
            path,
            None if before is MISSING else before,
            None if after is MISSING else after,
        )


def _compare_keys(
    path: str, before: Mapping[str, Any], after: Mapping[str, Any], form: str
) -> Iterator[Change]:
    for key in dict.fromkeys([*before, *after]):
        yield from _compare(
            form.format(path=path, key=key), before.get(key, MISSING), after.get(key, MISSING)
        )


def _is_list_of_mappings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) for item in value)


def _by_name(items: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    named: dict[str, Mapping[str, Any]] = {}
    for item in items:
        key = next((str(item[name]) for name in NAMED_BY if name in item), _words(item))
        named[key] = item
    return named


def _words(item: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in item.items())
