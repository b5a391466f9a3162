"""Whether systems can bear what is done to them on purpose, by their manifests. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from weighhouse_protocol.document_errors import FieldError, one_of, within
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import OWN_NODES, Target


def fault_errors(
    faults: Sequence[Fault], targets: Mapping[str, Target], manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    """Everything that cannot be done to some target: faults are done to each of them.

    :param targets: by their path in the document, for example `targets[0]`; empty: it is the whole.
    :param manifests: by plugin; of a system that is not there nothing is said.
    :returns: errors with paths in the document.
    """
    if not faults:
        return
    lacking: dict[tuple[str, str], Manifest] = {}
    for path, target in targets.items():
        manifest = manifests.get(target.system)
        if manifest is None:
            continue
        if target.deployment not in OWN_NODES:
            yield from within(path, [_untouchable(target)])
            continue
        yield from _unfit_errors(faults, target, manifest)
        for fault in faults:
            if fault.verb not in manifest.faults:
                lacking[(fault.verb, manifest.id)] = manifest
    for index, fault in enumerate(faults):
        for (verb, _), manifest in lacking.items():
            if verb == fault.verb:
                yield FieldError(
                    path=f"faults[{index}].verb",
                    message=f"{manifest.name} has no verb {verb!r}",
                    expected=one_of(manifest.faults),
                )


def _untouchable(target: Target) -> FieldError:
    return FieldError(
        path="deployment",
        message=f"nothing can be done on purpose to a deployment {target.deployment!r}:"
        " its nodes are not the agent's",
        expected="deployment: process, or scenario: fixed",
    )


def _unfit_errors(
    faults: Sequence[Fault], target: Target, manifest: Manifest
) -> Iterator[FieldError]:
    """Verbs that the system has, but not for this node of this topology."""
    for at, fault in enumerate(faults):
        cut_off = fault.network is not None and fault.network.partition
        if cut_off and target.topology.nodes == 1:
            yield FieldError(
                path=f"faults[{at}].network.partition",
                message=f"{target.name}: there is no other node to be cut off from",
                expected="a target of several nodes, or another verb",
            )
        problem = manifest.fault_problem(fault, target.topology)
        if fault.verb in manifest.faults and problem is not None:
            yield FieldError(
                path=f"faults[{at}].node",
                message=f"{target.name}: {problem}",
                expected="another node, or another verb",
            )
