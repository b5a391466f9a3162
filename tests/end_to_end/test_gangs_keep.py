"""Several agents that load a system which holds its records already."""

import contextlib
from pathlib import Path

import yaml
from redis import Redis
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.agents import agents_of, policy
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.platform import running_platform

RECORDS = 1000
LOAD = {"load": "yes"}


def test_one_of_them_looks_for_the_records_and_all_read_them() -> None:
    redis = OwnRedis(free_port())
    redis.start()
    try:
        with (
            running_platform() as platform,
            agents_of(platform, "one", "two", labels={"one": LOAD, "two": LOAD}) as agents,
            contextlib.closing(Redis(port=redis.port)) as client,
        ):
            for each in agents.values():
                text = 'deployments = ["external"]\n' + policy(each.address)
                (Path(each.home) / "policy.toml").write_text(text, encoding="utf-8")
                each.stop()
                each.start()  # what it may do is told when it begins
            for number in range(RECORDS):
                client.hset(
                    f"user{number}", mapping={f"field{one}": "x" * 100 for one in range(10)}
                )
            document = yaml.safe_load(
                small_experiment("gang-keeps", repetitions=1, operations={"read": 1.0})
            )
            document["targets"][0] |= {
                "deployment": "external", "endpoints": [f"tcp://127.0.0.1:{redis.port}"],
                "data": "keep",
            }  # fmt: skip
            document["workloads"][0] |= {"insert_order": "ordered"}
            document["placement"] = {"drivers": {"labels": LOAD, "machines": 2}}
            text = yaml.safe_dump(document, sort_keys=False)
            campaign = platform.wait_for_campaign(platform.start_campaign(text)["id"])
            ((run,),) = [cell["runs"] for cell in campaign["cells"]]
            told = platform.request("GET", f"/runs/{run['id']}")
            assert told["status"] == "completed", told["failure"]
            (found,) = [one for one in told["findings"] if one["id"] == "data-found"]
            assert found["title"] == "Nothing was loaded"
            assert found["numbers"]["sampled"] == RECORDS
            assert told["summary"]["operations"]["all"]["not_found"] == 0
            assert client.dbsize() == RECORDS
    finally:
        redis.kill()
