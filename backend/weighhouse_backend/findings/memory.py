"""How much memory a system gives to its data, by the settings that were in effect. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def memory_held(
    what: Literal["data", "cache"],
    target: Target,
    manifest: Manifest | None,
    settings: Sequence[Mapping[str, Any]],
) -> int | None:
    """Bytes that each node gives to data, or to a cache before its files.

    As the system said of itself where it tells (`x-setting`), else as it was ordered. None where no
    parameter of the manifest says (`x-holds`), or the system knows no bound (0).

    :param settings: the effective configuration, `weighhouse_protocol.report.Setting` each.
    """
    properties = {} if manifest is None else manifest.parameters.get("properties", {})
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        if isinstance(schema, dict) and schema.get("x-holds") == what:
            value = _in_effect(schema, settings)
            if value is None:
                value = _number(target.parameters.get(name, schema.get("default")))
            return int(value * UNITS.get(str(schema.get("x-unit")), 1)) if value else None
    return None


def _in_effect(schema: Mapping[str, Any], settings: Sequence[Mapping[str, Any]]) -> float | None:
    """The value that the system said, in the parameter's own unit."""
    told = next((one["value"] for one in settings if one["name"] == schema.get("x-setting")), None)
    value = _number(told)
    return None if value is None else value / float(schema.get("x-scale", 1))


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
