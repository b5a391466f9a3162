"""Intervals of several drivers on common bounds. Pure.

All drivers of a gang begin a phase at the same instant and cut their intervals at whole multiples
from there, each by its own clock. Clocks are corrected by their offsets; what belongs to the same
step of time is added. A phase lasts as long as all drivers were at it: what one did before or after
the others is cut, and told. Nothing of a load phase is cut: every driver inserts its own records.
Nor is what comes back after the end of an open loop's phase: it was due in the phase.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from weighhouse_backend.measurements.packed_intervals import DriverUse, StoredInterval
from weighhouse_backend.measurements.summaries import US_PER_SECOND

TOLERANCE = 0.1
"""Share of an interval by which bounds of drivers may differ: their clocks are known to some
milliseconds, and the last requests of a phase end when they are answered."""


@dataclass(frozen=True)
class Cut:
    """What lies outside the time in which all drivers were at a phase."""

    operations: int = 0
    seconds: float = 0.0
    """The longest that one driver was at it alone."""


@dataclass(frozen=True)
class Step:
    """One step of time of a phase: what all drivers did in it."""

    start_us: int
    end_us: int
    parts: tuple[StoredInterval, ...]


@dataclass(frozen=True)
class AlignedPhase:
    """One phase of a gang, by the server's clock."""

    index: int
    start_us: int
    end_us: int
    """The overlap of all drivers; of a load phase from the first begin to the last end."""
    steps: tuple[Step, ...]
    cut: Cut

    @property
    def parts(self) -> list[StoredInterval]:
        """Every interval that counts."""
        return [part for step in self.steps for part in step.parts]


def align(
    drivers: Mapping[int, Sequence[StoredInterval]], offsets_us: Mapping[int, int]
) -> list[AlignedPhase]:
    """Put the intervals of several drivers on common bounds.

    :param drivers: member → its intervals as it reported them, each once.
    :param offsets_us: member → the server's clock less its own; 0 where it is not known.
    :returns: the phases in order.
    """
    phases: dict[int, dict[int, list[StoredInterval]]] = defaultdict(dict)
    for member, intervals in drivers.items():
        offset = offsets_us.get(member, 0)
        ordered = sorted(intervals, key=lambda item: (item.phase_index, item.start_us))
        for index, found in groupby(ordered, key=lambda item: item.phase_index):
            phases[index][member] = [
                replace(item, start_us=item.start_us + offset, driver=_moved(item.driver, offset))
                for item in found
            ]
    return [_aligned(index, phases[index], len(drivers)) for index in sorted(phases)]


def _moved(use: DriverUse, offset_us: int) -> DriverUse:
    """What a driver told of instants of its own clock, by the server's."""
    if not use.due or not offset_us:
        return use
    return replace(use, due=[[at + offset_us, begun, never] for at, begun, never in use.due])


def _aligned(index: int, drivers: Mapping[int, list[StoredInterval]], count: int) -> AlignedPhase:
    drains = [item for items in drivers.values() for item in items if item.driver.drain]
    drivers = {
        member: inside
        for member, items in drivers.items()
        if (inside := [item for item in items if not item.driver.drain])
    }
    every = [item for items in drivers.values() for item in items]
    if not every:
        return AlignedPhase(index, 0, 0, (), Cut(sum(map(_operations, drains))))
    nominal = max(item.duration_us for item in every) or 1
    slack = round(TOLERANCE * nominal)
    begins = [items[0].start_us for items in drivers.values()]
    ends = [_end(items[-1]) for items in drivers.values()]
    if every[0].phase == "load":
        start, end, kept = min(begins), max(ends), every
    elif len(drivers) < count:
        start = end = max(begins)  # a driver never was at this phase
        kept = []
        every, drains = [*every, *drains], []
    else:
        start, end = max(begins), min(ends)
        kept = [
            item for item in every if item.start_us >= start - slack and _end(item) <= end + slack
        ]
    left_out = sum(_operations(item) for item in every) - sum(_operations(item) for item in kept)
    alone = max([start - min(begins), max(ends) - end]) if len(kept) < len(every) else 0
    steps = _steps(kept, start, end, nominal, slack)
    if drains:
        steps += _steps(drains, end, max(map(_end, drains)), nominal, slack)
    return AlignedPhase(index, start, max(start, end), steps, Cut(left_out, alone / US_PER_SECOND))


def _steps(
    kept: Sequence[StoredInterval], start: int, end: int, nominal: int, slack: int
) -> tuple[Step, ...]:
    origin = min((item.start_us for item in kept), default=0)
    by_step: dict[int, list[StoredInterval]] = defaultdict(list)
    for item in kept:
        by_step[(item.start_us - origin + slack) // nominal].append(item)
    steps: list[Step] = []
    for _, parts in sorted(by_step.items()):
        begin = max(start, min(part.start_us for part in parts))
        stop = min(end, max(_end(part) for part in parts))
        if steps and stop - begin < slack:  # answers that came after the end: of the step before
            last = steps.pop()
            steps.append(Step(last.start_us, max(last.end_us, stop), (*last.parts, *parts)))
        else:
            steps.append(Step(begin, max(begin, stop), tuple(parts)))
    return tuple(steps)


def _end(item: StoredInterval) -> int:
    return item.start_us + item.duration_us


def _operations(item: StoredInterval) -> int:
    return sum(value.count for outcomes in item.operations.values() for value in outcomes.values())
