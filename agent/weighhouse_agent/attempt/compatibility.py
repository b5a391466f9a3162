"""Holds an order against the manifests of the plugins here, before anything is set up for it.

The platform judged the experiment by the same rules; it does not know the machine, and its plugins
may be of another version by now.
"""

from collections.abc import Iterable, Iterator, Mapping

from weighhouse_protocol.chain_links import links_of, most_clients
from weighhouse_protocol.compatibility.ceilings import (
    clients_of,
    connection_errors,
    record_errors,
)
from weighhouse_protocol.compatibility.driver_memory import memory_errors
from weighhouse_protocol.compatibility.faults import fault_errors
from weighhouse_protocol.compatibility.targets import target_errors
from weighhouse_protocol.compatibility.workloads import load_errors, workload_errors
from weighhouse_protocol.document_errors import FieldError, within
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.faults import course_problems
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import Setting
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


def check_ceilings(
    order: AttemptOrder,
    target: Target,
    manifest: Manifest,
    settings: Iterable[Setting],
    threads: int = 1,
) -> None:
    """Hold keys, records, and the load's clients with this agent itself, against what the system
    takes by its own configuration, where it tells it. Of a gang each member has a part of the
    clients only.

    :param target: as the policy has let it pass.
    :param manifest: of its system.
    :param settings: the effective configuration.
    :param threads: that make the load.
    :raises TargetInvalid: with all that is beyond.
    """
    facts = Facts(target, manifest, settings={each.name: each.value for each in settings})
    TargetInvalid.raise_for(_beyond(order, facts, threads))


def check_memory(order: AttemptOrder, machine_bytes: int) -> None:
    """Hold what a driver of ours has of requests and replies at once against this machine.

    :param machine_bytes: its memory, or what this control group may use of it; 0: not known.
    :raises TargetInvalid: with each load that does not fit.
    """
    TargetInvalid.raise_for(
        each
        for link in links_of(order)
        for each in within(
            "load", memory_errors(link.workload, link.load, link.phases, machine_bytes)
        )
    )


def _beyond(order: AttemptOrder, facts: Facts, threads: int) -> Iterator[FieldError]:
    for link in links_of(order):
        yield from within("workload", record_errors(link.workload, facts))
        if not is_gang(order):
            field, _ = clients_of(link.load)
            clients = {f"load.{field}": most_clients(link)}
            yield from connection_errors(clients, facts, threads)


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
