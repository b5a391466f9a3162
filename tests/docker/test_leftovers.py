"""What a killed agent leaves of containers is found, and nothing else is touched."""

import signal
import subprocess
import sys

import pytest
from weighhouse_protocol.target import Limits
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine.cgroups import group_of
from weighhouse_sdk.machine.procfs import is_alive, wait_for_end

from .conftest import IMAGE

AGENT = """
import sys
from pathlib import Path
from weighhouse_plugin_redis import PLUGIN
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, HostOptions
target, directory, host = sys.argv[1:]
context = Context.open(Target.model_validate_json(target), Path(directory),
    options=HostOptions(docker_host=host))
deployed = PLUGIN.deploy(context)
PLUGIN.wait_ready(context, deployed)
print("ready", flush=True)
sys.stdin.read()
"""
"""An agent to be killed. Arguments: target, directory, Docker's address."""


@pytest.fixture
def bystander(client):
    """A container that somebody else runs, with a label like ours."""
    container = client.containers.run(
        IMAGE, entrypoint=["sleep"], command=["600"], detach=True, network_mode="host",
        labels={"weighhouse.node": "redis"},
    )  # fmt: skip
    yield container
    container.remove(force=True)


@pytest.fixture
def neighbour(target, tmp_path, options, plugin):
    """Another attempt's database, deployed and serving."""
    context = Context.open(target, tmp_path / "neighbour", options=options)
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    yield deployed
    plugin.stop(context, deployed)
    plugin.clean_up(context)


def killed_agent(context) -> None:
    """Deploy in another process, and kill it with SIGKILL once the database serves."""
    words = (context.target.model_dump_json(), str(context.directory), context.options.docker_host)
    agent = subprocess.Popen(
        [sys.executable, "-c", AGENT, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with agent:
        assert agent.stdout.readline() == "ready\n"
        agent.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("paused", [False, True])
def test_a_killed_agents_container_is_removed_and_nothing_else(
    context, plugin, client, bystander, neighbour, paused
):
    limited = context.target.model_copy(update={"limits": Limits(memory_mebibytes=64)})
    context = Context.open(limited, context.directory, options=context.options)
    killed_agent(context)
    [left] = plugin.leftovers(context)
    assert (left.kind, left.name) == ("container", "redis")
    assert is_alive(left.pid, left.start_ticks), "a container outlives whoever started it"
    groups = group_of(left.pid).directories
    assert all(each.exists() for each in groups)
    if paused:
        named = {"label": f"weighhouse.directory={context.directory}"}
        client.containers.list(filters=named)[0].pause()
    # The next start of the agent knows the directory and nothing more.
    later = Context.open(context.target, context.directory, options=HostOptions(stop_seconds=5))
    assert plugin.clean_up(later).ended == (left,)
    assert not is_alive(left.pid, left.start_ticks)
    assert not any(each.exists() for each in groups)
    assert plugin.leftovers(later) == ()
    assert plugin.clean_up(later).ended == ()
    assert not context.data_directory.exists()
    log = (context.log_directory / "redis.log").read_text(encoding="utf-8")
    assert "bye bye" in log
    assert neighbour.processes[0].exit_code is None
    bystander.reload()
    assert bystander.status == "running"


def test_one_that_ended_is_a_leftover_too(context, plugin, client):
    killed_agent(context)
    [left] = plugin.leftovers(context)
    [container] = client.containers.list()
    container.kill()
    wait_for_end(left.pid, 20)
    container.wait()
    assert [each.pid for each in plugin.clean_up(context).ended] == [0]
    assert client.containers.list(all=True) == []


def test_an_engine_that_is_down_is_no_clean_machine(context, plugin, tmp_path):
    """Nobody knows then what is left: the records stay, and it is said."""
    killed_agent(context)
    [record] = (context.directory / "containers").iterdir()
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace(context.options.docker_host, f"unix://{tmp_path}/gone.sock"))
    with pytest.raises(DeployFailed, match="no answer from Docker"):
        plugin.clean_up(context)
    record.write_text(text)
    assert len(plugin.clean_up(context).ended) == 1
