"""What a manifest says that a record takes is what the real server takes for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from weighhouse_judging.findings.sizes import footprint_of
from weighhouse_plugin_memcached import PLUGIN as MEMCACHED
from weighhouse_plugin_redis import PLUGIN as REDIS
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder, DriverTarget
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.lifecycle import Plugin

RECORDS = 10_000
NEAR, TABLES_BYTES = 0.04, 32
"""What the figures may be off: tables of keys and of fields double at some numbers of them, and the
old one stays until all have moved.
"""


@dataclass(frozen=True)
class Loaded:
    """A server after a load."""

    records: int | None
    """Those it says it holds."""
    each_bytes: float
    """What it says it took for one that was acknowledged."""


def loaded(plugin: Plugin, target: Target, workload: Workload, directory: Path) -> Loaded:
    directory.mkdir(exist_ok=True)
    context = Context.open(target, directory / "attempt")
    try:
        deployed = plugin.deploy(context)
        plugin.wait_ready(context, deployed)
        empty = plugin.memory(context, deployed, None)
        order = DriverOrder(
            workload=workload,
            target=DriverTarget(endpoints=deployed.endpoints, options=target.driver_options),
            load=ClosedLoad(clients=2),
            phases=(Phase(kind="load", operation_count=workload.record_count, clients=2),),
            seed=7,
        )
        with DriverRun(plugin.manifest.driver.id, order, context) as run:
            kept = sum(
                totals.ok
                for event in run.events()
                if event.event == "phase_finished"
                for totals in event.operations.values()
            )
        full = plugin.memory(context, deployed, None)
        taken = (full.used_bytes or 0) - (empty.used_bytes or 0)
        return Loaded(full.records, taken / kept)
    finally:
        plugin.clean_up(context)


def footprint(plugin: Plugin, target: Target, workload: Workload) -> int:
    found = footprint_of(Facts(target, plugin.manifest), workload)
    assert found is not None
    return found.bytes_of(workload)


@pytest.mark.parametrize(
    ("layout", "fields", "length"),
    [
        ("hash", 10, 100), ("hash", 10, 20), ("hash", 1, 65), ("hash", 1, 1024), ("hash", 50, 100),
        ("string", 10, 100), ("string", 1, 32),
    ],
)  # fmt: skip
def test_redis_takes_what_its_manifest_says(
    layout: str, fields: int, length: int, tmp_path: Path
) -> None:
    options: Mapping[str, Scalar] = {"layout": layout}
    target = Target(name="r", system="redis", parameters={"save": ""}, driver_options=options)
    workload = Workload(
        name="w", record_count=RECORDS, field_count=fields, field_length=length
    )  # fmt: skip
    took = loaded(REDIS, target, workload, tmp_path).each_bytes
    assert footprint(REDIS, target, workload) == pytest.approx(took, rel=NEAR, abs=TABLES_BYTES)


@pytest.mark.parametrize("length", [1000, 2000])
def test_memcached_holds_what_its_manifest_says(length: int, tmp_path: Path) -> None:
    """So many records and a tenth less fit into what it is given, and a tenth more do not."""
    target = Target(name="m", system="memcached", parameters={"memory_mebibytes": 32})
    one = Workload(name="w", field_count=1, field_length=length)
    fit = 32 * 2**20 / footprint(MEMCACHED, target, one)
    kept = {}
    for share in (0.9, 1.1):
        many = one.model_copy(update={"record_count": int(fit * share)})
        found = loaded(MEMCACHED, target, many, tmp_path / str(share))
        kept[share] = (found.records or 0) / many.record_count
    assert kept[0.9] == 1.0
    assert kept[1.1] < 1.0
