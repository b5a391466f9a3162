"""A shipped study in its shortest form: its own command, its own claims, a real Redis."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from weighhouse_testing.platform import RunningPlatform

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))
NAME = "redis-aerospike-dragonfly"
SHIPPED = Path(__file__).resolve().parents[2] / "experiments/studies" / NAME / "small/clients.yaml"


def weighhouse(platform: RunningPlatform, *arguments: str) -> Any:
    """What a command says as JSON."""
    access = {"WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": platform.token}
    done = subprocess.run(
        [WEIGHHOUSE, *arguments, "--json"],
        env=os.environ | access, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def shortest() -> str:
    """The shipped experiment with one mix, both ends of the load, and phases as short as can be."""
    document = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    document["targets"] = [one for one in document["targets"] if one["name"] == "redis"]
    document["workloads"] = [{**document["workloads"][0], "record_count": 1000}]
    document["load_levels"] = [document["load_levels"][0], document["load_levels"][-1]]
    document["phases"] = {"warmup_seconds": 0.2, "measure_seconds": 0.5}
    return str(yaml.safe_dump(document, sort_keys=False))


@pytest.fixture(scope="module")
def study(platform: RunningPlatform, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    file = tmp_path_factory.mktemp("study") / "clients.yaml"
    file.write_text(shortest(), encoding="utf-8")
    weighhouse(platform, "run", str(file), "--wait", "--no-git")
    return dict(weighhouse(platform, "study", "show", NAME))


def test_the_studies_that_ship_are_listed_with_who_paid(platform: RunningPlatform) -> None:
    found = {one["name"]: one for one in weighhouse(platform, "study", "list")["items"]}
    assert NAME in found
    assert "vendor" in found["dragonfly-memtier"]["sponsor"]


def test_what_was_measured_stands_beside_what_is_printed(study: dict[str, Any]) -> None:
    sides = {one["name"]: one for one in study["sides"]}
    assert sides["redis"]["measured"]
    for name in ("aerospike", "dragonfly"):
        assert not sides[name]["measured"]
        assert sides[name]["because"], "never dropped without a word"
    both = [one for one in study["figures"] if one["printed"] and one["ours"]]
    kinds = {(one["figure"], one["load"]) for one in both}
    assert {("throughput", "1 client"), ("throughput", "32 clients")} <= kinds
    assert all(one["ours"]["repeats"] == 5 for one in both)
    (campaign,) = study["campaigns"]
    assert campaign["changed"], "it is not the shipped file"
    assert campaign["caveats"], "no figure without what must stand beside it"


def test_claims_are_judged_over_print_and_over_runs(study: dict[str, Any]) -> None:
    claims = {one["id"]: one for one in study["claims"]}
    impossible = claims["latencies-in-milliseconds"]
    assert impossible["verdict"] == "cannot_be_true_as_printed"
    grows = claims["redis-latency-grows"]
    assert grows["verdict"] == "cannot_be_true_as_printed"
    assert next(one["truth"] for one in grows["here"]) in {"holds", "fails", "cannot_tell"}
    assert grows["measured"], "ours stands beside it all the same"
    assert claims["aerospike-scales"]["verdict"] == "not_measured"


def test_a_study_is_started_at_its_small_scale(platform: RunningPlatform) -> None:
    (started,) = weighhouse(platform, "study", "run", NAME)
    (campaign,) = started["campaigns"]
    assert campaign["runs"] == 45
    assert {one["side"] for one in started["not_measured"]} == {"aerospike", "dragonfly"}
    address = f"{platform.url}/api/v1/campaigns/{campaign['campaign_id']}/cancel"
    headers = {"Authorization": f"Bearer {platform.token}"}
    for _ in range(2):  # the second time at once
        assert httpx.post(address, headers=headers).status_code == 202
