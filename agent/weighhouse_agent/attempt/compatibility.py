"""Holds an order against the manifests of the plugins here, before anything is set up for it.

The platform judged the experiment by the same rules; it does not know the machine, and its plugins
may be of another version by now.
"""

from collections.abc import Iterator, Mapping

from weighhouse_protocol.chain_links import links_of
from weighhouse_protocol.compatibility.faults import fault_errors
from weighhouse_protocol.compatibility.targets import target_errors
from weighhouse_protocol.compatibility.workloads import load_errors, workload_errors
from weighhouse_protocol.document_errors import FieldError, within
from weighhouse_protocol.faults import course_problems
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.target import Target
from weighhouse_sdk.errors import TargetInvalid

from weighhouse_agent.attempt.gangs import is_gang


def check_compatible(
    order: AttemptOrder,
    target: Target,
    system: Manifest,
    tool: Manifest | None = None,
    machine: Mapping[str, int] | None = None,
) -> None:
    """Hold all of an order against its plugins: the target, every link's workload and load, and the
    faults.

    :param target: as the policy has let it pass.
    :param system: of the target's system.
    :param tool: of what makes the load in its driver's place here; None: nothing does.
    :param machine: what it has for the nodes here, as `Context.machine` tells.
    :raises TargetInvalid: with everything that cannot be done; paths are those of the target, or
        begin with `workload`, `load` or `faults`.
    """
    manifests = {each.id: each for each in (system, tool) if each is not None}
    if tool is None:  # One of several that has nodes alone may have the system's plugin alone.
        target = target.model_copy(update={"tool": None})
    TargetInvalid.raise_for(_errors(order, target, manifests, machine))


def _errors(
    order: AttemptOrder,
    target: Target,
    manifests: Mapping[str, Manifest],
    machine: Mapping[str, int] | None,
) -> Iterator[FieldError]:
    links, known = links_of(order), {**(machine or {}), "placement:together": not is_gang(order)}
    yield from target_errors(target, manifests, [link.workload for link in links], known)
    for link in links:
        errors = workload_errors(link.workload, [target], manifests, [link.load])
        yield from within("workload", errors)
        yield from within("load", load_errors(link.load, [target], manifests))
    yield from fault_errors(order.faults, {"": target}, manifests)
    for each in course_problems(order.faults, target.topology):
        yield FieldError(path=f"faults[{each.place}].{each.field}", message=each.message)
