"""Holds a target against the JSON Schemas that a plugin's manifest declares."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Limits, Target

from weighhouse_sdk.capacity import capacity


def declared(schema: Mapping[str, object]) -> dict[str, dict[str, Any]]:
    """The properties of an object schema: name → its own schema."""
    properties = schema.get("properties", {})
    return dict(properties) if isinstance(properties, Mapping) else {}


def defaults(schema: Mapping[str, object]) -> dict[str, Scalar]:
    """The default of each property that has one."""
    return {name: each["default"] for name, each in declared(schema).items() if "default" in each}


def object_problems(
    schema: Mapping[str, object], values: Mapping[str, Scalar], path: str
) -> list[tuple[str, str]]:
    """What is wrong with some values.

    A property that is not declared is a problem whether or not the schema says so: nothing
    reaches a database that its plugin does not know.

    :param schema: an object schema; an empty one declares nothing.
    :param path: where the values stand, for example `parameters`.
    :returns: (path of the value, what is wrong), sorted by path.
    """
    known = declared(schema)
    problems = [
        (f"{path}.{name}", f"is not known; there are: {', '.join(sorted(known)) or 'none'}")
        for name in values
        if name not in known
    ]
    whole = {"type": "object", **schema, "additionalProperties": True}
    problems += [
        (".".join([path, *map(str, error.absolute_path)]), _sentence(error))
        for error in Draft202012Validator(whole).iter_errors(dict(values))
    ]
    return sorted(problems)


def target_problems(
    manifest: Manifest, target: Target, machine: Mapping[str, int] | None = None
) -> list[tuple[str, str]]:
    """What of a target does not fit the manifest or the machine; empty when all fits.

    :param machine: what it has, as `Context.machine` tells; None: this one, all of it.
    """
    problems = []
    if target.system != manifest.id:
        problems.append(("system", f"is `{target.system}`, this plugin is `{manifest.id}`"))
    if target.deployment not in manifest.deployments:
        offered = ", ".join(manifest.deployments)
        problems.append(("deployment", f"`{target.deployment}` is not offered; choose: {offered}"))
    elif target.parameters and target.deployment == "external":
        problems.append(("parameters", "are not ours to set where the system was there before"))
    if target.endpoints and target.deployment != "external":
        problems.append(("endpoints", "are for the deployment `external` alone"))
    if target.image and target.deployment != "docker":
        problems.append(("image", "is for the deployment `docker` alone"))
    if target.credentials and target.deployment != "external":
        problems.append(("credentials", "are for the deployment `external` alone"))
    if target.limits != Limits() and target.deployment not in ("process", "docker"):
        way = target.deployment
        problems.append(("limits", f"cannot be kept for the deployment `{way}`"))
    if target.deployment != "external":
        layout = manifest.topology.problem(target)
        if layout is not None:
            problems.append(("topology", layout))
    wrong = object_problems(manifest.parameters, target.parameters, "parameters")
    wrong += object_problems(manifest.driver.options, target.driver_options, "driver_options")
    # What is no value of a parameter says nothing about another.
    return problems + (wrong or requirement_problems(manifest, target, machine))


def requirement_problems(
    manifest: Manifest, target: Target, machine: Mapping[str, int] | None = None
) -> list[tuple[str, str]]:
    """What parameters need of each other, or of the machine, and do not have."""
    found = []
    for unmet in manifest.unmet(target, capacity(target) if machine is None else machine):
        # The path names what was set; another one has its default.
        name = unmet.blamed(target.parameters)
        found.append((f"parameters.{name}" if name else "parameters", unmet.words(name)))
    return found


def _sentence(error: ValidationError) -> str:
    if error.validator == "enum" and isinstance(error.validator_value, list):
        choices = ", ".join(str(each) for each in error.validator_value)
        return f"`{error.instance}` is not one of: {choices}"
    return str(error.message)
