"""Systems but Redis that held records of somebody's: those are read, and stay as they were."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Failed, PhaseFinished
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.registry import load_plugin
from weighhouse_testing.agents import policy_of
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.told import measured

FOREIGN = 100_000
RECORDS = 1000
SEED = 11
POLICY = 'deployments = ["external"]\nnetworks = ["127.0.0.0/8"]\n'
SMALL: Mapping[str, Mapping[str, Scalar]] = {
    "memcached": {"memory_mebibytes": 512},
    "cassandra": {"heap_mebibytes": 768},
}
"""Parameters with which 100,000 records fit, and the machine holds the system."""


@dataclass(frozen=True)
class Theirs:
    """A system of somebody else's, with records in it."""

    plugin: Plugin
    context: Context
    endpoints: tuple[str, ...]

    def drive(self, phase: Phase, **workload: Any) -> dict[str, int]:
        """What a driver by hand came to in a phase over their records: outcome → count."""
        order = DriverOrder(
            workload=Workload(
                name="theirs", record_count=FOREIGN, insert_order="ordered", field_count=2,
                **workload,
            ),
            target=DriverTarget(
                endpoints=self.endpoints, options=self.plugin.driver_options(self.context.target)
            ),
            load=ClosedLoad(clients=16),
            phases=(phase,),
            seed=SEED,
        )  # fmt: skip
        driver = self.plugin.manifest.driver.id
        told: dict[str, int] = {}
        with DriverRun(driver, order, self.context, name="by-hand") as run:
            for event in run.events():
                assert not isinstance(event, Failed), event
                if isinstance(event, PhaseFinished):
                    for totals in event.operations.values():
                        told = {
                            "ok": totals.ok,
                            "not_found": totals.not_found,
                            "errors": sum(totals.errors.values()),
                            "verify_failed": totals.verify_failed,
                        }
        return told

    def intact(self) -> None:
        """Every record is there, each value as it was written: its checksum says so."""
        told = self.drive(
            Phase(kind="measure", operation_count=FOREIGN),
            operations={"read": 1.0}, request_distribution="sequential", verify_fraction=1.0,
        )  # fmt: skip
        assert told == {"ok": FOREIGN, "not_found": 0, "errors": 0, "verify_failed": 0}


@pytest.fixture(params=["memcached", "cassandra"])
def theirs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Theirs]:
    """The system is up, and holds 100,000 records."""
    name = request.param
    plugin = load_plugin(name)
    target = Target(name="theirs", system=name, parameters=dict(SMALL[name]))
    context = Context.open(target, tmp_path / "theirs")
    try:
        deployed = plugin.deploy(context)
        plugin.wait_ready(context, deployed)
        found = Theirs(plugin, context, plugin.endpoints(deployed))
        assert found.drive(Phase(kind="load", clients=16))["ok"] == FOREIGN
        yield found
        plugin.stop(context, deployed)
    finally:
        plugin.clean_up(context)


@pytest.fixture
def experiment(theirs: Theirs) -> Callable[..., dict[str, Any]]:
    """Makes one run against it."""

    def make(slug: str, data: str, **workload: Any) -> dict[str, Any]:
        document: dict[str, Any] = yaml.safe_load(
            small_experiment(slug, repetitions=1, measure_seconds=1.0, records=RECORDS)
        )
        system = theirs.plugin.manifest.id
        document["targets"][0] = {
            "name": "theirs", "system": system, "deployment": "external", "data": data,
            "endpoints": list(theirs.endpoints),
        }  # fmt: skip
        document["workloads"][0] |= {"insert_order": "ordered", "field_count": 2, **workload}
        return document

    return make


def test_records_of_others_are_read_and_stay(
    platform: RunningPlatform, theirs: Theirs, experiment: Callable[..., dict[str, Any]]
) -> None:
    name = theirs.plugin.manifest.id
    with policy_of(platform, POLICY):
        kept = experiment(f"held-keep-{name}", "keep", record_count=FOREIGN, operations={"read": 1})
        told = measured(platform, kept)
        assert told.run["status"] == "completed", told.run["failure"]
        found = told.findings["data-found"]
        assert (found["severity"], found["numbers"]["found"]) == ("info", 1000), found
        assert told.every["not_found"] == 0
        theirs.intact()
        mix = {"read": 0.4, "update": 0.2, "insert": 0.2, "delete": 0.2}
        beside = experiment(f"held-beside-{name}", "fresh", operations=mix, key_prefix="{b}:user%s")
        told = measured(platform, beside)
        assert told.run["status"] == "completed", told.run["failure"]
        assert told.every["errors"] == 0
        if name == "memcached":  # it counts what it holds
            assert told.findings["data-found"]["numbers"]["held_before"] == FOREIGN
        theirs.intact()
