"""What Redis and its relatives must hold when somebody else's servers name each other: by addresses
that lead nowhere from here, by one of them, and with reads from their replicas. Real servers.

Subclass `RespAnnounced`; name the plugin.
"""

# ruff: noqa: D102, S101 - a test's name says what it holds, and pytest explains assertions

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import Failed
from weighhouse_protocol.target import Target, Topology

from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.families.resp import ask, lines
from weighhouse_sdk.families.resp_found import READ_FROM, REPLICAS, of_cluster
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.testkit.resp_testing import ASK_SECONDS, RespNodes
from weighhouse_sdk.testkit.ways_in import check_reached, found, loaded
from weighhouse_sdk.wire import Address

RECORDS = 60
NOWHERE, ELSEWHERE = "node-", "192.0.2.10"
"""How names begin that nobody knows; an address of documentation's network (RFC 5737)."""
PRIMARIES, NODES = 3, 6
FROM_REPLICAS: dict[str, Scalar] = {READ_FROM: REPLICAS}


def nowhere(number: int) -> str:
    """A name that is in no directory (RFC 2606)."""
    return f"{NOWHERE}{number}.invalid"


class RespAnnounced(RespNodes):
    """A cluster of three primaries and three replicas, and a primary with a replica."""

    @pytest.fixture(scope="class")
    @classmethod
    def cluster(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
        for deployed in cls().standing(NODES, 2, tmp_path_factory.mktemp("cluster")):
            # Nodes leave a replica out for as long as they have not heard how far it is.
            for node in deployed.nodes:
                cls().tells_all(node.place.address, tmp_path_factory.mktemp("waiting"))
            yield deployed

    @pytest.fixture(scope="class")
    @classmethod
    def pair(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
        yield from cls().standing(2, 2, tmp_path_factory.mktemp("pair"))

    def tells_all(self, address: Address, directory: Path, of: str = "") -> None:
        """Wait until a node of the cluster names all of its nodes."""
        context = self.there((address.endpoint,), directory, (NODES, 2))
        for _ in context.attempts(60.0):
            told = of_cluster(address, ASK_SECONDS)
            if len(told) == NODES and all(each.place.startswith(of) for each in told):
                return
        pytest.fail(f"the nodes that it tells: {told}")

    def standing(self, nodes: int, copies: int, directory: Path) -> Iterator[Deployed]:
        context, deployed = self.up(nodes, copies, directory)
        yield deployed
        self.plugin.stop(context, deployed)
        self.plugin.clean_up(context)

    def there(
        self,
        ends: tuple[str, ...],
        directory: Path,
        topology: tuple[int, int],
        mapped: Mapping[str, str] | None = None,
        options: Mapping[str, Scalar] | None = None,
    ) -> Context:
        """An attempt on what somebody else set up."""
        target = Target(
            name="there",
            system=self.plugin.manifest.id,
            deployment="external",
            endpoints=ends,
            address_map=dict(mapped or {}),
            topology=Topology(nodes=topology[0], replication_factor=topology[1]),
            driver_options=dict(options or {}),
        )
        return Context.open(target, directory / "another")

    def addresses(self, deployed: Deployed) -> list[Address]:
        return [node.place.address for node in deployed.nodes]

    def calls(self, address: Address, command: str) -> int:
        told = lines(address, ASK_SECONDS, "INFO", "commandstats")
        return int(told.get(f"cmdstat_{command}", "calls=0").split(",")[0].partition("=")[2])

    def test_a_cluster_is_found_by_one_node_and_read_from_its_replicas(
        self, cluster: Deployed, tmp_path: Path
    ) -> None:
        (first, *_), nodes = cluster.endpoints, self.addresses(cluster)
        context = self.there((first,), tmp_path, (NODES, 2), options=FROM_REPLICAS)
        check_reached(self.plugin, context, RECORDS)
        roles = [lines(each, ASK_SECONDS, "INFO", "replication")["role"] for each in nodes]
        reads = [self.calls(each, "hgetall") for each in nodes]
        written = [self.calls(each, "hset") for each in nodes]
        assert sorted(roles) == ["master"] * PRIMARIES + ["slave"] * (NODES - PRIMARIES)
        for role, read, wrote in zip(roles, reads, written, strict=True):
            assert (read > 0) == (role == "slave"), (roles, reads)
            assert wrote > 0 or role == "slave"
        told, ends, _ = found(self.plugin, context)
        assert len(told.endpoints) == NODES
        counts = self.plugin.counts(replace(context), told)
        counted = [each.commands["hgetall"].calls for each in counts if "hgetall" in each.commands]
        assert sum(counted) == sum(reads)
        assert ends[0] == first

    def test_what_a_target_says_of_its_layout_is_held_against_the_servers(
        self, cluster: Deployed, pair: Deployed, tmp_path: Path
    ) -> None:
        whole = r"3 primaries and 3 replicas; .* says {} nodes with {} copies"
        for ends, nodes, copies, words in (
            (cluster.endpoints[:1], 1, 1, whole.format(1, 1)),
            (cluster.endpoints[:1], 3, 1, whole.format(3, 1)),
            (pair.endpoints[:1], 3, 3, "1 primaries and 1 replicas; .* says 3 nodes"),
            (pair.endpoints[1:], 2, 2, "is a primary, and the target says that there are replicas"),
        ):
            context = self.there(ends, tmp_path, (nodes, copies))
            deployed = self.plugin.deploy(context)
            with pytest.raises(DeployFailed, match=words):
                self.plugin.find_nodes(context, deployed)

    def test_reads_go_to_the_replica_and_nothing_else_does(
        self, pair: Deployed, tmp_path: Path
    ) -> None:
        primary, replica = self.addresses(pair)
        plain = self.there(pair.endpoints[:1], tmp_path, (2, 2))
        check_reached(self.plugin, plain, RECORDS)
        before = [self.calls(each, "hgetall") for each in (primary, replica)]
        assert before[0] > 0
        assert before[1] == 0
        context = self.there(pair.endpoints[:1], tmp_path, (2, 2), options=FROM_REPLICAS)
        check_reached(self.plugin, context, RECORDS)
        assert self.calls(primary, "hgetall") == before[0]
        assert self.calls(replica, "hgetall") > 0

    def test_names_that_lead_nowhere_are_reached_by_a_map(
        self, cluster: Deployed, tmp_path: Path
    ) -> None:
        nodes = self.addresses(cluster)
        for number, each in enumerate(nodes):
            for setting, value in (
                ("cluster-announce-hostname", nowhere(number)),
                ("cluster-preferred-endpoint-type", "hostname"),
            ):
                ask(each, ASK_SECONDS, "CONFIG", "SET", setting, value)
        self.tells_all(nodes[0], tmp_path / "waiting", NOWHERE)
        mapped = {
            f"{nowhere(number)}:{each.port}": each.endpoint for number, each in enumerate(nodes)
        }
        first = cluster.endpoints[:1]
        context = self.there(first, tmp_path, (NODES, 2), mapped, FROM_REPLICAS)
        before = [self.calls(each, "hgetall") for each in nodes]
        check_reached(self.plugin, context, RECORDS)
        reads = [self.calls(each, "hgetall") for each in nodes]
        more = [after > was for after, was in zip(reads, before, strict=True)]
        assert sum(more) == NODES - PRIMARIES
        without = self.there(first, tmp_path / "without", (NODES, 2))
        *_, last = loaded(self.plugin, without, first)
        assert isinstance(last, Failed)
        assert NOWHERE in last.message

    def test_an_address_that_leads_nowhere_is_reached_by_a_map(
        self, pair: Deployed, tmp_path: Path
    ) -> None:
        primary, replica = self.addresses(pair)
        ask(replica, ASK_SECONDS, "CONFIG", "SET", "replica-announce-ip", ELSEWHERE)
        ask(replica, ASK_SECONDS, "CLIENT", "KILL", "TYPE", "master")
        mapped = {f"{ELSEWHERE}:{replica.port}": replica.endpoint}
        first = pair.endpoints[:1]
        context = self.there(first, tmp_path, (2, 2), mapped, FROM_REPLICAS)
        for _ in context.attempts(60.0):
            told = lines(primary, ASK_SECONDS, "INFO", "replication").get("slave0", "")
            if f"ip={ELSEWHERE}," in told and "state=online" in told:
                break
        before = self.calls(replica, "hgetall")
        check_reached(self.plugin, context, RECORDS)
        assert self.calls(replica, "hgetall") > before
        without = self.there(first, tmp_path / "without", (2, 2), options=FROM_REPLICAS)
        *_, last = loaded(self.plugin, without, first)
        assert isinstance(last, Failed)
        assert f"{ELSEWHERE}:{replica.port}, which is on no host" in last.message
