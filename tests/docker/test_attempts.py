"""A whole attempt of the agent, with its database in a container."""

import subprocess
import sys
from uuid import uuid4

import pytest
from weighhouse_agent.attempt.process import CARRIED_OUT, clean
from weighhouse_agent.machine.home import Home
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import Completion
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.testing import processes_below
from weighhouse_testing.platform import until

from .conftest import IMAGE

MEASURES = '"phase":"measure"'


def spooled(directory) -> str:
    return directory.spool.read_text(encoding="utf-8")


def order(**target) -> AttemptOrder:
    return AttemptOrder.model_validate(
        {
            **{name: uuid4() for name in ("attempt_id", "run_id", "campaign_id")},
            "fence": 1,
            "attempt_token": "wht_x",
            "target": {"name": "r", "system": "redis", "deployment": "docker", **target},
            "workload": {"name": "mixed", "operations": {"read": 0.5, "update": 0.5}},
            "load": {"model": "closed", "clients": 2},
            "phases": [
                {"kind": "load", "clients": 2},
                {"kind": "measure", "duration_seconds": 1.0},
            ],
            "interval_seconds": 0.2,
            "sample_seconds": 0.2,
            "seed": 7,
            "limit_seconds": 120.0,
        }
    )


@pytest.fixture
def ordered(tmp_path, docker_host, client):
    """Writes an order and a policy to where an attempt finds them; the attempt's directory."""

    def write(order, policy):
        home = Home(tmp_path / "agent")
        home.prepare()
        home.policy.write_text(f'{policy}\n[machine]\ndocker_host = "{docker_host}"\n')
        directory = home.attempt(order.attempt_id)
        directory.logs.mkdir(parents=True)
        directory.order.write_text(order.model_dump_json())
        return directory

    return write


@pytest.fixture
def carried_out(ordered):
    """Carries an order out in a process of its own, under a policy; its directory and outcome."""

    def carry(order, policy):
        directory = ordered(order, policy)
        subprocess.run(
            [sys.executable, "-m", "weighhouse_agent.attempt.process", str(directory.path)],
            check=True,
            timeout=200,
        )
        text = directory.outcome.read_text(encoding="utf-8")
        return directory, Completion.model_validate_json(text)

    return carry


def test_an_attempt_in_a_container(carried_out, client):
    directory, done = carried_out(
        order(image=IMAGE, limits={"memory_mebibytes": 256}),
        'deployments = ["docker"]\nimages = ["docker.io/weighhouse-test/*"]',
    )
    assert done.failure is None
    assert done.outcome == "completed"
    events = spooled(directory)
    assert '"limits.memory"' in events
    assert "256 MiB" in events
    assert "Ready to accept" in (directory.logs / "redis.log").read_text(encoding="utf-8")
    assert client.containers.list(all=True) == []
    assert clean(directory) == CARRIED_OUT


def test_a_killed_attempt_is_cleaned_up_by_the_next(ordered, client):
    """Attempt and fork server are killed alike; whoever comes next knows the directory alone."""
    wanted = order(image=IMAGE, limits={"memory_mebibytes": 256})
    measure = wanted.phases[1].model_copy(update={"duration_seconds": 300.0})
    directory = ordered(
        wanted.model_copy(update={"phases": (wanted.phases[0], measure), "limit_seconds": 400.0}),
        'deployments = ["docker"]\nimages = ["docker.io/weighhouse-test/*"]',
    )
    words = [sys.executable, "-m", "weighhouse_agent.attempt.process", str(directory.path)]
    with child(words):
        until("measured", lambda: directory.spool.exists() and MEASURES in spooled(directory))
    [container] = client.containers.list()
    assert container.labels["weighhouse.directory"] == str(directory.system)
    assert len(processes_below(directory.system)) == 2
    assert clean(directory) == CARRIED_OUT
    assert client.containers.list(all=True) == []
    assert processes_below(directory.system) == []
    assert not (directory.system / "data").exists()


@pytest.mark.parametrize(
    ("policy", "key"),
    [
        ('deployments = ["process"]', "deployments"),
        ('deployments = ["docker"]', "images"),
        ('deployments = ["docker"]\nimages = []', "images"),
        ('deployments = ["docker"]\nimages = ["docker.io/library/*"]', "images"),
    ],
)
def test_what_the_policy_does_not_name_is_never_started(carried_out, client, policy, key):
    _, done = carried_out(order(image=IMAGE), policy)
    assert done.failure.kind == "policy"
    assert f"`{key}`" in done.failure.hint
    assert client.containers.list(all=True) == []


def test_the_plugins_own_image_is_allowed_but_not_pulled(carried_out):
    _, done = carried_out(order(), 'deployments = ["docker"]')
    assert done.failure.kind == "missing_binary"
    assert "docker.io/library/redis:" in done.failure.message
    assert "pull_images" in done.failure.hint
