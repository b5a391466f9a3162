"""Whether systems and tools can carry out a workload and its load, by their manifests. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from weighhouse_protocol.document_errors import FieldError, listed
from weighhouse_protocol.layouts import Feature
from weighhouse_protocol.load import Load
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

FEATURES: Mapping[str, tuple[Feature, str]] = {
    "ttl_seconds": ("ttl", "let records expire"),
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
    operations = [name for name, share in workload.operations.model_dump().items() if share > 0]
    parts = [name for name in FEATURES if _asks(workload, name)]
    rates = {operation for load in loads for operation in _rates(load)}
    yield from _layout_errors(
        {*operations, *rates, *(FEATURES[part][0] for part in parts)}, targets, manifests
    )
    for manifest in _plugins(targets, manifests):
        yield from _operation_errors("operations", operations, manifest)
        for part in parts:
            feature, doing = FEATURES[part]
            if feature not in manifest.features:
                yield FieldError(
                    path=part,
                    message=f"{manifest.name} cannot {doing}",
                    expected="the default, or another system or tool",
                )


def load_errors(
    load: Load, targets: Sequence[Target], manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    """The same of a load that has a rate for each operation; paths are in the load."""
    for manifest in _plugins(targets, manifests):
        yield from _operation_errors("operation_rates", _rates(load), manifest)


def _plugins(targets: Sequence[Target], manifests: Mapping[str, Manifest]) -> Iterator[Manifest]:
    """A tool makes the load in the place of the system's driver, so it has to be able to, too."""
    names = dict.fromkeys(name for target in targets for name in target.plugins)
    return (manifests[name] for name in names if name in manifests)


def _asks(workload: Workload, part: str) -> bool:
    return bool(getattr(workload, part) != Workload.model_fields[part].default)


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
