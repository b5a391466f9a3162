"""An experiment: targets × workloads × load levels × repetitions, and who stands behind it."""

import math
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationInfo, model_validator

from weighhouse_protocol.base import Document, Name
from weighhouse_protocol.chains import cannot_chain
from weighhouse_protocol.course_checks import cannot_fill, soaks_too_short
from weighhouse_protocol.disclosure import Disclosure
from weighhouse_protocol.fairness.vocabulary import AspectName
from weighhouse_protocol.faults import Fault, course_problems
from weighhouse_protocol.gate import Gate, Thresholds
from weighhouse_protocol.load import ClosedLoad, Load
from weighhouse_protocol.matrix import Exclusion, Matrix, OwnPoints
from weighhouse_protocol.phases import Phases
from weighhouse_protocol.placement import Placement
from weighhouse_protocol.repetitions import Repetitions, SequentialRepetitions
from weighhouse_protocol.scenarios import (
    PARTS,
    SEARCHES,
    Calibrate,
    LatencyEnvelope,
    Peak,
    Scenario,
    Sustained,
    Sweep,
    along,
    most_of,
    moved,
    require_percentile,
    same_search,
)
from weighhouse_protocol.target import Target
from weighhouse_protocol.text import Named, Prose, as_kept
from weighhouse_protocol.workload import Workload

LoadLevel = Annotated[Load | OwnPoints, Field(discriminator="model")]
"""A load level: one load for all targets, or the operating point of each."""


class Experiment(Document):
    """The definition that is stored, versioned, and reproduced from."""

    version: Literal[1] = 1
    """Version of this document's form."""
    slug: Name
    name: Annotated[str, Named(120)]
    description: Annotated[str, Prose(8000, least=0)] = ""
    targets: tuple[Target, ...] = Field(min_length=1, max_length=50)
    workloads: tuple[Workload, ...] = Field(min_length=1, max_length=50)
    load_levels: tuple[LoadLevel, ...] = Field(min_length=1, max_length=100)
    exclusions: tuple[Exclusion, ...] = Field(default=(), max_length=50)
    """Cells that are not measured."""
    factors: tuple[AspectName, ...] = Field(default=(), max_length=20)
    """What its targets differ in on purpose, by aspects of the fairness sheet. Between targets of
    one system and version they are what is compared, and explain no difference away."""
    repetitions: Repetitions = 5
    """How often each cell is measured: a number, or a rule by which undecided cells get more. A
    calibration measures each load once, and so often what it found."""
    scenario: Scenario = "fixed"
    """A fixed load; the same while something is done to the system; the same with every target
    twice in a block, to learn what the machine cannot tell (A/A); loads that rise from each load
    level on, for the curve and its knee; the most load inside the latency envelope; deeper and
    deeper pipelines; until it is full; or for hours, with drift looked for."""
    phases: Phases = Phases()
    faults: tuple[Fault, ...] = Field(default=(), max_length=100)
    """For the scenario `fault`: what is done when, in order of time."""
    sweep: Sweep | None = None
    """For the scenario `sweep`: how far, and when it ends before."""
    calibrate: Calibrate | None = None
    """For the scenario `calibrate`, which needs the latency envelope too; default: its own."""
    peak: Peak | None = None
    """For the scenario `peak`: which depths; default: its own."""
    sustained: Sustained | None = None
    """For the scenario `sustained`: when it is full."""
    latency_envelope: LatencyEnvelope | None = None
    thresholds: Thresholds = Thresholds()
    gate: Gate = Gate()
    placement: Placement = Placement()
    disclosure: Disclosure = Disclosure()
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    """Seed of order and operations; default: drawn and recorded for each campaign."""

    @model_validator(mode="after")
    def _is_consistent(self, info: ValidationInfo) -> Self:
        for what, names in (
            ("targets", [target.name for target in self.targets]),
            ("workloads", [workload.name for workload in self.workloads]),
            ("load_levels", [level.label for level in self.load_levels]),
            ("factors", list(self.factors)),
        ):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                message = f"{what}: {', '.join(twice)} is there twice; each needs a name of its own"
                raise ValueError(message)
        if not as_kept(info) and (problems := list(self.matrix.problems())):
            raise ValueError("; ".join(problems))
        self._check_faults()
        self._check_parts()
        self._check_searches()
        self._check_course()
        if self.scenario == "noise" and self.sequential is not None:
            message = "repetitions: have to be a number under `scenario: noise`"
            raise ValueError(message)
        return self

    def _check_faults(self) -> None:
        if (self.scenario == "fault") != bool(self.faults):
            message = "faults: belong to `scenario: fault`, which needs at least one"
            raise ValueError(message)
        times = [fault.at_seconds for fault in self.faults]
        if times != sorted(times):
            message = "faults: are to stand in order of at_seconds"
            raise ValueError(message)
        for index, fault in enumerate(self.faults):
            if fault.at_seconds >= self.phases.measure_seconds:
                message = (
                    f"faults[{index}].at_seconds: {fault.at_seconds:g} is after the measured "
                    f"phase, which lasts {self.phases.measure_seconds:g} s"
                )
                raise ValueError(message)
        for target in self.targets:
            for problem in course_problems(self.faults, target.topology):
                message = f"faults[{problem.place}].{problem.field}: {target.name}: "
                raise ValueError(message + problem.message)

    def _check_parts(self) -> None:
        for name in PARTS:
            if getattr(self, name) is not None and self.scenario != name:
                message = f"{name}: belongs to `scenario: {name}`, and this is `{self.scenario}`"
                raise ValueError(message)

    def _check_course(self) -> None:
        phases, message = self.phases, ""
        if self.scenario == "soak":
            message = soaks_too_short(phases.measure_seconds, phases.interval_seconds)
        elif self.scenario == "sustained":
            levels, count = [load for _, load in self.loads], phases.measure_operations
            message = cannot_fill(self.sustained, self.workloads, levels, self.targets, count)
        if not message and phases.chain:
            message = cannot_chain(phases.chain, self.scenario, self.workloads, self.matrix)
        if not message and phases.chain and self.sequential is not None:
            message = "repetitions: have to be a number where phases are chained"
        if message:
            raise ValueError(message)

    def _check_searches(self) -> None:
        if not self.searches:
            return
        if message := self._search_lacks():
            raise ValueError(message)
        if self.scenario == "calibrate":
            self._check_calibration()
        for index in range(len(self.load_levels)):
            self._check_search(index)

    def _search_lacks(self) -> str:
        """What is missing for a search, or is of another kind than it can use; empty: nothing."""
        most = 10 if self.scenario == "calibrate" else 100
        if self.sequential is not None:
            return f"repetitions: have to be a number under `scenario: {self.scenario}`"
        if self.least_repetitions > most:
            return f"repetitions: at most {most} under `scenario: {self.scenario}`"
        if self.scenario == "sweep" and self.sweep is None:
            return "sweep: `scenario: sweep` needs it: {to: 64} goes up to 64 clients"
        if self.scenario == "calibrate" and self.latency_envelope is None:
            return (
                "latency_envelope: `scenario: calibrate` needs it: {percentile: 99, "
                "limit_us: 1000} looks for the most load inside 1 ms"
            )
        return ""

    def _check_calibration(self) -> None:
        require_percentile(self.latency_envelope, "latency_envelope")
        least = self.least_repetitions + 3
        if self.calibration.measurements < least:
            message = (
                f"calibrate.measurements: {self.calibration.measurements} leave nothing to search "
                f"with when {self.least_repetitions} confirm the answer (repetitions); allow at "
                f"least {least}"
            )
            raise ValueError(message)

    def _check_search(self, index: int) -> None:
        """Of one load level: it begins below its end, and no other begins the same search."""
        load, limit = self.begun(index), self.most_load(index)
        if self.scenario == "peak" and not isinstance(load, ClosedLoad):
            message = f"load_levels[{index}]: an open loop has no pipeline; use `model: closed`"
            raise ValueError(message)
        if self.scenario != "peak" and limit > most_of(load):
            message = f"{self.scenario}: a load level has at most {most_of(load):,.0f}"
            raise ValueError(message)
        value = self.varies(load)
        if value >= limit:
            message = (
                f"load_levels[{index}]: begins at {value:g}, and the search ends at "
                f"{limit:g}; begin lower, or go higher"
            )
            raise ValueError(message)
        for earlier, other in enumerate(self.load_levels[:index]):
            if not isinstance(other, OwnPoints) and same_search(
                other, load, deep=self.scenario == "peak"
            ):
                message = (
                    f"load_levels[{index}]: begins the same search as load_levels[{earlier}]; a "
                    "search chooses its loads by itself, so one level is enough"
                )
                raise ValueError(message)

    @property
    def searches(self) -> bool:
        """Whether further loads are chosen while it is measured."""
        return self.scenario in SEARCHES

    def varies(self, load: Load | OwnPoints) -> float:
        """What a search varies of a load level: clients, operations a second, or the pipeline; of
        no level that is another load for each target (ValueError).
        """
        if load.model == "own":
            raise ValueError(f"{load.name}: is another load for each target, and no search's")
        return along(load, deep=self.scenario == "peak")

    def varied_load(self, load_index: int, value: float) -> Load:
        """A load level as a search varies it.

        :raises ValueError: when a level cannot have that value.
        """
        return moved(self.begun(load_index), value, deep=self.scenario == "peak")

    @property
    def ladder(self) -> Peak:
        """The depths of a peak: what the file says, or the default."""
        return self.peak or Peak()

    def most_load(self, load_index: int) -> float:
        """The highest load the search from a load level tries: clients, operations a second, or
        requests that a client keeps in flight.
        """
        if self.scenario == "peak":
            return float(self.ladder.depths[-1])
        limit = self.sweep.to if self.sweep else self.calibration.at_most
        return limit or most_of(self.begun(load_index))

    def begun(self, load_index: int) -> Load:
        """The load at which a search begins.

        :raises ValueError: at a level that is another load for each target; no file has that.
        """
        level = self.load_levels[load_index]
        if level.model == "own":
            message = (
                f"load_levels[{load_index}]: a search begins at one load for all targets, and "
                f"{level.name!r} is another for each"
            )
            raise ValueError(message)
        return level

    def load_of(self, target_index: int, workload_index: int, load_index: int) -> Load:
        """The load of one cell, by positions in the document.

        :raises LookupError: when its level has no operating point for it: no cell that is measured.
        """
        level = self.load_levels[load_index]
        if not isinstance(level, OwnPoints):
            return level
        target, workload = self.targets[target_index].name, self.workloads[workload_index].name
        load = level.load_of(target, workload)
        if load is None:
            message = f"{level.name}: no operating point of {target} under {workload}"
            raise LookupError(message)
        return load

    @property
    def loads(self) -> Iterator[tuple[str, Load]]:
        """Every load that occurs, with its path in the document."""
        for index, level in enumerate(self.load_levels):
            path = f"load_levels[{index}]"
            if not isinstance(level, OwnPoints):
                yield path, level
                continue
            for place, point in enumerate(level.points):
                yield f"{path}.points[{place}].load", point.load

    @property
    def matrix(self) -> Matrix:
        """Which cells are measured."""
        return Matrix(self.targets, self.workloads, self.load_levels, self.exclusions)

    @property
    def calibration(self) -> Calibrate:
        """The rule of a calibration: what the file says, or the default."""
        return self.calibrate or Calibrate()

    def most_points(self, load_index: int) -> int:
        """Loads that are measured at most from a load level on: itself, or all of a search."""
        match self.scenario:
            case "sweep" if self.sweep is not None:
                doublings = math.log2(self.sweep.to / self.begun(load_index).value)
                return 1 + math.ceil(doublings) + self.sweep.refine
            case "calibrate":
                return self.calibration.measurements
            case "peak":
                return len(self.ladder.ladder(self.begun(load_index)))
            case _:
                return 1

    @property
    def cells(self) -> Iterator[tuple[int, int, int]]:
        """Points of the matrix that are measured, in the document's order: positions of target,
        workload and load level.
        """
        matrix = self.matrix
        for target in range(len(self.targets)):
            for workload in range(len(self.workloads)):
                for level in matrix.levels_of(target, workload):
                    yield target, workload, level

    @property
    def cells_count(self) -> int:
        """How many those are."""
        matrix = self.matrix
        return sum(self.cells_under(place, matrix) for place in range(len(self.workloads)))

    def cells_under(self, workload_index: int, matrix: Matrix | None = None) -> int:
        """How many of them are of one workload; `matrix`: for who asks of many."""
        matrix = matrix or self.matrix
        if matrix.complete:
            return len(self.targets) * len(self.load_levels)
        return sum(matrix.count(target, workload_index) for target in range(len(self.targets)))

    @property
    def chain(self) -> tuple[int, ...]:
        """Places of the workloads that are measured one after the other on one loaded system, in
        that order; empty: each has a system of its own.
        """
        places = {workload.name: place for place, workload in enumerate(self.workloads)}
        return tuple(places[link.measure] for link in self.phases.chain)

    @property
    def sequential(self) -> SequentialRepetitions | None:
        """The rule by which undecided cells get more blocks; None for a fixed number."""
        return self.repetitions if isinstance(self.repetitions, SequentialRepetitions) else None

    @property
    def least_repetitions(self) -> int:
        """Repetitions that every cell gets."""
        return self.repetitions if isinstance(self.repetitions, int) else self.repetitions.at_least

    @property
    def most_repetitions(self) -> int:
        """Repetitions that a cell gets at most, unless somebody asks for more."""
        return self.repetitions if isinstance(self.repetitions, int) else self.repetitions.at_most

    @property
    def first_repetitions(self) -> int:
        """Repetitions that a cell gets before anything is decided."""
        return 1 if self.scenario == "calibrate" else self.least_repetitions

    @property
    def confirms(self) -> bool:
        """Is a cell that seems worse than other campaigns measured once more? Not where loads are
        searched or phases chained: no cell is measured there by itself.
        """
        return self.thresholds.confirm and not (self.searches or self.chain)

    @property
    def twins(self) -> int:
        """Runs of each target in a block: two where noise is measured."""
        return 2 if self.scenario == "noise" else 1

    @property
    def runs_count(self) -> int:
        """Runs of one campaign; with a rule of repetitions, the fewest."""
        return self.cells_count * self.first_repetitions * self.twins

    @property
    def again_runs_count(self) -> int:
        """Runs of a second measurement in which every cell seems worse; 0 where there is none, or
        where nothing is compared with other campaigns.
        """
        apart = self.scenario == "noise" or self.gate.base.split(":")[0] in {"beside", "none"}
        return self.cells_count * self.first_repetitions if self.confirms and not apart else 0

    @property
    def most_runs_count(self) -> int:
        """Runs of one campaign in which nothing is decided before its time."""
        if self.searches:
            cells = sum(self.most_points(level) for _, _, level in self.cells)
        else:
            cells = self.cells_count
        each = 1 if self.scenario == "calibrate" else self.most_repetitions
        return cells * each * self.twins
