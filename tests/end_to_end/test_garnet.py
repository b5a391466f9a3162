"""Redis beside Garnet, durable and not, through the whole platform and on the real servers."""

from pathlib import Path

import pytest
import yaml
from weighhouse_sdk.testkit.at_hand import server
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.tree import REPOSITORY

FILE = REPOSITORY / "experiments" / "redis-beside-garnet.yaml"
HINT = "`dotnet tool install --tool-path … garnet-server` brings it"


@pytest.fixture(scope="module")
def garnet(request: pytest.FixtureRequest) -> Path:
    return server(request, "garnet-server", "WEIGHHOUSE_GARNET", HINT)


@pytest.mark.usefixtures("garnet")
def test_both_weigh_in_with_and_without_a_log(platform: RunningPlatform) -> None:
    """The experiment that ships, with one repeat of one load."""
    document = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    document |= {"repetitions": 1, "load_levels": [{"model": "closed", "clients": 4}]}
    document["workloads"][0]["record_count"] = 1000
    document["phases"] |= {"warmup_seconds": 0.2, "measure_seconds": 0.6, "interval_seconds": 0.2}
    started = platform.start_campaign(yaml.safe_dump(document))
    campaign = platform.wait_for_campaign(started["id"])
    assert campaign["runs"]["completed"] == campaign["runs"]["total"] == 4
    told = {}
    for cell in campaign["cells"]:
        run = platform.request("GET", f"/runs/{cell['runs'][0]['id']}")
        assert run["summary"]["operations"]["all"]["ok"] > 0
        assert run["summary"]["operations"]["all"]["errors"] == 0
        assert "error" not in {finding["severity"] for finding in run["findings"]}
        settings = run["target"]["effective_configuration"]
        told[cell["target"]] = {each["name"]: each["value"] for each in settings}
    assert {name: each["appendonly"] for name, each in told.items()} == {
        "redis": "no", "garnet": "no", "redis-durable": "yes", "garnet-durable": "yes",
    }  # fmt: skip
    assert told["garnet-durable"]["aof-commit-wait"] == "yes"
    assert told["garnet"]["memory"] == "17179869184"
