"""Whatever is killed while loads are chosen, the search ends as if nothing had happened."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.waiting import until

KILLED = ("worker", "agent", "backend")
SEARCHES: dict[str, dict[str, Any]] = {
    # Rates that any server keeps up with, so that no noise ends it before all have been killed.
    "sweep": {
        "sweep": {"to": 1600, "refine": 1},
        "load_levels": [{"model": "open", "rate_per_second": 50}],
    },
    # Met by every load, so it looks up to its end and measures that one again to be sure.
    "calibrate": {
        "load_levels": [{"model": "closed", "clients": 1}],
        "calibrate": {"at_most": 64, "measurements": 8},
        "latency_envelope": {"percentile": 99, "limit_us": 20_000},
    },
}


@pytest.fixture(scope="module")
def shaken() -> Iterator[RunningPlatform]:
    """A platform of its own, as this one is not treated well."""
    with running_platform() as found:
        yield found


def searching(scenario: str) -> str:
    document = yaml.safe_load(small_experiment(f"killed-{scenario}", measure_seconds=0.6))
    document |= {
        "scenario": scenario,
        "repetitions": 1 if scenario == "sweep" else 2,
    } | SEARCHES[scenario]
    return str(yaml.safe_dump(document, sort_keys=False))


@pytest.mark.parametrize("scenario", SEARCHES)
def test_a_search_survives_the_death_of_every_part(shaken: RunningPlatform, scenario: str) -> None:
    campaign_id = str(shaken.start_campaign(searching(scenario))["id"])
    for number, part in enumerate(KILLED, start=1):

        def under_way(least: int = number) -> bool:
            """A further load was chosen and is being measured, or all is over."""
            campaign = shaken.campaign(campaign_id)
            going = campaign["runs"]["running"] >= 1 and len(campaign["looks"]) >= least
            return going or campaign["status"] in {"completed", "failed"}

        until("a further load is measured", under_way, seconds=240)
        assert shaken.campaign(campaign_id)["status"] == "running", "it ended before the kill"
        before = shaken.pid(part)
        os.kill(before, signal.SIGKILL)

        def back(part: str = part, before: int = before) -> bool:
            return shaken.pid(part) != before

        until(f"{part} is back", back, seconds=60)
    campaign = shaken.wait_for_campaign(campaign_id)
    assert campaign["status"] == "completed"
    [search] = shaken.request("GET", f"/campaigns/{campaign_id}/searches")["searches"]
    assert search["over"], search["sentence"]
    nothing_twice(shaken, campaign, search)


def nothing_twice(
    platform: RunningPlatform, campaign: dict[str, Any], search: dict[str, Any]
) -> None:
    """Each look is there once, and each load it chose was measured so often as it was chosen."""
    looks = campaign["looks"]
    assert [look["number"] for look in looks] == list(range(1, len(looks) + 1))
    assert [step["look"] for step in search["steps"]] == [look["number"] for look in looks]
    assert search["steps"][-1]["value"] is None, "the last step is that it ended"
    chosen = [search["load_level"]["value"]]
    chosen += [step["value"] for step in search["steps"] if step["value"] is not None]
    for point in search["points"]:
        assert len(point["runs"]) == chosen.count(point["load_level"]["value"]), search["steps"]
        assert point["failures"] == []
    assert {point["load_level"]["value"] for point in search["points"]} == set(chosen)
    for run_id in (run for point in search["points"] for run in point["runs"]):
        run = platform.request("GET", f"/runs/{run_id}")
        assert [one["status"] for one in run["attempts"]].count("completed") == 1, run["attempts"]
