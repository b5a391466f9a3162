"""What an open loop tells where a server does not do what is due: overloaded, standing still."""

import os
from typing import Any

import pytest
import yaml
from weighhouse_testing.builds import builds_of
from weighhouse_testing.platform import RunningPlatform

SERVES, SECONDS = 400.0, 4.0
"""Commands a second that the server answers, and how long is measured."""
PLACES = 4
RATE, US = 100.0, 1e6
STALLS = (4.0, *map(float, os.environ.get("WEIGHHOUSE_STALLS", "").split()))
"""Seconds in which a server stands still; more of them by `make test-stalls`."""


def measured(
    platform: RunningPlatform, *, seconds: float = SECONDS, timeout_ms: int,
    faults: list[dict[str, Any]] | None = None, **load: Any,
) -> dict[str, Any]:  # fmt: skip
    """The one run of an open loop on Redis."""
    document = {
        "version": 1,
        "slug": f"open-{load['rate_per_second']:.0f}-{seconds:.0f}",
        "name": "An open loop",
        "targets": [
            {"name": "redis", "system": "redis",
             "driver_options": {"timeout_ms": timeout_ms}}
        ],
        "workloads": [{"name": "reads", "record_count": 100, "operations": {"read": 1}}],
        "load_levels": [{"model": "open", "connections": PLACES, "max_in_flight": PLACES} | load],
        "repetitions": 1,
        "phases": {"warmup_seconds": 0, "measure_seconds": seconds, "interval_seconds": 0.5},
        **({"scenario": "fault", "faults": faults} if faults else {}),
    }  # fmt: skip
    campaign = platform.wait_for_campaign(
        platform.start_campaign(yaml.safe_dump(document, sort_keys=False))["id"]
    )
    ((run,),) = [cell["runs"] for cell in campaign["cells"]]
    found = platform.request("GET", f"/runs/{run['id']}")
    assert found["status"] == "completed", found
    return found


@pytest.mark.parametrize("times", [2, 10, 100])
def test_an_overloaded_server_is_the_limit_and_nobody_else(
    platform: RunningPlatform, times: int
) -> None:
    with builds_of(platform, "redis-server") as builds:
        builds.use(SERVES)
        run = measured(platform, rate_per_second=SERVES * times, timeout_ms=1000)
    due = SERVES * times * SECONDS
    every = run["summary"]["operations"]["all"]
    # Each operation that was due is one of these, once.
    answered = every["ok"] + every["not_found"] + every["errors"]
    assert answered + every["never_sent"] == pytest.approx(due, abs=2)
    assert every["errors"] == 0, "what was never sent is no answer"
    assert every["never_sent"] > 0
    # It did what it can for as long as it was asked, and for the time of the drain once more.
    assert run["summary"]["duration_seconds"] == pytest.approx(SECONDS, abs=0.05)
    inside = answered - every["answered_late"]
    assert run["summary"]["throughput"] == pytest.approx(inside / SECONDS, rel=0.02)
    assert 0 < inside <= SERVES * SECONDS * 1.05
    drawn = platform.request("GET", f"/runs/{run['id']}/series")
    assert [phase["kind"] for phase in drawn["phases"]] == ["load", "measure", "drain"]
    arrivals = drawn["arrivals"]
    lengths = [end - begin for begin, end in zip(arrivals["t"], arrivals["until"], strict=True)]

    def summed(name: str) -> float:
        return sum(a * b for a, b in zip(arrivals[name], lengths, strict=True))

    assert summed("due") == pytest.approx(due, abs=2)
    assert summed("sent") == pytest.approx(answered, abs=2)
    assert summed("answered") == pytest.approx(answered, abs=2)
    assert summed("never_sent") == pytest.approx(every["never_sent"], abs=2)
    told = {each["id"]: each for each in run["findings"]}
    assert told["rate-not-reached"]["severity"] == "error"
    assert told["rate-not-reached"]["numbers"]["never_sent"] == every["never_sent"]
    assert "The system cannot keep" in told["rate-not-reached"]["message"] or (
        "max_in_flight" in told["rate-not-reached"]["message"]
    )
    assert "unsent" not in told.get("client-bound", {"message": ""})["message"]


@pytest.mark.parametrize("stall", STALLS)
def test_a_stall_is_in_the_percentiles_of_all_that_was_due(
    platform: RunningPlatform, stall: float
) -> None:
    """Nothing is answered for so long; what was due then waits from when it was due."""
    seconds = stall + 3
    run = measured(
        platform, seconds=seconds, rate_per_second=RATE, timeout_ms=3_600_000,
        faults=[
            {"at_seconds": 1, "verb": "pause"}, {"at_seconds": 1 + stall, "verb": "resume"},
        ],
    )  # fmt: skip
    every = run["summary"]["operations"]["all"]
    due = RATE * seconds
    assert every["ok"] == pytest.approx(due, abs=2)
    assert every["overflow"] == every["never_sent"] == every["errors"] == 0
    # The stall as it was: from the last answer before it to the first one after it.
    longest = every["max_us"] / US
    assert stall - 0.5 <= longest
    waiting = RATE * longest
    for name, quantile in (("p50_us", 0.5), ("p95_us", 0.95), ("p99_us", 0.99)):
        rank = quantile * due - (due - waiting)
        expected = max(0.0, rank / waiting * longest)
        assert every[name] / US == pytest.approx(expected, abs=0.3), name
    assert every["mean_us"] / US == pytest.approx(waiting / due * longest / 2, abs=0.3)
    assert "beyond-range" not in {each["id"] for each in run["findings"]}
