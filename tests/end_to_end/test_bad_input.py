"""Bad input is refused with the path of the field and what would be right; bad luck is told."""

import httpx
import pytest
import yaml
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform


def refused(platform: RunningPlatform, document: dict) -> dict:
    answer = httpx.post(
        f"{platform.url}/api/v1/experiments",
        headers={"Authorization": f"Bearer {platform.token}"},
        json={"yaml": yaml.safe_dump(document)},
        timeout=60,
    )
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    return {error["path"]: error for error in answer.json()["errors"]}


@pytest.fixture
def document() -> dict:
    return dict(yaml.safe_load(small_experiment("bad-input")))


def test_an_unknown_key(platform: RunningPlatform, document: dict) -> None:
    document["phases"]["warmup_secs"] = 3
    assert "phases.warmup_secs" in refused(platform, document)


def test_weights_that_are_none(platform: RunningPlatform, document: dict) -> None:
    document["workloads"][0]["operations"] = {"read": 0.0, "update": 0.0}
    error = refused(platform, document)["workloads[0].operations"]
    assert "add up to 0, not 1" in error["message"]
    document["workloads"][0]["operations"] = {"read": -0.5, "update": 1.5}
    assert "workloads[0].operations.read" in refused(platform, document)


def test_an_unknown_system(platform: RunningPlatform, document: dict) -> None:
    document["targets"][0]["system"] = "rediss"
    error = refused(platform, document)["targets[0].system"]
    assert "redis" in error["expected"]


def test_an_unknown_parameter(platform: RunningPlatform, document: dict) -> None:
    document["targets"][0]["parameters"] = {"apendonly": True}
    error = refused(platform, document)["targets[0].parameters.apendonly"]
    assert "appendonly" in f"{error['message']} {error['expected']}"


def test_a_database_that_does_not_start_says_why_and_the_campaign_goes_on(
    platform: RunningPlatform,
) -> None:
    document = yaml.safe_load(small_experiment("one-breaks", "redis", "memcached", repetitions=1))
    # Debian's Redis is built without the allocator that this needs, and refuses to start.
    document["targets"][0]["parameters"] = {"activedefrag": True}
    started = platform.start_campaign(yaml.safe_dump(document))
    campaign = platform.wait_for_campaign(started["id"])
    by_target = {cell["target"]: cell["runs"][0] for cell in campaign["cells"]}
    assert by_target["memcached"]["status"] == "completed"
    assert by_target["redis"]["status"] == "failed"
    run = platform.request("GET", f"/runs/{by_target['redis']['id']}")
    assert run["failure"]["kind"] in {"not_ready", "deploy"}
    assert "Active defragmentation cannot be enabled" in "\n".join(run["failure"]["log_lines"])
    assert campaign["status"] == "completed"
    assert campaign["runs"]["failed"] == 1
