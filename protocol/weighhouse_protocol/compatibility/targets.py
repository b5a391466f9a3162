"""Whether a system can be set up as a target wants it, by its plugin's manifest. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from weighhouse_protocol.compatibility.addresses import address_errors, forms_of
from weighhouse_protocol.compatibility.caches import caches_errors
from weighhouse_protocol.compatibility.data import data_errors
from weighhouse_protocol.compatibility.settings import settings_errors
from weighhouse_protocol.compatibility.tools import reached_errors
from weighhouse_protocol.compatibility.values import value_errors
from weighhouse_protocol.document_errors import (
    FieldError,
    did_you_mean,
    one_of,
    within,
)
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.requirements import OPTION, PLACEMENT, Unmet, place_of
from weighhouse_protocol.target import OWN_NODES, Limits, Target
from weighhouse_protocol.workload import Workload


def target_errors(
    target: Target,
    manifests: Mapping[str, Manifest],
    workloads: Sequence[Workload] = (),
    known: Mapping[str, int] | None = None,
) -> Iterator[FieldError]:
    """Everything in a target that its plugins cannot do.

    :param manifests: by plugin, those that are known; its tool's among them.
    :param workloads: that it is measured under; none: nothing is said of what they need.
    :param known: facts as in `requirements.MACHINE` and `PLACEMENT`; None: where and how it will
        run is not known.
    :returns: errors with paths in the target: an unknown system or tool, and what `system_errors`
        tells.
    """
    manifest = manifests.get(target.system)
    if manifest is None or manifest.kind != "system":
        yield _unknown_system(target.system, manifests)
        return
    yield from system_errors(target, manifest, workloads, known)
    yield from _tool_errors(target, manifest, manifests)


def system_errors(
    target: Target,
    manifest: Manifest,
    workloads: Sequence[Workload] = (),
    known: Mapping[str, int] | None = None,
) -> Iterator[FieldError]:
    """The same of the system alone, whoever makes the load.

    :param manifest: of the target's system.
    :returns: editions, deployments, layouts, parameters and driver options that it does not have,
        values out of range, and what these need of each other, of the workloads and the machine.
    """
    yield from _edition_errors(target, manifest)
    yield from _deployment_errors(target, manifest)
    yield from _external_errors(target, manifest)
    yield from data_errors(target, workloads)
    yield from settings_errors(target, manifest)
    yield from caches_errors(target, manifest, known)
    wrong = False
    for error in _value_errors(target, manifest):
        wrong = True
        yield error
    if not wrong:  # What is no value of a parameter says nothing about another.
        yield from _requirement_errors(target, manifest, workloads, known)


def is_reserved(option: str) -> bool:
    """Whether a driver option names an account or a file of the machine: an experiment may not."""
    return option == "username" or option.endswith(("_file", "_path", "password"))


def _unknown_system(system: str, manifests: Mapping[str, Manifest]) -> FieldError:
    known = sorted(name for name, each in manifests.items() if each.kind == "system")
    return FieldError(
        path="system",
        message=f"no agent has brought a plugin {system!r}" + did_you_mean(system, known),
        expected=one_of(
            known, "a machine that serves this project: enrol one in it, or have one lent to it"
        ),
    )


def _edition_errors(target: Target, manifest: Manifest) -> Iterator[FieldError]:
    known = [one.id for one in manifest.known_editions]
    if target.edition is not None and target.edition not in known:
        yield FieldError(
            path="edition",
            message=f"{manifest.name} has no edition {target.edition!r}"
            + did_you_mean(target.edition, known),
            expected=one_of(known),
        )


def _deployment_errors(target: Target, manifest: Manifest) -> Iterator[FieldError]:
    if target.deployment not in manifest.deployments:
        yield FieldError(
            path="deployment",
            message=f"{manifest.name} cannot be deployed as {target.deployment!r}",
            expected=one_of(manifest.deployments),
        )
    layout = manifest.topology.problem(target)
    if layout is not None and target.deployment != "external":
        yield FieldError(
            path="topology",
            message=f"{manifest.name}: {layout}",
            expected=manifest.topology.nodes_are or "one node",
        )
    if target.image and target.deployment != "docker":
        yield FieldError(
            path="image",
            message=f"a container image says nothing to the deployment {target.deployment}",
            expected="no image, or deployment: docker",
        )
    if target.limits != Limits() and target.deployment not in OWN_NODES:
        ways = " or ".join(each for each in manifest.deployments if each in OWN_NODES)
        yield FieldError(
            path="limits",
            message=f"cannot be kept for the deployment {target.deployment}, whose memory and "
            "processors are not the agent's to limit",
            expected="no limits" + (f", or deployment: {ways}" if ways else ""),
        )


def _external_errors(target: Target, manifest: Manifest) -> Iterator[FieldError]:
    """What only servers have that are there already, and what they alone do not have."""
    if target.deployment == "external":
        if not target.endpoints:
            yield FieldError(
                path="endpoints",
                message="an external target needs its addresses",
                expected=f"for example ['{forms_of(manifest).example}']",
            )
        yield from address_errors(target, manifest)
        if target.parameters:
            yield FieldError(
                path="parameters",
                message="the settings of an external system are not the agent's to change",
                expected="no parameters: what is in effect is asked of the system",
            )
        return
    if target.endpoints:
        yield FieldError(
            path="endpoints",
            message=f"addresses are chosen by the agent when the deployment is {target.deployment}",
            expected="no endpoints, or deployment: external",
        )
    if target.credentials:
        yield FieldError(
            path="credentials",
            message="a system that the agent sets up itself needs no credentials",
            expected="no credentials, or deployment: external",
        )


def _tool_errors(
    target: Target, manifest: Manifest, manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    if target.tool is None:
        return
    tools = {name: each.tool for name, each in manifests.items() if each.tool is not None}
    driver = manifest.driver.id
    fitting = sorted(name for name, each in tools.items() if driver in each.drivers)
    expected = one_of(fitting, "no tool: the plugin's own driver")
    found = tools.get(target.tool)
    if found is None:
        yield FieldError(
            path="tool",
            message=f"no agent has brought a load tool {target.tool!r}"
            + did_you_mean(target.tool, sorted(tools)),
            expected=expected,
        )
        return
    name = manifests[target.tool].name
    if driver not in found.drivers:
        yield FieldError(
            path="tool",
            message=f"{name} cannot make load on {manifest.name}; it stands in for the drivers "
            + ", ".join(found.drivers),
            expected=expected,
        )
    if target.credentials is not None:
        yield FieldError(
            path="credentials",
            message=f"{name} is not given any: they would stand on its command line, for everybody "
            "on that machine to read",
            expected="no credentials, or no tool: the plugin's own driver",
        )
    yield from reached_errors(target, manifest, manifests[target.tool])


def _value_errors(target: Target, manifest: Manifest) -> Iterator[FieldError]:
    yield from within(
        "parameters", value_errors(manifest.parameters, target.parameters, manifest.name)
    )
    for name in filter(is_reserved, target.driver_options):
        yield FieldError(
            path=f"driver_options.{name}",
            message="accounts and files are the agent's, and not an experiment's to set",
            expected="the name of `credentials` that the agent's policy.toml keeps",
        )
    free = {name: each for name, each in target.driver_options.items() if not is_reserved(name)}
    yield from within(
        "driver_options",
        value_errors(manifest.driver.options, free, manifest.name, "driver option"),
    )


def _requirement_errors(
    target: Target,
    manifest: Manifest,
    workloads: Sequence[Workload],
    known: Mapping[str, int] | None,
) -> Iterator[FieldError]:
    told: list[Unmet] = []
    for facts in _facts_of(workloads):
        for unmet in manifest.unmet(target, {**(known or {}), **facts}):
            if unmet not in told:
                told.append(unmet)
                yield _requirement_error(target, unmet)


def _facts_of(workloads: Sequence[Workload]) -> Iterable[Mapping[str, int]]:
    """What requirements look at, once for each kind of workload."""
    expire = sorted({one.longest_ttl is not None for one in workloads})
    return [{"workload:expires": each} for each in expire] or [{}]


def _requirement_error(target: Target, unmet: Unmet) -> FieldError:
    path, name = unmet.place_in(target), unmet.parameter.removeprefix(OPTION)
    name = PLACEMENT.get(name, name)
    subject = "" if path == place_of(unmet.parameter) else f"{name} "
    return FieldError(
        path=path,
        message=f"{subject}is {unmet.shown}: {unmet.requirement.because}",
        expected=f"{name} {unmet.wanted}",
    )
