"""What Redis and its relatives must hold beside the kit, tried against the real servers.

Subclass `RespReplicas`, and `RespCluster` where the plugin makes clusters, or `RespAlone` where it
makes neither, beside `testing.PluginConformance`; name the plugin.
"""

# ruff: noqa: D102, PLR2004, S101 - a test's name says what it holds, and pytest explains assertions

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Interval, PhaseFinished
from weighhouse_protocol.faults import Fault, FaultVerb
from weighhouse_protocol.load import OpenLoad, Phase
from weighhouse_protocol.target import Target, Topology
from weighhouse_protocol.workload import OperationMix, Workload

from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.families import resp_cluster, resp_replication
from weighhouse_sdk.families.resp import ask, converse, info
from weighhouse_sdk.families.resp_cluster import SLOTS, seen_by
from weighhouse_sdk.families.resp_server import RespServer
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.machine.process import Command, Reservation
from weighhouse_sdk.testkit.testing import processes_below
from weighhouse_sdk.wire import Address, ReplyError

ASK_SECONDS = 5.0
RECORDS = 2000
ROUNDS = 20
"""What might come out well by chance is tried so often."""
READY_SECONDS = 30.0


class RespNodes:
    """What the tests of several nodes begin with."""

    plugin: ClassVar[RespServer]

    def target(self, nodes: int, copies: int) -> Target:
        """So many nodes that find out soon when one of them is gone."""
        quick = {
            "repl_diskless_sync_delay_seconds": 0,
            "cluster_node_timeout_ms": 1000,
            "save": "",
        }
        known = self.plugin.manifest.parameters["properties"]
        assert isinstance(known, dict)
        return Target(
            name="several",
            system=self.plugin.manifest.id,
            topology=Topology(nodes=nodes, replication_factor=copies),
            parameters={name: value for name, value in quick.items() if name in known},
        )

    @pytest.fixture
    def directory(self, tmp_path: Path) -> Iterator[Path]:
        """Where the nodes live; all of it is cleaned up in the end."""
        where = tmp_path / "attempt"
        yield where
        self.plugin.clean_up(Context.open(self.target(1, 1), where))
        assert not processes_below(where)

    def up(self, nodes: int, copies: int, directory: Path) -> tuple[Context, Deployed]:
        """Deploy so many nodes, and wait until they are one system."""
        context = Context.open(self.target(nodes, copies), directory)
        deployed = self.plugin.deploy(context)
        self.plugin.wait_ready(context, deployed)
        return context, deployed

    def verb(self, verb: FaultVerb, node: int) -> Fault:
        """To be done at once."""
        return Fault(at_seconds=0, verb=verb, node=node)

    def do(self, context: Context, deployed: Deployed, verb: FaultVerb, node: int) -> str:
        """Carry a verb out; what it says of it."""
        return self.plugin.fault(context, deployed, self.verb(verb, node)).label

    def await_ready(self, context: Context, deployed: Deployed) -> None:
        """Ask the plugin, at shorter intervals than it does itself, until nothing is missing."""
        places = [node.place for node in deployed.nodes]
        missing: str | None = "never asked"
        for _ in context.attempts(READY_SECONDS, every_seconds=0.005):
            try:
                missing = self.plugin.missing(places, ASK_SECONDS)
            except (OSError, ReplyError) as error:
                missing = str(error)
            if missing is None:
                return
        pytest.fail(f"not ready: {missing}")

    def streams(
        self, context: Context, deployed: Deployed, *, primary: int, replica: int, key: str
    ) -> None:
        """Write to a primary, freeze it, and hold that its replica gets what was written: what it
        streams had left it before its answer to the next question, what it holds back never comes.
        """
        first, second = (deployed.nodes[number - 1].place for number in (primary, replica))
        writes = [("SET", key, "there"), ("PING",)]
        look = [*([("READONLY",)] if resp_cluster.is_cluster(second) else []), ("EXISTS", key)]
        assert converse(first.address, ASK_SECONDS, *writes) == ["OK", "PONG"]
        self.do(context, deployed, "pause", primary)
        for _ in context.attempts(ASK_SECONDS):
            with contextlib.suppress(ReplyError):  # A cluster that lost its primary is down.
                if converse(second.address, ASK_SECONDS, *look)[-1] == 1:
                    break
        else:
            pytest.fail(f"{second.name} does not get what {first.name} took: {key}")
        self.do(context, deployed, "resume", primary)


class RespAlone(RespNodes):
    """One server."""

    def test_servers_of_somebody_else_are_used_as_they_are(
        self, directory: Path, tmp_path: Path
    ) -> None:
        context, deployed = self.up(1, 1, directory)
        target = Target(
            name="there",
            system=self.plugin.manifest.id,
            deployment="external",
            endpoints=deployed.endpoints,
        )
        other = Context.open(target, tmp_path / "other")
        found = self.plugin.deploy(other)
        self.plugin.wait_ready(other, found)
        assert self.plugin.describe(other, found).version == deployed.version
        assert self.plugin.memory(other, found).used_bytes
        assert self.plugin.sample(other, found).metrics["keys"] == 0
        ends = self.drive(other, found)
        assert sum(totals.ok for totals in ends.operations.values()) > 0
        assert self.plugin.sample(other, found).metrics["keys"] == RECORDS
        self.plugin.stop(other, found)
        self.plugin.clean_up(other)
        assert ask(deployed.nodes[0].place.address, ASK_SECONDS, "PING") == "PONG"
        self.plugin.stop(context, deployed)

    def drive(self, context: Context, deployed: Deployed) -> PhaseFinished:
        """A second of load; how it ended."""
        order = order_for(self.plugin, context, deployed, seconds=1.0)
        with DriverRun(self.plugin.manifest.driver.id, order, context) as run:
            ends = [event for event in run.events() if isinstance(event, PhaseFinished)]
        return ends[-1]


class RespReplicas(RespAlone):
    """A primary with replicas."""

    def test_replicas_have_what_the_primary_was_told(self, directory: Path) -> None:
        context, deployed = self.up(3, 3, directory)
        primary, *replicas = (node.place.address for node in deployed.nodes)
        assert self.plugin.endpoints(deployed) == (primary.endpoint,)
        assert self.plugin.driver_options(context.target) == {}
        assert ask(primary, ASK_SECONDS, "SET", "key", "value") == "OK"
        assert ask(primary, ASK_SECONDS, "INCR", "counter") == 1
        for replica in replicas:
            assert info(replica, ASK_SECONDS)["role"] == "slave"
        self.await_copies(context, deployed, "counter")
        metrics = self.plugin.sample(context, deployed).metrics
        assert [metrics[f"node {number} primary"] for number in (1, 2, 3)] == [1, 0, 0]
        assert [metrics[f"node {number} link_up"] for number in (2, 3)] == [1, 1]
        for node in deployed.nodes:
            assert self.plugin.peer_ends(node.place) == (node.place.address,)
        self.plugin.stop(context, deployed)

    def test_a_replica_comes_back_and_catches_up(self, directory: Path) -> None:
        context, deployed = self.up(2, 2, directory)
        primary, replica = (node.place.address for node in deployed.nodes)
        assert self.do(context, deployed, "kill", 2) == "node 2: killed"
        assert self.plugin.sample(context, deployed).metrics["node 1 primary"] == 1
        assert ask(primary, ASK_SECONDS, "SET", "key", "while it was away") == "OK"
        assert "serves again" in self.do(context, deployed, "start", 2)
        self.await_copies(context, deployed, "key")
        assert ask(replica, ASK_SECONDS, "GET", "key") == "while it was away"
        assert "serves again" in self.do(context, deployed, "restart", 1)
        assert info(primary, ASK_SECONDS)["connected_slaves"] == "1"
        self.plugin.stop(context, deployed)

    def test_a_replica_gets_all_that_is_written_from_ready_on(self, directory: Path) -> None:
        """A primary may hold its stream back long after a replica calls its link up."""
        context, deployed = self.up(2, 2, directory)
        address, replica = (node.place.address for node in deployed.nodes)
        slow_to_notice(address, replica)
        for each in range(ROUNDS):
            # A write of its own, and it can have nothing but all of the primary's data.
            ask(replica, ASK_SECONDS, "REPLICAOF", "NO", "ONE")
            ask(replica, ASK_SECONDS, "SET", "its own", "")
            ask(replica, ASK_SECONDS, "REPLICAOF", address.host, str(address.port))
            self.await_ready(context, deployed)
            self.streams(context, deployed, primary=1, replica=2, key=f"written-{each}")
        first = deployed.nodes[0].place
        assert resp_replication.acknowledged(first, 2, ASK_SECONDS) == 1, "a second there is not"
        assert ask(address, ASK_SECONDS, "DBSIZE") == ROUNDS, "nothing is left of what it wrote"
        self.plugin.stop(context, deployed)

    def await_copies(self, context: Context, deployed: Deployed, key: str) -> None:
        """Wait until every node has a key."""
        for node in deployed.nodes:
            for _ in context.attempts(ASK_SECONDS):
                if ask(node.place.address, ASK_SECONDS, "EXISTS", key) == 1:
                    break
            else:
                pytest.fail(f"{node.place.name} never got {key}")


class RespCluster(RespNodes):
    """A Redis Cluster."""

    def test_a_cluster_is_one_system(self, directory: Path) -> None:
        context, deployed = self.up(6, 2, directory)
        self.plugin.wait_ready(context, deployed)  # Once more changes nothing.
        assert len(self.plugin.endpoints(deployed)) == 6
        assert self.plugin.driver_options(context.target) == {"cluster": True}
        places = [node.place for node in deployed.nodes]
        roles = [info(place.address, ASK_SECONDS)["role"] for place in places]
        assert roles == ["master"] * 3 + ["slave"] * 3
        shares = [
            sum(slots_of(each.slots) for each in seen_by(place.address, ASK_SECONDS))
            for place in places
        ]
        assert shares == [SLOTS] * 6
        ports = {end.port for place in places for end in self.plugin.peer_ends(place)}
        assert len(ports) == 12
        second = tuple(Address(place.address.host, place.peer_port or 0) for place in places)
        assert {place.peer_addresses for place in places} == {second}
        settings = {each.name: each for each in self.plugin.describe(context, deployed).settings}
        assert settings["cluster-enabled"].value == "yes"
        assert settings["cluster-enabled"].source == "place"
        unexplained = [
            each.name for each in settings.values() if each.source in ("system", "unknown")
        ]
        assert not unexplained
        stopped = self.plugin.stop(context, deployed)
        assert not stopped.killed

    def test_a_replica_takes_over_under_load(self, directory: Path) -> None:
        """The primary is killed while it is loaded; the load finds its successor, and the dead
        one comes back as a replica.
        """
        context, deployed = self.up(6, 2, directory)
        order = order_for(self.plugin, context, deployed, seconds=12.0)
        primary: list[float] = []
        intervals: list[Interval] = []
        ends: PhaseFinished | None = None
        with DriverRun(self.plugin.manifest.driver.id, order, context) as run:
            for event in run.events():
                if isinstance(event, Interval) and event.phase == "measure":
                    intervals.append(event)
                    if len(intervals) == 4:
                        assert self.do(context, deployed, "kill", 1) == "node 1: killed"
                    metrics = self.plugin.sample(context, deployed).metrics
                    primary.append(metrics["node 4 primary"])
                if isinstance(event, PhaseFinished) and event.phase == "measure":
                    ends = event
        assert ends is not None
        assert primary[0] == 0
        assert primary[-1] == 1, "node 4 took over from node 1"
        assert self.plugin.counters_marked["primary"] == "failover"
        assert errors_of(intervals[0]) == 0
        assert sum(errors_of(each) for each in intervals) > 0, "a lost primary shows"
        assert errors_of(intervals[-1]) == 0, "and is over in the end"
        assert sum(each.ok.count for each in intervals[-1].operations.values() if each.ok) > 0
        assert "serves again" in self.do(context, deployed, "start", 1)
        assert info(deployed.nodes[0].place.address, ASK_SECONDS)["role"] == "slave"
        assert deployed.ended_by_itself() is None
        self.plugin.stop(context, deployed)

    def test_a_replica_gets_all_that_is_written_from_ready_on(self, directory: Path) -> None:
        """Each primary of a cluster may hold its stream back."""
        context, deployed = self.up(6, 2, directory)
        first, second, *_ = (node.place for node in deployed.nodes)
        replica = deployed.nodes[3].place.address
        tag = resp_replication.tag(first, ASK_SECONDS)
        slow_to_notice(first.address, replica)
        for each in range(ROUNDS):
            for primary in (second, first):  # Another's data are of no use to it.
                identity = resp_cluster.own_line(primary, ASK_SECONDS).identity
                ask(replica, ASK_SECONDS, "CLUSTER", "REPLICATE", identity)
            self.await_ready(context, deployed)
            key = f"{{{tag}}}written-{each}"
            self.streams(context, deployed, primary=1, replica=4, key=key)
        self.plugin.stop(context, deployed)

    def test_scans_of_a_cluster_are_refused_before_the_run(self) -> None:
        target = self.target(3, 1)
        self.plugin.check_target(target)
        for index in ("ycsb", "lex"):
            wrong = target.model_copy(update={"driver_options": {"scan_index": index}})
            with pytest.raises(TargetInvalid) as caught:
                self.plugin.check_target(wrong)
            assert [path for path, _ in caught.value.problems] == ["driver_options.scan_index"]
        topology = self.plugin.manifest.topology
        assert topology.lacks(target) == ("scan", "multi_get")
        assert topology.lacks(self.target(3, 3)) == ()

    def test_two_primaries_are_refused(self) -> None:
        with pytest.raises(TargetInvalid, match="2 primaries are too few"):
            self.plugin.check_target(self.target(4, 2))


def slow_to_notice(*nodes: Address) -> None:
    """Let them look once a second what has become of things: it is the more probable that a
    replica's first acknowledgement comes before its primary has noticed that all is sent, which
    then does not count.
    """
    for each in nodes:
        assert ask(each, ASK_SECONDS, "CONFIG", "SET", "hz", "1") == "OK"


def order_for(
    plugin: RespServer, context: Context, deployed: Deployed, seconds: float
) -> DriverOrder:
    """Load some records; then read and update 1,000 of them a second."""
    return DriverOrder(
        workload=Workload(
            name="nodes",
            record_count=RECORDS,
            field_count=2,
            field_length=50,
            operations=OperationMix(read=0.5, update=0.5),
        ),
        target=DriverTarget(
            endpoints=plugin.endpoints(deployed),
            options={**plugin.driver_options(context.target), "timeout_ms": 500},
        ),
        load=OpenLoad(model="open", rate_per_second=1000, connections=4),
        phases=(Phase(kind="load", clients=2), Phase(kind="measure", duration_seconds=seconds)),
        seed=7,
        interval_seconds=0.25,
    )


def errors_of(interval: Interval) -> int:
    """How many operations failed in it."""
    return sum(
        recorded.count
        for operation in interval.operations.values()
        for recorded in operation.errors.values()
    )


def slots_of(ranges: tuple[str, ...]) -> int:
    """How many slots `0-5460 7000` are."""
    total = 0
    for each in ranges:
        first, _, last = each.partition("-")
        total += int(last or first) - int(first) + 1
    return total


def drives_a_relative(plugin: RespServer, program: str, directory: Path) -> None:
    """Let a plugin's driver, with the plugin's options, load a relative of a system whose own
    program is not to be had.

    :param program: takes `--port` and `--bind`, as Redis does.
    """
    target = Target(name="relative", system=plugin.manifest.id)
    context = Context.open(target, directory / "relative")
    executable = shutil.which(program)
    assert executable is not None, f"{program} is not on PATH"
    reservation = Reservation()
    address = Address(reservation.host, reservation.port)
    process = context.processes.start(
        Command(
            name="relative",
            arguments=(
                *(executable, "--port", str(address.port), "--bind", address.host),
                *("--save", ""),
            ),
            directory=context.data_directory,
            users=("nobody",),
        )
    )
    process.reservation = reservation
    try:
        for _ in context.attempts(ASK_SECONDS):
            with contextlib.suppress(OSError, ReplyError):
                if ask(address, ASK_SECONDS, "PING") == "PONG":
                    break
        deployed = Deployed(endpoints=(address.endpoint,), version="unknown")
        order = order_for(plugin, context, deployed, seconds=1.0)
        with DriverRun(plugin.manifest.driver.id, order, context) as run:
            ends = [event for event in run.events() if isinstance(event, PhaseFinished)]
        assert sum(totals.ok for totals in ends[-1].operations.values()) > 0
        assert not any(totals.errors for totals in ends[-1].operations.values())
    finally:
        process.stop(ASK_SECONDS)
        plugin.clean_up(context)
