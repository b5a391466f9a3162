"""Records that were there: kept, shared by repeats, or beside which others are loaded."""

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from redis import Redis
from weighhouse_testing.agents import policy_of
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.told import Told, measured

FOREIGN = 100_000
RECORDS = 1000
POLICY = 'deployments = ["external", "in_process"]\nnetworks = ["127.0.0.0/8"]\n'


@pytest.fixture(scope="module")
def allowed(platform: RunningPlatform) -> Iterator[None]:
    """Its agent may use servers that were there before."""
    with policy_of(platform, POLICY):
        yield


def experiment(slug: str, port: int, /, repetitions: int = 1, **more: Any) -> dict[str, Any]:
    """Reads of the records of that server, ordered keys.

    :param more: of the target; `workload` is of the workload.
    """
    document: dict[str, Any] = yaml.safe_load(
        small_experiment(
            slug, repetitions=repetitions, measure_seconds=0.6, records=RECORDS,
            operations={"read": 1.0},
        )
    )  # fmt: skip
    document["workloads"][0] |= {"insert_order": "ordered", **more.pop("workload", {})}
    document["targets"][0] |= {
        "deployment": "external", "endpoints": [f"tcp://127.0.0.1:{port}"], **more,
    }  # fmt: skip
    return document


def fill(client: Redis, prefix: str, count: int = FOREIGN) -> None:
    """Records of the workload's shape, which somebody else wrote."""
    with client.pipeline(transaction=False) as pipe:
        for number in range(count):
            text = f"{number:06}" + "x" * 94
            fields: dict[Any, Any] = {f"field{each}": text for each in range(10)}
            pipe.hset(f"{prefix}{number}", mapping=fields)
            if number % 2000 == 1999:
                pipe.execute()
        pipe.execute()


def digest(client: Redis, *, but: str = "\0") -> tuple[int, str]:
    """How many keys there are, and a sum over all that is in them.

    :param but: keys with this beginning are left out.
    """
    total, count, batch = 0, 0, []
    keys = [key for key in client.scan_iter(count=5000) if not key.startswith(but.encode())]
    with client.pipeline(transaction=False) as pipe:
        for key in keys:
            batch.append(key)
            pipe.dump(key)
            if len(batch) == 2000 or key is keys[-1]:
                for name, value in zip(batch, pipe.execute(), strict=True):
                    total ^= int.from_bytes(hashlib.sha256(name + value).digest(), "big")
                    count += 1
                batch = []
    return count, f"{total:064x}"


def writes_of(client: Redis) -> int:
    """Commands that wrote, by the server's own count, but for those of `fill`."""
    stats = client.info("commandstats")
    names = ("hset", "set", "hmset", "zadd", "del", "expire", "unlink")
    return sum(int(stats.get(f"cmdstat_{name}", {}).get("calls", 0)) for name in names)


def done(told: Told) -> Told:
    assert told.run["status"] == "completed", told.run["failure"]
    return told


@pytest.mark.usefixtures("allowed")
def test_what_is_kept_is_read_and_nothing_of_it_is_written(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis]
) -> None:
    redis, client = server
    fill(client, "user")
    client.config_resetstat()
    before = digest(client)
    assert before[0] == FOREIGN
    wanted = experiment("held-keep", redis.port, data="keep", workload={"record_count": FOREIGN})
    told = done(measured(platform, wanted))
    found = told.findings["data-found"]
    assert found["severity"] == "info", found
    assert found["title"] == "Nothing was loaded"
    assert (found["numbers"]["sampled"], found["numbers"]["found"]) == (1000, 1000)
    assert "load" not in {phase["kind"] for phase in told.read("series")["phases"]}
    assert told.every["ok"] > 0
    assert told.every["not_found"] == 0
    assert writes_of(client) == 0
    assert digest(client) == before


@pytest.mark.usefixtures("allowed")
def test_a_workload_that_writes_changes_its_own_keys_alone(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis]
) -> None:
    redis, client = server
    fill(client, "user")
    fill(client, "{b}:user", RECORDS)
    before = digest(client, but="{b}:user")
    mix = {"read": 0.4, "update": 0.3, "insert": 0.2, "delete": 0.1}
    wanted = experiment(
        "held-prefix", redis.port, data="keep",
        workload={"operations": mix, "key_prefix": "{b}:user%s"},
    )  # fmt: skip
    told = done(measured(platform, wanted))
    assert told.findings["data-found"]["numbers"]["found"] == RECORDS
    assert digest(client, but="{b}:user") == before
    assert client.exists("{b}:user1005")  # an insert
    loaded = done(measured(platform, experiment(
        "held-prefix-load", redis.port, onto="any",
        workload={"operations": mix, "key_prefix": "{b}:user"},
    )))  # fmt: skip
    assert "data-found" not in loaded.findings
    assert digest(client, but="{b}:user") == before


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize(
    ("there", "records", "severity", "title"),
    [
        ("user", 600, "caution", "Records were not there"),
        ("other", 1000, "error", "No record was there"),
    ],
)
def test_what_is_not_there_is_told(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis],
    there: str, records: int, severity: str, title: str,
) -> None:  # fmt: skip
    redis, client = server
    fill(client, there, records)
    told = done(measured(platform, experiment(f"held-{there}", redis.port, data="keep")))
    found = told.findings["data-found"]
    assert (found["severity"], found["title"]) == (severity, title), found
    assert found["numbers"]["missing"] == RECORDS - (records if there == "user" else 0)


@pytest.mark.usefixtures("allowed")
def test_records_of_another_shape_are_told(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis]
) -> None:
    redis, client = server
    fill(client, "user", RECORDS)
    shape = {"field_length": 90}
    told = done(
        measured(platform, experiment("held-shape", redis.port, data="keep", workload=shape))
    )
    found = told.findings["data-found"]
    assert found["title"] == "Records have another shape"
    assert found["numbers"]["misshapen"] == RECORDS
    for number in range(RECORDS):
        client.delete(f"user{number}")
        client.set(f"user{number}", "x")
    run = measured(platform, experiment("held-type", redis.port, data="keep")).run
    assert run["status"] == "failed"
    assert "WRONGTYPE" in run["failure"]["message"]


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("data", ["once", "fresh"])
def test_five_repeats_share_one_load(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis], data: str
) -> None:
    redis, client = server
    wanted = experiment(f"held-{data}-five", redis.port, repetitions=5, data=data)
    started = platform.start_campaign(yaml.safe_dump(wanted, sort_keys=False))
    campaign = platform.wait_for_campaign(started["id"])
    runs = [run for cell in campaign["cells"] for run in cell["runs"]]
    assert [run["status"] for run in runs] == ["completed"] * 5
    assert writes_of(client) == RECORDS * (1 if data == "once" else 5)
    told = [platform.request("GET", f"/runs/{run['id']}")["findings"] for run in runs]
    shared = [[one["title"] for one in each if one["id"] == "data-found"] for each in told]
    assert shared == [["Repeats share one load"] if data == "once" else []] * 5
    sheet = platform.request("GET", "/comparisons", params={"campaign": campaign["id"]})
    rows = {row["aspect"]: row["values"] for row in sheet["fairness"]}
    assert rows.get("data") == (["loaded once a campaign"] if data == "once" else None)


@pytest.mark.usefixtures("allowed")
def test_a_directory_is_loaded_once_and_kept_between_repeats(platform: RunningPlatform) -> None:
    document = yaml.safe_load(
        small_experiment("held-rocksdb", "rocksdb", repetitions=5, operations={"read": 1.0})
    )
    document["targets"][0] |= {"data": "once"}
    started = platform.start_campaign(yaml.safe_dump(document, sort_keys=False))
    campaign = platform.wait_for_campaign(started["id"])
    runs = [run for cell in campaign["cells"] for run in cell["runs"]]
    assert [run["status"] for run in runs] == ["completed"] * 5, [run["failure"] for run in runs]
    loaded = 0
    for run in runs:
        told = platform.request("GET", f"/runs/{run['id']}")
        spans = platform.request("GET", f"/runs/{run['id']}/series")["phases"]
        phases = {phase["kind"] for phase in spans}
        loaded += "load" in phases
        assert told["summary"]["operations"]["all"]["not_found"] == 0
        (found,) = [one for one in told["findings"] if one["id"] == "data-found"]
        assert found["title"] == "Repeats share one load"
        assert found["numbers"]["found"] == (None if "load" in phases else RECORDS)
    assert loaded == 1


@pytest.mark.usefixtures("allowed")
def test_a_system_that_holds_records_is_asked_for_twice(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis]
) -> None:
    redis, client = server
    fill(client, "theirs", 50)
    before = digest(client)
    run = measured(platform, experiment("held-empty", redis.port, onto="empty")).run
    assert run["status"] == "failed"
    assert run["failure"]["kind"] == "refused"
    assert "holds 50 records" in run["failure"]["message"]
    assert digest(client) == before
    told = done(measured(platform, experiment("held-unsaid", redis.port)))
    found = told.findings["data-found"]
    assert found["title"] == "Loaded beside other records"
    assert found["numbers"]["held_before"] == 50
    assert digest(client, but="user") == before


def test_a_policy_says_what_may_be_written(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis]
) -> None:
    redis, client = server
    fill(client, "user", RECORDS)
    before = digest(client)
    with policy_of(platform, 'external = "read"\n' + POLICY):
        updates = {"data": "keep", "workload": {"operations": {"update": 1.0}}}
        refused: dict[str, dict[str, Any]] = {"loads": {}, "writes": updates}
        for slug, more in refused.items():
            run = measured(platform, experiment(f"policy-{slug}", redis.port, **more)).run
            assert run["status"] == "failed", slug
            assert run["failure"]["kind"] == "policy"
            assert slug in run["failure"]["message"]
        done(measured(platform, experiment("policy-reads", redis.port, data="keep")))
    with policy_of(platform, 'external = "prefix"\n' + POLICY):
        run = measured(platform, experiment("policy-no-prefix", redis.port)).run
        assert "without a key_prefix" in run["failure"]["message"]
        assert digest(client) == before
        prefixed = experiment("policy-prefix", redis.port, workload={"key_prefix": "bench:user"})
        done(measured(platform, prefixed))
    assert digest(client, but="bench:") == before


@pytest.mark.usefixtures("allowed")
def test_an_account_that_is_limited_to_a_prefix_scans_too(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis]
) -> None:
    redis, client = server
    client.acl_setuser(
        "default", enabled=True, nopass=True, reset=True, keys=["bench:*"],
        categories=["+@all", "-@dangerous"], commands=["+info", "+config|get"],
    )  # fmt: skip
    mix = {"read": 0.5, "update": 0.2, "insert": 0.2, "scan": 0.1}
    wanted = experiment(
        "held-acl", redis.port,
        workload={"operations": mix, "key_prefix": "bench:user", "max_scan_length": 10},
    )  # fmt: skip
    told = done(measured(platform, wanted))
    assert told.every["errors"] == 0
    assert client.zcard("bench:user_indices") >= RECORDS


@pytest.mark.usefixtures("allowed")
def test_a_slice_of_the_key_space_is_told(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis]
) -> None:
    redis, _ = server
    one = experiment("held-slice", redis.port, workload={"insert_count": 1})
    found = done(measured(platform, one)).findings["data-found"]
    assert found["title"] == "Only some records are asked for"
    assert "1 of its 1,000 records" in found["message"]


def test_what_cannot_be_is_refused_when_it_is_saved(platform: RunningPlatform) -> None:
    def problems(**more: Any) -> str:
        document = experiment("held-wrong", 6379, **more)
        said = platform.request("POST", "/experiments/validate", json={"document": document})
        return " ".join(f"{one['path']}: {one['message']}" for one in said["errors"])

    server: dict[str, Any] = {"deployment": "process", "endpoints": []}
    assert "targets[0].data: keep" in problems(data="keep", **server)
    assert "targets[0].data: once" in problems(data="once", **server)
    assert "targets[0].onto" in problems(onto="any", **server)
    assert "targets[0].onto" in problems(data="keep", onto="any")
    assert "verify" in problems(data="once", workload={"verify_fraction": 0.5})
    assert "expire" in problems(data="once", workload={"ttl_seconds": 5})
    assert "key_prefix" in problems(workload={"key_prefix": "two words"})
    assert "key_prefix" in problems(tool="memtier-benchmark", workload={"key_prefix": "b:"})
    assert problems(data="once") == problems(data="keep") == ""
    said = platform.request(
        "POST", "/experiments/validate", json={"document": experiment("held-plan", 6379)}
    )
    (effect,) = said["plan"]["external"]
    assert "loads 1,000 records of balanced, keys user…, for each run" in effect["written"]
    assert effect["removed"] == "nothing"
