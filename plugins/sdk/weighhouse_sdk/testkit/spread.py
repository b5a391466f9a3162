"""For tests of plugins: a system whose nodes are spread over machines, each an address of the
loopback network with a context of its own, as if an agent of its own were at work there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weighhouse_protocol.faults import Fault, FaultVerb
from weighhouse_protocol.target import Target

from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.lifecycle import Deployed, FaultDone, Plugin


@dataclass(frozen=True)
class Machine:
    """One of them, with what it has."""

    context: Context
    deployed: Deployed

    @property
    def numbers(self) -> list[int]:
        """Of its own nodes."""
        return [node.place.number for node in self.deployed.nodes]


@dataclass(frozen=True)
class Spread:
    """A system that is ready, and its machines."""

    plugin: Plugin
    machines: tuple[Machine, ...]

    @property
    def lead(self) -> Machine:
        """The one that united all nodes."""
        return self.machines[0]

    def fault(self, verb: FaultVerb, number: int) -> FaultDone:
        """Have a verb carried out by the machine that has the node."""
        machine = next(each for each in self.machines if number in each.numbers)
        fault = Fault(at_seconds=0, verb=verb, node=number)
        return self.plugin.fault(machine.context, machine.deployed, fault)


def host_of(machine: int) -> str:
    """The address of a machine, counted from 1."""
    return f"127.0.1.{machine}"


@contextmanager
def spread(
    plugin: Plugin, target: Target, machines: int, directory: Path, ready_seconds: float = 60.0
) -> Iterator[Spread]:
    """Set a system up on so many machines, its nodes dealt out in turn; nothing stays."""
    numbers = range(1, target.topology.nodes + 1)
    contexts = [
        Context.open(
            target,
            directory / f"machine-{machine}",
            options=HostOptions(host=host_of(machine), ready_seconds=ready_seconds),
            own_nodes=tuple(numbers[machine - 1 :: machines]),
        )
        for machine in range(1, machines + 1)
    ]
    there: list[Machine] = []
    try:
        reserved = [each for context in contexts for each in plugin.reserve(context)]
        peers = tuple(sorted(reserved, key=lambda each: each.number))
        there = [Machine(context, plugin.deploy(context, peers)) for context in contexts]
        for each in there:
            plugin.wait_ready(each.context, each.deployed)
        plugin.unite(there[0].context, there[0].deployed)
        yield Spread(plugin, tuple(there))
        for each in there:
            plugin.stop(each.context, each.deployed)
    finally:
        for context in contexts:
            plugin.clean_up(context)
