"""The identity of a place: the machines a cell was measured on. Pure.

Machines are the same by their identity (a stable hash that each tells), and alike by their kind:
what `MachineFacts.fingerprint` hashes. Figures of alike machines may be set against each other with
a word of caution, those of other kinds not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_protocol.facts import MachineFacts

from weighhouse_judging.identity.digests import Identity, identity_of, joined, words

KIND = (
    "cpu_model", "cores", "memory_bytes", "kernel", "architecture", "cpu_governor",
    "simultaneous_multithreading", "virtualisation", "cgroup_cpu_limit",
    "cgroup_memory_limit_bytes",
)  # fmt: skip
"""What makes two machines alike."""


@dataclass(frozen=True)
class Place:
    """Where repeats were measured."""

    kind: Identity
    """Of the kinds of all machines."""
    machines: Identity
    """Of the machines themselves."""


def place_of(repeats: Sequence[Sequence[MachineFacts]]) -> Place:
    """The place of some repeats.

    :param repeats: each with the machines of its gang, in any order; those that told nothing of
        themselves are left out.
    """
    told = [gang for gang in repeats if gang]
    seen = [machine for gang in told for machine in gang]
    gangs = sorted({"+".join(sorted(one.fingerprint() for one in gang)) for gang in told})
    fields = {
        f"machine.{name}": joined([words(getattr(one, name)) for one in seen]) for name in KIND
    }
    fields["machines.count"] = joined([str(len(gang)) for gang in told])
    ids = sorted({"+".join(sorted(one.machine_id for one in gang)) for gang in told})
    named = joined([f"{one.hostname} ({one.machine_id[:8]})" for one in seen])
    return Place(
        kind=identity_of({"gangs": gangs}, fields),
        machines=identity_of({"machines": ids}, {"machines": named}),
    )
