"""Verdicts on real Redis servers, each by the command with its exit code and by the API: an equal
repeat, a setting that costs, another measurement under the same name.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from weighhouse_testing.builds import RATE, RECORDS, SYNC_SECONDS, builds_of, paced_experiment
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform

GATE_PERCENT = 40.0
"""Repeats may suffer from what else the machine does; what waits for the disk loses far more."""


def by_command(platform: RunningPlatform, file: Path) -> tuple[int, str, dict]:
    """Measure by the command; its exit code, what it printed, and what the API says of that
    campaign."""
    done = weighhouse(platform, "run", str(file), "--no-git", "--wait", "--gate")
    listed = weighhouse(platform, "campaign", "list", "--json")
    campaign = json.loads(listed.stdout)["items"][0]
    gate = platform.request("GET", f"/campaigns/{campaign['id']}/gate")
    return done.returncode, done.stdout + done.stderr, gate


def by_api(platform: RunningPlatform, file: Path) -> tuple[int, str, dict]:
    """Measure by the API; the exit code of the command that reads the verdict, and the same."""
    campaign = platform.start_campaign(file.read_text())
    platform.wait_for_campaign(campaign["id"])
    done = weighhouse(platform, "campaign", "watch", campaign["id"], "--gate")
    gate = platform.request("GET", f"/campaigns/{campaign['id']}/gate")
    return done.returncode, done.stdout + done.stderr, gate


BOTH_WAYS = pytest.mark.parametrize("way", [by_command, by_api])


def agree(way: object, platform: RunningPlatform, file: Path) -> dict:
    """Measure; the API's verdict, which the command has to have told in the same words."""
    assert callable(way)
    code, said, gate = way(platform, file)
    assert code == gate["exit_code"], said
    for line in gate["message"].splitlines():
        assert line in said
    return dict(gate)


def written(appendfsync: str = "everysec", **changes: int) -> str:
    """An experiment whose Redis logs what is written."""
    return paced_experiment(
        "written",
        parameters={"appendonly": True, "appendfsync": appendfsync},
        thresholds={"gate_percent": GATE_PERCENT},
        **changes,
    )


@dataclass(frozen=True)
class Measured:
    """An experiment that has been measured once."""

    folder: Path
    campaign_id: str

    def file(self, yaml_text: str) -> Path:
        """Write another form of it."""
        path = self.folder / "written.yaml"
        path.write_text(yaml_text)
        return path


@pytest.fixture(scope="module")
def base(
    platform: RunningPlatform, known_noise: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Measured]:
    """The first campaign, and a server that keeps its pace as long as the others are measured."""
    del known_noise
    file = tmp_path_factory.mktemp("verdicts") / "written.yaml"
    file.write_text(written())
    with builds_of(platform, "redis-server") as builds:
        builds.use(RATE, sync_seconds=SYNC_SECONDS)
        code, said, gate = by_command(platform, file)
        assert (code, gate["verdict"]) == (2, "no_baseline"), said
        yield Measured(file.parent, gate["campaign_id"])


@BOTH_WAYS
def test_an_equal_repeat_passes(platform: RunningPlatform, base: Measured, way: object) -> None:
    gate = agree(way, platform, base.file(written()))
    assert gate["verdict"] in {"passed", "equivalent"}, gate["message"]
    assert gate["exit_code"] == 0
    assert gate["threshold_percent"] == gate["anchor_threshold_percent"] == GATE_PERCENT
    assert gate["message"].startswith("Nothing that is known differs: ")
    assert gate["base_campaign_ids"][-1] == base.campaign_id


@BOTH_WAYS
def test_a_setting_that_costs_is_a_regression_and_named_first(
    platform: RunningPlatform, base: Measured, way: object
) -> None:
    gate = agree(way, platform, base.file(written("always")))

    assert (gate["verdict"], gate["exit_code"]) == ("regression", 1), gate["message"]
    first_line = gate["message"].splitlines()[0]
    assert first_line.startswith("appendfsync everysec → always: the only cell regressed: ")
    assert [change["what"] for change in gate["subject"]] == ["appendfsync"]
    # The regression that the other way found has not become a base meanwhile.
    bases = [platform.campaign(one) for one in gate["base_campaign_ids"]]
    assert {one["verdict"] for one in bases} <= {"no_baseline", "passed", "equivalent"}
    assert gate["anchor_campaign_id"] == base.campaign_id


@BOTH_WAYS
def test_another_number_of_records_is_not_comparable_and_the_field_is_named(
    platform: RunningPlatform, base: Measured, way: object
) -> None:
    gate = agree(way, platform, base.file(written(records=2 * RECORDS, repetitions=1)))

    assert (gate["verdict"], gate["exit_code"]) == ("not_comparable", 4), gate["message"]
    assert f"workload.record_count {RECORDS} → {2 * RECORDS}" in gate["message"].splitlines()[0]
    fields = {(one["field"], one["base"], one["candidate"]) for one in gate["mismatches"]}
    assert fields == {("workload.record_count", str(RECORDS), str(2 * RECORDS))}
