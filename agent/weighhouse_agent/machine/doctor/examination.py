"""All that is looked at, in the order in which it is told, and the words on a screen."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from weighhouse_protocol.facts import MachineFacts

from weighhouse_agent.machine.doctor import devices, kernel, processor
from weighhouse_agent.machine.doctor.diagnosis import Check, Diagnosis, State

CHECKS: tuple[Check, ...] = (
    processor.governor, processor.turbo, processor.multithreading, processor.numa,
    processor.mitigations, processor.virtualisation, processor.steal, processor.control_group,
    processor.pod, processor.load,
    kernel.huge_pages, kernel.swap, kernel.clock_source, kernel.synchronisation,
    kernel.open_files, kernel.ports, kernel.listen_queue, kernel.packet_queue,
    devices.file_system, devices.space, devices.disk, devices.network,
)  # fmt: skip
INDENT = " " * 10


def examine(facts: MachineFacts) -> tuple[Diagnosis, ...]:
    """Judge every fact of a machine."""
    return tuple(check(facts) for check in CHECKS)


def summary(diagnoses: Sequence[Diagnosis]) -> str:
    """How many of each, in one line."""
    counts = Counter(each.state for each in diagnoses)
    return ", ".join(f"{counts[state]} {state}" for state in State)


def lines(diagnoses: Sequence[Diagnosis], width: int = 100) -> Iterator[tuple[State | None, str]]:
    """A table, one fact a line; below what is not right: why, and what to change.

    :returns: each line with the state it tells of; None for an explanation.
    """
    longest = max(len(each.name) for each in diagnoses)
    for each in diagnoses:
        yield each.state, f"{each.state:<8}  {each.name:<{longest}}  {each.found}"
        if each.state is State.OK:
            continue
        for line in textwrap.wrap(each.why, width - len(INDENT)):
            yield None, INDENT + line
        for command in each.change:
            yield None, f"{INDENT}  {command}"
    yield None, summary(diagnoses)
