"""A database in a container: its life, what it is told of itself, what is done to it."""

import dataclasses
import os
from pathlib import Path

import pytest
from redis import ConnectionError as Broken
from redis import Redis
from redis import TimeoutError as Silent
from redis.backoff import NoBackoff
from redis.retry import Retry
from weighhouse_plugin_memcached import PLUGIN as MEMCACHED
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.target import Limits, Target, Topology
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import DeployFailed, NotReady, SystemFailed, VersionMissing
from weighhouse_sdk.machine.cgroups import group_of
from weighhouse_sdk.machine.images import ImageMissing
from weighhouse_sdk.serving.startup import addresses_of
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.testing import processes_below


def say(deployed, *words, timeout=5.0):
    address = deployed.nodes[0].place.address
    host, port = address.host, address.port
    once = Retry(NoBackoff(), 0)
    with Redis(host, port, socket_timeout=timeout, retry=once, decode_responses=True) as client:
        return client.execute_command(*words)


def fill(deployed, megabytes):
    for number in range(megabytes):
        say(deployed, "SET", f"key{number}", "x" * 1_000_000)


def opened(context, **changes) -> Context:
    """The same directory for a target that differs."""
    target = context.target.model_copy(update=changes)
    return Context.open(target, context.directory, options=context.options)


def test_whole_life(context, plugin, client):
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    [container] = client.containers.list()
    assert container.labels["weighhouse.directory"] == str(context.directory)
    assert container.labels["weighhouse.node"] == "redis"
    described = plugin.describe(context, deployed)
    settings = {each.name: each for each in described.settings}
    assert described.version == deployed.version == say(deployed, "INFO")["redis_version"]
    assert settings["container.image"].value.startswith(f"docker.io/{context.target.image} sha256:")
    assert settings["appendonly"].source == "experiment"
    assert not [n for n, s in settings.items() if s.source in ("system", "unknown")]
    assert "--entrypoint redis-server" in described.commands[0]
    before = plugin.memory(context, deployed)
    samples = [plugin.sample(context, deployed)]
    order = order_for(plugin.endpoints(deployed), {}, measure_seconds=1.0)
    with DriverRun("resp", order, context) as run:
        events = [event.event for event in run.events()]
    assert events[-1] == "finished"
    samples.append(plugin.sample(context, deployed))
    assert samples[1].cpu_seconds > samples[0].cpu_seconds
    assert samples[1].metrics["keys"] > 0
    assert plugin.memory(context, deployed).used_bytes > before.used_bytes
    assert list((context.data_directory / "appendonlydir").glob("*.incr.aof"))
    stopped = plugin.stop(context, deployed)
    assert stopped.exit_codes == (0,)
    assert not stopped.killed
    assert client.containers.list(all=True) == []
    log = (context.log_directory / "redis.log").read_text(encoding="utf-8")
    assert "Ready to accept connections" in log
    assert "bye bye" in log
    assert "bye bye" in deployed.processes[0].log_tail(1)[0]
    assert plugin.clean_up(context).ended == ()
    assert {path.name for path in context.directory.iterdir()} == {"logs"}


def test_it_is_a_process_like_any_other(context, plugin, deployed):
    """Same address, same directory, no more rights than a process of the same user."""
    body = deployed.processes[0]
    status = Path(f"/proc/{body.pid}/status").read_text(encoding="ascii")
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    owner = str(context.data_directory.stat().st_uid)
    assert set(lines["Uid"].split()) == {owner}
    assert owner != "0"
    assert (lines["CapBnd"], lines["NoNewPrivs"]) == ("0000000000000000", "1")
    assert Path(f"/proc/{body.pid}/cwd").readlink() == context.data_directory
    own, theirs = (Path(f"/proc/{each}/ns/net").readlink() for each in ("self", body.pid))
    assert own == theirs
    assert body.pids == {body.pid, 1}
    assert deployed.endpoints[0].startswith("tcp://127.0.0.1:")


def test_processors_are_kept(context, plugin):
    cpu = max(os.sched_getaffinity(0))
    options = dataclasses.replace(context.options, server_cpus=frozenset({cpu}))
    pinned = Context.open(context.target, context.directory, options=options)
    deployed = plugin.deploy(pinned)
    assert os.sched_getaffinity(deployed.processes[0].pid) == {cpu}
    plugin.stop(pinned, deployed)


def test_limits_are_kept_and_told(context, plugin):
    limited = opened(context, limits=Limits(memory_mebibytes=48, cpus=0.5))
    deployed = plugin.deploy(limited)
    plugin.wait_ready(limited, deployed)
    kept = {"limits.memory": "48 MiB", "limits.cpus": "0.5"}
    assert group_of(deployed.processes[0].pid).limits() == kept
    settings = {each.name: each for each in plugin.describe(limited, deployed).settings}
    told = {name: settings[name].value for name in kept}
    assert told == kept
    assert {settings[name].source for name in kept} == {"experiment"}
    assert {settings[name].default for name in kept} == {"unlimited"}
    plugin.stop(limited, deployed)


def test_an_end_by_the_limit_says_so(context, plugin):
    parameters = {"save": "", "appendonly": False}
    limits = Limits(memory_mebibytes=24)
    limited = opened(context, limits=limits, parameters=parameters)
    deployed = plugin.deploy(limited)
    plugin.wait_ready(limited, deployed)
    with pytest.raises(Broken):
        fill(deployed, megabytes=100)
    assert deployed.processes[0].wait(20) == -9
    with pytest.raises(SystemFailed, match=r"its limit of memory \(24 MiB\)"):
        plugin.sample(limited, deployed)
    plugin.stop(limited, deployed)


def test_kill_and_start_keep_the_data(context, plugin, deployed):
    say(deployed, "SET", "key", "value")
    first = deployed.processes[0]
    assert plugin.fault(context, deployed, Fault(at_seconds=0, verb="kill")).label
    assert first.exit_code == -9
    assert plugin.fault(context, deployed, Fault(at_seconds=0, verb="kill")).label.endswith(
        "had ended already"
    )
    assert deployed.ended_by_itself() is None
    assert plugin.sample(context, deployed).cpu_seconds == 0
    done = plugin.fault(context, deployed, Fault(at_seconds=0, verb="start"))
    assert "serves again" in done.label
    assert deployed.processes[0].pid != first.pid
    assert say(deployed, "GET", "key") == "value"
    log = (context.log_directory / "redis.log").read_text(encoding="utf-8")
    assert "Ready to accept connections" in log, "the killed one's log is kept"


def test_restart_is_an_orderly_end_and_a_start(context, plugin, deployed):
    say(deployed, "SET", "key", "value")
    first = deployed.processes[0]
    plugin.fault(context, deployed, Fault(at_seconds=0, verb="restart"))
    assert first.exit_code == 0
    assert say(deployed, "GET", "key") == "value"


def test_pause_keeps_the_container_and_silences_it(context, plugin, deployed):
    for _ in range(2):
        plugin.fault(context, deployed, Fault(at_seconds=0, verb="pause"))
    body = deployed.processes[0]
    assert body.exit_code is None
    with pytest.raises(Silent):
        say(deployed, "PING", timeout=0.2)
    assert plugin.sample(context, deployed).metrics == {}
    for _ in range(2):
        plugin.fault(context, deployed, Fault(at_seconds=0, verb="resume"))
    assert say(deployed, "PING")


@pytest.mark.parametrize("verb", ["kill", "stop"])
def test_a_paused_one_can_be_ended(context, plugin, deployed, verb):
    plugin.fault(context, deployed, Fault(at_seconds=0, verb="pause"))
    plugin.fault(context, deployed, Fault(at_seconds=0, verb=verb))
    assert deployed.processes[0].exit_code == (-9 if verb == "kill" else 0)


def test_a_server_behind_another_program(context, plugin):
    """Not the container's first process, and silent about its version: both are found out."""
    image = plugin.manifest.image.model_copy(update={"program": "wrapped-redis"})
    wrapped = type(plugin)(plugin.manifest.model_copy(update={"image": image}))
    assert wrapped.check_host(context.target, context.options).version == "unknown"
    deployed = wrapped.deploy(context)
    wrapped.wait_ready(context, deployed)
    body = deployed.processes[0]
    assert len(body.pids) > 2
    assert wrapped.describe(context, deployed).version == wrapped.version_served(
        addresses_of(context, deployed)[0], 5.0
    )
    say(deployed, "SET", "key", "x" * 20_000_000)
    assert body.usage().resident_bytes > 20_000_000, "the server's memory, not its parent's"
    other = opened(context, version="0.0.1")
    with pytest.raises(VersionMissing):
        wrapped.wait_ready(other, deployed)
    wrapped.stop(context, deployed)


def test_version_is_asked_of_the_image(context, plugin, client):
    installed = plugin.check_host(context.target, context.options)
    assert installed.version[0].isdigit()
    wanted = context.target.model_copy(update={"version": "0.0.1"})
    with pytest.raises(VersionMissing, match=installed.version):
        plugin.check_host(wanted, context.options)
    assert client.containers.list(all=True) == []


def test_a_missing_image_is_named_with_the_cure(context, plugin):
    wanted = opened(context, image="weighhouse-test/nowhere:1")
    with pytest.raises(ImageMissing, match=r"docker\.io/weighhouse-test/nowhere:1") as told:
        plugin.deploy(wanted)
    assert "pull_images" in told.value.hint
    assert told.value.failure().kind == "missing_binary"
    options = dataclasses.replace(context.options, pull_images=True)
    pulling = Context.open(
        wanted.target.model_copy(update={"image": "127.0.0.1:1/nowhere:1"}),
        context.directory,
        options=options,
    )
    with pytest.raises(ImageMissing, match="cannot be pulled"):
        plugin.deploy(pulling)


def test_a_program_that_is_not_in_the_image(context, plugin, client):
    image = plugin.manifest.image.model_copy(update={"program": "no-such-server"})
    odd = type(plugin)(plugin.manifest.model_copy(update={"image": image}))
    with pytest.raises(DeployFailed, match="no-such-server"):
        odd.deploy(context)
    assert client.containers.list(all=True) == []


def test_an_engine_that_does_not_answer(context, plugin, tmp_path):
    options = dataclasses.replace(context.options, docker_host=f"unix://{tmp_path}/none.sock")
    with pytest.raises(DeployFailed, match="no answer from Docker") as told:
        plugin.deploy(Context.open(context.target, tmp_path / "other", options=options))
    assert "machine.docker_host" in told.value.hint


def test_refused_parameters_show_the_servers_own_words(context, plugin):
    refused = opened(context, parameters={"activedefrag": True})
    deployed = plugin.deploy(refused)
    with pytest.raises(NotReady, match="has ended with 1") as told:
        plugin.wait_ready(refused, deployed)
    assert "Active defragmentation cannot be enabled" in "\n".join(told.value.log_lines)
    plugin.stop(refused, deployed)


def test_memcached_too(options, tmp_path, client, context):
    target = Target(name="m", system="memcached", deployment="docker", image=context.target.image)
    other = Context.open(target, tmp_path / "memcached", options=options)
    deployed = MEMCACHED.deploy(other)
    MEMCACHED.wait_ready(other, deployed)
    assert MEMCACHED.describe(other, deployed).version == deployed.version
    stopped = MEMCACHED.stop(other, deployed)
    assert stopped.exit_codes == (0,)
    MEMCACHED.clean_up(other)
    assert not processes_below(other.directory)


def test_nodes_in_containers_become_a_cluster(context, plugin, client):
    limits = Limits(memory_mebibytes=64)
    several = opened(context, topology=Topology(nodes=3), limits=limits)
    deployed = plugin.deploy(several)
    plugin.wait_ready(several, deployed)
    assert len(client.containers.list()) == 3
    assert len(plugin.describe(several, deployed).commands) == 3
    plugin.fault(several, deployed, Fault(at_seconds=0, verb="kill", node=2))
    assert (
        "serves again"
        in plugin.fault(several, deployed, Fault(at_seconds=0, verb="start", node=2)).label
    )
    assert plugin.stop(several, deployed).exit_codes == (0, 0, 0)
    assert client.containers.list(all=True) == []
