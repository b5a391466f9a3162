"""What the runs of a cell were, by identity. Pure but for the rows it is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from weighhouse_judging.identity.cells import DriverSeen, cell_identity
from weighhouse_judging.identity.digests import FieldChange, Identity, differences
from weighhouse_judging.identity.places import Place, kind_differences, place_of
from weighhouse_judging.identity.programs import ProgramKey, program_of_system
from weighhouse_judging.identity.sides import Side
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.programs import ProgramRan
from weighhouse_protocol.report import Setting

from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.runs.states import RunStatus

DRIVER = "driver."
"""Beginning of the fields that tell what made the load."""


@dataclass(frozen=True)
class CellSeen:
    """One cell of one target in one campaign, as its completed runs found it."""

    document: Experiment
    runs: Sequence[RunFigures]
    manifest: Manifest | None
    target_name: str = ""
    """What its target is called beside the others of its document; empty: nobody asked."""

    @cached_property
    def records(self) -> list[AttemptRecord]:
        """The facts of the runs that gave figures."""
        return _records(self.runs)

    def identity(self, *, asked_only: bool = False) -> Identity:
        """What was measured.

        :param asked_only: leave out what only runs can tell, where another cell has no runs.
        """
        return self._asked if asked_only else self._measured

    @cached_property
    def _measured(self) -> Identity:
        return self._identity([self._driver(record) for record in self.records])

    @cached_property
    def _asked(self) -> Identity:
        return self._identity([])

    def _identity(self, drivers: Sequence[DriverSeen]) -> Identity:
        run = self.runs[0]
        workload = next(one for one in self.document.workloads if one.name == run.workload)
        levels = [level.label for level in self.document.load_levels]
        load = self.document.load_of(
            [target.name for target in self.document.targets].index(run.target),
            self.document.workloads.index(workload),
            levels.index(run.load_label),
        )
        return cell_identity(self.document, workload, load, drivers)

    @property
    def side(self) -> Side:
        """The system as it was set up."""
        records = self.records
        return Side(
            target=next(one for one in self.document.targets if one.name == self.runs[0].target),
            versions=[record.version for record in records],
            configurations=[
                [Setting.as_kept(line) for line in record.effective_configuration]
                for record in records
                if record.effective_configuration
            ],
            endpoints=[str(endpoint) for record in records for endpoint in record.endpoints],
        )

    @property
    def program(self) -> ProgramKey | None:
        """What the system really was; None: its runs did not tell, or were of several."""
        return program_of_system(
            [ProgramRan.as_kept(one) for one in record.programs] for record in self.records
        )

    @cached_property
    def place(self) -> Place:
        """Where it was measured."""
        return _place(self.records)

    def _driver(self, record: AttemptRecord) -> DriverSeen:
        target = next(one for one in self.document.targets if one.name == self.runs[0].target)
        name = target.tool or (None if self.manifest is None else self.manifest.driver.id)
        version = " and ".join(record.driver_versions(name)) or None
        return DriverSeen(name, version, record.threads)


def seen_machines(runs: Sequence[RunFigures]) -> tuple[MachineFacts, ...]:
    """What the machines of runs that gave figures told of themselves, each time."""
    return _place(_records(runs)).seen


def mismatches(base: CellSeen, other: CellSeen) -> list[FieldChange]:
    """In which fields two cells are not the same measurement, or not on alike machines.

    Where one has no run that gave a figure, only what was asked for can be told apart.
    """
    if not (base.records and other.records):
        return differences(base.identity(asked_only=True), other.identity(asked_only=True))
    return [
        *differences(base.identity(), other.identity()),
        *kind_differences(base.place, other.place),
    ]


def place_of_runs(runs: Sequence[RunFigures]) -> str | None:
    """Digest of the machines that runs were measured on; None when none is known."""
    told = [record for record in _records(runs) if record.machine_ids]
    return _place(told).machines.digest if told else None


def _records(runs: Sequence[RunFigures]) -> list[AttemptRecord]:
    return [
        run.record for run in runs if run.record is not None and run.status == RunStatus.COMPLETED
    ]


def _place(records: Sequence[AttemptRecord]) -> Place:
    return place_of(_machines(records))


def _machines(records: Sequence[AttemptRecord]) -> list[list[MachineFacts]]:
    """The machines of each; facts that one machine told again and again are read once."""
    read: dict[str, tuple[dict[str, Any], MachineFacts]] = {}
    found = []
    for record in records:
        mine: dict[str, MachineFacts] = {}
        for part in record.members:
            name = str(part.facts.get("machine_id") or "")
            if name and (name not in read or read[name][0] != part.facts):
                read[name] = part.facts, MachineFacts.as_kept(part.facts)
            if name:
                mine[name] = read[name][1]
        found.append(list(mine.values()))
    return found
