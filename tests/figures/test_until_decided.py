"""Repetitions until decided: a large difference ends early, one that is too small is given up."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from weighhouse_testing.builds import RATE, SYNC_SECONDS, builds_of
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))
AT_MOST = 11


def growing_experiment() -> str:
    """Two Redis, one of which waits for the disk with every write: by far apart where it writes,
    and alike where it reads. So narrow a threshold that being alike cannot be shown.
    """
    document = yaml.safe_load(small_experiment("until-decided", measure_seconds=0.4, records=100))
    target = document["targets"][0]
    synced = {"appendonly": True, "appendfsync": "always"}
    document["targets"] = [
        target | {"name": "usual"},
        target | {"name": "synced", "parameters": synced},
    ]
    workload = document["workloads"][0]
    document["workloads"] = [
        workload | {"name": "writes", "operations": {"update": 1.0}},
        workload | {"name": "reads", "operations": {"read": 1.0}},
    ]
    document["thresholds"] = {"throughput_percent": 0.01}
    document["seed"] = 1
    document["repetitions"] = {"at_least": 5, "at_most": AT_MOST, "until": "decided"}
    return str(yaml.safe_dump(document, sort_keys=False))


def repeats(campaign: dict) -> dict[str, set[int]]:
    """Repeats of the cells of each workload."""
    found: dict[str, set[int]] = {}
    for cell in campaign["cells"]:
        found.setdefault(cell["workload"], set()).add(len(cell["runs"]))
    return found


@pytest.fixture(scope="module")
def campaign(platform: RunningPlatform) -> dict:
    with builds_of(platform, "redis-server") as builds:
        # Nothing is decided of what swings so. What waited for the disk while it was loaded has
        # nothing to catch up with when it is read.
        builds.use(RATE, sync_seconds=SYNC_SECONDS, swing=0.25, catches_up_seconds=0.05)
        started = platform.start_campaign(growing_experiment())
        return platform.wait_for_campaign(started["id"])


def test_the_large_difference_ends_early_and_the_small_one_is_given_up(campaign: dict) -> None:
    assert campaign["status"] == "completed"
    found = repeats(campaign)
    assert [len(counts) for counts in found.values()] == [1, 1]
    assert all(5 <= min(counts) < AT_MOST for counts in found.values())
    courses = {(cell["workload"], cell["course"]) for cell in campaign["cells"]}
    assert courses == {("writes", "decided"), ("reads", "hopeless")}
    (reason,) = {cell["course_reason"] for cell in campaign["cells"] if cell["workload"] == "reads"}
    assert f"more repeats up to {AT_MOST} would hardly decide it" in reason
    saved = 2 * sum(AT_MOST - min(counts) for counts in found.values())
    assert campaign["sequential"]["blocks_saved"] == saved > 0


def test_each_look_says_what_it_did(campaign: dict) -> None:
    looks = campaign["looks"]
    assert [look["decision"] for look in looks] == ["more"] * (len(looks) - 1) + ["enough"]
    assert sum(look["runs_planned"] for look in looks) == campaign["runs"]["total"] - 4 * 5
    assert looks[-1]["cells_undecided"] == 0


def test_the_command_adds_repeats_of_what_is_undecided(
    platform: RunningPlatform, campaign: dict
) -> None:
    done = subprocess.run(
        [
            WEIGHHOUSE, "campaign", "repeat", campaign["id"], "--count", "1", "--only-undecided",
            "--wait", "--json",
        ],
        env={
            **os.environ,
            "WEIGHHOUSE_URL": platform.url,
            "WEIGHHOUSE_TOKEN": platform.token,
            "NO_COLOR": "1",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["campaign"]["status"] == "completed"
    grown = platform.request("GET", f"/campaigns/{campaign['id']}")
    before = repeats(campaign)
    assert repeats(grown) == before | {"reads": {max(before["reads"]) + 1}}
    assert "asked for 1 block more of 2 cells" in grown["looks"][-2]["reason"]


def test_a_block_that_was_added_is_a_block(platform: RunningPlatform, campaign: dict) -> None:
    page = platform.request("GET", "/runs", params={"campaign_id": campaign["id"], "limit": 100})
    order = sorted(page["items"], key=lambda run: run["position"])
    added = order[4 * 5 :]
    assert added
    for first, second in zip(added[::2], added[1::2], strict=True):
        assert {first["cell"]["target"], second["cell"]["target"]} == {"usual", "synced"}
        assert first["cell"]["workload"] == second["cell"]["workload"]
