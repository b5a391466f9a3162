"""From intervals to the figures of a run: counts added, histograms merged. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from weighhouse_judging.arithmetic.histograms import Histogram

from weighhouse_backend.measurements.packed_intervals import (
    ERROR_PREFIX,
    NEVER_SENT,
    NOT_FOUND,
    OK,
    VERIFY_FAILED,
    Outcome,
    PhaseKind,
    StoredInterval,
)

US_PER_SECOND = 1e6
QUANTILES = (0.5, 0.95, 0.99, 0.999, 0.9999)


@dataclass
class OperationSum:
    """One operation over one phase; grows by addition."""

    ok: int = 0
    not_found: int = 0
    errors: int = 0
    verify_failed: int = 0
    never_sent: int = 0
    """Due in an open loop, and given up."""
    ok_late: int = 0
    """Of the successes: came back after the phase had ended."""
    answered_late: int = 0
    """The same of all that was sent."""
    overflow: int = 0
    errors_by_kind: dict[str, int] = field(default_factory=dict)
    response: Histogram = field(default_factory=Histogram)
    """Of the successes: from due to done; in a closed loop due is the answer before."""
    service: Histogram | None = None
    """Of the successes, from sent to done; only in an open loop."""
    others: Histogram | None = None
    """Like `response`, of what failed, was not found or came back wrong."""
    untimed: int = 0
    """Of those, how many nobody timed."""

    @property
    def answered(self) -> int:
        """Operations that were sent and came to something."""
        return self.ok + self.not_found + self.errors + self.verify_failed

    @property
    def asked(self) -> Histogram | None:
        """Response times of everything that was asked, whatever became of it; None when some of it
        was not timed.
        """
        if self.untimed:
            return None
        if self.others is None:
            return self.response
        both = Histogram()
        both.add(self.response)
        both.add(self.others)
        return both

    def add_times(self, outcome: str, value: Outcome) -> None:
        """Time operations of one outcome; raises HistogramError."""
        if outcome == OK:
            if value.response is not None:
                self.response.add_encoded(value.response)
            if value.service is not None:
                self.service = self.service or Histogram()
                self.service.add_encoded(value.service)
        elif value.response is not None:
            self.others = self.others or Histogram()
            self.others.add_encoded(value.response)
        elif outcome != NEVER_SENT:
            self.untimed += value.count - value.overflow

    def add(self, outcome: str, count: int, overflow: int, *, late: bool = False) -> None:
        """Count operations of one outcome.

        :param late: they came back after the phase had ended.
        """
        self.overflow += overflow
        if late and outcome != NEVER_SENT:
            self.answered_late += count
            self.ok_late += count if outcome == OK else 0
        if outcome == OK:
            self.ok += count
        elif outcome == NOT_FOUND:
            self.not_found += count
        elif outcome == VERIFY_FAILED:
            self.verify_failed += count
        elif outcome == NEVER_SENT:
            self.never_sent += count
        elif outcome.startswith(ERROR_PREFIX):
            kind = outcome.removeprefix(ERROR_PREFIX)
            self.errors += count
            self.errors_by_kind[kind] = self.errors_by_kind.get(kind, 0) + count

    def absorb(self, other: "OperationSum") -> None:
        """Add another operation's sum to this one."""
        self.ok += other.ok
        self.not_found += other.not_found
        self.errors += other.errors
        self.verify_failed += other.verify_failed
        self.never_sent += other.never_sent
        self.ok_late += other.ok_late
        self.answered_late += other.answered_late
        self.overflow += other.overflow
        for kind, count in other.errors_by_kind.items():
            self.errors_by_kind[kind] = self.errors_by_kind.get(kind, 0) + count
        self.response.add(other.response)
        self.untimed += other.untimed
        if other.others is not None:
            self.others = self.others or Histogram()
            self.others.add(other.others)
        if other.service is not None:
            self.service = self.service or Histogram()
            self.service.add(other.service)


@dataclass
class PhaseSum:
    """One phase: its length, its operations, and what the driver used."""

    phase: PhaseKind
    start_us: int
    end_us: int
    operations: dict[str, OperationSum] = field(default_factory=dict)
    lag: Histogram | None = None
    cpu_us: int = 0
    driver_us: int = 0
    """Summed lengths of the intervals: with two drivers twice the phase's length."""
    loop_delay_p99_us: float = 0.0
    """Largest of the intervals."""
    steal_percent: float = 0.0
    """Largest of the intervals."""
    steal_us: float = 0.0
    """Time of one processor that went to others, on the average of the machine's."""
    reconnects: int = 0
    saturated: bool = False
    ended_us: int | None = None
    """When the phase itself ended, where something came back later; None: with the last interval.
    """
    due: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Of an open loop: begin of an interval, unix µs → of the operations that were due in it, how
    many were sent, and how many never."""

    @property
    def duration_seconds(self) -> float:
        """From the first interval's begin to the phase's end. What came back later is part of no
        rate.
        """
        end = self.end_us if self.ended_us is None else self.ended_us
        return (end - self.start_us) / US_PER_SECOND

    @property
    def drain_seconds(self) -> float:
        """How long after the phase's end something came back."""
        return 0.0 if self.ended_us is None else (self.end_us - self.ended_us) / US_PER_SECOND

    @property
    def tells_due(self) -> bool:
        """Whether it is told what was due: drivers of before and some load tools do not, in an open
        loop (which has times of service). In a closed loop nothing is ever left over.
        """
        return bool(self.due) or all(each.service is None for each in self.operations.values())

    @property
    def steal_percent_mean(self) -> float:
        """Over the whole phase."""
        return 100.0 * self.steal_us / self.driver_us if self.driver_us else 0.0

    @property
    def cpu_percent(self) -> float:
        """The driver's CPU use; 100 = one core."""
        return 100.0 * self.cpu_us / self.driver_us if self.driver_us else 0.0

    def everything(self) -> OperationSum:
        """The sum over all operations."""
        total = OperationSum()
        for operation in self.operations.values():
            total.absorb(operation)
        return total

    def add(self, interval: StoredInterval) -> None:
        """Add one interval; raises HistogramError when one of its histograms cannot be read."""
        self.start_us = min(self.start_us, interval.start_us)
        self.end_us = max(self.end_us, interval.start_us + interval.duration_us)
        if interval.driver.drain:
            self.ended_us = min(self.ended_us or interval.start_us, interval.start_us)
        self._add_due(interval)
        for name, outcomes in interval.operations.items():
            operation = self.operations.setdefault(name, OperationSum())
            for outcome, value in outcomes.items():
                operation.add(outcome, value.count, value.overflow, late=interval.driver.drain)
                operation.add_times(outcome, value)
        if interval.lag is not None:
            self.lag = self.lag or Histogram()
            self.lag.add_encoded(interval.lag)
        driver = interval.driver
        self.reconnects += driver.reconnects
        self.saturated = self.saturated or driver.saturated
        if driver.drain:
            return
        self.cpu_us += driver.cpu_us
        length = interval.duration_us if driver.driver_us is None else driver.driver_us
        self.driver_us += length
        self.loop_delay_p99_us = max(self.loop_delay_p99_us, driver.loop_delay_p99_us)
        self.steal_percent = max(self.steal_percent, driver.steal_percent)
        steal = driver.steal_percent
        steal = steal if driver.steal_percent_mean is None else driver.steal_percent_mean
        self.steal_us += steal / 100.0 * length

    def _add_due(self, interval: StoredInterval) -> None:
        for start, begun, never in interval.driver.due:
            before = self.due.get(start, (0, 0))
            self.due[start] = (before[0] + begun, before[1] + never)


def sum_phases(intervals: Iterable[StoredInterval]) -> Mapping[PhaseKind, PhaseSum]:
    """Sum intervals by phase. Their order does not matter, and each must come once.

    Raises HistogramError when a histogram cannot be read.
    """
    phases: dict[PhaseKind, PhaseSum] = {}
    for interval in intervals:
        phase = phases.get(interval.phase)
        if phase is None:
            end = interval.start_us + interval.duration_us
            phase = phases[interval.phase] = PhaseSum(interval.phase, interval.start_us, end)
        phase.add(interval)
    return phases
