"""What an experiment asks of its systems, checked against their plugins' manifests. Pure."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared, value_problems
from weighhouse_protocol.requirements import Unmet
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload
from weighhouse_protocol.yaml_document import FieldError

from weighhouse_backend.experiments.chain_checks import chain_errors
from weighhouse_backend.experiments.size_checks import size_errors

MOST_ERRORS = 50
"""That are told at once: whoever mends those asks again."""
MOST_LIKENED = 50_000
"""Letters of a name × letters of all that it may have meant: likening grows with both."""
OWN_NODES = frozenset({"process", "docker"})
"""Deployments whose nodes the agent starts, and so may end."""


def check(experiment: Experiment, manifests: Mapping[str, Manifest]) -> list[FieldError]:
    """Everything in an experiment that its plugins cannot do.

    :param experiment: a well-formed experiment.
    :param manifests: by system id, those the platform knows.
    :returns: unknown systems, parameters and options, values out of range, deployments,
        operations and faults that a system does not have; each with its path and what would be
        right; the first `MOST_ERRORS` of them.
    """
    return list(islice(_errors(experiment, manifests), MOST_ERRORS))


def _errors(experiment: Experiment, manifests: Mapping[str, Manifest]) -> Iterator[FieldError]:
    matrix = experiment.matrix
    for index, target in enumerate(experiment.targets):
        path = f"targets[{index}]"
        manifest = manifests.get(target.system)
        systems = [name for name, each in manifests.items() if each.kind == "system"]
        if manifest is None or manifest.kind != "system":
            yield _unknown_system(path, target.system, systems)
            continue
        yield from _edition_errors(path, target, manifest)
        yield from _deployment_errors(path, target, manifest)
        yield from _tool_errors(path, target, manifest, manifests)
        yield from _value_errors(
            f"{path}.parameters", target.parameters, manifest.parameters, manifest
        )
        yield from _value_errors(
            f"{path}.driver_options",
            target.driver_options,
            manifest.driver.options,
            manifest,
            what="driver option",
        )
        measured = [workload for place, workload in enumerate(experiment.workloads)
                    if matrix.count(index, place)]  # fmt: skip
        yield from _requirement_errors(path, target, manifest, measured)
    for index, workload in enumerate(experiment.workloads):
        targets = [target for place, target in enumerate(experiment.targets)
                   if matrix.count(place, index)]  # fmt: skip
        part = experiment.model_copy(update={"targets": tuple(targets)})
        yield from _operation_errors(f"workloads[{index}]", workload, part, manifests)
    yield from _fault_errors(experiment, manifests)
    yield from _pipeline_errors(experiment, manifests)
    yield from chain_errors(experiment, manifests)
    yield from size_errors(experiment, manifests)


def _unknown_system(path: str, system: str, manifests: Iterable[str]) -> FieldError:
    known = sorted(manifests)
    return FieldError(
        path=f"{path}.system",
        message=f"no agent has brought a plugin {system!r}" + _did_you_mean(system, known),
        expected="one of " + ", ".join(known)
        if known
        else "a machine that serves this project: enrol one in it, or have one lent to it",
    )


def _edition_errors(path: str, target: Target, manifest: Manifest) -> Iterator[FieldError]:
    known = [one.id for one in manifest.known_editions]
    if target.edition is not None and target.edition not in known:
        yield FieldError(
            path=f"{path}.edition",
            message=f"{manifest.name} has no edition {target.edition!r}"
            + _did_you_mean(target.edition, known),
            expected="one of " + ", ".join(known),
        )


def _deployment_errors(path: str, target: Target, manifest: Manifest) -> Iterator[FieldError]:
    if target.deployment not in manifest.deployments:
        yield FieldError(
            path=f"{path}.deployment",
            message=f"{manifest.name} cannot be deployed as {target.deployment!r}",
            expected="one of " + ", ".join(manifest.deployments),
        )
    if target.deployment == "external" and not target.endpoints:
        yield FieldError(
            path=f"{path}.endpoints",
            message="an external target needs its addresses",
            expected="for example ['tcp://127.0.0.1:6379']",
        )
    if target.deployment != "external" and target.endpoints:
        yield FieldError(
            path=f"{path}.endpoints",
            message=f"addresses are chosen by the agent when the deployment is {target.deployment}",
            expected="no endpoints, or deployment: external",
        )
    if target.deployment == "external" and target.parameters:
        yield FieldError(
            path=f"{path}.parameters",
            message="the settings of an external system are not the agent's to change",
            expected="no parameters: what is in effect is asked of the system",
        )
    layout = manifest.topology.problem(target)
    if layout is not None and target.deployment != "external":
        yield FieldError(
            path=f"{path}.topology",
            message=f"{manifest.name}: {layout}",
            expected=manifest.topology.nodes_are or "one node",
        )
    if target.image and target.deployment != "docker":
        yield FieldError(
            path=f"{path}.image",
            message=f"a container image says nothing to the deployment {target.deployment}",
            expected="no image, or deployment: docker",
        )
    if target.credentials and target.deployment != "external":
        yield FieldError(
            path=f"{path}.credentials",
            message="a system that the agent sets up itself needs no credentials",
            expected="no credentials, or deployment: external",
        )


def _tool_errors(
    path: str, target: Target, manifest: Manifest, manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    if target.tool is None:
        return
    tools = {name: each.tool for name, each in manifests.items() if each.tool is not None}
    driver = manifest.driver.id
    fitting = sorted(name for name, each in tools.items() if driver in each.drivers)
    expected = "one of " + ", ".join(fitting) if fitting else "no tool: the plugin's own driver"
    found = tools.get(target.tool)
    if found is None:
        yield FieldError(
            path=f"{path}.tool",
            message=f"no agent has brought a load tool {target.tool!r}"
            + _did_you_mean(target.tool, sorted(tools)),
            expected=expected,
        )
    elif driver not in found.drivers:
        name = manifests[target.tool].name
        yield FieldError(
            path=f"{path}.tool",
            message=f"{name} cannot make load on {manifest.name}; it stands in for the drivers "
            + ", ".join(found.drivers),
            expected=expected,
        )


def _value_errors(
    path: str,
    values: Mapping[str, Any],
    schema: Mapping[str, Any],
    manifest: Manifest,
    what: str = "parameter",
) -> Iterator[FieldError]:
    properties = declared(schema)
    for name, value in values.items():
        known = properties.get(name)
        if known is None:
            yield FieldError(
                path=f"{path}.{name}",
                message=f"{manifest.name} has no {what} {name!r}" + _did_you_mean(name, properties),
                expected="one of " + ", ".join(sorted(properties)) if properties else "none",
            )
            continue
        for problem in value_problems(known, value):
            yield FieldError(path=f"{path}.{name}", message=problem, expected=_expected(known))


def _requirement_errors(
    path: str, target: Target, manifest: Manifest, workloads: Sequence[Workload]
) -> Iterator[FieldError]:
    """What parameters need of each other; what they need of a machine its agent knows."""
    known = declared(manifest.parameters)
    if any(value_problems(known.get(name, {}), value) for name, value in target.parameters.items()):
        return  # What is no value of a parameter says nothing about another.
    told = []
    for expires in sorted({one.ttl_seconds is not None for one in workloads}):
        for unmet in manifest.unmet(target, {"workload:expires": expires}):
            if unmet in told:
                continue
            told.append(unmet)
            name = unmet.blamed(target.parameters)
            subject = f"{unmet.parameter} " if name != unmet.parameter else ""
            yield FieldError(
                path=f"{path}.{_blamed(unmet, name, target)}",
                message=f"{subject}is {unmet.shown}: {unmet.requirement.because}",
                expected=f"{unmet.parameter} {unmet.wanted}",
            )


def _blamed(unmet: Unmet, parameter: str, target: Target) -> str:
    """Where the value stands that a requirement is not met for."""
    options = [name.removeprefix("option:") for name in unmet.requirement.when]
    option = next((name for name in options if name in target.driver_options), "")
    if parameter or not option:
        return "parameters" + (f".{parameter}" if parameter else "")
    return f"driver_options.{option}"


def _operation_errors(
    path: str, workload: Workload, experiment: Experiment, manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    wanted = [name for name, share in workload.operations.model_dump().items() if share > 0]
    features = {
        "ttl_seconds": ("ttl", workload.ttl_seconds is not None, "let records expire"),
        "keys_per_read": ("multi_get", workload.keys_per_read > 1, "read several records at once"),
    }
    yield from _layout_errors(path, {*wanted, *_asked(features)}, experiment, manifests)
    # A tool makes the load in the place of the system's driver, so it has to be able to as well.
    plugins = dict.fromkeys(
        name for target in experiment.targets for name in (target.system, target.tool) if name
    )
    for manifest in (manifests[name] for name in plugins if name in manifests):
        for operation in wanted:
            if operation not in manifest.operations:
                yield FieldError(
                    path=f"{path}.operations.{operation}",
                    message=f"{manifest.name} cannot do {operation!r}",
                    expected="of " + ", ".join(manifest.operations),
                )
        for name, (feature, asked, doing) in features.items():
            if asked and feature not in manifest.features:
                yield FieldError(
                    path=f"{path}.{name}",
                    message=f"{manifest.name} cannot {doing}",
                    expected="the default, or another system or tool",
                )
        for where, load in experiment.loads:
            for operation in load.operation_rates if load.model == "open" else ():
                if operation not in manifest.operations:
                    yield FieldError(
                        path=f"{where}.operation_rates.{operation}",
                        message=f"{manifest.name} cannot do {operation!r}",
                        expected="of " + ", ".join(manifest.operations),
                    )


def _fault_errors(
    experiment: Experiment, manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    """Faults are done to every target, so each has to be able to bear them."""
    if not experiment.faults:
        return
    lacking: dict[tuple[str, str], Manifest] = {}
    for index, target in enumerate(experiment.targets):
        manifest = manifests.get(target.system)
        if manifest is None:
            continue
        if target.deployment not in OWN_NODES:
            yield FieldError(
                path=f"targets[{index}].deployment",
                message=f"nothing can be done on purpose to a deployment {target.deployment!r}:"
                " its nodes are not the agent's",
                expected="deployment: process, or scenario: fixed",
            )
            continue
        yield from _unfit_errors(experiment.faults, target, manifest)
        for fault in experiment.faults:
            if fault.verb not in manifest.faults:
                lacking[(fault.verb, manifest.id)] = manifest
    for index, fault in enumerate(experiment.faults):
        for (verb, _), manifest in lacking.items():
            if verb == fault.verb:
                yield FieldError(
                    path=f"faults[{index}].verb",
                    message=f"{manifest.name} has no verb {verb!r}",
                    expected="one of " + ", ".join(manifest.faults) if manifest.faults else "none",
                )


def _unfit_errors(
    faults: Sequence[Fault], target: Target, manifest: Manifest
) -> Iterator[FieldError]:
    """Verbs that the system has, but not for this node of this topology."""
    for at, fault in enumerate(faults):
        problem = manifest.fault_problem(fault, target.topology)
        if fault.verb in manifest.faults and problem is not None:
            yield FieldError(
                path=f"faults[{at}].node",
                message=f"{target.name}: {problem}",
                expected="another node, or another verb",
            )


def _pipeline_errors(
    experiment: Experiment, manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    """A ladder of depths needs clients that can have several requests under way."""
    if experiment.scenario != "peak":
        return
    for index, target in enumerate(experiment.targets):
        tool = None if target.tool is None else manifests.get(target.tool)
        if tool is not None and tool.tool is not None and not tool.tool.pipelines:
            yield FieldError(
                path=f"targets[{index}].tool",
                message=f"clients of {tool.name} have one request under way: nothing to pipeline",
                expected="no tool: the plugin's own driver, or another scenario",
            )
        elif target.deployment == "in_process" and target.tool is None:
            manifest = manifests.get(target.system)
            name = target.system if manifest is None else manifest.name
            yield FieldError(
                path=f"targets[{index}].deployment",
                message=f"{name} lives inside its driver and answers each call before it returns: "
                "nothing to pipeline",
                expected="scenario: sweep, which varies its clients",
            )


def _asked(features: Mapping[str, tuple[str, bool, str]]) -> Iterator[str]:
    return (feature for feature, asked, _ in features.values() if asked)


def _layout_errors(
    path: str, wanted: Collection[str], experiment: Experiment, manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    rates = {
        operation
        for _, load in experiment.loads
        if load.model == "open"
        for operation in load.operation_rates
    }
    for target in experiment.targets:
        manifest = manifests.get(target.system)
        lacking = manifest.topology.lacks(target.topology) if manifest else ()
        for lack in (each for each in lacking if each in wanted or each in rates):
            where = "keys_per_read" if lack == "multi_get" else f"operations.{lack}"
            yield FieldError(
                path=f"{path}.{where}",
                message=f"{target.name}: several primaries cannot do {lack!r}",
                expected="a target with one primary, or a workload without it",
            )


def _expected(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    words = [str(schema.get("type", ""))]
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    words += [f"{sign} {schema[key]}" for key, sign in signs.items() if key in schema]
    if "multipleOf" in schema:
        words.append(f"in steps of {schema['multipleOf']}")
    if "pattern" in schema:
        words.append(f"like {schema['pattern']}")
    if "x-unit" in schema:
        words.append(f"in {schema['x-unit']}")
    return " ".join(word for word in words if word)


def _did_you_mean(name: str, known: Collection[str]) -> str:
    if len(name) * sum(map(len, known)) > MOST_LIKENED:
        return ""
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
