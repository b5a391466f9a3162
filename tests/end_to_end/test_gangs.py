"""Runs that several agents carry out together: one machine, four agents, each with a home, a name
and a loopback address of its own, under one embedded platform.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from chaos.accounts import settle
from weighhouse_protocol.target import Target
from weighhouse_testing.agents import TestedAgent, agents_of
from weighhouse_testing.platform import SOON_GIVEN_UP, RunningPlatform, running_platform
from weighhouse_testing.waits import until

DATABASE, LOAD = {"db": "yes"}, {"load": "yes"}
LABELS = {"one": DATABASE, "two": DATABASE, "three": {**DATABASE, **LOAD}, "four": LOAD}

Agents = dict[str, TestedAgent]


@pytest.fixture(scope="module")
def fleet() -> Iterator[tuple[RunningPlatform, Agents]]:
    """A platform and its four agents."""
    with (
        running_platform(**SOON_GIVEN_UP) as platform,
        agents_of(platform, *LABELS, labels=LABELS) as agents,
    ):
        yield platform, agents


def experiment(slug: str, target: dict[str, Any], drivers: int, **phases: Any) -> str:
    """Three nodes on three machines, loaded from some."""
    return str(
        yaml.safe_dump(
            {
                "version": 1,
                "slug": slug,
                "name": slug,
                "targets": [{"name": "three", "topology": {"nodes": 3}, **target}],
                "workloads": [
                    {
                        "name": "balanced", "record_count": 501, "field_count": 2,
                        "operations": {"read": 0.5, "update": 0.5}, "verify_fraction": 1.0,
                    }
                ],
                "load_levels": [{"model": "closed", "clients": 4}],
                "repetitions": 1,
                "phases": {
                    "load_clients": 2, "warmup_seconds": 1, "measure_seconds": 3,
                    "interval_seconds": 0.5, **phases,
                },
                "placement": {
                    "servers": {"labels": DATABASE, "machines": 3},
                    "drivers": {"labels": LOAD, "machines": drivers},
                },
            },
            sort_keys=False,
        )
    )  # fmt: skip


def the_run(platform: RunningPlatform, campaign: dict[str, Any]) -> dict[str, Any]:
    """The only run of a campaign, whole."""
    ((run,),) = [cell["runs"] for cell in campaign["cells"]]
    found: dict[str, Any] = platform.request("GET", f"/runs/{run['id']}")
    return found


def addresses(run: dict[str, Any]) -> set[str]:
    """Where the nodes answer."""
    return {each.split("//")[1].rsplit(":", 1)[0] for each in run["target"]["endpoints"]}


def test_a_cassandra_ring_over_three_agents_is_loaded_by_the_fourth(
    fleet: tuple[RunningPlatform, Agents],
) -> None:
    platform, _ = fleet
    target = {
        "system": "cassandra",
        "topology": {"nodes": 3, "replication_factor": 3},
        "parameters": {"heap_mebibytes": 256, "garbage_collector": "serial"},
        "driver_options": {"read_consistency": "quorum", "write_consistency": "quorum"},
    }
    document = yaml.safe_load(experiment("gang-ring", target, 1))
    document["placement"]["apart"] = "required"
    started = platform.start_campaign(yaml.safe_dump(document, sort_keys=False))
    campaign = platform.wait_for_campaign(started["id"])
    run = the_run(platform, campaign)
    assert run["status"] == "completed", run["failure"]
    members = {each["agent"]["name"]: each for each in run["members"]}
    assert set(members) == set(LABELS)
    assert [members[name]["nodes"] for name in ("one", "two", "three")] != [[], [], []]
    assert sorted(node for each in members.values() for node in each["nodes"]) == [1, 2, 3]
    assert members["four"]["share"] is not None
    assert members["four"]["nodes"] == []
    assert addresses(run) == {"127.0.1.1", "127.0.1.2", "127.0.1.3"}
    assert settle(platform.inner.database_url, [started["id"]]).notes == []
    Target.model_validate(document["targets"][0])


def test_what_two_drivers_report_adds_up(fleet: tuple[RunningPlatform, Agents]) -> None:
    platform, _ = fleet
    started = platform.start_campaign(experiment("gang-cluster", {"system": "redis"}, 2))
    campaign = platform.wait_for_campaign(started["id"])
    run = the_run(platform, campaign)
    assert run["status"] == "completed", run["failure"]
    drivers = [each for each in run["members"] if each["share"] is not None]
    assert [each["share"] for each in drivers] == [{"index": 0, "of": 2}, {"index": 1, "of": 2}]
    assert {each["agent"]["name"] for each in drivers} == {"three", "four"}
    assert addresses(run) == {"127.0.1.1", "127.0.1.2", "127.0.1.3"}
    account = settle(platform.inner.database_url, [started["id"]])
    assert account.clean, account.notes
    assert account.completed == 1


def test_a_driver_that_is_killed_ends_the_gang_and_the_run_is_tried_again(
    fleet: tuple[RunningPlatform, Agents],
) -> None:
    platform, agents = fleet
    started = platform.start_campaign(
        experiment("gang-killed", {"system": "redis"}, 2, measure_seconds=15)
    )
    until(
        "it is measured",
        lambda: the_run(platform, platform.campaign(started["id"]))["phase"] == "measure",
    )
    (driver,) = agents["four"].processes("weighhouse-driver-")
    driver.kill()
    campaign = platform.wait_for_campaign(started["id"])
    run = the_run(platform, campaign)
    assert run["status"] == "completed", run["failure"]
    assert len(run["attempts"]) == 2
    first, second = sorted(run["attempts"], key=lambda each: each["number"])
    assert first["status"] in ("failed", "lost")
    assert first["failure"]["kind"] == "infrastructure"
    assert "the driver was killed" in first["failure"]["message"]
    assert second["status"] == "completed"
    account = settle(platform.inner.database_url, [started["id"]])
    assert account.clean, account.notes
    for agent in agents.values():
        until("nothing is left", lambda a=agent: not a.processes("redis-server"))
