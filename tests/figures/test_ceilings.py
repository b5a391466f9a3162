"""What manifests say that systems take at most, on the systems: what is let through they take, and
of one byte more both say no.
"""

import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.ceilings import record_errors
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Failed, PhaseFinished
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit import at_hand


@dataclass(frozen=True)
class Running:
    """A system that runs, and what it says of itself."""

    target: Target
    context: Context
    deployed: Deployed

    @property
    def facts(self) -> Facts:
        plugin = load_plugin(self.target.system)
        settings = plugin.describe(self.context, self.deployed).settings
        told = {each.name: each.value for each in settings}
        return Facts(self.target, plugin.manifest, settings=told)

    def loads(self, workload: Workload) -> dict[str, int]:
        """What became of inserting the workload's records: outcome → count."""
        plugin = load_plugin(self.target.system)
        options = plugin.driver_options(self.target)
        order = DriverOrder(
            workload=workload,
            target=DriverTarget(endpoints=self.deployed.endpoints, options=options),
            load=ClosedLoad(clients=1),
            phases=(Phase(kind="load", clients=1),),
            seed=7,
        )
        told: dict[str, int] = {}
        with DriverRun(plugin.manifest.driver.id, order, self.context) as run:
            for event in run.events():
                assert not isinstance(event, Failed), event
                if isinstance(event, PhaseFinished):
                    for totals in event.operations.values():
                        told |= {"ok": totals.ok} if totals.ok else {}
                        told |= totals.errors
        return told


Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as after:

        def running(system: str, **target: Any) -> Running:
            wanted = Target(name="t", system=system, **target)
            plugin = load_plugin(system)
            context = Context.open(wanted, tmp_path / f"{system}-{wanted.deployment}")
            after.callback(plugin.clean_up, context)
            deployed = plugin.deploy(context)
            after.callback(plugin.stop, context, deployed)
            plugin.wait_ready(context, deployed)
            return Running(wanted, context, deployed)

        yield running


def one(**said: Any) -> Workload:
    base: dict[str, Any] = {
        "name": "w", "record_count": 1, "insert_order": "ordered", "insert_retry_limit": 0,
    }  # fmt: skip
    return Workload.model_validate(base | said)


def hold(running: Running, fits: Workload, beyond: Workload, refused: Mapping[str, int]) -> None:
    """The rule says of both, before and after the server was asked, what the server does."""
    draft = Facts(running.target, running.facts.manifest)
    for facts in (draft, running.facts):
        assert list(record_errors(fits, facts)) == []
        assert len(list(record_errors(beyond, facts))) == 1
    assert running.loads(fits) == {"ok": 1}
    assert running.loads(beyond) == refused


MEMCACHED: list[tuple[dict[str, Scalar], int]] = [
    ({}, 524_256),
    ({"cas": False}, 524_260),
    ({"max_item_bytes": 1_572_864}, 786_400),
]
"""Parameters → bytes of each of two fields that just fit, beside a key of five."""


@pytest.mark.parametrize(("parameters", "length"), MEMCACHED)
def test_memcached_takes_items_of_its_size(
    parameters: dict[str, Scalar], length: int, start: Start
) -> None:
    running = start("memcached", parameters=parameters)
    fits, beyond = (one(field_count=2, field_length=each) for each in (length, length + 1))
    hold(running, fits, beyond, {"too_large": 1})


def test_memcached_takes_keys_of_250_bytes(start: Start) -> None:
    running = start("memcached")
    series = {
        "series_keys": 1,
        "key_length": 100,
        "tag_cardinalities": [1],
        "tag_value_length": 100,
    }
    fits, beyond = (one(field_count=1, time_series=series, key_prefix="p" * many)
                    for many in (38, 39))  # fmt: skip
    hold(running, fits, beyond, {"other": 1})


def test_redis_takes_arguments_of_the_length_that_it_says(start: Start) -> None:
    """A server of somebody else's, who has set it: before it is asked nothing is known."""
    theirs = start("redis", parameters={"save": ""})
    port = theirs.deployed.endpoints[0].rpartition(":")[2]
    command = ["redis-cli", "-p", port, "config", "set", "proto-max-bulk-len", "1048576"]
    subprocess.run(command, check=True, capture_output=True)
    there = start(
        "redis", deployment="external", endpoints=theirs.deployed.endpoints,
        driver_options={"layout": "string"},
    )  # fmt: skip
    fits, beyond = (one(field_count=2, field_length=each) for each in (524_288, 524_289))
    assert list(record_errors(beyond, Facts(there.target, there.facts.manifest))) == []
    (error,) = record_errors(beyond, there.facts)
    assert "takes 1,048,576 (proto-max-bulk-len)" in error.message
    assert list(record_errors(fits, there.facts)) == []
    assert there.loads(fits) == {"ok": 1}
    # It answers with an error and hangs up, whichever the driver sees first.
    assert there.loads(beyond).keys() <= {"too_large", "connection"}


def test_cassandra_takes_half_a_segment_of_its_log(start: Start) -> None:
    parameters = {"commitlog_segment_mebibytes": 1, "heap_mebibytes": 512}
    running = start("cassandra", parameters=parameters)
    fits, beyond = (one(field_count=1, field_length=each) for each in (524_227, 524_228))
    hold(running, fits, beyond, {"other": 1})


def test_ferretdb_takes_what_a_message_holds(start: Start, request: pytest.FixtureRequest) -> None:
    at_hand.server(
        request, "ferretdb", "WEIGHHOUSE_FERRETDB", "infra/build/ferretdb.sh builds it with Go"
    )
    running = start("ferretdb")
    fits, beyond = (one(field_count=60, field_length=799_983, key_prefix="k" * each)
                    for each in (6, 7))  # fmt: skip
    hold(running, fits, beyond, {"other": 1})
