"""What is told of a run in whose middle somebody sets the machine's clock."""

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from weighhouse_sdk.clock import VARIABLE, SystemClock, anchor_us
from weighhouse_sdk.driver import locate_driver
from weighhouse_testing.agents import TestedAgent, agents_of
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.waits import until

SECONDS, RATE, EVERY = 4, 100.0, 0.5
BACK, AHEAD = -5.0, 3600.0


@pytest.fixture(scope="module")
def agent(platform: RunningPlatform) -> Iterator[TestedAgent]:
    """An agent whose clock can be set."""
    labels = {"stepping": {"clock": "own"}}
    with agents_of(platform, "stepping", labels=labels, own_clocks=True) as agents:
        yield agents["stepping"]


def document(slug: str, target: dict[str, Any]) -> str:
    """An open loop, on that agent."""
    return yaml.safe_dump(
        {
            "version": 1,
            "slug": slug,
            "name": "A clock that is set",
            "targets": [{"name": "redis", "system": "redis", **target}],
            "workloads": [{"name": "reads", "record_count": 100, "operations": {"read": 1}}],
            "load_levels": [{"model": "open", "rate_per_second": RATE, "connections": 2}],
            "repetitions": 1,
            "phases": {
                "warmup_seconds": 0, "measure_seconds": SECONDS, "interval_seconds": EVERY,
            },
            "placement": {"labels": {"clock": "own"}},
        },
        sort_keys=False,
    )  # fmt: skip


def measured_intervals(agent: TestedAgent) -> int:
    """Intervals of the measured phase that the agent's attempt has on record."""
    lines = b"".join(
        spool.read_bytes() for spool in (agent.home / "attempts").glob("*/spool.jsonl")
    ).splitlines()
    return sum(b'"kind":"interval"' in line and b'"phase":"measure"' in line for line in lines)


def test_lengths_are_right_and_the_steps_are_marked(
    platform: RunningPlatform, agent: TestedAgent
) -> None:
    assert agent.clock is not None
    campaign = platform.start_campaign(document("steps", {}))
    ((run_id,),) = [
        [run["id"] for run in cell["runs"]]
        for cell in platform.request("GET", f"/campaigns/{campaign['id']}")["cells"]
    ]
    try:
        for offset, intervals in ((BACK, 1), (AHEAD, 4)):
            until(
                f"{intervals} intervals of what is measured are on record",
                lambda least=intervals: measured_intervals(agent) >= least,
            )
            agent.clock.move(offset)
        platform.wait_for_campaign(campaign["id"])
    finally:
        agent.clock.move(0.0)
    run = platform.request("GET", f"/runs/{run_id}")
    assert run["status"] == "completed", run["failure"]
    assert run["summary"]["duration_seconds"] == pytest.approx(SECONDS, abs=0.05)
    drawn = platform.request("GET", f"/runs/{run_id}/series")
    marks = {mark["label"]: mark for mark in drawn["marks"] if mark["kind"] == "clock_stepped"}
    assert list(marks) == ["clock stepped by −5.00 s", "clock stepped by +3605.00 s"]
    at = [mark["at_seconds"] for mark in drawn["marks"]]
    assert at == sorted(at)
    assert max(at) < 60, "no mark lies where the clock had been set to"
    (measured,) = [phase for phase in drawn["phases"] if phase["kind"] == "measure"]
    assert measured["end_seconds"] - measured["start_seconds"] == pytest.approx(SECONDS, abs=0.1)
    assert max(drawn["resources"]["t"]) < 60


def test_a_driver_tells_the_time_of_its_attempt() -> None:
    ahead_us = 3_600_000_000
    clock = SystemClock(anchor_us() + ahead_us)
    said = subprocess.run(
        [locate_driver("resp")], input=b"no order\n", capture_output=True, check=False,
        env=os.environ | {VARIABLE: str(clock.anchor_us)},
    ).stdout  # fmt: skip
    event = json.loads(said.splitlines()[-1])
    assert event["kind"] == "invalid"
    assert 0 <= clock.now_us() - event["at_us"] < 600_000_000
