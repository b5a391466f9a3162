"""Reads what redis-benchmark prints."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from weighhouse_sdk.errors import DriverFailed
from weighhouse_sdk.toolrun.histograms import from_cumulative

ROW = re.compile(r"^(\d+\.\d+)% <= (\d+\.\d+) milliseconds \(cumulative count (\d+)\)$")
RATE = re.compile(r"^\s+throughput summary: (\d+\.\d+) requests per second$")
SUMMARY = re.compile(r"^\s+avg\s+min\s+p50\s+p95\s+p99\s+max$")
SUMMARY_SHARES = (0.5, 0.95, 0.99)
NS_PER_MS = 1_000_000
US_PER_SECOND = 1_000_000


@dataclass(frozen=True)
class Outcome:
    """One run of redis-benchmark."""

    counts: dict[int, int]
    """Time of an answer in ns → how many."""
    rate_per_second: float

    @property
    def requests(self) -> int:
        """How many were answered."""
        return sum(self.counts.values())

    @property
    def duration_us(self) -> int:
        """How long the tool says that it measured."""
        return round(self.requests / self.rate_per_second * US_PER_SECOND)


def read(lines: Iterable[str]) -> Outcome:
    """What a run that ended well measured.

    The rows of both tables, and the percentiles of the summary, are points of one cumulative
    distribution; `from_cumulative` says what becomes of what lies between them.

    :raises DriverFailed: when the output is not that of redis-benchmark 7.
    """
    points: list[tuple[int, int]] = []
    summary: list[int] = []
    rate = 0.0
    expected = False
    for line in lines:
        if expected:
            summary = [_ns(word) for word in line.split()]
        expected = SUMMARY.match(line) is not None
        if (row := ROW.match(line)) is not None:
            points.append((_ns(row.group(2)), int(row.group(3))))
        elif (told := RATE.match(line)) is not None:
            rate = float(told.group(1))
    total = max((count for _, count in points), default=0)
    whole = len(summary) == 3 + len(SUMMARY_SHARES)
    if not (total and rate > 0 and whole):
        raise DriverFailed(
            "redis-benchmark did not print its tables of latency",
            "versions from 7.0 on print them; its last lines tell more",
        )
    for share, value in zip(SUMMARY_SHARES, summary[2:5], strict=True):
        points.append((value, _rank(share, total)))
    longest = max(value for value, count in points if count)
    points = [(value, count) for value, count in points if count] + [(longest, total)]
    return Outcome(from_cumulative(points, total), rate)


def _rank(share: float, total: int) -> int:
    """How many answers at least are at or below a percentile: the library's ⌊share × n + ½⌋."""
    return max(1, int(share * total + 0.5))


def _ns(milliseconds: str) -> int:
    return round(float(milliseconds) * NS_PER_MS)
