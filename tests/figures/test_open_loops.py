"""What an open loop tells where a server does not do what is due: overloaded, standing still."""

import pytest
from weighhouse_testing.builds import builds_of
from weighhouse_testing.open_loops import (
    limited_by_the_server,
    open_loop,
    regular,
    stalled,
    summed,
)
from weighhouse_testing.platform import RunningPlatform

SERVES, SECONDS = 400.0, 4.0
"""Commands a second that the server answers, and how long is measured."""


@pytest.mark.parametrize("times", [2, 10, 100])
def test_an_overloaded_server_is_the_limit_and_nobody_else(
    platform: RunningPlatform, times: int
) -> None:
    with builds_of(platform, "redis-server") as builds:
        builds.use(SERVES, catches_up_seconds=0.25)
        told = open_loop(platform, seconds=SECONDS, rate_per_second=SERVES * times, timeout_ms=1000)
    due, every, summary = SERVES * times * SECONDS, told.every, told.run["summary"]
    # Each operation that was due is one of these, once.
    answered = every["ok"] + every["not_found"] + every["errors"]
    assert answered + every["never_sent"] == pytest.approx(due, abs=2)
    assert every["errors"] == 0, "what was never sent is no answer"
    assert every["never_sent"] > 0
    # It did what it can for as long as it was asked, and for the time of the drain once more.
    assert summary["duration_seconds"] == pytest.approx(SECONDS, abs=0.05)
    inside = answered - every["answered_late"]
    assert summary["throughput"] == pytest.approx(inside / SECONDS, rel=0.02)
    assert 0 < inside <= SERVES * SECONDS * 1.05
    drawn = told.read("series")
    assert [phase["kind"] for phase in drawn["phases"]] == ["load", "measure", "drain"]
    arrivals = drawn["arrivals"]
    assert summed(arrivals, "due") == pytest.approx(due, abs=2)
    assert summed(arrivals, "sent") == pytest.approx(answered, abs=2)
    assert summed(arrivals, "answered") == pytest.approx(answered, abs=2)
    assert summed(arrivals, "never_sent") == pytest.approx(every["never_sent"], abs=2)
    limited_by_the_server(told)


def test_a_rate_that_is_kept_is_no_finding(platform: RunningPlatform) -> None:
    told = open_loop(
        platform,
        seconds=SECONDS,
        rate_per_second=8000.0,
        timeout_ms=1000,
        connections=16,
        max_in_flight=256,
    )
    assert told.every["ok"] == 8000 * SECONDS
    assert told.every["never_sent"] == 0
    found = told.findings.get("rate-not-reached")
    # On a machine that has no time just now, some come back after the end; then it says so.
    assert found is None or told.every["answered_late"] > 0


def test_a_stall_is_in_the_percentiles_of_all_that_was_due(platform: RunningPlatform) -> None:
    stalled(platform, 5.0)


def test_few_operations_are_a_rate_and_a_steady_one(platform: RunningPlatform) -> None:
    told = open_loop(platform, seconds=9.0, rate_per_second=2.0, timeout_ms=1000)
    regular(told, 2.0, 18)
