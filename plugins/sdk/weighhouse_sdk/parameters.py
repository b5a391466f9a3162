"""Holds a target against what a plugin's manifest declares."""

from collections.abc import Mapping

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared, defaults, value_problems
from weighhouse_protocol.target import Limits, Target

from weighhouse_sdk.capacity import capacity

__all__ = ["declared", "defaults", "object_problems", "requirement_problems", "target_problems"]


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
    problems += [
        (f"{path}.{name}", problem)
        for name, value in values.items()
        if name in known
        for problem in value_problems(known[name], value)
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
