"""What a point of a series was measured on. Pure but for the rows it is given."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from weighhouse_judging.identity.places import kernels_of, memory_of
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.machine_kinds import first_alike, kind_of_gangs

from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.identities import seen_machines
from weighhouse_backend.results.machines import kinds_of, machines_of


@dataclass(frozen=True)
class Environment:
    """Machines of some runs, what they are of one kind by, and what else they told."""

    kind: str
    """As `machine_kinds.alike` holds it against others; empty: they did not say."""
    words: str
    """The machines and the workload."""
    version: str | None
    """Of the system; no part of the kind: a new version that is slower is what is looked for."""
    kernel: str | None
    memory_bytes: int | None
    """The least that one of them told."""

    def among(self, kinds: Collection[str]) -> str:
        """The segment it belongs to: the first of the kinds it is alike to, or its own.

        :param kinds: of the segments there are, the oldest first.
        """
        return first_alike(self.kind, kinds) or self.kind


def environment_of(document: Experiment, runs: Sequence[RunFigures]) -> Environment:
    """The environment of a cell's runs. All else that makes figures another measurement (workload,
    topology, limits, faults, caches) is in the identity of the cell or the family of its side.
    """
    run = runs[0]
    record = next((one.record for one in runs if one.record is not None), None)
    workload = next(one for one in document.workloads if one.name == run.workload)
    target = next(one for one in document.targets if one.name == run.target)
    where = kinds_of(runs) or "machine not known"
    machines = machines_of(runs)
    if len(machines) > 1:
        where = f"{where}, {len(machines)} different machines"
    nodes = "1 node" if target.topology.nodes == 1 else f"{target.topology.nodes} nodes"
    seen = seen_machines(runs)
    return Environment(
        kind=kind_of_gangs(one.record.fingerprint or "" for one in runs if one.record),
        words=f"{where}; {workload.record_count:,} records of {workload.record_bytes:,} B; {nodes}",
        version=None if record is None else record.version,
        kernel=kernels_of(seen) if seen else None,
        memory_bytes=memory_of(seen) if seen else None,
    )
