"""Which machines held a system, and what must be known of that. Pure but for the rows it gets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.facts import MachineFacts

from weighhouse_backend.comparisons.sides import Side
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.machines import GIBIBYTE
from weighhouse_backend.runs.models import WHOLE_MACHINE, AttemptMember

NOT_KNOWN = "not known"
"""In the place of a host name: of a system that was there already, nobody knows its machines."""
Members = Mapping[UUID, Sequence[AttemptMember]]
"""Of attempts."""


@dataclass(frozen=True)
class Holder:
    """A machine that held nodes of a system while it was measured."""

    hostname: str
    words: str
    """What machine it is; empty when it is not known."""
    shared: bool
    """Was one slot of it alone given to the run?"""


def attempt_of(run: RunFigures) -> UUID | None:
    """The attempt that a run's figures come from; None without any."""
    if run.record is None or not run.record.members:
        return None
    return run.record.members[0].attempt_id


def holders(side: Side, run: RunFigures, members: Members) -> list[Holder]:
    """The machines that held a side's system in a run, each once; of a system that was there
    already, as many unknown ones as it is said to have nodes.
    """
    if side.target.deployment == "external":
        return [Holder(NOT_KNOWN, "", shared=False)] * side.target.topology.nodes
    attempt = attempt_of(run)
    holding = {one.index: one for one in (members.get(attempt, ()) if attempt else ()) if one.nodes}
    if run.record is None:
        return []
    found: dict[str, Holder] = {}
    for part in run.record.members:
        member = holding.get(part.member)
        if member is None or not part.facts:
            continue
        facts = MachineFacts.as_kept(part.facts)
        found[facts.machine_id] = Holder(
            facts.hostname,
            f"{facts.cpu_model}, {facts.cores} processors, {facts.memory_bytes / GIBIBYTE:.1f} GiB",
            shared=member.slot != WHOLE_MACHINE,
        )
    return list(found.values())


def remarks_of(
    side: Side, runs: Sequence[RunFigures], held: Sequence[Holder]
) -> Iterator[tuple[str, str]]:
    """What must be known of a side's costs, as key and words: where its set-up is not what is paid.

    :param held: the machines of all of its runs.
    """
    if side.target.deployment == "external":
        nodes = side.target.topology.nodes
        words = (
            f"it was there already: a machine is paid for each node it is said to have ({nodes})"
        )
        yield "external", words
    if any(run.record is not None and run.record.co_located for run in runs):
        yield (
            "co_located",
            "the load was made on the machine that is paid: alone, it may do more",
        )
    if any(one.shared for one in held):
        yield "slot", "it ran in a slot of the machine; all of the machine is paid"
    limits = side.target.limits
    if limits.cpus is not None or limits.memory_mebibytes is not None:
        parts = [
            *([f"{limits.cpus:g} processors"] if limits.cpus is not None else []),
            *([f"{limits.memory_mebibytes} MiB"] if limits.memory_mebibytes is not None else []),
        ]
        yield (
            "limits",
            f"each node was held to {' and '.join(parts)}; all of the machine is paid",
        )
    if any(run.load_kind == "open" for run in runs):
        yield (
            "given_rate",
            "under an open loop the rate is given: the set-up may do more, for less an operation",
        )
