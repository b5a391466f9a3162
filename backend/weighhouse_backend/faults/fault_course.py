"""What faults cost: before, during and after each, out of merged histograms. Pure.

A fault is what was done to a node, until its counterpart was done; faults that overlap are one,
since nobody can say which of them cost what. `before` is the time before the first of a run for all
of them, because only then nothing had been broken yet; `after` ends where the next begins.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
from weighhouse_judging.arithmetic.histograms import NS_PER_US
from weighhouse_judging.scenarios import fault
from weighhouse_judging.scenarios.scenario import PlanRefused
from weighhouse_judging.scenarios.spread import Interval

from weighhouse_backend.faults.marks import Mark, Moved, redistribution, redistributions
from weighhouse_backend.faults.schemas import (
    FaultRead,
    FaultsRead,
    FaultVerbRead,
    RecoveryRead,
    StretchOperationRead,
    StretchRead,
)
from weighhouse_backend.measurements.packed_intervals import ALL, StoredInterval
from weighhouse_backend.measurements.summaries import (
    QUANTILES,
    US_PER_SECOND,
    OperationSum,
    PhaseSum,
)

BEGUN, ENDED = "fault", frozenset({"fault_done", "fault_failed"})
MENDS = {
    "start": {"kill", "stop"},
    "replace": {"kill", "stop", "pause", "network"},
    "remove": {"kill", "stop", "pause", "network"},
    "resume": {"pause"},
    "heal": {"network"},
}
"""Verb → what it takes back."""
WHOLE = frozenset({"restart", "replace", "remove"})
"""Verbs that break something and, when they are done, have mended it."""
LATE = 1 / fault.NOTICED
"""A success that takes so many times the old p99 is late."""
PHASE = "measure"


@dataclass
class Verb:
    """A verb that was begun."""

    label: str
    begin_us: int
    member: int = 0
    end_us: int | None = None
    became: str = "the measured phase ended before it was done"
    done: bool = False

    @property
    def place(self) -> tuple[str, str]:
        """What was done, and to which node."""
        verb, _, rest = self.label.partition(" ")
        return verb, rest.partition(":")[0]


@dataclass
class Episode:
    """A fault: verbs from the first that broke something to the last that mended it."""

    verbs: list[Verb] = field(default_factory=list)
    broken: set[tuple[str, str]] = field(default_factory=set)

    @property
    def begin_us(self) -> int:
        """When it began."""
        return self.verbs[0].begin_us

    @property
    def end_us(self) -> int | None:
        """When everything was mended; None: it never was."""
        ends = [verb.end_us for verb in self.verbs]
        known = [end for end in ends if end is not None]
        return max(known) if not self.broken and len(known) == len(ends) else None

    def add(self, verb: Verb) -> None:
        """Note a verb that was done or tried."""
        self.verbs.append(verb)
        done, node = verb.place
        if done in MENDS and verb.done:
            self.broken -= {(one, node) for one in MENDS[done]}
        breaks = not verb.done if done in WHOLE else done not in MENDS
        if breaks:
            self.broken.add((done, node))


def episodes(marks: Sequence[Mark]) -> list[Episode]:
    """The faults on a timeline, in order of time."""
    found: list[Episode] = []
    for verb in _verbs(marks):
        if not found or not found[-1].broken:
            found.append(Episode())
        found[-1].add(verb)
    return found


def costs(intervals: Iterable[StoredInterval], marks: Sequence[Mark]) -> FaultsRead:
    """What the faults of a run cost. Raises HistogramError.

    :param intervals: the run's, in order of time; gone through once, and none is kept.
    :param marks: of its timeline.
    """
    found = episodes(marks)
    if not found:
        return FaultsRead(faults=[], late_us=None)
    first_us = found[0].begin_us
    before, course = _Stretch("before"), list[Interval]()
    begun_us, ended_us, late_us = None, 0, None
    parts: list[_Part] = []
    for one in _measured(intervals):
        begun_us = one.start_us if begun_us is None else begun_us
        if not one.driver.drain:
            ended_us = one.start_us + one.duration_us
        if not parts and ended_us <= first_us:
            before.add(one)
            course.append(_interval(one, begun_us, None))
            continue
        if not parts:
            late_us = _late(before)
            parts = _parts(found, before, course, begun_us)
        interval = _interval(one, begun_us, late_us)
        for part in parts:
            part.add(one, interval)
    if begun_us is None:
        return FaultsRead(faults=[], late_us=None)
    if not parts:
        late_us = _late(before)
        parts = _parts(found, before, course, begun_us)
    moved = redistributions(marks)
    return FaultsRead(faults=[part.read(ended_us, moved) for part in parts], late_us=late_us)


def _late(before: "_Stretch") -> float | None:
    """From when on a success is late; counts those before, too."""
    old = before.total().response.quantiles_us([0.99])[0]
    late_us = None if old is None else LATE * old
    before.late = _above(before.total(), late_us)
    return late_us


def _parts(
    found: Sequence[Episode], before: "_Stretch", course: Sequence[Interval], begun_us: int
) -> list["_Part"]:
    """:param course: the intervals before the first of them."""
    followed = [*(one.begin_us for one in found[1:]), math.inf]
    return [
        _Part(one, before, begun_us, until, course=list(course))
        for one, until in zip(found, followed, strict=True)
    ]


@dataclass
class _Stretch:
    """One stretch; grows by its intervals, whose histograms it merges."""

    name: str
    phase: PhaseSum | None = None
    intervals: int = 0
    late: int = 0

    def add(self, one: StoredInterval) -> None:
        if self.phase is None:
            self.phase = PhaseSum(one.phase, one.start_us, one.start_us)
        self.phase.add(one)
        self.intervals += 1

    def total(self) -> OperationSum:
        return OperationSum() if self.phase is None else self.phase.everything()

    def read(self, begun_us: int, empty_us: int) -> StretchRead:
        """:param empty_us: where it lies while it has no interval."""
        phase = self.phase
        begin, end = empty_us, empty_us
        if phase is not None:
            # What came back after the phase is in its latencies, and in no rate.
            begin = phase.start_us
            end = phase.end_us if phase.ended_us is None else phase.ended_us
        operations = {} if phase is None else {**phase.operations, ALL: self.total()}
        seconds = (end - begin) / US_PER_SECOND
        return StretchRead.model_validate(
            {
                "stretch": self.name,
                "begin_seconds": (begin - begun_us) / US_PER_SECOND,
                "end_seconds": (end - begun_us) / US_PER_SECOND,
                "intervals": self.intervals,
                "late": self.late,
                "operations": {name: _figures(one, seconds) for name, one in operations.items()},
            }
        )


@dataclass
class _Part:
    """What is gathered of one fault."""

    episode: Episode
    before: _Stretch
    begun_us: int
    until_us: float
    """Where its `after` ends: an interval in which the next fault begins is that one's."""
    during: _Stretch = field(default_factory=lambda: _Stretch("during"))
    after: _Stretch = field(default_factory=lambda: _Stretch("after"))
    course: list[Interval] = field(default_factory=list)

    def add(self, one: StoredInterval, interval: Interval) -> None:
        """Take an interval from after the first fault, if it belongs to this one."""
        end_us = one.start_us + one.duration_us
        if end_us <= self.episode.begin_us or end_us > self.until_us:
            return
        mended_us = self.episode.end_us
        broken = mended_us is None or one.start_us < mended_us
        stretch = self.during if broken else self.after
        stretch.add(one)
        stretch.late += interval.late or 0
        if not one.driver.drain:
            self.course.append(interval)

    def read(self, ended_us: int, moved: Sequence[Moved]) -> FaultRead:
        """:param ended_us: where the phase ends."""
        end_us = ended_us if self.episode.end_us is None else self.episode.end_us
        begin = (self.episode.begin_us - self.begun_us) / US_PER_SECOND
        end = (end_us - self.begun_us) / US_PER_SECOND
        recovery, not_told = None, None
        try:
            recovery = _recovery(fault.figures(fault.Plan(begin, end), self.course))
        except PlanRefused as refused:
            not_told = "; ".join(f"{one.message}: {one.mend}" for one in refused.refusals)
        return FaultRead(
            label=" and ".join(dict.fromkeys(self._breaking())),
            begin_seconds=begin,
            end_seconds=end,
            mended=self.episode.end_us is not None,
            verbs=[_verb_read(verb, self.begun_us) for verb in self.episode.verbs],
            stretches=[
                self.before.read(self.begun_us, self.begun_us),
                self.during.read(self.begun_us, self.episode.begin_us),
                self.after.read(self.begun_us, end_us),
            ],
            recovery=recovery,
            not_told=not_told,
            redistribution=redistribution(
                moved, self.begun_us, self.episode.begin_us, self.until_us
            ),
        )

    def _breaking(self) -> list[str]:
        verbs = self.episode.verbs
        breaking = [
            one.label for one in verbs if one.place[0] not in MENDS or one.place[0] in WHOLE
        ]
        return breaking or [verbs[0].label]


def _verbs(marks: Sequence[Mark]) -> list[Verb]:
    """A member does its verbs one after the other: what ends is what it began last."""
    found: list[Verb] = []
    open_ones: dict[int, Verb] = {}
    for mark in sorted(marks, key=lambda one: one.at_us):
        if mark.kind == BEGUN:
            found.append(Verb(mark.label, mark.at_us, mark.member))
            open_ones[mark.member] = found[-1]
        elif mark.kind in ENDED and mark.member in open_ones:
            verb = open_ones.pop(mark.member)
            verb.end_us, verb.became = mark.at_us, mark.label
            verb.done = mark.kind == "fault_done"
    return found


def _measured(intervals: Iterable[StoredInterval]) -> Iterable[StoredInterval]:
    return (one for one in intervals if one.phase == PHASE and one.duration_us > 0)


def _interval(one: StoredInterval, begun_us: int, late_us: float | None) -> Interval:
    phase = PhaseSum(one.phase, one.start_us, one.start_us)
    phase.add(one)
    total = phase.everything()
    (p99,) = total.response.quantiles_us([0.99])
    return Interval(
        (one.start_us - begun_us) / US_PER_SECOND,
        one.duration_us / US_PER_SECOND,
        total.ok,
        total.errors + total.verify_failed,
        _above(total, late_us),
        () if p99 is None else (("p99_us", p99),),
    )


def _above(operation: OperationSum, limit_us: float | None) -> int:
    """Successes slower than a limit; those above the histogram's range are among them."""
    if limit_us is None:
        return 0
    ends, amounts = operation.response.filled()
    return int(np.sum(amounts[ends > limit_us * NS_PER_US]))


def _figures(operation: OperationSum, seconds: float) -> StretchOperationRead:
    p50, p95, p99, p999, p9999 = operation.response.quantiles_us(QUANTILES)
    return StretchOperationRead(
        ok=operation.ok,
        failed=operation.errors + operation.verify_failed,
        not_found=operation.not_found,
        never_sent=operation.never_sent,
        throughput=(operation.ok - operation.ok_late) / seconds if seconds > 0 else 0.0,
        mean_us=operation.response.mean_us,
        p50_us=p50,
        p95_us=p95,
        p99_us=p99,
        p999_us=p999,
        p9999_us=p9999,
        max_us=operation.response.max_us,
    )


def _recovery(cost: fault.Cost) -> RecoveryRead:
    told = {
        name: value for name, value in asdict(cost).items() if name in RecoveryRead.model_fields
    }
    return RecoveryRead.model_validate(
        {**told, "outcome": cost.reason.kind, "sentence": cost.reason.sentence}
    )


def _verb_read(verb: Verb, begun_us: int) -> FaultVerbRead:
    end = None if verb.end_us is None else (verb.end_us - begun_us) / US_PER_SECOND
    return FaultVerbRead(
        label=verb.label,
        begin_seconds=(verb.begin_us - begun_us) / US_PER_SECOND,
        end_seconds=end,
        became=verb.became,
        done=verb.done,
    )
