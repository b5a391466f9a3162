"""A ring of Cassandra over three machines, on the real server."""

from pathlib import Path

import pytest
from weighhouse_plugin_cassandra import PLUGIN
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder, DriverTarget, PhaseFinished
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target, Topology
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.families.cql import ALL, rows
from weighhouse_sdk.families.ring import EVERYWHERE
from weighhouse_sdk.testkit.spread import Spread, host_of, spread
from weighhouse_sdk.wire import ReplyError

SMALL: dict[str, Scalar] = {"heap_mebibytes": 256, "garbage_collector": "serial"}
PATIENCE_SECONDS = 400.0
ASK_SECONDS = 10.0
LATE = {"timeout", "server_busy"}
"""How operations fail whose nodes had no processor in time: servers give each other two seconds."""
TRIES = 5


def test_three_machines_are_one_ring(tmp_path: Path) -> None:
    target = Target(
        name="c",
        system="cassandra",
        parameters=SMALL,
        topology=Topology(nodes=3, replication_factor=3),
    )
    with spread(PLUGIN, target, 3, tmp_path, PATIENCE_SECONDS) as system:
        addresses = [place.address for place in system.lead.deployed.places]
        assert [each.host for each in addresses] == [host_of(number) for number in (1, 2, 3)]
        assert len({each.port for each in addresses}) == 1, "clients take one port for granted"
        for machine in system.machines:
            assert len(PLUGIN.endpoints(machine.deployed)) == 3
            assert machine.numbers == [machine.deployed.nodes[0].place.number]
        assert any(loaded(system) > 0 for _ in range(TRIES))
        system.fault("kill", 2)
        with pytest.raises((ReplyError, OSError)):
            rows(addresses[0], ASK_SECONDS, EVERYWHERE, consistency=ALL)
        assert "serves again" in system.fault("start", 2).label
        assert rows(addresses[0], ASK_SECONDS, EVERYWHERE, consistency=ALL) == [[]]


def loaded(system: Spread) -> int:
    """Load written to and read from all three copies; operations that went well, where all did. 0:
    some were `LATE`, and none failed otherwise.
    """
    context, deployed = system.lead.context, system.lead.deployed
    order = DriverOrder(
        workload=Workload(
            name="ring",
            record_count=200,
            field_count=2,
            field_length=50,
            operations=OperationMix(read=0.5, update=0.5),
        ),
        target=DriverTarget(
            endpoints=PLUGIN.endpoints(deployed),
            options={**PLUGIN.driver_options(context.target), "timeout_ms": 30_000},
        ),
        load=ClosedLoad(model="closed", clients=2),
        phases=(Phase(kind="load", clients=2), Phase(kind="measure", operation_count=500)),
        seed=7,
        interval_seconds=1.0,
    )
    with DriverRun(PLUGIN.manifest.driver.id, order, context) as run:
        ends = [event for event in run.events() if isinstance(event, PhaseFinished)]
    assert [end.phase for end in ends] == ["load", "measure"]
    every = [totals for end in ends for totals in end.operations.values()]
    failed = {kind for totals in every for kind in totals.errors}
    assert failed <= LATE
    if failed:
        return 0
    assert not any(totals.not_found for totals in every)
    return sum(totals.ok for totals in ends[-1].operations.values())
