"""More than a server takes is refused before a load begins, on the real server."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from weighhouse_agent.attempt.compatibility import check_ceilings, check_memory
from weighhouse_agent.attempt.driver_plan import DriverPlan
from weighhouse_agent.machine.facts import memory_bytes
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.registry import load_plugin

MAXIMA: dict[str, tuple[str, dict[str, Scalar]]] = {
    "redis": ("maxclients", {}),
    "memcached": ("maxconns", {"max_connections": 50}),
}
"""System → the setting, and parameters that make it small."""


@pytest.mark.parametrize("system", sorted(MAXIMA))
def test_clients_are_held_against_what_the_server_takes(
    system: str, tmp_path: Path, order: Callable[..., AttemptOrder]
) -> None:
    plugin = load_plugin(system)
    name, parameters = MAXIMA[system]
    target = Target(name="t", system=system, parameters=parameters)
    context = Context.open(target, tmp_path / "attempt")
    with contextlib.ExitStack() as after:
        after.callback(plugin.clean_up, context)
        deployed = plugin.deploy(context)
        after.callback(plugin.stop, context, deployed)
        plugin.wait_ready(context, deployed)
        settings = plugin.describe(context, deployed).settings
    takes = int(next(each.value for each in settings if each.name == name))
    fitting = order(system=system, load={"model": "closed", "clients": takes - 1})
    check_ceilings(fitting, target, plugin.manifest, settings)
    for load in (
        {"model": "closed", "clients": takes},
        {"model": "open", "rate_per_second": 10, "connections": takes},
    ):
        with pytest.raises(TargetInvalid, match=rf"takes {takes:,} \({name}\)") as told:
            check_ceilings(order(system=system, load=load), target, plugin.manifest, settings)
        assert f"raise {name}" in told.value.hint
        field = "clients" if load["model"] == "closed" else "connections"
        assert told.value.problems[0][0] == f"load.{field}"


def test_of_somebody_elses_server_records_are_held_against_what_it_tells(
    tmp_path: Path, order: Callable[..., AttemptOrder]
) -> None:
    plugin = load_plugin("memcached")
    context = Context.open(Target(name="m", system="memcached"), tmp_path / "theirs")
    with contextlib.ExitStack() as after:
        after.callback(plugin.clean_up, context)
        deployed = plugin.deploy(context)
        after.callback(plugin.stop, context, deployed)
        plugin.wait_ready(context, deployed)
        there = Target(
            name="t", system="memcached", deployment="external", endpoints=deployed.endpoints
        )
        asked = Context.open(there, tmp_path / "external")
        settings = plugin.describe(asked, plugin.deploy(asked)).settings
    workload = {"name": "w", "record_count": 10, "field_count": 2, "field_length": 600_000}
    wanted = order(system="memcached", workload=workload)
    with pytest.raises(TargetInvalid, match=r"workload\.field_length: .* \(item_size_max\)"):
        check_ceilings(wanted, there, plugin.manifest, settings)
    check_ceilings(wanted, there, plugin.manifest, ())


def test_a_load_that_this_machines_memory_cannot_hold_is_refused_before_a_server_runs(
    tmp_path: Path, order: Callable[..., AttemptOrder]
) -> None:
    there = memory_bytes()
    total = Path("/proc/meminfo").read_text().split("MemTotal:")[1].split()[0]
    assert 0 < there <= int(total) * 1024
    for clients, refused in ((1000, True), (100, False)):
        load = {"model": "closed", "clients": clients, "pipeline": 8}
        # A thousand clients come to twice the memory.
        length = there // 4000
        workload = {
            "name": "w", "field_count": 1, "field_length": length,
            "operations": {"read": 0.5, "update": 0.5},
        }  # fmt: skip
        wanted = order(system="redis", load=load, workload=workload)
        target = Target(name="t", system="redis", driver_options={"layout": "string"})
        context = Context.open(target, tmp_path / f"{clients}")
        plan = DriverPlan(wanted, target, load_plugin("redis"), context)
        if refused:
            with pytest.raises(TargetInvalid, match="GiB of requests and replies at once"):
                check_memory(wanted, there)
            with pytest.raises(TargetInvalid) as told:
                plan.check()
            assert told.value.problems[0][0] == "load.clients"
            assert "fewer clients" in told.value.hint
        else:
            plan.check()
