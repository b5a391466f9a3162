"""Kills while loads are chosen, and while a store fills: all ends as if nothing had happened."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import yaml
from weighhouse_testing.counts import measured
from weighhouse_testing.experiments import RECORDS, small_experiment
from weighhouse_testing.fixtures import plain
from weighhouse_testing.platform import SOON_GIVEN_UP, RunningPlatform, running_platform
from weighhouse_testing.waits import until

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
    with running_platform(**SOON_GIVEN_UP) as found:
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

        until("a further load is measured", under_way)
        assert shaken.campaign(campaign_id)["status"] == "running", "it ended before the kill"
        kill(shaken, part)
    campaign = shaken.wait_for_campaign(campaign_id)
    assert campaign["status"] == "completed"
    [search] = shaken.request("GET", f"/campaigns/{campaign_id}/searches")["searches"]
    assert search["over"], search["sentence"]
    nothing_twice(shaken, campaign, search)


def kill(platform: RunningPlatform, part: str) -> None:
    before = platform.pid(part)
    os.kill(before, signal.SIGKILL)
    until(f"{part} is back", lambda: platform.pid(part) != before)


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


FILL_RATE = 400
FILL_SECONDS = (8, 32, 128, 512)
"""Tried in turn, where the machine is so busy that it was full before it was looked at."""


def full_after(seconds: int) -> int:
    """Records of a store that is filled for so long."""
    return RECORDS + FILL_RATE * seconds


def filling(full: int) -> str:
    document = yaml.safe_load(
        small_experiment("killed-fill", repetitions=1, operations={"insert": 1.0})
    )
    document |= {
        "scenario": "sustained",
        "sustained": {"until": {"records": full}},
        "load_levels": [{"model": "open", "rate_per_second": FILL_RATE, "connections": 2}],
        "phases": {"warmup_seconds": 0, "measure_seconds": 600, "interval_seconds": 0.2},
    }
    return str(yaml.safe_dump(document, sort_keys=False))


def attempts_of_the_run(platform: RunningPlatform, campaign_id: str) -> list[dict[str, Any]]:
    [cell] = platform.campaign(campaign_id)["cells"]
    run = platform.request("GET", f"/runs/{cell['runs'][0]['id']}")
    return list(run["attempts"])


def filled(platform: RunningPlatform, campaign_id: str) -> int:
    """Records that the latest attempt has inserted. Asked of the database, which is not killed."""
    question = """
        SELECT coalesce(sum((i.operations #>> '{insert,ok,count}')::int), 0)
        FROM intervals i WHERE i.phase = 'measure' AND i.span = 1 AND i.attempt_id =
          (SELECT a.id FROM attempts a JOIN runs r ON r.id = a.run_id
           WHERE r.campaign_id = %s ORDER BY a.number DESC LIMIT 1)"""
    with psycopg.connect(plain(platform.inner.database_url)) as connection:
        row = connection.execute(question, [campaign_id]).fetchone()
    assert row is not None
    return int(row[0])


def begun(platform: RunningPlatform) -> tuple[str, int]:
    """A campaign that is in the middle of filling, and the records of its end."""
    for seconds in FILL_SECONDS:
        full = full_after(seconds)
        campaign_id = str(platform.start_campaign(filling(full))["id"])
        found = until("it is being filled", lambda of=campaign_id: filled(platform, of))
        if found < full - 2 * RECORDS:
            return campaign_id, full
        platform.wait_for_campaign(campaign_id)
    pytest.fail("it was full before anything could be killed")


@pytest.mark.parametrize("part", KILLED)
def test_a_fill_survives_the_death_of_every_part(shaken: RunningPlatform, part: str) -> None:
    campaign_id, full = begun(shaken)
    kill(shaken, part)
    campaign = shaken.wait_for_campaign(campaign_id)
    assert campaign["status"] == "completed"
    attempts = [one["status"] for one in attempts_of_the_run(shaken, campaign_id)]
    assert attempts.count("completed") == 1, attempts
    later = attempts[attempts.index("completed") + 1 :]
    assert set(later) <= {"superseded"}, "begun meanwhile, an attempt gives way to a late result"
    [cell] = campaign["cells"]
    [run] = cell["runs"]
    fill = shaken.request("GET", f"/runs/{run['id']}/scenario")["fill"]
    assert fill["figures"]["ended"] == "filled", fill["figures"]["sentence"]
    assert fill["figures"]["reached"] == 1.0
    assert fill["line"]["progress"] == sorted(fill["line"]["progress"])
    told, kept = measured(shaken, run["id"])
    assert told == kept, "each interval of the driver is there, and is there once"
    assert RECORDS + kept["insert"] >= full
