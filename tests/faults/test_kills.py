"""Whatever is killed in the middle of a campaign, it ends complete, each run counted once."""

import os
import signal
from collections.abc import Iterator
from itertools import pairwise

import pytest
import redis
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.waiting import until

RUNS = 6


@pytest.fixture(scope="module")
def shaken() -> Iterator[RunningPlatform]:
    """A platform of its own, as this one is not treated well."""
    with running_platform() as found:
        yield found


def begin(platform: RunningPlatform, slug: str) -> str:
    """Start a campaign and wait until it is well under way."""
    started = platform.start_campaign(
        small_experiment(slug, clients=(1, 4), repetitions=RUNS // 2, measure_seconds=1.0)
    )

    def under_way() -> bool:
        runs = platform.campaign(started["id"])["runs"]
        return runs["completed"] >= 1 and runs["running"] >= 1

    until("a run is done and another runs", under_way, seconds=60)
    return str(started["id"])


def check(platform: RunningPlatform, campaign_id: str) -> None:
    """Complete, and nothing lost or counted twice."""
    campaign = platform.wait_for_campaign(campaign_id)
    assert campaign["status"] == "completed"
    assert campaign["runs"]["completed"] == campaign["runs"]["total"] == RUNS
    for cell in campaign["cells"]:
        assert len(cell["runs"]) == RUNS // 2
        for shown in cell["runs"]:
            run = platform.request("GET", f"/runs/{shown['id']}")
            counting = [a for a in run["attempts"] if a["status"] == "completed"]
            assert len(counting) == 1, run["attempts"]
            counted_once(platform, run)
    comparison = platform.request("GET", "/comparisons", params={"campaign": campaign_id})
    assert [len(cell["repeats"]) for cell in comparison["cells"]] == [RUNS // 2] * 2


def counted_once(platform: RunningPlatform, run: dict) -> None:
    """The intervals of the measuring phase cover it without a gap and without overlap."""
    series = platform.request("GET", f"/runs/{run['id']}/series")
    times = series["operations"]["all"]["t"]
    assert times == sorted(set(times))
    measured = next(phase for phase in series["phases"] if phase["kind"] == "measure")
    begun, ended = measured["start_seconds"], measured["end_seconds"]
    inside = [at for at in times if begun - 0.01 <= at <= ended]
    assert len(inside) >= 4
    gaps = [later - earlier for earlier, later in pairwise(inside)]
    assert max(gaps) < 0.45, times


@pytest.mark.parametrize("part", ["agent", "worker", "backend", "redis", "beat", "postgresql"])
def test_a_killed_part_costs_no_run(shaken: RunningPlatform, part: str) -> None:
    campaign_id = begin(shaken, f"kill-{part}")
    before = shaken.pid(part)
    os.kill(before, signal.SIGKILL)
    until(f"{part} is back", lambda: shaken.pid(part) != before, seconds=30)
    check(shaken, campaign_id)


def test_an_emptied_redis_costs_no_run(shaken: RunningPlatform) -> None:
    campaign_id = begin(shaken, "flush")
    with redis.from_url(shaken.inner.redis_url) as client:
        client.flushall()
        check_soon = until(
            "the next run is done",
            lambda: shaken.campaign(campaign_id)["runs"]["completed"] >= 2,
            seconds=60,
        )
        assert check_soon
        client.flushall()
    check(shaken, campaign_id)
