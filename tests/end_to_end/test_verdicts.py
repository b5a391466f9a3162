"""Verdicts on real Redis servers, each by the command with its exit code and by the API: an equal
repeat, a setting that costs, another measurement under the same name.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from weighhouse_testing.builds import builds_of
from weighhouse_testing.command import weighhouse
from weighhouse_testing.experiments import RECORDS, small_experiment
from weighhouse_testing.platform import RunningPlatform

pytestmark = pytest.mark.timeout(1200)
"""Seven campaigns in all, on a machine that others use too."""

RATE = 1000.0
"""Commands a second, kept by the clock: so that an equal repeat is equal on a busy machine."""
WIDE = 50.0
"""Percent: of a server as it is only what is far beyond noise may count here."""


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
    platform.wait_for_campaign(campaign["id"], seconds=480)
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("verdicts")


@pytest.fixture(scope="module")
def equal(platform: RunningPlatform, folder: Path) -> Iterator[Path]:
    """An experiment at the gate's own thresholds, measured once."""
    document = yaml.safe_load(
        small_experiment("equal", repetitions=5, clients=(8,), measure_seconds=1.0)
    )
    document["workloads"][0]["record_count"] = 100
    file = folder / "equal.yaml"
    file.write_text(yaml.safe_dump(document, sort_keys=False))
    with builds_of(platform, "redis-server") as builds:
        builds.use(RATE)
        code, said, gate = by_command(platform, file)
        assert (code, gate["verdict"]) == (2, "no_baseline"), said
        yield file


@BOTH_WAYS
def test_an_equal_repeat_passes(platform: RunningPlatform, equal: Path, way: object) -> None:
    gate = agree(way, platform, equal)
    assert gate["verdict"] in {"passed", "equivalent"}, gate["message"]
    assert gate["exit_code"] == 0
    assert gate["threshold_percent"] == gate["anchor_threshold_percent"] == 5
    assert gate["message"].startswith("Nothing that is known differs: ")


@pytest.fixture(scope="module")
def written(platform: RunningPlatform, folder: Path) -> Path:
    """An experiment whose Redis logs what is written, once a second; measured once."""
    file = folder / "written.yaml"
    file.write_text(writing("everysec"))
    code, said, gate = by_command(platform, file)
    assert (code, gate["verdict"]) == (2, "no_baseline"), said
    return file


def writing(appendfsync: str, records: int = RECORDS) -> str:
    document = yaml.safe_load(
        small_experiment(
            "written",
            repetitions=5,
            operations={"update": 1.0},
            parameters={"appendonly": True, "appendfsync": appendfsync},
        )
    )
    document["workloads"][0]["record_count"] = records
    document["thresholds"] = {"gate_percent": WIDE}
    return str(yaml.safe_dump(document, sort_keys=False))


@BOTH_WAYS
def test_a_setting_that_costs_is_a_regression_and_named_first(
    platform: RunningPlatform, written: Path, way: object
) -> None:
    slowed = written.with_name("synced.yaml")
    slowed.write_text(writing("always"))
    first = platform.request("GET", "/campaigns", params={"limit": 100})

    gate = agree(way, platform, slowed)

    assert (gate["verdict"], gate["exit_code"]) == ("regression", 1), gate["message"]
    first_line = gate["message"].splitlines()[0]
    assert first_line.startswith("appendfsync everysec → always: 1 cell regressed.")
    assert [change["what"] for change in gate["subject"]] == ["appendfsync"]
    # The regression that the other way found has not become a base meanwhile.
    mine = [one for one in first["items"] if one["experiment"]["slug"] == "written"]
    assert gate["base_campaign_ids"] == [mine[-1]["id"]]


@BOTH_WAYS
def test_another_number_of_records_is_not_comparable_and_the_field_is_named(
    platform: RunningPlatform, written: Path, way: object
) -> None:
    more = written.with_name("more.yaml")
    more.write_text(writing("everysec", records=2 * RECORDS))

    gate = agree(way, platform, more)

    assert (gate["verdict"], gate["exit_code"]) == ("not_comparable", 4), gate["message"]
    assert f"workload.record_count {RECORDS} → {2 * RECORDS}" in gate["message"].splitlines()[0]
    fields = {(one["field"], one["base"], one["candidate"]) for one in gate["mismatches"]}
    assert fields == {("workload.record_count", str(RECORDS), str(2 * RECORDS))}
