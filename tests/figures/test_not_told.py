"""A server that tells nothing of itself is measured; one caveat says so, in every place."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from redis import Redis
from redis.exceptions import RedisError
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.agents import policy_of
from weighhouse_testing.command import weighhouse
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.told import measured
from weighhouse_testing.waits import until

SHORT = "The system did not tell everything"
PASSWORD = "of the house"


@contextmanager
def silent_redis(directory: Path) -> Iterator[str]:
    """Of an account that may neither INFO nor CONFIG; its endpoint."""
    port = free_port()
    file = directory / "silent.conf"
    file.write_text(
        f"port {port}\nbind 127.0.0.1\nsave ''\nuser default off\n"
        f'user loader on ">{PASSWORD}" ~* +@all -info -config\n',
        encoding="utf-8",
    )
    with subprocess.Popen(["redis-server", str(file)], stdout=subprocess.DEVNULL, cwd="/") as one:
        try:
            until("it answers", lambda: answers(port))
            yield f"tcp://127.0.0.1:{port}"
        finally:
            one.terminate()


def answers(port: int) -> bool:
    try:
        with Redis(port=port, username="loader", password=PASSWORD) as client:
            return bool(client.ping())
    except (RedisError, OSError):
        return False


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
    secret = tmp_path / "loader.password"
    secret.write_text(PASSWORD, encoding="utf-8")
    secret.chmod(0o600)
    with silent_redis(tmp_path) as endpoint:
        policy = (
            'deployments = ["external"]\nnetworks = ["127.0.0.1"]\n[credentials.theirs]\n'
            f'endpoints = ["{endpoint}"]\nusername = "loader"\npassword_file = "{secret}"\n'
        )
        with policy_of(platform, policy):
            told = measured(platform, experiment(endpoint))
    assert told.run["status"] == "completed", told.run["failure"]
    finding = told.findings["not-told"]
    assert finding["severity"] == "caution"
    assert finding["title"] == SHORT
    for words in ("INFO: NOPERM", "CONFIG GET: NOPERM"):
        assert finding["message"].count(words) == 1
    assert told.run["target"]["effective_configuration"] == []
    of = {"campaign": told.campaign["id"]}
    comparison = told.platform.request("GET", "/comparisons", params=of)
    assert json.dumps(comparison["caveats"]).count(SHORT) >= 1
    watched = weighhouse(told.platform, "campaign", "watch", told.campaign["id"])
    assert SHORT.lower() in watched.stdout.lower()
    told.alike()
