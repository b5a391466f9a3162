"""What is told of where a system was, who set it up and what held it: known, in every place."""

import ipaddress
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml
from redis import Redis
from redis.exceptions import RedisError
from weighhouse_cli.embedded.directory import free_port
from weighhouse_protocol.target import Limits
from weighhouse_sdk.machine.cgroups import Hierarchies
from weighhouse_sdk.testkit.children import child
from weighhouse_testing.agents import policy_of
from weighhouse_testing.command import weighhouse
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.told import Told, measured
from weighhouse_testing.waits import until

SHORT = "Driver shares the machine"


def own_address() -> str:
    """Of an interface of this machine that is not loopback."""
    told = subprocess.run(["ip", "-4", "-o", "addr"], capture_output=True, text=True, check=True)
    found = [line.split()[3].partition("/")[0] for line in told.stdout.splitlines()]
    return next(each for each in found if not ipaddress.ip_address(each).is_loopback)


@contextmanager
def redis_of_somebody(host: str) -> Iterator[str]:
    """A server that was there before; its endpoint."""
    port = free_port()
    words = ["redis-server", "--port", str(port), "--bind", host, "--save", "",
             "--protected-mode", "no"]  # fmt: skip
    with child(words, stdout=subprocess.DEVNULL, cwd="/"):
        until("it answers", lambda: answers(host, port))
        yield f"tcp://{host}:{port}"


def answers(host: str, port: int) -> bool:
    try:
        with Redis(host, port) as client:
            return bool(client.ping())
    except (RedisError, OSError):
        return False


def experiment(slug: str, **target: Any) -> dict[str, Any]:
    """One run of one target."""
    document: dict[str, Any] = yaml.safe_load(
        small_experiment(slug, repetitions=1, measure_seconds=0.6, records=100)
    )
    document["targets"][0] |= target
    return document


def in_every_place(told: Told) -> None:
    """Run, comparison and its sheet, disclosure and command say that driver and system shared the
    machine.
    """
    assert "co-located" in told.findings
    of = {"campaign": told.campaign["id"]}
    comparison = told.platform.request("GET", "/comparisons", params=of)
    assert SHORT in json.dumps(comparison["caveats"])
    rows = {row["aspect"]: row["values"] for row in comparison["fairness"]}
    assert rows["co_located"] == ["yes"]
    assert rows["transport"] == ["the loopback interface"]
    disclosed = told.platform.request("GET", f"/campaigns/{told.campaign['id']}/disclosure")
    assert "driver and system on one machine" in json.dumps(disclosed)
    watched = weighhouse(told.platform, "campaign", "watch", told.campaign["id"])
    assert SHORT.lower() in watched.stdout.lower()


def test_a_server_of_ours_at_an_address_of_the_machine(platform: RunningPlatform) -> None:
    host = own_address()
    networks = f'networks = ["127.0.0.0/8", "{host}"]\n[machine]\nhost = "{host}"\n'
    with policy_of(platform, networks):
        told = measured(platform, experiment("known-ours"))
    assert told.run["status"] == "completed", told.run["failure"]
    assert host in told.run["target"]["endpoints"][0]
    in_every_place(told)
    # Its address, port and folder are of every deployment: nothing else is another.
    assert "effective-configuration" not in told.findings
    set_by = {
        each["name"]: each["source"] for each in told.run["target"]["effective_configuration"]
    }
    assert (set_by["port"], set_by["bind"], set_by["dir"]) == ("place",) * 3


def test_a_server_of_somebody_elses_at_an_address_of_the_machine(
    platform: RunningPlatform,
) -> None:
    host = own_address()
    allowed = f'deployments = ["external"]\nnetworks = ["{host}"]\n'
    with policy_of(platform, allowed), redis_of_somebody(host) as endpoint:
        wanted = experiment("known-external", deployment="external", endpoints=[endpoint])
        told = measured(platform, wanted)
    assert told.run["status"] == "completed", told.run["failure"]
    in_every_place(told)
    assert "effective-configuration" not in told.findings
    settings = told.run["target"]["effective_configuration"]
    assert {(each["source"], each["default"]) for each in settings} == {("operator", None)}
    assert {each["name"] for each in settings} >= {"bind", "port", "maxmemory"}


def test_no_limit_is_told_as_none(platform: RunningPlatform) -> None:
    problem = Hierarchies.found().problem(Limits(cpus=0.5))
    if problem is not None:
        pytest.skip(problem)
    told = measured(platform, experiment("known-limits", limits={"cpus": 0.5}))
    assert told.run["status"] == "completed", told.run["failure"]
    lines = {each["name"]: each for each in told.run["target"]["effective_configuration"]}
    assert (lines["limits.cpus"]["value"], lines["limits.cpus"]["source"]) == ("0.5", "experiment")
    memory = lines["limits.memory"]
    assert (memory["value"], memory["default"], memory["source"]) == (
        "unlimited", "unlimited", "default",
    )  # fmt: skip
    assert "limits.cpus = 0.5" in told.findings["effective-configuration"]["message"]
    assert "limits.memory" not in told.findings["effective-configuration"]["message"]
