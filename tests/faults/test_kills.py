"""Whatever is killed in the middle of a campaign, it ends complete, each run counted once."""

import os
import signal
from collections.abc import Iterator

import pytest
import redis
from weighhouse_testing.counts import measured
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import SOON_GIVEN_UP, RunningPlatform, running_platform
from weighhouse_testing.waits import until

RUNS = 6


@pytest.fixture(scope="module")
def shaken() -> Iterator[RunningPlatform]:
    """A platform of its own, as this one is not treated well."""
    with running_platform(**SOON_GIVEN_UP) as found:
        yield found


def begin(platform: RunningPlatform, slug: str) -> str:
    """Start a campaign and wait until it is well under way."""
    started = platform.start_campaign(
        small_experiment(slug, clients=(1, 4), repetitions=RUNS // 2, measure_seconds=1.0)
    )

    def under_way() -> bool:
        runs = platform.campaign(started["id"])["runs"]
        return runs["completed"] >= 1 and runs["running"] >= 1

    until("a run is done and another runs", under_way)
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
    """Each interval of the measuring phase is there, and is there once."""
    series = platform.request("GET", f"/runs/{run['id']}/series")
    times = series["operations"]["all"]["t"]
    assert times == sorted(set(times))
    told, kept = measured(platform, run["id"])
    assert sum(told.values()) > 0
    assert told == kept


@pytest.mark.parametrize("part", ["agent", "worker", "backend", "redis", "beat", "postgresql"])
def test_a_killed_part_costs_no_run(shaken: RunningPlatform, part: str) -> None:
    campaign_id = begin(shaken, f"kill-{part}")
    before = shaken.pid(part)
    os.kill(before, signal.SIGKILL)
    until(f"{part} is back", lambda: shaken.pid(part) != before)
    check(shaken, campaign_id)


def test_an_emptied_redis_costs_no_run(shaken: RunningPlatform) -> None:
    campaign_id = begin(shaken, "flush")
    with redis.from_url(shaken.inner.redis_url) as client:
        client.flushall()
        check_soon = until(
            "the next run is done",
            lambda: shaken.campaign(campaign_id)["runs"]["completed"] >= 2,
        )
        assert check_soon
        client.flushall()
    check(shaken, campaign_id)
