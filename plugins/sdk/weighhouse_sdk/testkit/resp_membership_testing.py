"""What nodes of Redis and its relatives must hold when they are replaced, or leave: subclass
`RespLeaving` beside `resp_testing.RespCluster`; name the plugin.
"""

# ruff: noqa: D102, S101 - a test's name says what it holds, and pytest explains assertions

from pathlib import Path

import pytest

from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.families.resp import ask, info, lines
from weighhouse_sdk.families.resp_cluster import SLOTS, own_line, primary_of, seen_by, slots_in
from weighhouse_sdk.families.resp_replication import slot_of
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.testkit.resp_testing import ASK_SECONDS, RespNodes

KEYS = 300


class RespLeaving(RespNodes):
    """Nodes of a cluster, and replicas of one primary."""

    def test_an_empty_replica_gets_all_that_its_primary_has(self, directory: Path) -> None:
        context, deployed = self.up(2, 2, directory)
        primary, replica = (node.place.address for node in deployed.nodes)
        assert ask(primary, ASK_SECONDS, "SET", "key", "there") == "OK"
        old = deployed.nodes[1].body.pid
        label = self.do(context, deployed, "replace", 2)
        assert label.startswith("node 2: an empty one serves in its place after")
        assert deployed.nodes[1].body.pid != old
        assert info(replica, ASK_SECONDS)["role"] == "slave"
        assert ask(replica, ASK_SECONDS, "GET", "key") == "there"
        assert deployed.ended_by_itself() is None
        self.plugin.stop(context, deployed)

    def test_the_nodes_of_a_cluster_are_replaced_and_leave(self, directory: Path) -> None:
        """One after the other, primaries and replicas, up and dead: no slot and no key is lost."""
        context, deployed = self.up(6, 2, directory)
        places = {node.place.number: node.place for node in deployed.nodes}
        first = next(n for n in places if primary_of(places[n]) == 1)
        identity = own_line(places[1], ASK_SECONDS).identity
        for each in range(KEYS):
            self.write(deployed, f"key-{each}")
        self.do(context, deployed, "kill", 1)
        assert "an empty one serves" in self.do(context, deployed, "replace", 1)
        fresh = own_line(places[1], ASK_SECONDS)
        assert fresh.identity != identity
        assert fresh.follows == own_line(places[first], ASK_SECONDS).identity
        self.holds(deployed, {1, 2, 3, 4, 5, 6})
        assert "has left after" in self.do(context, deployed, "remove", 2)  # A primary, up.
        self.holds(deployed, {1, 3, 4, 5, 6})
        self.do(context, deployed, "kill", 3)
        assert "has left after" in self.do(context, deployed, "remove", 3)  # A primary, dead.
        self.holds(deployed, {1, 4, 5, 6})
        assert "has left after" in self.do(context, deployed, "remove", 1)  # A replica, up.
        self.holds(deployed, {4, 5, 6})
        assert "serves again" in self.do(context, deployed, "restart", 5)
        with pytest.raises(DeployFailed, match="node 2 has left for good"):
            self.do(context, deployed, "start", 2)
        assert deployed.ended_by_itself() is None
        sample = self.plugin.sample(context, deployed)
        assert not any(name.startswith("node 2 ") for name in sample.metrics)
        self.plugin.stop(context, deployed)

    def write(self, deployed: Deployed, key: str) -> None:
        for node in deployed.nodes:
            if slot_of(key) in slots_in(own_line(node.place, ASK_SECONDS).slots):
                assert ask(node.place.address, ASK_SECONDS, "SET", key, "") == "OK"
                return
        pytest.fail(f"nobody has the slot of {key}")

    def holds(self, deployed: Deployed, numbers: set[int]) -> None:
        """These nodes are the cluster: each knows them alone, and they have all slots and keys."""
        there = [node.place for node in deployed.nodes if node.place.number in numbers]
        context = Context.open(self.target(1, 1), there[0].directory.parent / "waiting")
        said: list[str] = []
        for _ in context.attempts(30.0):
            said = [
                f"{place.number}: {told['cluster_state']} {told['cluster_known_nodes']}"
                for place in there
                for told in [lines(place.address, ASK_SECONDS, "CLUSTER", "INFO")]
            ]
            if all(each.endswith(f"ok {len(numbers)}") for each in said):
                break
        else:
            pytest.fail(f"not a cluster of {numbers}: {said}")
        where = {(each.host, each.port) for each in seen_by(there[0].address, ASK_SECONDS)}
        assert where == {place.address[:2] for place in there}
        own = {place.number: own_line(place, ASK_SECONDS) for place in there}
        assert sum(len(list(slots_in(each.slots))) for each in own.values()) == SLOTS
        kept = [
            ask(place.address, ASK_SECONDS, "DBSIZE") for place in there if own[place.number].slots
        ]
        assert sum(each for each in kept if isinstance(each, int)) == KEYS
