"""What Redis and its relatives must hold when their nodes know nothing of each other and the client
spreads the keys, tried against the real servers. Subclass `RespClientSharding`, name the plugin.
"""

# ruff: noqa: D102, S101 - a test's name says what it holds, and pytest explains assertions

from pathlib import Path

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import PhaseFinished, Ready
from weighhouse_protocol.target import Target, Topology

from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.families.resp import ask, info
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.resp_testing import ASK_SECONDS, RespNodes
from weighhouse_sdk.testkit.spread import spread
from weighhouse_sdk.wire import Address

RECORDS = 2000
CLIENTS = 2
"""Of the order that the kit makes."""


def keys(address: Address) -> int:
    """How many a server has."""
    found = ask(address, ASK_SECONDS, "DBSIZE")
    assert isinstance(found, int)
    return found


class RespClientSharding(RespNodes):
    """Several processes, none of which is told of another."""

    def strangers(self, nodes: int, **options: Scalar) -> Target:
        """So many processes; by default keys are spread by ketama."""
        chosen = {"hashing": "ketama", **options}
        return self.target(nodes, 1).model_copy(update={"driver_options": chosen})

    def begun(self, target: Target, directory: Path) -> tuple[Context, Deployed]:
        """Deploy, and wait until all serve."""
        context = Context.open(target, directory)
        deployed = self.plugin.deploy(context)
        self.plugin.wait_ready(context, deployed)
        return context, deployed

    def loaded(self, context: Context, deployed: Deployed, seconds: float | None = None) -> int:
        """Load records, all of them well; how many connections the driver has."""
        ends = self.plugin.endpoints(deployed)
        options = self.plugin.driver_options(context.target)
        order = order_for(ends, options, measure_seconds=seconds, records=RECORDS)
        with DriverRun(self.plugin.manifest.driver.id, order, context) as run:
            events = list(run.events())
        finished = [event for event in events if isinstance(event, PhaseFinished)]
        assert finished
        for end in finished:
            assert not any(each.errors or each.not_found for each in end.operations.values())
        return next(event.connections for event in events if isinstance(event, Ready))

    @pytest.mark.parametrize("hashing", ["ketama", "modulo"])
    def test_two_processes_share_the_keys_and_know_of_nobody(
        self, hashing: str, directory: Path
    ) -> None:
        context, deployed = self.begun(self.strangers(2, hashing=hashing), directory)
        addresses = [node.place.address for node in deployed.nodes]
        assert self.plugin.endpoints(deployed) == tuple(each.endpoint for each in addresses)
        assert self.plugin.driver_options(context.target) == {"hashing": hashing}
        assert self.loaded(context, deployed, seconds=0.5) == 2 * CLIENTS
        held = [keys(address) for address in addresses]
        assert sum(held) == RECORDS
        assert min(held) > RECORDS * 0.4
        memory = self.plugin.memory(context, deployed)
        assert memory.records == RECORDS
        told = [info(address, ASK_SECONDS) for address in addresses]
        assert (memory.used_bytes or 0) > max(int(each["used_memory"]) for each in told)
        for each in told:
            assert (each["role"], each["connected_slaves"]) == ("master", "0")
            assert each["cluster_enabled"] == "0"
            assert each["keyspace_misses"] == "0", "nobody was asked for another's key"
        metrics = self.plugin.sample(context, deployed).metrics
        assert [metrics[f"node {number} keys"] for number in (1, 2)] == held
        for node in deployed.nodes:
            assert self.plugin.peer_ends(node.place) == ()
            assert node.place.directory.parent == context.data_directory
        self.plugin.stop(context, deployed)

    def test_what_happens_to_one_happens_to_it_alone(self, directory: Path) -> None:
        target = self.strangers(3)
        logged = {**target.parameters, "appendonly": True, "appendfsync": "always"}
        target = target.model_copy(update={"parameters": logged})
        context, deployed = self.begun(target, directory)
        self.loaded(context, deployed)
        addresses = [node.place.address for node in deployed.nodes]
        held = [keys(address) for address in addresses]
        assert self.do(context, deployed, "kill", 2) == "node 2: killed"
        memory = self.plugin.memory(context, deployed)
        assert memory.records == held[0] + held[2], "of those that are up"
        assert "serves again" in self.do(context, deployed, "start", 2)
        assert [keys(address) for address in addresses] == held, "each keeps a log of its own"
        self.loaded(context, deployed, seconds=0.5)
        self.plugin.stop(context, deployed)

    def test_processes_may_be_on_several_machines(self, tmp_path: Path) -> None:
        with spread(self.plugin, self.strangers(4), 2, tmp_path) as system:
            assert [each.numbers for each in system.machines] == [[1, 3], [2, 4]]
            self.loaded(system.lead.context, system.lead.deployed)
            here = [self.plugin.memory(each.context, each.deployed) for each in system.machines]
            assert sum(each.records or 0 for each in here) == RECORDS

    def test_servers_of_somebody_else_share_keys_too(self, directory: Path, tmp_path: Path) -> None:
        context, deployed = self.begun(self.strangers(2), directory)
        target = Target(
            name="there",
            system=self.plugin.manifest.id,
            deployment="external",
            endpoints=deployed.endpoints,
            driver_options={"hashing": "ketama"},
        )
        there, found = self.begun(target, tmp_path / "there")
        assert self.loaded(there, found) == 2 * CLIENTS
        assert self.plugin.memory(there, found).records == RECORDS
        self.plugin.stop(context, deployed)

    def test_what_does_not_go_together_is_refused_by_name(self) -> None:
        def problems(target: Target) -> list[tuple[str, str]]:
            with pytest.raises(TargetInvalid) as caught:
                self.plugin.check_target(target)
            return list(caught.value.problems)

        self.plugin.check_target(self.strangers(1))
        self.plugin.check_target(self.strangers(2))
        two = Topology(nodes=2, replication_factor=2)
        ((path, message),) = problems(self.strangers(2).model_copy(update={"topology": two}))
        assert path == "topology"
        assert "the replication factor is 1, not 2" in message
        ((path, _),) = problems(self.strangers(2, scan_index="lex"))
        assert path == "driver_options.scan_index"
        ((path, message),) = problems(self.strangers(2, hashing="cluster"))
        assert path == "driver_options.hashing"
        assert message == "`cluster` is not one of: none, ketama, modulo"
        assert self.plugin.manifest.topology.lacks(self.strangers(2)) == ("scan", "multi_get")

    def test_with_one_process_there_is_nothing_to_spread(self) -> None:
        assert self.plugin.driver_options(self.strangers(1)) == {}
        said = f"{self.plugin.manifest.id}-keys-by-client"
        for target, concerned in [(self.strangers(2), True), (self.strangers(1), False)]:
            found = {each.id for each in self.plugin.manifest.concerning(target)}
            assert (said in found) is concerned
