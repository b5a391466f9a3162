"""Failures as figures of their own: how often repeats and operations fail, and whether more. Pure.

A repeat that failed never vanishes: it lowers the number of repeats *and* shows as a rate. Repeats
are independent, so their rates are compared by Fisher's exact test. Operations are not: when a
server stumbles, thousands fail together, and a test that took them for independent would see proof
in every hiccup. Their unit, as everywhere, is the run: rates of runs are compared by their ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.arithmetic.intervals import Bounds
from weighhouse_judging.arithmetic.rates import Rate, more_failures, wilson

RESULT_FAILURES = frozenset({"database", "timeout"})
"""Kinds of failure that say something of the system under test."""

FAILURE_LEVEL = 0.01
"""Largest p of failures that are called more, over all cells of a gate together."""

ERROR_RATE_THRESHOLD = 0.001
"""Failed operations have to be this much more of all (0.1 points) to matter."""

FailureOutcome = Literal["more", "gone", "not_more"]


@dataclass(frozen=True)
class Attempts:
    """What became of a cell's repeats on one side."""

    completed: int
    failures: tuple[str, ...] = ()
    """Kinds of failure of those that gave no figure."""
    operations: tuple[Rate, ...] = ()
    """Failed of all operations, for each completed repeat."""

    @property
    def repeats(self) -> Rate:
        """Repeats that the system failed, of those that tell of it."""
        failed = sum(kind in RESULT_FAILURES for kind in self.failures)
        return Rate(failed, failed + self.completed)

    @property
    def failed_operations(self) -> Rate:
        """Operations that failed, over all repeats."""
        return Rate(
            sum(rate.failed for rate in self.operations),
            sum(rate.total for rate in self.operations),
        )


@dataclass(frozen=True)
class FailureFigures:
    """Both rates of one side with their 95 % intervals; None where nothing was tried.

    The interval of operations holds if they failed independently, and is a lower bound of what is
    not known when they did not.
    """

    repeats: Rate
    repeats_interval: Bounds | None
    operations: Rate
    operations_interval: Bounds | None


def figures(attempts: Attempts) -> FailureFigures:
    """A side's failure rates, as they are shown."""
    return FailureFigures(
        attempts.repeats,
        wilson(attempts.repeats),
        attempts.failed_operations,
        wilson(attempts.failed_operations),
    )


def p_of_failures(baseline: Attempts, other: Attempts) -> float:
    """One-sided p of "no more failures than before"; the smaller of both kinds, doubled."""
    p_values = [
        more_failures(baseline.repeats, other.repeats),
        _p_of_operations(baseline.operations, other.operations),
    ]
    return min(1.0, 2 * min(p_values))


def cannot_be_measured(baseline: Attempts, other: Attempts) -> bool:
    """Did the base complete the cell, and the system fail every repeat of it now?"""
    lost = other.completed == 0 and other.repeats.failed > 0
    return lost and baseline.completed > 0


def _p_of_operations(baseline: Sequence[Rate], other: Sequence[Rate]) -> float:
    before = [rate.failed / rate.total for rate in baseline if rate.total]
    after = [rate.failed / rate.total for rate in other if rate.total]
    if not before or not after:
        return 1.0
    if statistics.median(after) - statistics.median(before) <= ERROR_RATE_THRESHOLD:
        return 1.0
    return statistics.mann_whitney(before, after) / 2
