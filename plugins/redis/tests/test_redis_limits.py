"""Redis within limits of memory and processor time."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import ConnectionError as Broken
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from weighhouse_plugin_redis import PLUGIN
from weighhouse_protocol.target import Limits, Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed, SystemFailed
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.machine.cgroups import Hierarchies

LIMITS = Limits(memory_mebibytes=24, cpus=0.75)


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    target = Target(name="r", system="redis", limits=LIMITS, parameters={"save": ""})
    context = Context.open(target, tmp_path / "attempt")
    yield context
    PLUGIN.clean_up(context)


def fill(deployed: Deployed, megabytes: int) -> None:
    place = deployed.nodes[0].place.address
    with Redis(place.host, place.port, retry=Retry(NoBackoff(), 0)) as client:
        for number in range(megabytes):
            client.set(f"key{number}", "x" * 1_000_000)


def test_limits_are_kept_told_and_blamed(
    context: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = Hierarchies.found().problem(LIMITS)
    if problem is not None:
        with pytest.raises(DeployFailed, match="cannot keep the limits"):
            PLUGIN.deploy(context)
        with capsys.disabled():
            sys.stderr.write(f"\nlimits are only seen refused: {problem}; run the tests as root")
        return
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    settings = {each.name: each for each in PLUGIN.describe(context, deployed).settings}
    told = {name: settings[name].value for name in ("limits.memory", "limits.cpus")}
    assert told == {"limits.memory": "24 MiB", "limits.cpus": "0.75"}
    assert settings["limits.memory"].source == "experiment"
    with pytest.raises(Broken):
        fill(deployed, megabytes=100)
    assert deployed.processes[0].wait(120) == -9
    with pytest.raises(SystemFailed, match=r"has ended with -9: .* limit of memory \(24 MiB\)"):
        PLUGIN.sample(context, deployed)
    PLUGIN.stop(context, deployed)
    PLUGIN.clean_up(context)
    assert PLUGIN.leftovers(context) == ()
