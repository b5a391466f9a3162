"""Servers that do not take what is asked: such a run has failed, in their words, and is no base."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from redis import Redis
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.agents import policy_of
from weighhouse_testing.command import weighhouse
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.told import Told, measured

RECORDS = 1000
REPLICA = "READONLY You can't write against a read only replica."
REFUSED = 4
"""Exit code where the server refused it."""


@pytest.fixture(scope="module", autouse=True)
def allowed(platform: RunningPlatform) -> Iterator[None]:
    """Its agent may use servers that were there before."""
    with policy_of(platform, 'deployments = ["external"]\nnetworks = ["127.0.0.0/8"]\n'):
        yield


def experiment(slug: str, port: int) -> dict[str, Any]:
    """One run against that server: it loads, and then only reads."""
    document: dict[str, Any] = yaml.safe_load(
        small_experiment(
            slug, repetitions=1, measure_seconds=1, records=RECORDS, operations={"read": 1.0}
        )
    )
    document["targets"][0] |= {
        "deployment": "external", "endpoints": [f"tcp://127.0.0.1:{port}"],
    }  # fmt: skip
    return document


def failed(told: Told, words: str) -> dict[str, Any]:
    """The run's failure; it tells the server's words, and nothing of the run counts."""
    failure: dict[str, Any] = told.run["failure"]
    assert told.run["status"] == "failed"
    assert failure["kind"] == "refused"
    assert words in failure["message"]
    (cell,) = told.platform.request(
        "GET", "/comparisons", params={"campaign": told.campaign["id"]}
    )["cells"]
    assert cell["repeats"] == []
    assert cell["throughput"] is None
    for line in told.platform.request("GET", "/series", params={"limit": 200})["items"]:
        if line["experiment"]["name"] == told.campaign["experiment"]["name"]:
            points = told.platform.request("GET", f"/series/{line['id']}")["points"]
            assert told.campaign["id"] not in {point["campaign_id"] for point in points}
    return failure


def gated(platform: RunningPlatform, document: dict[str, Any], folder: Path) -> str:
    """What a pipeline is told of the same experiment."""
    file = folder / "experiment.yaml"
    file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    said: subprocess.CompletedProcess[str] = weighhouse(
        platform, "run", str(file), "--gate", "--no-git"
    )
    assert said.returncode == REFUSED, said.stdout + said.stderr
    return said.stdout


def test_a_replica_takes_no_load(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis], tmp_path: Path
) -> None:
    redis, client = server
    client.replicaof("127.0.0.1", free_port())
    wanted = experiment("refused-replica", redis.port)
    failure = failed(measured(platform, wanted), "READONLY")
    assert f"0 of {RECORDS:,} records were loaded" in failure["message"]
    told = gated(platform, wanted, tmp_path)
    assert "READONLY" in told
    assert "It is a replica: name the primary's endpoint." in told, "one cause, one hint"
    (run,) = set(re.findall("weighhouse run show ([-0-9a-f]{36})", told))
    shown = weighhouse(platform, "run", "show", run).stdout
    assert f"× insert, refused (load): “{REPLICA}”" in shown
    names = weighhouse(platform, "run", "logs", run).stdout
    assert "no logs" in names, "of a server that somebody else set up"
    missing = weighhouse(platform, "run", "logs", run, "none")
    assert "no log 'none': it has no logs" in missing.stderr
    # Mended, it is as if nothing had been: there is no base yet.
    client.replicaof("NO", "ONE")
    told = measured(platform, wanted)
    assert told.run["status"] == "completed", told.run["failure"]
    gate = platform.request("GET", f"/campaigns/{told.campaign['id']}/gate")
    assert gate["verdict"] == "no_baseline"


def test_an_account_that_may_not_write_loads_nothing(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis]
) -> None:
    redis, client = server
    client.execute_command("ACL", "SETUSER", "default", "-@write")
    told = measured(platform, experiment("refused-rights", redis.port))
    failed(told, "NOPERM")
    (errors,) = [one for one in told.run["errors"] if one["phase"] == "load"]
    assert (errors["operation"], errors["kind"]) == ("insert", "refused")
    assert "has no permissions to run the 'hset' command" in errors["words"]
    assert errors["at"] is not None


@pytest.mark.parametrize(("share", "fails"), [(0.02, False), (0.3, False), (0.99, True)])
def test_a_server_that_is_full_refuses_the_rest(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis], share: float, *, fails: bool
) -> None:
    """A load that fails for so large a share: what is left is told, and most is too much."""
    redis, client = server
    wanted = experiment(f"refused-{round(100 * share)}-percent", redis.port)
    room = used(client)
    loaded = measured(platform, wanted)
    assert loaded.run["status"] == "completed", loaded.run["failure"]
    whole = used(client)
    client.flushall()
    client.config_set("maxmemory", round(room + (whole - room) * (1 - share)))
    told = measured(platform, wanted)
    if fails:
        failed(told, "OOM command not allowed")
        return
    assert told.run["status"] == "completed", told.run["failure"]
    assert "“OOM command not allowed" in told.findings["load-complete"]["message"]
    kinds = {(one["operation"], one["kind"]) for one in told.run["errors"]}
    assert ("insert", "full") in kinds
    assert "not-found" in told.findings


def used(client: Redis) -> int:
    """Bytes that the server counts against its limit, with this client alone."""
    return int(client.info("memory")["used_memory"])
