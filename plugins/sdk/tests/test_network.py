"""Networks made worse and well again, on real servers, with the kernel's own means.

What is measured is an effect, never a speed: bounds lie far from both sides.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from weighhouse_protocol.faults import Fault, NetworkConditions
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import DeployFailed, TargetInvalid
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.machine.network.network_faults import Ends, described
from weighhouse_sdk.machine.network.peers import home_of, opened
from weighhouse_sdk.machine.network.rules import numbered
from weighhouse_sdk.machine.network.ways import LOSS, QUEUE, RULES, SHAPING, check_network, ways
from weighhouse_sdk.machine.process import Command
from weighhouse_sdk.machine.procfs import process_tree
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.wire import Address
from weighhouse_testing.network import REDIS, Client, Servers, network_of_its_own, rules

VALUE_BYTES = 100_000
SLOTS = 16_384
PARTITION = NetworkConditions(partition=True)
DELAY = NetworkConditions(delay_ms=20, jitter_ms=2)


@pytest.fixture(scope="module", autouse=True)
def apart() -> Iterator[None]:
    """Whatever else this machine does on its network stays out of the way, and is left alone."""
    with network_of_its_own() if os.geteuid() == 0 else contextlib.nullcontext():
        yield


@pytest.fixture(autouse=True)
def capable(capsys: pytest.CaptureFixture[str]) -> None:
    """These tests need root and a kernel with what network faults are made of."""
    lacking = ways(HostOptions().search_path).lacking
    wanting = {name: lacking[name] for name in (RULES, LOSS, SHAPING, QUEUE) if name in lacking}
    if wanting:
        why = "; ".join(f"{name}: {reason}" for name, reason in wanting.items())
        how = "run them as root (NET_ADMIN) with iptables, iproute2 and the drivers built"
        with capsys.disabled():
            sys.stdout.write(f"\nnot run: this machine cannot disturb a network ({why}); {how}\n")
        pytest.skip(why)


@pytest.fixture
def untouched() -> Iterator[list[str]]:
    """A rule of somebody else's, and all as it was after the test."""
    rule = "OUTPUT -p tcp -m tcp --sport 1 -m comment --comment bystander -j ACCEPT"
    subprocess.run(["iptables", "-t", "mangle", "-A", *rule.split()], check=True)
    before = rules()
    try:
        yield before
        assert rules() == before
    finally:
        subprocess.run(["iptables", "-t", "mangle", "-D", *rule.split()], check=True)


@pytest.fixture
def pair(context: Context, untouched: list[str]) -> Iterator[Servers]:
    """Two servers that know nothing of each other: the second is the bystander."""
    del untouched
    servers = Servers(context, 2)
    yield servers
    servers.stop()


def until(context: Context, holds: Callable[[], bool]) -> None:
    for _ in context.attempts(60, every_seconds=0.05):
        if holds():
            return
    pytest.fail("never came true")


def test_a_delay_is_seen_at_that_node_alone(pair: Servers) -> None:
    node, bystander = pair.clients
    assert node.fastest() < 10
    assert "NFQUEUE" in pair.worsen(1, DELAY)
    assert node.fastest() > 15
    assert bystander.fastest() < 10
    assert pair.heal(1)
    assert node.fastest() < 10
    assert pair.nodes[0].delayer is None
    assert not pair.heal(1)


def test_replies_come_in_order_under_jitter(pair: Servers) -> None:
    pair.worsen(1, NetworkConditions(delay_ms=10, jitter_ms=10))
    clients = [pair.connect(1) for _ in range(4)]
    for number in range(25):
        for client in clients:
            client.ask("SET", "k", str(number))
            assert client.ask("GET", "k") == str(number).encode()
    for client in clients:
        client.close()


def test_what_is_held_back_goes_on_when_it_is_healed(pair: Servers) -> None:
    pair.worsen(1, NetworkConditions(delay_ms=50_000))
    client = pair.clients[0]
    client.socket.sendall(b"PING\r\n")
    # The bystander answers after the packet of the first was queued, or it is queued now.
    pair.clients[1].ask("PING")
    assert pair.heal(1)
    assert client.reader.readline() == b"+PONG\r\n"


def test_loss_makes_replies_wait_for_being_sent_again(pair: Servers) -> None:
    way = pair.worsen(1, NetworkConditions(loss_percent=30))
    assert "loss" in way
    node, bystander = ([client.milliseconds("PING") for _ in range(40)] for client in pair.clients)
    # TCP sends again after 200 ms at least.
    assert max(node) > 150
    assert min(bystander) < 10
    assert pair.heal(1)
    assert pair.clients[0].fastest() < 10


def test_loss_of_everything(pair: Servers) -> None:
    pair.worsen(1, NetworkConditions(loss_percent=100))
    address = pair.nodes[0].place.address
    with pytest.raises(TimeoutError):
        Client(address, 0.5)
    assert pair.clients[1].ask("PING") == b"+PONG"
    pair.heal(1)
    assert pair.clients[0].ask("PING") == b"+PONG"


def test_bandwidth_lets_no_more_through(pair: Servers) -> None:
    for client in pair.clients:
        assert client.ask("SET", "k", "v" * VALUE_BYTES) == b"+OK"
    assert "htb" in pair.worsen(1, NetworkConditions(bandwidth_mbit=1))
    # 100,000 bytes are 800 ms; a class may send some bytes before it waits.
    node, bystander = pair.clients
    assert node.milliseconds("GET", "k") > 500
    assert bystander.fastest("GET", "k") < 400
    pair.heal(1)
    assert node.fastest("GET", "k") < 400


def test_a_second_network_replaces_the_first(pair: Servers, untouched: list[str]) -> None:
    node = pair.clients[0]
    pair.worsen(1, NetworkConditions(delay_ms=20, bandwidth_mbit=1))
    assert node.fastest() > 15
    pair.worsen(1, NetworkConditions(delay_ms=40))
    assert node.fastest() > 30
    assert not any("htb" in line for line in rules() if line not in untouched)
    first = pair.nodes[0].delayer
    pair.worsen(1, NetworkConditions(bandwidth_mbit=1000))
    assert node.fastest() < 10
    assert first is not None
    assert first.exit_code == 0


def test_two_nodes_and_two_deployments_at_once(pair: Servers, tmp_path: Path) -> None:
    other = Servers(Context.open(pair.context.target, tmp_path / "other"), 1)
    try:
        pair.worsen(1, NetworkConditions(delay_ms=20, bandwidth_mbit=100))
        pair.worsen(2, NetworkConditions(delay_ms=60))
        other.worsen(1, NetworkConditions(bandwidth_mbit=100))
        assert 15 < pair.clients[0].fastest() < 55
        assert pair.clients[1].fastest() > 55
        assert other.clients[0].fastest() < 10
        pair.heal(1)
        assert pair.clients[1].fastest() > 55
        assert pair.clients[0].fastest() < 10
        assert any("CLASSIFY" in line for line in rules())
        assert [each.name for each in other.network.leftovers()] == ["network of node 1"]
    finally:
        other.stop()


def cluster_state(client: Client) -> bytes:
    return client.ask("CLUSTER", "INFO").splitlines()[0]


def test_partition_cuts_a_node_off_from_its_peers_and_not_from_its_clients(
    context: Context, untouched: list[str]
) -> None:
    words = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1000")
    servers = Servers(context, 3, *words)
    try:
        clients = servers.clients
        share = SLOTS // 3 + 1
        for at, client in enumerate(clients):
            last = min(SLOTS, (at + 1) * share) - 1
            assert client.ask("CLUSTER", "ADDSLOTSRANGE", str(at * share), str(last)) == b"+OK"
            place = servers.nodes[0].place.address
            client.ask("CLUSTER", "MEET", place.host, str(place.port))
        until(context, lambda: {cluster_state(each) for each in clients} == {b"cluster_state:ok"})

        assert "partition" in servers.worsen(1, PARTITION, bus=True)
        until(context, lambda: {cluster_state(each) for each in clients} == {b"cluster_state:fail"})
        # The other two still see each other.
        nodes = clients[1].ask("CLUSTER", "NODES").decode().splitlines()
        cut = str(servers.nodes[0].place.address.port)
        failed = {line.split()[1].split("@")[0] for line in nodes if ",fail" in line.split()[2]}
        suspected = {line for line in nodes if "fail" in line.split()[2] and cut not in line}
        assert failed <= {f"127.0.0.1:{cut}"}
        assert not suspected
        for number in (1, 2, 3):
            again = servers.connect(number)
            assert again.ask("PING") == b"+PONG"
            again.close()

        # A node that is started anew is cut off as well.
        node = servers.nodes[0]
        node.body.kill()
        address = node.place.address
        arguments = (REDIS, "--port", str(address.port), "--bind", address.host, "--save", "")
        command = Command(node.place.name, (*arguments, *words), node.place.directory)
        old, node.body = node.body, context.processes.start(command)
        servers.network.enrol(node)
        assert "/weighhouse-net-" in home_of(node.body.pid)
        clients[0].close()
        clients[0] = servers.connect(1)
        until(context, lambda: b"cluster_size" in clients[0].ask("CLUSTER", "INFO"))
        assert cluster_state(clients[0]) == b"cluster_state:fail"

        assert servers.heal(1)
        assert "/weighhouse-net-" not in home_of(node.body.pid)
        until(context, lambda: {cluster_state(each) for each in clients} == {b"cluster_state:ok"})
        assert rules() == untouched
        old.stop(0)
    finally:
        servers.stop()


def test_connections_of_a_process_are_found(pair: Servers) -> None:
    address = pair.nodes[1].place.address
    found = opened(os.getpid(), [address])
    assert [each.other for each in found] == [address]
    assert opened(os.getpid(), [Address(address.host, 0)])
    assert opened(os.getpid(), [Address(address.host, 1)]) == ()
    assert opened(pair.nodes[0].body.pid, [address]) == ()


CRASHING = """
import sys
from pathlib import Path
from weighhouse_protocol.faults import NetworkConditions
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_testing.network import Servers
context = Context.open(Target(name="t", system="anything"), Path(sys.argv[1]))
servers = Servers(context, 1)
servers.worsen(1, NetworkConditions(delay_ms=20, loss_percent=1, bandwidth_mbit=10))
print(servers.nodes[0].place.address.port, servers.nodes[0].delayer.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("records", [True, False], ids=["by record", "by name alone"])
def test_after_a_crash_all_is_found_and_removed(
    context: Context, untouched: list[str], records: bool
) -> None:
    agent = subprocess.Popen(
        [sys.executable, "-c", CRASHING, str(context.directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert agent.stdout is not None
    assert agent.stdin is not None
    port, delayer = map(int, agent.stdout.readline().split())
    agent.send_signal(signal.SIGKILL)
    agent.wait()
    agent.stdout.close()
    agent.stdin.close()
    # The program that delayed has seen the end of who started it, and its rule lets all pass.
    until(context, lambda: not process_tree(delayer))
    client = Client(Address("127.0.0.1", port))
    assert client.fastest() < 15
    client.close()

    network = context.network
    if not records:
        shutil.rmtree(context.directory / "network")
    stranger = Context.open(context.target, context.directory / "stranger").network
    assert stranger.leftovers() == stranger.remove_leftovers(0) == ()
    assert rules() != untouched
    assert [each.name for each in network.leftovers()] == ["network of node 1"]
    assert [each.name for each in network.remove_leftovers(0)] == ["network of node 1"]
    assert rules() == untouched
    assert network.leftovers() == network.remove_leftovers(0) == ()


@pytest.fixture
def plugin() -> Plugin:
    """Redis, whatever its manifest offers."""
    redis = load_plugin("redis")
    return type(redis)(redis.manifest.model_copy(update={"faults": ("network", "heal")}))


def test_a_plugin_carries_the_verbs_out_and_heals_when_it_stops(
    plugin: Plugin, tmp_path: Path, untouched: list[str]
) -> None:
    context = Context.open(Target(name="t", system="redis"), tmp_path / "attempt")
    deployed = plugin.deploy(context)
    try:
        plugin.wait_ready(context, deployed)
        client = Client(deployed.nodes[0].place.address)
        worse = Fault(at_seconds=0, verb="network", network=DELAY)
        done = plugin.fault(context, deployed, worse)
        assert done.label == "node 1: delay 20 ms ± 2 ms"
        assert done.way
        assert client.fastest() > 15
        heal = Fault(at_seconds=0, verb="heal")
        assert plugin.fault(context, deployed, heal).label == "node 1: network is well again"
        assert plugin.fault(context, deployed, heal).label == "node 1: network was well already"
        with pytest.raises(TargetInvalid, match="no other node"):
            plugin.fault(context, deployed, worse.model_copy(update={"network": PARTITION}))
        assert rules() == untouched
        plugin.fault(context, deployed, worse)
        assert plugin.leftovers(context)[0].name == "network of node 1"
        client.close()
    finally:
        plugin.stop(context, deployed)
    assert rules() == untouched
    plugin.clean_up(context)
    assert plugin.leftovers(context) == ()


def test_a_replica_is_cut_off_though_it_comes_to_its_primarys_port_for_clients(
    plugin: Plugin, tmp_path: Path, untouched: list[str]
) -> None:
    two = Topology(nodes=2, replication_factor=2)
    context = Context.open(Target(name="t", system="redis", topology=two), tmp_path / "attempt")
    deployed = plugin.deploy(context)
    try:
        plugin.wait_ready(context, deployed)
        primary, replica = (Client(node.place.address) for node in deployed.nodes)
        for client in (primary, replica):
            client.ask("CONFIG", "SET", "repl-timeout", "2", "repl-ping-replica-period", "1")
        cut = Fault(at_seconds=0, verb="network", node=2, network=PARTITION)
        assert "partition" in plugin.fault(context, deployed, cut).way
        until(context, lambda: b"link_status:down" in replica.ask("INFO", "replication"))
        until(context, lambda: b"connected_slaves:0" in primary.ask("INFO", "replication"))
        assert primary.ask("SET", "k", "v") == b"+OK"
        plugin.fault(context, deployed, Fault(at_seconds=0, verb="heal", node=2))
        until(context, lambda: replica.ask("INFO", "replication").count(b"link_status:up") == 1)
        assert replica.ask("GET", "k") == b"v"
        assert rules() == untouched
        primary.close()
        replica.close()
    finally:
        plugin.stop(context, deployed)
        plugin.clean_up(context)


def test_a_way_that_fails_half_way_leaves_nothing(pair: Servers, untouched: list[str]) -> None:
    node = pair.nodes[0]
    bad = Ends(node, Address("300.0.0.1", 1))
    with pytest.raises(DeployFailed):
        pair.network.worsen(NetworkConditions(delay_ms=20), bad, [])
    assert rules() == untouched
    assert node.delayer is None
    assert pair.network.leftovers() == ()


def test_what_cannot_be_done_is_refused_with_the_reason() -> None:
    with pytest.raises(DeployFailed, match="::1 has no IPv4 address"):
        numbered(Address("::1", 6379))
    faults = [Fault(at_seconds=0, verb="network", network=DELAY)]
    check_network(faults, HostOptions().search_path)
    with pytest.raises(DeployFailed, match="iptables-restore is not installed") as refused:
        check_network(faults, "/nowhere")
    assert "apt-get install iptables" in refused.value.hint


def test_conditions_are_told_in_words() -> None:
    wanted = NetworkConditions(delay_ms=1.5, loss_percent=0.1, bandwidth_mbit=10, partition=True)
    told = "delay 1.5 ms, loss 0.1\u2009%, 10 Mbit/s, cut off from the other nodes"
    assert described(wanted) == told
