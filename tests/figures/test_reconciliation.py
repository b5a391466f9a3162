"""What servers counted of their own work, held against what clients counted."""

import contextlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from redis import Redis
from weighhouse_cli.embedded.directory import free_port
from weighhouse_sdk.testkit import at_hand
from weighhouse_testing.agents import policy_of
from weighhouse_testing.command import weighhouse
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.keepers import Keeper, OwnMemcached, OwnRedisKeeper
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.swallowing import swallowing
from weighhouse_testing.told import Told, measured

MIX = {"read": 0.4, "update": 0.3, "insert": 0.1, "read_modify_write": 0.1, "delete": 0.1}
AGREES = 0.001


def experiment(slug: str, system: str = "redis", /, **more: Any) -> dict[str, Any]:
    """One run of one target.

    :param more: of `small_experiment`; `target` is of the target, `workload` of the workload.
    """
    target, workload = more.pop("target", {}), more.pop("workload", {})
    asked = {"repetitions": 1, "measure_seconds": 1.0, "records": 2000, "operations": MIX} | more
    document: dict[str, Any] = yaml.safe_load(small_experiment(slug, system, **asked))
    document["targets"][0] |= target
    document["workloads"][0] |= workload
    return document


def done(told: Told) -> dict[str, Any]:
    """The reconciliation of a run that went well."""
    assert told.run["status"] == "completed", told.run["failure"]
    found: dict[str, Any] = told.run["reconciliation"]
    assert found["why_not"] == "", found
    return found


def agrees(told: Told, *rows: str) -> None:
    """Both columns of these rows are the same, and no finding says otherwise."""
    found = done(told)
    by_name = {row["name"]: row for row in found["rows"]}
    assert set(by_name) == set(rows), found
    for row in by_name.values():
        assert row["why_not"] == "", row
        assert row["asked"] > 0, row
        assert abs(row["served"] - row["answered"]) <= AGREES * row["asked"], row
    assert found["of_others"] == {}
    assert "reconciliation" not in told.findings, told.findings["reconciliation"]


@pytest.mark.parametrize("system", ["redis", "memcached"])
def test_client_and_server_agree(platform: RunningPlatform, system: str) -> None:
    told = measured(platform, experiment(f"agree-{system}", system, think_time_us=0))
    agrees(told, "reads", "writes", "deletes")
    figures = told.run["summary"]["figures"]
    assert 0 < figures["hit_ratio"] <= 100
    if system == "redis":
        assert 0 < figures["server_call_us"] < figures["mean_us"]
    shown = weighhouse(platform, "run", "show", told.run["id"])
    for row in done(told)["rows"]:
        assert f"{row['name']}: asked {row['asked']:,}, answered" in shown.stdout
    assert shown.stdout.count(": agrees") == 3


POLICY = 'deployments = ["external", "process"]\nnetworks = ["127.0.0.0/8"]\n'
READS = {"read": 1.0}


@pytest.fixture(scope="module")
def allowed(platform: RunningPlatform) -> Iterator[None]:
    """Its agent may use servers that were there before."""
    with policy_of(platform, POLICY):
        yield


def at(port: int, **more: Any) -> dict[str, Any]:
    return {"deployment": "external", "endpoints": [f"tcp://127.0.0.1:{port}"], **more}


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[None]:
    """Somebody else at work, again and again."""
    stop = threading.Event()

    def again() -> None:
        while not stop.wait(0.002):
            work()

    thread = threading.Thread(target=again)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.fixture(params=[OwnRedisKeeper, OwnMemcached], ids=["redis", "memcached"])
def kept(request: pytest.FixtureRequest) -> Iterator[Keeper]:
    """A server that somebody else set up, and what its keeper does with it."""
    with request.param.started() as keeper:
        yield keeper


@pytest.mark.usefixtures("allowed")
def test_replies_that_a_proxy_swallows_are_found(platform: RunningPlatform, kept: Keeper) -> None:
    with swallowing(kept.port, every=50, beginning=kept.reply) as port:
        options = {"driver_options": {"timeout_ms": 200}}
        wanted = experiment(
            f"swallowed-{kept.system}", kept.system, operations=READS, clients=(16,),
            think_time_us=0, target=at(port, **options),
        )  # fmt: skip
        told = measured(platform, wanted)
    found = told.findings["reconciliation"]
    assert found["severity"] == "error"
    assert found["title"] == "Replies were lost on the way"
    (reads,) = (row for row in done(told)["rows"] if row["name"] == "reads")
    assert reads["served"] == pytest.approx(reads["asked"], rel=AGREES, abs=2)
    lost = (reads["asked"] - reads["answered"]) / reads["asked"]
    assert lost == pytest.approx(1 / 50, abs=0.01)
    assert reads["says"] in found["message"]
    bar = [one for one in told.run["caveats"] if one["severity"] == "bar"]
    assert any("Replies were lost" in one["title"] for one in bar), told.run["caveats"]


@pytest.mark.usefixtures("allowed")
def test_a_second_client_of_the_same_commands_is_found(
    platform: RunningPlatform, kept: Keeper
) -> None:
    with beside(kept.read):
        slug = f"second-{kept.system}"
        told = measured(
            platform, experiment(slug, kept.system, operations=READS, target=at(kept.port))
        )
    found = told.findings["reconciliation"]
    assert (found["severity"], found["title"]) == ("error", "Somebody else used the server")
    assert found["numbers"]["reads_served"] > 1.01 * found["numbers"]["reads_asked"]


@pytest.mark.usefixtures("allowed")
def test_a_second_client_of_other_commands_is_named_by_them(
    platform: RunningPlatform, kept: Keeper
) -> None:
    with beside(kept.do_something_else):
        wanted = experiment(f"strangers-{kept.system}", kept.system, target=at(kept.port))
        told = measured(platform, wanted)
    found = told.findings["reconciliation"]
    assert (found["severity"], found["title"]) == ("error", "Somebody else used the server")
    assert f" {kept.something_else}" in found["message"]
    assert set(done(told)["of_others"]) == {kept.something_else}
    for row in done(told)["rows"]:
        assert row["says"] == "", row


@pytest.mark.usefixtures("allowed")
def test_counters_that_somebody_sets_back_are_told_and_not_concluded_from(
    platform: RunningPlatform, kept: Keeper
) -> None:
    with beside(kept.set_back):
        wanted = experiment(f"set-back-{kept.system}", kept.system, target=at(kept.port))
        told = measured(platform, wanted)
    found = told.findings["reconciliation"]
    assert (found["severity"], found["title"]) == ("info", "The server's counters began anew")
    assert told.run["reconciliation"]["rows"] == []


@pytest.fixture(params=["redis", "valkey"])
def relative(request: pytest.FixtureRequest) -> Iterator[tuple[str, OwnRedis]]:
    """A server of Redis' kind that somebody else set up."""
    program = ""
    if request.param == "valkey":
        kept = os.environ.get("WEIGHHOUSE_VALKEY", "")
        program = str(Path(kept) / "valkey-server") if Path(kept).is_dir() else kept
        program = program or str(shutil.which("valkey-server") or "")
        if not program:
            at_hand.not_run(request, "valkey is not on this machine: WEIGHHOUSE_VALKEY names it")
    found = OwnRedis(free_port(), program=program)
    found.start()
    try:
        yield request.param, found
    finally:
        found.kill()


@pytest.mark.usefixtures("allowed")
def test_a_tool_that_counts_misses_as_found_is_told(
    platform: RunningPlatform, relative: tuple[str, OwnRedis]
) -> None:
    system, server = relative
    records = 2000
    with contextlib.closing(Redis(port=server.port)) as client:
        for number in range(records // 10):
            client.set(f"user{number:012}", "x" * 1000)
    wanted = experiment(
        f"misses-{system}", system, operations=READS, think_time_us=0, records=records,
        target=at(server.port, tool="redis-benchmark", data="keep",
                  driver_options={"layout": "string"}),
        workload={"zero_padding": 12, "insert_order": "ordered",
                  "request_distribution": "uniform"},
    )  # fmt: skip
    wanted["phases"].pop("warmup_seconds")
    told = measured(platform, wanted)
    found = told.findings["reconciliation"]
    assert (found["severity"], found["title"]) == ("error", "The client counted misses as found")
    seen = done(told)
    ratio = seen["hits"] / (seen["hits"] + seen["misses"])
    assert ratio == pytest.approx(0.1, abs=0.03)


@pytest.mark.usefixtures("allowed")
def test_a_server_that_does_not_tell_its_counters_is_measured(
    platform: RunningPlatform, server: tuple[OwnRedis, Redis]
) -> None:
    redis, client = server
    client.execute_command("ACL", "SETUSER", "default", "-info")
    try:
        told = measured(platform, experiment("untold", target=at(redis.port)))
    finally:
        client.execute_command("ACL", "SETUSER", "default", "+info")
    assert told.run["status"] == "completed", told.run["failure"]
    assert told.run["reconciliation"]["why_not"] == "not told"
    assert "reconciliation" not in told.findings
    assert "INFO: NOPERM" in told.findings["not-told"]["message"]
