"""Figures that nobody measured: what an agent would report of a run, from a simple queue.

A side serves at most so many operations a second, each in so long while nobody else asks; clients
in a closed loop wait for one another beyond that (asymptotic bounds of a closed network: throughput
is the smaller of clients / service time and the most the side can do; Denning & Buzen, 1978).
Latencies are log-normal around the time that Little's law leaves to each operation.
"""

import base64
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr
from weighhouse_judging.arithmetic.histograms import Histogram, Layout

US = 1_000_000
SPREAD = 0.35
"""Standard deviation of the logarithm of a latency, before a side's own tail."""
RECORDS = 20_000
"""Inserted before figures begin."""
WARMUP_SECONDS = 2
DRAWN = 6
"""Different intervals of one run; they come in turn."""
UPDATES_TAKE = 1.1
"""As long as reads."""
STALLED = 0.4
"""What is done in an interval of a stall, as a share."""
COUNTED = 0.99
"""Share of the clients' time that operations take; the rest is the driver's own."""


@dataclass(frozen=True)
class Side:
    """How a side behaves."""

    most_per_second: float
    """Operations a second that it serves at most."""
    service_us: float
    """Time of one operation while nobody else asks, µs."""
    tail: float = 1.0
    """How much wider its latencies spread than `SPREAD` says."""
    memory_bytes: int = 200 << 20
    noise: float = 0.006
    """Coefficient of variation of a run's throughput."""

    def throughput(self, clients: float) -> float:
        """Operations a second at a number of clients in a closed loop.

        The harmonic sum of both bounds bends where they meet instead of breaking.
        """
        free = clients / (self.service_us / US)
        bent: float = (free**-4 + self.most_per_second**-4) ** -0.25
        return bent


TAKES: Mapping[str, float] = {
    "read": 1.0, "update": UPDATES_TAKE, "insert": 1.2, "read_modify_write": 2.1,
}  # fmt: skip
"""How long an operation takes, as multiples of a read."""
HALVES: Mapping[str, float] = {"read": 0.5, "update": 0.5}


@dataclass(frozen=True)
class Course:
    """How long a run is measured, where it begins, and with what."""

    begin_us: int
    seconds: int
    interval_us: int = US // 2
    shares: Mapping[str, float] = field(default_factory=lambda: HALVES)
    """Of each operation, all of `TAKES`; in sum 1."""
    stall_every: int = 0
    """Intervals from one that does `STALLED` of the others to the next; 0: none."""


@lru_cache(maxsize=4096)
def encoded(count: int, median_us: float, spread: float) -> str:
    """A histogram of `count` latencies, log-normal around a median in µs, as drivers write it.

    Every bucket holds what it is expected to, so that the same figures give the same text.
    """
    layout = Layout()
    index = np.arange(layout.buckets)
    ends = np.log(layout.upper_ends(index).astype(float) + 1)
    below = ndtr((ends - math.log(median_us * 1000)) / spread)
    counts = np.diff(np.round(np.concatenate(([0.0], below)) * count)).astype(np.int64)
    return base64.b64encode(Histogram(layout, counts).encoded()).decode()


def reported(
    side: Side, course: Course, clients: float, seed: int, shift: float, described: dict[str, Any]
) -> list[dict[str, Any]]:
    """All events of a run, as documents of the agents' protocol.

    :param shift: what the side's throughput is multiplied by in this campaign.
    :param described: of the event `target`.
    """
    events = _events(side, course, clients, np.random.default_rng(seed), shift, described)
    return [{**event, "sequence": number} for number, event in enumerate(events)]


def _events(
    side: Side,
    course: Course,
    clients: float,
    draw: np.random.Generator,
    shift: float,
    described: dict[str, Any],
) -> Iterator[dict[str, Any]]:
    rate = side.throughput(clients) * shift * float(draw.normal(1, side.noise))
    spread = SPREAD * side.tail
    # The mean of all operations and the rate make the clients busy (Little's law), and the median
    # of a log-normal distribution lies below its mean.
    mean_us = COUNTED * clients / max(rate, 1.0) * US
    usual = sum(share * TAKES[name] for name, share in course.shares.items())
    read_us = mean_us / usual / math.exp(spread**2 / 2)
    at = course.begin_us
    yield {"kind": "phase", "phase": "deploy", "at_us": at}
    yield {"kind": "target", "at_us": at, **described}
    yield memory("before", at, side.memory_bytes // 20)
    for number, (phase, operation, count) in enumerate(
        (("load", "insert", RECORDS), ("warmup", "read", round(rate * WARMUP_SECONDS)))
    ):
        yield {"kind": "phase", "phase": phase, "at_us": at}
        took_us = round(count / rate * US)
        counted = {operation: recorded(count, read_us, spread)}
        yield interval(number, phase, number, at, took_us, counted, rate)
        at += took_us
        yield ended(phase, at, took_us, {operation: count})
        if phase == "load":
            yield memory("after_load", at, side.memory_bytes)
    yield {"kind": "phase", "phase": "measure", "at_us": at}
    intervals = course.seconds * US // course.interval_us
    each = rate * course.interval_us / US
    wobbles = draw.normal(1, side.noise / 2, DRAWN)
    totals = dict.fromkeys(course.shares, 0)
    for number in range(intervals):
        wobble = wobbles[number % DRAWN]
        if course.stall_every and number % course.stall_every == 0:
            wobble *= STALLED
        operations = {}
        for name, share in course.shares.items():
            count = max(1, round(each * share * wobble))
            totals[name] += count
            operations[name] = recorded(count, read_us * TAKES[name], spread)
        yield interval(number + 2, "measure", 2, at, course.interval_us, operations, rate)
        at += course.interval_us
        yield {
            "kind": "sample", "at_us": at, "resident_bytes": side.memory_bytes,
            "cpu_percent": 100 * min(1.0, rate / side.most_per_second),
            "driver_cpu_percent": min(95.0, rate / 4000),
        }  # fmt: skip
    yield ended("measure", at, intervals * course.interval_us, totals)
    yield {"kind": "mark", "mark": "stopped", "label": "server stopped", "at_us": at}
    yield memory("after", at, round(side.memory_bytes * 1.04))


def recorded(count: int, median_us: float, spread: float) -> dict[str, Any]:
    """One outcome of an operation in an interval."""
    # Three significant digits are what a histogram tells apart; fewer different ones are made so.
    median = float(f"{median_us:.3g}")
    return {"ok": {"count": count, "response": encoded(count, median, spread)}}


def interval(
    sequence: int,
    phase: str,
    index: int,
    start_us: int,
    duration_us: int,
    operations: dict[str, Any],
    rate: float,
) -> dict[str, Any]:
    """A driver's interval, as an agent hands it on."""
    return {
        "kind": "interval",
        "at_us": start_us + duration_us,
        "interval": {
            "event": "interval", "at_us": start_us + duration_us, "elapsed_us": duration_us,
            "phase": phase, "index": index, "sequence": sequence, "start_us": start_us,
            "duration_us": duration_us, "operations": operations,
            "driver": {"cpu_us": round(min(0.95, rate / 400_000) * duration_us)},
        },
    }  # fmt: skip


def memory(moment: str, at_us: int, resident_bytes: int) -> dict[str, Any]:
    """Memory at a moment of the run."""
    return {"kind": "memory", "moment": moment, "at_us": at_us, "resident_bytes": resident_bytes}


def ended(phase: str, at_us: int, duration_us: int, counts: dict[str, int]) -> dict[str, Any]:
    """A phase's end."""
    operations = {operation: {"ok": count} for operation, count in counts.items()}
    return {
        "kind": "phase_ended", "phase": phase, "at_us": at_us, "duration_us": duration_us,
        "operations": operations,
    }  # fmt: skip
