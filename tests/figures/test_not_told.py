"""A server that tells nothing of itself is measured; one caveat says so, in every place."""

import json
from pathlib import Path
from typing import Any

import yaml
from weighhouse_testing.agents import policy_of
from weighhouse_testing.command import weighhouse
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.reticent_redis import reticent_redis
from weighhouse_testing.told import measured

SHORT = "The system did not tell everything"


def experiment(endpoint: str) -> dict[str, Any]:
    """One run of one target."""
    document: dict[str, Any] = yaml.safe_load(
        small_experiment("not-told", repetitions=1, measure_seconds=0.6, records=100)
    )
    document["targets"][0] |= {
        "deployment": "external",
        "endpoints": [endpoint],
        "credentials": "theirs",
    }
    return document


def test_a_run_on_a_server_that_tells_nothing_completes_with_one_caveat(
    platform: RunningPlatform, tmp_path: Path
) -> None:
    with reticent_redis(tmp_path) as reticent, policy_of(platform, reticent.policy):
        told = measured(platform, experiment(reticent.endpoint))
    assert told.run["status"] == "completed", told.run["failure"]
    finding = told.findings["not-told"]
    assert finding["severity"] == "caution"
    assert finding["title"] == SHORT
    for words in ("INFO: NOPERM", "CONFIG GET: ERR unknown command"):
        assert finding["message"].count(words) == 1
    assert told.run["target"]["effective_configuration"] == []
    of = {"campaign": told.campaign["id"]}
    comparison = told.platform.request("GET", "/comparisons", params=of)
    assert json.dumps(comparison["caveats"]).count(SHORT) >= 1
    # Nobody said that there is none.
    assert "not set" not in json.dumps(comparison["fairness"])
    watched = weighhouse(told.platform, "campaign", "watch", told.campaign["id"])
    assert SHORT.lower() in watched.stdout.lower()
    told.alike()
