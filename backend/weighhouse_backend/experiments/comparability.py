"""What differs between the targets of an experiment besides the systems themselves. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target


@dataclass(frozen=True)
class ComparabilityWarning:
    """One aspect in which targets differ, so that it could itself explain a difference."""

    aspect: str
    message: str
    targets: tuple[str, ...]


NOT_STATED = "not stated"

_FIXED: Mapping[str, Callable[[Target], str]] = {
    "deployment": lambda target: target.deployment,
    "nodes": lambda target: str(target.topology.nodes),
    "replication": lambda target: f"replication factor {target.topology.replication_factor}",
}

_WHY: Mapping[str, str] = {
    "durability": "writing to disk before answering costs time, and loses less in a crash",
    "replication": "each copy of a record costs a write",
    "consistency": "stronger guarantees cost round trips",
    "memory": "more memory means fewer misses",
    "threads": "more server threads use more cores",
    "nodes": "more nodes bring more cores",
    "deployment": "a container, a process and a library have different costs",
    "version": "versions of one system perform differently",
}


def warnings(
    experiment: Experiment, manifests: Mapping[str, Manifest]
) -> list[ComparabilityWarning]:
    """What a reader of the comparison has to know beforehand.

    Compared are deployment, nodes and replication; versions between targets of one system; and
    every aspect (durability, consistency, memory, threads, …) that a plugin's manifest declares,
    by the values its parameters have or, where none decides, by the manifest's words.

    :param manifests: by system id; a target whose system is unknown is left out of the aspects.
    :returns: one warning an aspect that differs; none for a single target.
    """
    if len(experiment.targets) < 2:  # noqa: PLR2004 - one target has nobody to differ from
        return []
    found: list[ComparabilityWarning] = []
    for aspect, read in _FIXED.items():
        found.extend(_differing(aspect, {t.name: read(t) for t in experiment.targets}))
    found.extend(_versions(experiment))
    known = [target for target in experiment.targets if target.system in manifests]
    aspects = dict.fromkeys(
        aspect for target in known for aspect in _aspects(target, manifests[target.system])
    )
    for aspect in aspects:
        values = {
            target.name: _aspects(target, manifests[target.system]).get(aspect, NOT_STATED)
            for target in known
        }
        found.extend(_differing(aspect, values))
    return found


def _versions(experiment: Experiment) -> Iterator[ComparabilityWarning]:
    by_system: dict[str, dict[str, str]] = {}
    for target in experiment.targets:
        by_system.setdefault(target.system, {})[target.name] = target.version
    for versions in by_system.values():
        yield from _differing("version", versions)


def _aspects(target: Target, manifest: Manifest) -> dict[str, str]:
    found = dict(manifest.aspects)
    by_parameters: dict[str, list[str]] = {}
    properties: Mapping[str, Any] = manifest.parameters.get("properties", {})  # type: ignore[assignment]
    for name, schema in properties.items():
        aspect = schema.get("x-aspect")
        if aspect:
            value = target.parameters.get(name, schema.get("default"))
            by_parameters.setdefault(str(aspect), []).append(f"{name} = {_words(value)}")
    return found | {aspect: ", ".join(values) for aspect, values in by_parameters.items()}


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "the server's default" if value is None else str(value)


def _differing(aspect: str, values: Mapping[str, str]) -> Iterator[ComparabilityWarning]:
    if len(set(values.values())) < 2:  # noqa: PLR2004 - all alike
        return
    sides = "; ".join(f"{name}: {value}" for name, value in values.items())
    why = _WHY.get(aspect)
    yield ComparabilityWarning(
        aspect=aspect,
        message=f"{aspect} differs ({sides})" + (f"; {why}" if why else ""),
        targets=tuple(values),
    )
