"""An experiment in, a campaign run by the real agent on real systems, a comparison out."""

import hashlib

import httpx
import pytest
from weighhouse_testing.counts import measured
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

SYSTEMS = ("redis", "memcached", "rocksdb")
FILES = {"rocksdb": ["LOG", "OPTIONS"]}
"""How their names begin."""


@pytest.fixture(scope="module")
def campaign(platform: RunningPlatform) -> dict:
    started = platform.start_campaign(
        small_experiment("a-runs-way", *SYSTEMS, repetitions=2, clients=(1, 4))
    )
    return platform.wait_for_campaign(started["id"])


def test_every_run_is_completed(platform: RunningPlatform, campaign: dict) -> None:
    assert campaign["status"] == "completed"
    assert campaign["runs"]["total"] == 3 * 2 * 2
    assert campaign["runs"]["completed"] == campaign["runs"]["total"]
    statuses = {run["status"] for cell in campaign["cells"] for run in cell["runs"]}
    assert statuses == {"completed"}


def test_the_order_is_interleaved_between_the_systems(
    platform: RunningPlatform, campaign: dict
) -> None:
    runs = platform.request("GET", "/runs", params={"campaign_id": campaign["id"], "limit": 100})
    order = [run["cell"]["target"] for run in sorted(runs["items"], key=lambda r: r["position"])]
    assert len(order) == campaign["runs"]["total"]
    # Each repetition is a block that holds every system before any system comes again for the next.
    half = len(order) // 2
    assert set(order[:half]) == set(order[half:]) == set(SYSTEMS)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_run_carries_what_is_needed_to_judge_it(
    platform: RunningPlatform, campaign: dict, system: str
) -> None:
    cell = next(cell for cell in campaign["cells"] if cell["target"] == system)
    run = platform.request("GET", f"/runs/{cell['runs'][0]['id']}")
    assert run["system_id"] == system
    assert run["agent"]["name"] == "local"
    summary = run["summary"]
    every = summary["operations"]["all"]
    assert every["ok"] > 0
    assert every["errors"] == 0
    assert 0 < every["p50_us"] <= every["p99_us"] <= every["max_us"]
    assert every["ok"] == sum(
        figures["ok"] for name, figures in summary["operations"].items() if name != "all"
    )
    assert summary["load"]["ok"] == 1000
    assert run["target"]["version"]
    assert run["target"]["effective_configuration"]
    assert run["target"]["commands"]
    assert run["environment"]
    assert run["caveats"]
    files = {file["name"]: file["sha256"] for file in run["artifacts"]}
    assert sorted(name.partition("-")[0] for name in files) == FILES.get(system, [])
    for digest in files.values():
        address = f"{platform.url}/api/v1/runs/{run['id']}/artifacts/{digest}"
        content = httpx.get(address, headers={"Authorization": f"Bearer {platform.token}"}).content
        assert hashlib.sha256(content).hexdigest() == digest
    # Driver and system share this machine, and the run says so.
    assert "co-located" in {finding["id"] for finding in run["findings"]}
    assert run["reproduce"]["yaml"].count(f"system: {system}") == 1
    assert run["reproduce"]["command"].startswith("weighhouse run")
    if system != "rocksdb":
        assert run["target"]["memory"]["after_load_bytes"] > 0


def test_the_series_of_a_run_adds_up_to_its_summary(
    platform: RunningPlatform, campaign: dict
) -> None:
    run_id = campaign["cells"][0]["runs"][0]["id"]
    series = platform.request("GET", f"/runs/{run_id}/series")
    whole = series["operations"]["all"]
    assert whole["t"] == sorted(set(whole["t"]))
    told, kept = measured(platform, run_id)
    assert told == kept
    run = platform.request("GET", f"/runs/{run_id}")
    assert run["summary"]["operations"]["all"]["ok"] == sum(kept.values()) > 0
    spectrum = platform.request("GET", f"/runs/{run_id}/spectrum")
    quantiles = [point["quantile"] for point in spectrum["operations"]["all"]]
    values = [point["value_us"] for point in spectrum["operations"]["all"]]
    assert quantiles == sorted(quantiles)
    assert values == sorted(values)


def test_the_comparison_sets_the_systems_side_by_side(
    platform: RunningPlatform, campaign: dict
) -> None:
    found = platform.request("GET", "/comparisons", params={"campaign": campaign["id"]})
    assert {side["system_id"] for side in found["sides"]} == set(SYSTEMS)
    assert len(found["cells"]) == 3 * 2
    for cell in found["cells"]:
        assert len(cell["repeats"]) == 2
        estimate = cell["throughput"]
        assert estimate["low"] <= estimate["median"] <= estimate["high"]
    # Two repeats a side prove nothing, and the comparison says so.
    assert {difference["verdict"] for difference in found["differences"]} == {"insufficient"}
    codes = {one["code"]: one for one in found["caveats"]}
    assert "repeats" in codes
    shared = codes["co-located"]
    assert len(shared["runs"]) == shared["runs_of"] == 3 * 2 * 2
    assert {one["too_few"] for one in found["readings"]} == {2}
    assert found["fairness"]


def test_what_ran_is_as_fair_as_the_draft_said_and_can_be_made_fairer(
    platform: RunningPlatform, campaign: dict
) -> None:
    ran = platform.request("GET", "/comparisons", params={"campaign": campaign["id"]})
    names = [side["target"] for side in ran["sides"]]
    rows = {row["aspect"]: dict(zip(names, row["values"], strict=True)) for row in ran["fairness"]}
    assert rows["durability"] == {
        "redis": "on disk from time to time, no log",
        "memcached": "nothing is kept",
        "rocksdb": "log handed to the system before the answer",
    }
    assert rows["transport"]["rocksdb"] == "a call within the process"
    assert rows["transport"]["redis"] == rows["transport"]["memcached"] == "the loopback interface"
    (durability,) = [row for row in ran["fairness"] if row["aspect"] == "durability"]
    seen = {one["name"]: one["value"] for one in durability["raw"][names.index("redis")]}
    assert seen["appendonly"] == "no", "the server's own word"

    document = platform.request("GET", "/experiments/a-runs-way/revisions/1")["document"]
    drafted = platform.request("POST", "/experiments/fairness", json={"document": document})
    assert [side["system"] for side in drafted["sides"]] == names
    by_draft = {row["aspect"]: row["values"] for row in drafted["rows"]}
    for aspect in ("durability", "reads", "memory", "eviction", "update_writes", "transport"):
        assert by_draft[aspect] == list(rows[aspect].values()), aspect

    pair = {**document, "targets": [one for one in document["targets"] if one["name"] != "rocksdb"]}
    unequal = platform.request("POST", "/experiments/fairness", json={"document": pair})
    for change in unequal["changes"]:
        group, name = change["path"]
        pair["targets"][change["target"]].setdefault(group, {})[name] = change["after"]
    equal = platform.request("POST", "/experiments/fairness", json={"document": pair})
    assert equal["changes"] == equal["remaining"] == []
    (durability,) = [row for row in equal["rows"] if row["aspect"] == "durability"]
    assert durability["values"] == ["nothing is kept"] * 2


def test_the_series_of_the_cells_have_a_point(platform: RunningPlatform, campaign: dict) -> None:
    found = platform.request("GET", "/series", params={"system_id": "redis", "limit": 100})
    mine = [one for one in found["items"] if one["experiment"]["name"] == "A runs way"]
    assert {one["metric"] for one in mine} >= {"throughput", "p99_us"}
    assert all(one["points_count"] == 1 for one in mine)


def test_the_interface_is_served(platform: RunningPlatform) -> None:
    page = platform.fetch("/")
    assert page.status_code == 200
    assert '<div id="app">' in page.text
    # An address of the interface leads to the interface, not to an error.
    assert '<div id="app">' in platform.fetch("/experiments/a-runs-way").text
