"""What was due over time in an open loop, and what became of it. Pure."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from weighhouse_backend.measurements.summaries import US_PER_SECOND


@dataclass
class ArrivalLine:
    """What was due over time in an open loop, and what became of it; lists of one length."""

    t: list[float] = field(default_factory=list)
    until: list[float] = field(default_factory=list)
    due: list[float] = field(default_factory=list)
    """A second."""
    sent: list[float] = field(default_factory=list)
    """A second, whenever it was due."""
    answered: list[float] = field(default_factory=list)
    """A second, whenever it was due, and whatever came back."""
    never_sent: list[float] = field(default_factory=list)
    """A second, of what was due then."""
    backlog: list[int] = field(default_factory=list)
    """Due and not sent at the end of the window."""


class Arrived(NamedTuple):
    """One window of the measured phase, as the course of arrivals is made from them."""

    start_us: int
    end_us: int
    answered: int
    due: Sequence[Sequence[int]]


def arrival_line(windows: Sequence[Arrived], origin_us: int) -> ArrivalLine | None:
    """What was due in each window, and what became of it, by windows in order of time.

    What is told of an operation is told when it is sent or given up; here it stands where it was
    due. None when nothing is told.
    """
    due, never = [0] * len(windows), [0] * len(windows)
    starts = [window.start_us for window in windows]
    for window in windows:
        for at, begun, given_up in window.due:
            place = max(0, bisect.bisect_right(starts, at) - 1)
            due[place] += begun + given_up
            never[place] += given_up
    if not any(due):
        return None
    line, backlog = ArrivalLine(), 0
    for place, window in enumerate(windows):
        seconds = (window.end_us - window.start_us) / US_PER_SECOND
        sent = sum(begun for _, begun, _ in window.due)
        backlog += due[place] - sent
        line.t.append((window.start_us - origin_us) / US_PER_SECOND)
        line.until.append((window.end_us - origin_us) / US_PER_SECOND)
        line.due.append(due[place] / seconds)
        line.sent.append(sent / seconds)
        line.answered.append(window.answered / seconds)
        line.never_sent.append(never[place] / seconds)
        line.backlog.append(backlog)
    return line
