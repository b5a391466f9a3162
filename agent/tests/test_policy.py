"""What a machine accepts."""

import os
import signal
from pathlib import Path

import pytest
from weighhouse_agent.machine.policy import (
    Policy,
    PolicyFile,
    PolicyRefused,
    check_image,
    check_order,
)
from weighhouse_protocol.manifest import load_manifest
from weighhouse_protocol.order import OrderLink
from weighhouse_protocol.target import Target
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, ended
from .protocol_server import Server

OPEN = {"model": "open", "rate_per_second": 5000, "connections": 64}
OUTSIDE = {"deployment": "external", "endpoints": ("tcp://198.51.100.7:6379",)}


def policy(text: str, tmp_path: Path) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(text)
    return PolicyFile(path).read()


@pytest.mark.parametrize(
    ("text", "wanted", "key"),
    [
        ('plugins = ["redis"]', {}, "plugins"),
        ('plugins = ["scale"]', {"tool": "redis-benchmark"}, "plugins"),
        ('deployments = ["in_process"]', {}, "deployments"),
        ("max_run_seconds = 30", {"limit_seconds": 31.0}, "max_run_seconds"),
        ("max_rate_per_second = 4999", {"load": OPEN}, "max_rate_per_second"),
        ("max_clients = 63", {"load": OPEN}, "max_clients"),
        ("max_clients = 7", {"load": {"model": "closed", "clients": 8}}, "max_clients"),
        ("", OUTSIDE, "deployments"),
        ('deployments = ["external"]', OUTSIDE, "networks"),
        ('[machine]\nhost = "0.0.0.0"', {}, "networks"),
    ],
)
def test_refusals_name_the_line(
    text: str, wanted: dict[str, object], key: str, tmp_path: Path, order: MakeOrder
) -> None:
    with pytest.raises(PolicyRefused) as told:
        check_order(policy(text, tmp_path), order(**wanted))
    assert f"`{key}`" in told.value.hint
    assert told.value.failure().kind == "policy"


def test_what_follows_in_a_chain_is_held_against_the_policy_too(
    tmp_path: Path, order: MakeOrder
) -> None:
    follows = OrderLink.model_validate(
        {
            "workload": {"name": "next"},
            "load": OPEN,
            "phases": [{"kind": "measure", "duration_seconds": 1}],
        }
    )
    wanted = order(load={"model": "closed", "clients": 2})
    check_order(policy("max_clients = 63", tmp_path), wanted)
    with pytest.raises(PolicyRefused) as told:
        check_order(
            policy("max_clients = 63", tmp_path), wanted.model_copy(update={"chain": (follows,)})
        )
    assert "`max_clients`" in told.value.hint


MANIFEST = load_manifest(
    Path(__file__).parents[2] / "plugins/redis/weighhouse_plugin_redis/plugin.toml"
)


@pytest.mark.parametrize(
    ("text", "image", "allowed"),
    [
        ("", "", True),
        ("", "{own}", True),
        ("", "redis:7.0.0", False),
        ("", "docker.io/library/redis@sha256:00", False),
        ("images = []", "", False),
        ('images = ["docker.io/library/redis:*"]', "redis:7.0.0", True),
        ('images = ["docker.io/library/redis:*"]', "library/redis:7.0.0", True),
        ('images = ["docker.io/library/redis:*"]', "example.com/library/redis:7.0.0", False),
        ('images = ["docker.io/library/redis:*"]', "somebody/redis:7.0.0", False),
        ('images = ["*"]', "example.com/x", True),
        ('images = ["ours:5000/*:1"]', "ours:5000/redis", False),
    ],
)
def test_images_are_the_plugins_own_or_those_that_are_named(
    text: str, image: str, allowed: bool, tmp_path: Path
) -> None:
    own = MANIFEST.image
    assert own is not None
    target = Target(
        name="r", system="redis", deployment="docker", image=image.format(own=own.image)
    )
    judged = policy(text, tmp_path)
    if allowed:
        check_image(judged, target, MANIFEST)
        return
    with pytest.raises(PolicyRefused) as told:
        check_image(judged, target, MANIFEST)
    assert "`images`" in told.value.hint
    assert told.value.failure().kind == "policy"


def test_images_are_no_matter_of_processes(tmp_path: Path) -> None:
    check_image(policy("images = []", tmp_path), Target(name="r", system="redis"), MANIFEST)


def test_what_is_within_passes(tmp_path: Path, order: MakeOrder) -> None:
    text = 'plugins = ["scale"]\nmax_clients = 64\nmax_rate_per_second = 5000\n'
    text += "max_run_seconds = 600"
    wanted = order(load=OPEN)
    assert check_order(policy(text, tmp_path), wanted).target == wanted.target


def test_a_tool_passes_when_it_is_named_too(tmp_path: Path, order: MakeOrder) -> None:
    wanted = order(tool="redis-benchmark")
    for text in ('plugins = ["scale", "redis-benchmark"]', 'plugins = ["*"]'):
        assert check_order(policy(text, tmp_path), wanted).target == wanted.target


def test_a_name_stays_beside_the_addresses_that_were_checked(
    tmp_path: Path, order: MakeOrder
) -> None:
    wanted = order(deployment="external", endpoints=("tcp://localhost:6379", "unix:///run/x"))
    text = 'deployments = ["external"]\n'
    with pytest.raises(PolicyRefused, match="/run/x"):
        check_order(policy(text, tmp_path), wanted)
    target, hosts = check_order(policy(text + 'paths = ["/run"]', tmp_path), wanted)
    assert target.endpoints == ("tcp://localhost:6379", "unix:///run/x")
    assert set(hosts["localhost"]) <= {"127.0.0.1", "::1"}
    assert hosts["localhost"]


@pytest.mark.parametrize("endpoint", ["tcp://", "tcp://127.0.0.1:port", "nonsense"])
def test_endpoints_without_a_host_are_refused(
    endpoint: str, tmp_path: Path, order: MakeOrder
) -> None:
    wanted = order(deployment="external", endpoints=(endpoint,))
    with pytest.raises(PolicyRefused):
        check_order(policy('deployments = ["external"]', tmp_path), wanted)


@pytest.mark.parametrize(
    "text", ["plugin = []", "max_clients = 0", "networks = ['10.0.0.0/99']", "["]
)
def test_a_file_that_is_not_understood_accepts_nothing(text: str, tmp_path: Path) -> None:
    with pytest.raises(PolicyRefused, match="cannot be understood"):
        policy(text, tmp_path)
    assert PolicyFile(tmp_path / "policy.toml").statement().plugins == ()


def test_without_a_file_only_this_machine_is_reached(tmp_path: Path) -> None:
    stated = PolicyFile(tmp_path / "none").statement()
    assert stated.networks == ("127.0.0.0/8", "::1/128")
    assert "external" not in stated.deployments


def test_the_processors_that_are_left_go_to_the_measured(tmp_path: Path) -> None:
    options = policy("[machine]\nagent_cpus = [0]\ndriver_cpus = [1]", tmp_path).host_options()
    assert options.driver_cpus == {1}
    assert options.server_cpus is None or 0 not in options.server_cpus
    assert policy("", tmp_path).host_options().server_cpus is None


def test_agent_and_measured_keep_to_their_processors(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    agent.home.policy.write_text("[machine]\nagent_cpus = [0]")
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it measures", lambda: "measure" in attempt.phases(), every=0.02)
    others = set(range(os.cpu_count() or 1)) - {0}
    assert os.sched_getaffinity(agent.attempt_pid(wanted.attempt_id)) == {0}
    assert agent.process is not None
    assert os.sched_getaffinity(agent.process.pid) == {0}
    measured = [os.sched_getaffinity(pid) for pid in agent.processes()]
    assert len(measured) == 2
    assert all(cpus <= (others or {0}) for cpus in measured)


def test_the_example_is_valid_and_says_the_defaults() -> None:
    path = Path(__file__).parents[2] / "infra" / "agent" / "policy.toml"
    assert PolicyFile(path).read() == Policy()


def test_a_refusal_is_the_runs_failure_and_nothing_is_deployed(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    agent.home.policy.write_text('plugins = ["redis"]')
    attempt = server.platform.offer(order())
    agent.start()
    until("it ends", lambda: ended(attempt))
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert attempt.completion.failure.kind == "policy"
    assert attempt.events == []
    assert server.platform.sessions[0].policy.plugins == ("redis",)
    agent.home.policy.unlink()  # read anew for each attempt
    after = server.platform.offer(order(measure_seconds=0.1))
    until("it ends", lambda: ended(after))
    assert after.completion is not None
    assert after.completion.outcome == "completed"
    assert agent.signal(signal.SIGTERM) == 0
