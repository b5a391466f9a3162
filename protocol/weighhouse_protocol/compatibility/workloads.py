"""Whether systems and tools can carry out a workload and its load, by their manifests. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from weighhouse_protocol.compatibility.ceilings import clients_of, connection_errors, record_errors
from weighhouse_protocol.compatibility.tools import part_errors, shape_errors
from weighhouse_protocol.document_errors import FieldError, listed
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.layouts import Feature
from weighhouse_protocol.load import Load
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

FEATURES: Mapping[str, tuple[Feature, str]] = {
    "ttl_seconds": ("ttl", "let records expire"),
    "expiry": ("varied_ttl", "let each record expire at a time of its own"),
    "keys_per_read": ("multi_get", "read several records at once"),
}
"""Part of a workload → the feature that it takes where it is asked for, and in words."""


def workload_errors(
    workload: Workload,
    targets: Sequence[Target],
    manifests: Mapping[str, Manifest],
    loads: Sequence[Load] = (),
) -> Iterator[FieldError]:
    """Everything in a workload that a target's system or tool cannot do.

    :param targets: that are measured under it.
    :param manifests: by plugin; of plugins that are not there nothing is said.
    :param loads: that it is measured with.
    :returns: errors with paths in the workload.
    """
    rates = {operation for load in loads for operation in _rates(load)}
    asked = {*_operations(workload), *rates, *(FEATURES[part][0] for part in _parts(workload))}
    yield from _layout_errors(asked, targets, manifests)
    for manifest in _plugins(targets, manifests):
        yield from carrying_errors(workload, manifest)
    for facts in drafts(targets, manifests):
        yield from record_errors(workload, facts)


def drafts(targets: Sequence[Target], manifests: Mapping[str, Manifest]) -> Iterator[Facts]:
    """What is known of targets before any server was asked; nothing where a plugin is not there."""
    return (Facts(target, manifests[target.system]) for target in targets
            if target.system in manifests)  # fmt: skip


def carrying_errors(workload: Workload, manifest: Manifest) -> Iterator[FieldError]:
    """Everything in a workload that one system or tool cannot do; paths are in the workload."""
    yield from _operation_errors("operations", _operations(workload), manifest)
    told = []
    for part in _parts(workload):
        feature, doing = FEATURES[part]
        if feature not in manifest.features:
            told.append(part)
            yield FieldError(
                path=part,
                message=f"{manifest.name} cannot {doing}",
                expected="the default, or another system or tool",
            )
    yield from part_errors(workload, manifest, told)


def load_errors(
    load: Load, targets: Sequence[Target], manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    """Everything in a load that a target's system or tool cannot do; paths are in the load."""
    for manifest in _plugins(targets, manifests):
        yield from making_errors(load, manifest)
    for facts in drafts(targets, manifests):
        yield from connection_errors(dict([clients_of(load)]), facts)


def making_errors(load: Load, manifest: Manifest) -> Iterator[FieldError]:
    """The same of one system or tool."""
    yield from _operation_errors("operation_rates", _rates(load), manifest)
    yield from shape_errors(load, manifest)


def _plugins(targets: Sequence[Target], manifests: Mapping[str, Manifest]) -> Iterator[Manifest]:
    """A tool makes the load in the place of the system's driver, so it has to be able to, too."""
    names = dict.fromkeys(name for target in targets for name in target.plugins)
    return (manifests[name] for name in names if name in manifests)


def _operations(workload: Workload) -> list[str]:
    return [name for name, share in workload.operations.model_dump().items() if share > 0]


def _parts(workload: Workload) -> list[str]:
    """Those that take a feature and are asked for."""
    fields = Workload.model_fields
    return [part for part in FEATURES if getattr(workload, part) != fields[part].default]


def _rates(load: Load) -> Collection[str]:
    return load.operation_rates if load.model == "open" else ()


def _operation_errors(
    path: str, operations: Collection[str], manifest: Manifest
) -> Iterator[FieldError]:
    for operation in operations:
        if operation not in manifest.operations:
            yield FieldError(
                path=f"{path}.{operation}",
                message=f"{manifest.name} cannot do {operation!r}",
                expected="of " + listed(manifest.operations),
            )


def _layout_errors(
    wanted: Collection[str], targets: Sequence[Target], manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    for target in targets:
        manifest = manifests.get(target.system)
        lacking = manifest.topology.lacks(target) if manifest else ()
        for lack in (each for each in lacking if each in wanted):
            yield FieldError(
                path="keys_per_read" if lack == "multi_get" else f"operations.{lack}",
                message=f"{target.name}: several primaries cannot do {lack!r}",
                expected="a target with one primary, or a workload without it",
            )
