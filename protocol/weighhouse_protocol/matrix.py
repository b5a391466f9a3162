"""The matrix of an experiment: which of its cells are measured, and at which load each is.

Not every target can do every workload, and not every target is measured at the same load: a store
that cannot scan must not forbid the study, and what fits inside a latency is another load for each.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal, Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document, Name
from weighhouse_protocol.load import Load
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

MOST_PROBLEMS = 20
MOST_CELLS = 10_000
"""As many as a campaign has runs at most; what is worked out for each is bounded by it."""


class Exclusion(Document):
    """Cells that are not measured: those that all the given parts name."""

    target: Name | None = None
    """A target's name."""
    system: Name | None = None
    """All targets of a system."""
    workload: Name | None = None
    """A workload's name."""
    load: str | None = Field(default=None, max_length=200)
    """A load level in words, as everywhere: `8 clients`, `1000/s constant`."""
    reason: str = Field(default="", max_length=500)
    """Why; readers of the comparison are told."""

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.target is None and self.system is None and self.workload is None:
            message = "name a target, a system or a workload"
            raise ValueError(message)
        return self

    def leaves_out(self, target: Target) -> bool:
        """Whether it concerns a target."""
        return self.target in {None, target.name} and self.system in {None, target.system}

    @property
    def words(self) -> str:
        """For example `memcached, scans`."""
        return ", ".join(filter(None, (self.target, self.system, self.workload, self.load)))


class OperatingPoint(Document):
    """The load at which one target is measured."""

    target: Name
    workload: Name | None = None
    """Under one workload alone; default: under all that no other point names."""
    load: Load


class OwnPoints(Document):
    """A load level that is another load for each target: its operating point."""

    model: Literal["own"]
    name: str = Field(min_length=1, max_length=80)
    """What the level is called: `inside 1 ms`."""
    points: tuple[OperatingPoint, ...] = Field(min_length=1, max_length=250)
    origin: str = Field(default="", max_length=500)
    """Where the points come from: a calibration, a vendor, a guess; readers are told."""

    @property
    def label(self) -> str:
        """The level in words."""
        return self.name

    def load_of(self, target: str, workload: str) -> Load | None:
        """The load of a target under a workload; None: it has no point here."""
        found = None
        for point in self.points:
            if point.target == target and point.workload in {None, workload}:
                found = point.load if found is None or point.workload else found
        return found

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        seen = set()
        for index, point in enumerate(self.points):
            if (point.target, point.workload) in seen:
                message = f"points[{index}]: {point.target} has a point there already"
                raise ValueError(message)
            seen.add((point.target, point.workload))
        return self


@dataclass
class _Points:
    """Load levels, as bits."""

    levels: int = 0
    """Those of operating points."""
    of: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    """Target and workload, or no workload: those in which they have a point."""


@dataclass(frozen=True)
class Matrix:
    """Which cells of targets × workloads × load levels are left."""

    targets: Sequence[Target]
    workloads: Sequence[Workload]
    levels: Sequence[Load | OwnPoints]
    exclusions: Sequence[Exclusion]

    def levels_of(self, target: int, workload: int) -> list[int]:
        """Places of the load levels at which a target is measured under a workload."""
        out = self._left_out(target, workload)
        return [place for place in range(len(self.levels)) if not out >> place & 1]

    def count(self, target: int, workload: int) -> int:
        """How many those are."""
        return len(self.levels) - self._left_out(target, workload).bit_count()

    @property
    def complete(self) -> bool:
        """Whether nothing is left out."""
        return not self.exclusions and not any(isinstance(one, OwnPoints) for one in self.levels)

    def excluding(self, target: Target, workload: str, load: str) -> Exclusion | None:
        """The first exclusion that leaves a cell out."""
        for one in self.exclusions:
            if (
                one.leaves_out(target)
                and one.workload in {None, workload}
                and one.load in {None, load}
            ):
                return one
        return None

    def problems(self) -> Iterator[str]:
        """What is wrong: an exclusion that names nothing there is, or leaves nothing of something;
        operating points of nobody. At most `MOST_PROBLEMS`.
        """
        return islice(self._problems(), MOST_PROBLEMS)

    def _problems(self) -> Iterator[str]:
        places = [(of, under) for of in range(len(self.targets))
                  for under in range(len(self.workloads))]  # fmt: skip
        cells = sum(self.count(target, workload) for target, workload in places)
        if cells > MOST_CELLS:
            yield (
                f"targets × workloads × load_levels: {cells:,} cells; a campaign has at most "
                f"{MOST_CELLS:,}"
            )
            return
        labels = [level.label for level in self.levels]
        known = {
            "target": {target.name for target in self.targets},
            "system": {target.system for target in self.targets},
            "workload": {workload.name for workload in self.workloads},
            "load": set(labels),
        }
        for index, exclusion in enumerate(self.exclusions):
            for part, names in known.items():
                wanted = getattr(exclusion, part)
                if wanted is not None and wanted not in names:
                    yield f"exclusions[{index}].{part}: {wanted!r} is none of {_list(names)}"
        for place, level in enumerate(self.levels):
            for index, point in enumerate(level.points if isinstance(level, OwnPoints) else ()):
                where = f"load_levels[{place}].points[{index}]"
                if point.target not in known["target"]:
                    message = f"{point.target!r} is none of {_list(known['target'])}"
                    yield f"{where}.target: {message}"
                if point.workload is not None and point.workload not in known["workload"]:
                    message = f"{point.workload!r} is none of {_list(known['workload'])}"
                    yield f"{where}.workload: {message}"
        yield from self._nothing_left()

    def _nothing_left(self) -> Iterator[str]:
        if self.complete:
            return
        everywhere = (1 << len(self.levels)) - 1
        out = [
            [self._left_out(target, workload) for workload in range(len(self.workloads))]
            for target in range(len(self.targets))
        ]
        for target, row in zip(self.targets, out, strict=True):
            if all(mask == everywhere for mask in row):
                yield f"exclusions: nothing is left to measure of target {target.name}"
        for place, workload in enumerate(self.workloads):
            if all(row[place] == everywhere for row in out):
                yield f"exclusions: nothing is left to measure of workload {workload.name}"
        for place, level in enumerate(self.levels):
            if all(mask >> place & 1 for row in out for mask in row):
                yield f"exclusions: nothing is left to measure at load level {level.label}"

    def _left_out(self, target: int, workload: int) -> int:
        """The load levels that are left out, as bits."""
        side, name = self.targets[target], self.workloads[workload].name
        points = self._points
        found = points.levels & ~(points.of[side.name, None] | points.of[side.name, name])
        for exclusion, levels in zip(self.exclusions, self._excluded, strict=True):
            if exclusion.leaves_out(side) and exclusion.workload in {None, name}:
                found |= levels
        return found

    @cached_property
    def _excluded(self) -> list[int]:
        """Of each exclusion the load levels that it is about, as bits; read once, for every target
        and workload asks.
        """
        levels: Counter[str | None] = Counter({None: (1 << len(self.levels)) - 1})
        for place, one in enumerate(self.levels):
            levels[one.label] |= 1 << place
        return [levels[exclusion.load] for exclusion in self.exclusions]

    @cached_property
    def _points(self) -> _Points:
        """Where who has an operating point."""
        found = _Points()
        for place, level in enumerate(self.levels):
            if isinstance(level, OwnPoints):
                found.levels |= 1 << place
                for point in level.points:
                    found.of[point.target, point.workload] |= 1 << place
        return found


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names))
