"""What Redis and its relatives must hold when their nodes are on several machines, tried against
the real servers. Subclass `RespSpreadReplicas`, and `RespSpreadCluster` where the plugin makes
clusters; name the plugin.
"""

# ruff: noqa: D102, PLR2004, S101 - a test's name says what it holds, and pytest explains assertions

from pathlib import Path

import pytest
from weighhouse_protocol.driver import PhaseFinished

from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import DeployFailed, TargetInvalid
from weighhouse_sdk.families.resp import ask, info
from weighhouse_sdk.families.resp_cluster import SLOTS, seen_by, slots_in
from weighhouse_sdk.places import ELSEWHERE
from weighhouse_sdk.testkit.resp_testing import ASK_SECONDS, RespNodes, order_for
from weighhouse_sdk.testkit.spread import Spread, host_of, spread


class RespSpreadNodes(RespNodes):
    """What the tests of several machines begin with."""

    def loaded(self, system: Spread) -> int:
        """A second of load over all nodes; operations that went well, where all did."""
        context, deployed = system.lead.context, system.lead.deployed
        order = order_for(self.plugin, context, deployed, seconds=1.0)
        with DriverRun(self.plugin.manifest.driver.id, order, context) as run:
            ends = [event for event in run.events() if isinstance(event, PhaseFinished)]
        assert [end.phase for end in ends] == ["load", "measure"]
        for end in ends:
            assert not any(totals.errors for totals in end.operations.values())
        return sum(totals.ok for totals in ends[-1].operations.values())


class RespSpreadReplicas(RespSpreadNodes):
    """One primary, its replicas on other machines."""

    def test_replicas_on_other_machines_follow(self, tmp_path: Path) -> None:
        with spread(self.plugin, self.target(3, 3), 3, tmp_path) as system:
            assert [each.numbers for each in system.machines] == [[1], [2], [3]]
            primary, *replicas = (
                node.place.address for m in system.machines for node in m.deployed.nodes
            )
            told = info(primary, ASK_SECONDS)
            assert (told["role"], told["connected_slaves"]) == ("master", "2")
            for replica in replicas:
                told = info(replica, ASK_SECONDS)
                assert (told["role"], told["master_host"]) == ("slave", host_of(1))
            for machine in system.machines:
                assert self.plugin.endpoints(machine.deployed) == (primary.endpoint,)
            assert self.loaded(system) > 0
            assert "killed" in system.fault("kill", 3).label
            assert "serves again" in system.fault("start", 3).label
            assert info(replicas[1], ASK_SECONDS)["master_link_status"] == "up"

    def test_a_machine_that_is_told_of_too_few_nodes_starts_none(self, tmp_path: Path) -> None:
        context = Context.open(
            self.target(3, 3), tmp_path, options=HostOptions(host=host_of(1)), own_nodes=(1,)
        )
        with pytest.raises(DeployFailed, match=r"nodes 1 to 3, told of: \[1\]"):
            self.plugin.deploy(context)
        assert context.leftovers() == ()
        self.plugin.clean_up(context)


class RespSpreadCluster(RespSpreadNodes):
    """A cluster over three machines."""

    def test_three_machines_are_one_cluster(self, tmp_path: Path) -> None:
        with spread(self.plugin, self.target(3, 1), 3, tmp_path) as system:
            for machine in system.machines:
                (node,) = machine.deployed.nodes
                seen = seen_by(node.place.address, ASK_SECONDS)
                assert {each.host for each in seen} == {host_of(each) for each in (1, 2, 3)}
                assert sum(len(list(slots_in(each.slots))) for each in seen) == SLOTS
                assert self.plugin.endpoints(machine.deployed) == tuple(
                    place.address.endpoint for place in machine.deployed.places
                )
                sample = self.plugin.sample(machine.context, machine.deployed)
                own = f"node {node.place.number} used_memory"
                told = [name for name in sample.metrics if name.endswith("used_memory")]
                assert told == [own], "each machine looks at its own"
                elsewhere = [place for place in machine.deployed.places if place != node.place]
                assert {place.directory for place in elsewhere} == {ELSEWHERE}
            assert self.loaded(system) > 0
            assert "serves again" in system.fault("restart", 2).label
            with pytest.raises(TargetInvalid, match="nodes of this machine are: 1"):
                self.plugin.fault(system.lead.context, system.lead.deployed, self.verb("kill", 2))

    def test_replicas_are_on_other_machines_than_their_primaries(self, tmp_path: Path) -> None:
        with spread(self.plugin, self.target(6, 2), 3, tmp_path) as system:
            assert [each.numbers for each in system.machines] == [[1, 4], [2, 5], [3, 6]]
            for machine in system.machines:
                for node in machine.deployed.nodes:
                    told = info(node.place.address, ASK_SECONDS)
                    if told["role"] == "slave":
                        assert told["master_host"] != node.place.address.host
                        assert told["master_link_status"] == "up"
            assert self.loaded(system) > 0
            place = next(each for each in system.lead.deployed.places if each.number == 5)
            assert ask(place.address, ASK_SECONDS, "DBSIZE") != 0, "its primary is elsewhere"

    def test_a_node_comes_back_while_another_machines_is_down(self, tmp_path: Path) -> None:
        with spread(self.plugin, self.target(6, 2), 3, tmp_path) as system:
            system.fault("kill", 5)
            system.fault("kill", 4)
            assert "serves again" in system.fault("start", 4).label
            assert "serves again" in system.fault("start", 5).label
