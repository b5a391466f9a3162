"""A side of a sheet out of a target, whether it has run or is being written. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from weighhouse_protocol.fairness.facts import Facts, plain
from weighhouse_protocol.fairness.translation import translate
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared
from weighhouse_protocol.target import Caches, Data, Target

from weighhouse_judging.fairness.sheet import LOADED, WARM, SideFacts

RECORDS: Mapping[Data, str] = {
    "fresh": LOADED,
    "once": "loaded once a campaign",
    "keep": "there before",
}
CACHED: Mapping[Caches, str] = {
    "warm": WARM,
    "restarted": "restarted after the load",
    "dropped": "restarted after the load, its files' page cache emptied",
}
SUPERSEDED = frozenset(
    ("durability", "replication", "consistency", "memory", "network", "compression", "eviction")
)
"""What plugins say of these in prose is for their pages: the vocabulary compares them."""


def side_of(key: str, label: str, facts: Facts) -> SideFacts:
    """All that a target itself says of a side.

    Where it ran, how often and who set it up is the caller's to add.

    :param facts: of the draft, or of what ran; nodes and copies of servers that somebody else set
        up are known when the document states more than one.
    """
    target, manifest = facts.target, facts.manifest
    nodes = target.topology.nodes
    schemas = declared(manifest.parameters)
    return replace(
        _plain_side(key, label, target),
        system=manifest.name,
        nodes=None if target.deployment == "external" and nodes == 1 else nodes,
        replication_factor=facts.copies,
        translated=translate(facts),
        aspects=_prose(facts),
        parameters={
            name: _words(value)
            for name, value in target.parameters.items()
            if schemas.get(name, {}).get("x-aspect") != "threads"
        },
        configured={
            name: _words(value) for name in schemas if (value := facts.value(name)) is not None
        },
        driver=target.tool or manifest.driver.id,
        option_defaults={
            name: _words(schema["default"])
            for name, schema in declared(manifest.driver.options).items()
            if "default" in schema
        },
    )


def unknown_side(key: str, label: str, target: Target) -> SideFacts:
    """A side whose plugin nobody brought: nothing of it is known but the document."""
    return _plain_side(key, label, target)


def _plain_side(key: str, label: str, target: Target) -> SideFacts:
    return SideFacts(
        key=key,
        label=label,
        system=target.system,
        deployment=target.deployment,
        nodes=target.topology.nodes,
        replication_factor=target.topology.replication_factor,
        data=RECORDS[target.data],
        caches=CACHED[target.caches or "warm"],
        parameters={name: _words(value) for name, value in target.parameters.items()},
        settings={name: _words(value) for name, value in target.settings.items()},
        driver=target.tool,
        driver_options={name: _words(value) for name, value in target.driver_options.items()},
    )


def _prose(facts: Facts) -> dict[str, str]:
    """What the vocabulary has no word for: the manifest's words, and the parameters that decide."""
    manifest: Manifest = facts.manifest
    # A sentence of the manifest loses its full stop: more may follow it on the line.
    found: dict[str, list[str]] = {
        name: [words.rstrip(".")]
        for name, words in manifest.aspects.items()
        if name not in SUPERSEDED
    }
    schemas: Mapping[str, Mapping[str, object]] = declared(manifest.parameters)
    for name, schema in schemas.items():
        aspect = schema.get("x-aspect")
        if aspect is not None and aspect not in SUPERSEDED:
            found.setdefault(str(aspect), []).append(f"{name} = {_words(facts.value(name))}")
    return {name: "; ".join(parts) for name, parts in found.items()}


def _words(value: object) -> str:
    if value is None:
        return "not known"
    if value == "":
        return "not set"
    return plain(value) if isinstance(value, bool | int | float | str) else str(value)
