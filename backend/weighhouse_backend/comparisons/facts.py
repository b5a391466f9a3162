"""What the fairness sheet is told of a side. Pure but for the rows it is given."""

from collections.abc import Mapping
from typing import Any

from weighhouse_judging.fairness.sheet import SideFacts
from weighhouse_protocol.experiment import Experiment, SystemDisclosure
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from weighhouse_backend.results.records import AttemptRecord


def side_facts(
    key: str,
    label: str,
    document: Experiment,
    target: Target,
    manifest: Manifest | None,
    record: AttemptRecord | None,
    repeats: int,
    machine: str | None,
    machines: str | None,
) -> SideFacts:
    """What is known of one side of a comparison.

    :param machine: the kinds of machines of all its runs, in words.
    :param machines: which machines, where they are not the same for all sides.
    """
    properties = {} if manifest is None else manifest.parameters.get("properties", {})
    said = next(
        (one for one in document.disclosure.systems if one.system == target.system),
        SystemDisclosure(system=target.system),
    )
    return SideFacts(
        key=key,
        label=label,
        system=target.system if manifest is None else manifest.name,
        version=None if record is None else record.version,
        deployment=target.deployment,
        nodes=target.topology.nodes,
        replication_factor=target.topology.replication_factor,
        aspects=aspects(target, manifest),
        parameters={
            name: _words(value)
            for name, value in target.parameters.items()
            if "x-aspect" not in _schema(properties, name)
        },
        driver=target.tool or (None if manifest is None else manifest.driver.id),
        driver_options={name: _words(value) for name, value in target.driver_options.items()},
        machine=machine,
        machines=machines,
        co_located=None if record is None else record.co_located,
        tuning=said.tuning,
        repeats=repeats,
    )


def aspects(target: Target, manifest: Manifest | None) -> dict[str, str]:
    """Each aspect in words: what the plugin says of it, and the parameters that decide it."""
    if manifest is None:
        return {}
    # A sentence of the manifest loses its full stop: more may follow it on the line.
    found: dict[str, list[str]] = {
        name: [words.rstrip(".")] for name, words in manifest.aspects.items()
    }
    properties = manifest.parameters.get("properties", {})
    for name in properties if isinstance(properties, dict) else {}:
        schema = _schema(properties, name)
        if "x-aspect" in schema:
            value = target.parameters.get(name, schema.get("default"))
            found.setdefault(str(schema["x-aspect"]), []).append(f"{name} = {_words(value)}")
    return {name: "; ".join(parts) for name, parts in found.items()}


def _schema(properties: object, name: str) -> Mapping[str, Any]:
    found = properties.get(name) if isinstance(properties, dict) else None
    return found if isinstance(found, dict) else {}


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value is None or value == "" else str(value)
