"""Open loops on a real Redis that does not do what is due, and what is right to be told of them."""

from typing import Any

import pytest

from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.told import Told, measured

PLACES = 4
RATE, US = 100.0, 1e6
HOUR_MS = 3_600_000


def open_loop(
    platform: RunningPlatform, *, seconds: float, timeout_ms: int,
    faults: list[dict[str, Any]] | None = None, target: dict[str, Any] | None = None, **load: Any,
) -> Told:  # fmt: skip
    """The one run of an open loop on Redis, whose figures are alike wherever they are told."""
    told = measured_open_loop(
        platform, seconds=seconds, timeout_ms=timeout_ms, faults=faults, target=target, **load
    )
    told.alike()
    return told


def measured_open_loop(
    platform: RunningPlatform, *, seconds: float, timeout_ms: int,
    faults: list[dict[str, Any]] | None = None, target: dict[str, Any] | None = None, **load: Any,
) -> Told:  # fmt: skip
    """The one run of an open loop on Redis."""
    slug = f"open-{load['rate_per_second']:g}-{seconds:.0f}".replace(".", "-")
    told = measured(
        platform,
        {
            "version": 1,
            "slug": slug,
            "name": slug,
            "targets": [
                {"name": "redis", "system": "redis",
                 "driver_options": {"timeout_ms": timeout_ms}, **(target or {})}
            ],
            "workloads": [{"name": "reads", "record_count": 100, "operations": {"read": 1}}],
            "load_levels": [
                {"model": "open", "connections": PLACES, "max_in_flight": PLACES} | load
            ],
            "repetitions": 1,
            "phases": {"warmup_seconds": 0, "measure_seconds": seconds, "interval_seconds": 0.5},
            **({"scenario": "fault", "faults": faults} if faults else {}),
        },
    )  # fmt: skip
    assert told.run["status"] == "completed", told.run
    return told


def summed(arrivals: dict[str, Any], name: str) -> float:
    """Operations that a course of rates is of."""
    lengths = [end - begin for begin, end in zip(arrivals["t"], arrivals["until"], strict=True)]
    return float(sum(a * b for a, b in zip(arrivals[name], lengths, strict=True)))


def limited_by_the_server(told: Told) -> None:
    """The finding tells how many were never sent, and that the driver had time."""
    found = told.findings["rate-not-reached"]
    assert found["severity"] == "error"
    assert found["numbers"]["never_sent"] == told.every["never_sent"]
    assert "The system cannot keep" in found["message"] or "max_in_flight" in found["message"]
    assert "unsent" not in told.findings.get("client-bound", {"message": ""})["message"]


def stalled(platform: RunningPlatform, stall: float) -> None:
    """Nothing is answered for so many seconds; what was due then waits from when it was due."""
    seconds = stall + 3
    told = open_loop(
        platform, seconds=seconds, rate_per_second=RATE, timeout_ms=HOUR_MS,
        faults=[
            {"at_seconds": 1, "verb": "pause"}, {"at_seconds": 1 + stall, "verb": "resume"},
        ],
    )  # fmt: skip
    every = told.every
    assert every["ok"] == pytest.approx(RATE * seconds, abs=2)
    assert every["overflow"] == every["never_sent"] == every["errors"] == 0
    # The stall as it was: from the last answer before it to the first one after it.
    longest = every["max_us"] / US
    assert stall - 0.5 <= longest
    waited(every, RATE, seconds, longest)
    assert "beyond-range" not in told.findings


def waited(every: dict[str, Any], rate: float, seconds: float, longest: float) -> None:
    """Percentiles and mean are those of a stall: what was due in it waited from 0 to so long."""
    due, waiting = rate * seconds, rate * longest
    # What was due takes a moment to be done once the server goes on: the longer it stood, the more.
    off = 0.3 + 0.005 * longest
    for name, quantile in (("p50_us", 0.5), ("p95_us", 0.95), ("p99_us", 0.99)):
        rank = quantile * due - (due - waiting)
        expected = max(0.0, rank / waiting * longest)
        assert every[name] / US == pytest.approx(expected, abs=off), name
    assert every["mean_us"] / US == pytest.approx(waiting / due * longest / 2, abs=off)


def regular(told: Told, rate: float, operations: int) -> None:
    """So few operations, each when it was due, are that rate and one thing."""
    assert told.every["ok"] == pytest.approx(operations, abs=1)
    assert told.run["summary"]["throughput"] == pytest.approx(rate, rel=1.1 / operations)
    course = told.read("series")["course"]
    assert course["kind"] == "flat", course["sentence"]
    assert "steady-state" not in told.findings
    assert "rate-not-reached" not in told.findings
