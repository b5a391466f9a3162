"""The identity of a place: the machines a cell was measured on. Pure.

Machines are the same by their identity (a stable hash that each tells), and alike by their kind
(`weighhouse_protocol.machine_kinds`, which lists what makes one). Figures of alike machines may be
set against each other with a word of caution, those of other kinds not. The same holds of one
machine whose kernel was patched: it is another place on the same kind.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.machine_kinds import (
    MATERIAL,
    Material,
    alike,
    kind_of,
    kind_of_gang,
    kind_of_gangs,
    sizes_agree,
)

from weighhouse_judging.identity.digests import FieldChange, Identity, identity_of, joined, words

Told = TypeVar("Told")
GIBIBYTE = 2**30
TOLD_APART = 0.001
"""By how much memory has to change to be told of: what each start of a machine leaves is less."""


@dataclass(frozen=True)
class Place:
    """Where repeats were measured."""

    kind: str
    """Of all machines, as `machine_kinds.alike` holds it against others; empty: not known."""
    machines: Identity
    """The machines themselves."""
    seen: tuple[MachineFacts, ...]
    """What they told, each time."""
    counts: str
    """How many worked together, in words."""


def place_of(repeats: Sequence[Sequence[MachineFacts]]) -> Place:
    """The place of some repeats.

    :param repeats: each with the machines of its gang, in any order; those that told nothing of
        themselves are left out.
    """
    told = [gang for gang in repeats if gang]
    seen = tuple(machine for gang in told for machine in gang)
    kinds = {id(machine): kind_of(machine) for machine in seen}
    ids = sorted({"+".join(sorted(one.machine_id for one in gang)) for gang in told})
    named = joined([f"{one.hostname} ({one.machine_id[:8]})" for one in seen])
    return Place(
        kind=kind_of_gangs(kind_of_gang(kinds[id(one)] for one in gang) for gang in told),
        machines=identity_of({"machines": ids}, {"machines": named}),
        seen=seen,
        counts=joined([str(len(gang)) for gang in told]),
    )


def kind_differences(before: Place, after: Place) -> list[FieldChange]:
    """What makes two places other kinds of machines; none: they are of one."""
    if alike(before.kind, after.kind):
        return []
    found = [
        FieldChange(f"machine.{one.fact}", _fact(before, one.fact), _fact(after, one.fact))
        for one in MATERIAL
        if not _agree(one, before, after)
    ]
    if before.counts != after.counts:
        found.append(FieldChange("machines.count", before.counts, after.counts))
    return found or [FieldChange("machines", _names(before), _names(after))]


def place_differences(before: Place, after: Place) -> list[FieldChange]:
    """What two places on one kind of machine do not have in common, machines themselves apart:
    kernels, and memory beyond what each start of a machine leaves.
    """
    if not (before.seen and after.seen):
        return []
    found = []
    kernels = kernels_of(before.seen), kernels_of(after.seen)
    if kernels[0] != kernels[1]:
        found.append(FieldChange("kernel", *kernels))
    sizes = memory_of(before.seen), memory_of(after.seen)
    if memory_changed(*sizes):
        found.append(FieldChange("memory", *memory_words(*sizes)))
    return found


def kernels_of(seen: Sequence[MachineFacts]) -> str:
    """The kernels of machines, in words."""
    return joined([one.kernel for one in seen])


def memory_of(seen: Sequence[MachineFacts]) -> int:
    """The least memory of machines, bytes; at least one."""
    return min(one.memory_bytes for one in seen)


def memory_changed(before: int, after: int) -> bool:
    """Is that more than a start of a machine leaves?"""
    return abs(before - after) > TOLD_APART * max(before, after)


def memory_words(before: int, after: int) -> tuple[str, str]:
    """Two sizes of memory, with as many digits as tell them apart."""
    for digits in (1, 2, 3):
        told = tuple(f"{size / GIBIBYTE:.{digits}f} GiB" for size in (before, after))
        if told[0] != told[1]:
            break
    return told[0], told[1]


def _agree(one: Material, before: Place, after: Place) -> bool:
    if not (before.seen and after.seen):
        return False
    if _set(one.reading, before) != _set(one.reading, after):
        return False
    if one.size is None:
        return True
    ours, theirs = _set(one.size, before), _set(one.size, after)
    return all(any(sizes_agree(a, b) for b in theirs) for a in ours) and all(
        any(sizes_agree(a, b) for a in ours) for b in theirs
    )


def _set(reading: Callable[[MachineFacts], Told], place: Place) -> set[Told]:
    return {reading(machine) for machine in place.seen}


def _fact(place: Place, fact: str) -> str:
    return joined([words(getattr(one, fact)) for one in place.seen])


def _names(place: Place) -> str:
    return place.machines.fields["machines"]
