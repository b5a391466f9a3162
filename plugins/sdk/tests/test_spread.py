"""Ports that are held for nodes, and who may have nodes on several machines."""

import socket
from pathlib import Path

import pytest
from weighhouse_plugin_redis import PLUGIN as REDIS
from weighhouse_plugin_rocksdb import PLUGIN as ROCKSDB
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import DeployFailed, TargetInvalid
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.machine.ports import HeldPorts
from weighhouse_sdk.places import NodeAddress
from weighhouse_sdk.registry import discover
from weighhouse_sdk.serving.server import ServerPlugin

HOST = "127.0.1.1"


def taken(port: int, host: str = HOST) -> bool:
    """Whether somebody else can have a port: a server without SO_REUSEADDR cannot."""
    with socket.socket() as one:
        try:
            one.bind((host, port))
        except OSError:
            return True
    return False


def test_what_is_held_is_held_until_it_is_given_up() -> None:
    ports = HeldPorts()
    client, peer = ports.hold(1, HOST, peer=True)
    assert peer is not None
    assert ports.hold(1, HOST, peer=True) == (client, peer), "once more, the same"
    other, none = ports.hold(2, HOST)
    assert none is None
    assert len({client, peer, other}) == 3
    assert taken(client)
    assert taken(peer)
    held = ports.take(1, HOST, client)
    assert held is not None
    ports.release()
    assert not taken(other)
    assert taken(client), "who took it has it"
    held.release()
    assert not taken(client)
    assert not taken(peer)


def test_a_node_that_is_to_live_elsewhere_gets_that_port_too() -> None:
    ports = HeldPorts()
    client, _ = ports.hold(1, HOST)
    held = ports.take(1, "127.0.1.2", client)
    assert held is not None
    assert (held.host, held.port) == ("127.0.1.2", client)
    assert taken(client, "127.0.1.2")
    assert taken(client), "nobody else may think that it is free"
    held.release()
    assert not taken(client)


def test_a_fixed_port_is_not_held_so_that_the_servers_own_log_tells() -> None:
    ports = HeldPorts()
    assert ports.hold(1, HOST, port=23_456) == (23_456, None)
    assert ports.take(1, HOST, 23_456) is None


def test_each_machine_reserves_for_its_own_nodes(tmp_path: Path) -> None:
    target = Target(name="t", system="redis", topology=Topology(nodes=6, replication_factor=2))
    options = HostOptions(host=HOST)
    context = Context.open(target, tmp_path, options=options, own_nodes=(2, 5))
    reserved = REDIS.reserve(context)
    assert reserved == REDIS.reserve(context)
    assert [(each.number, each.host) for each in reserved] == [(2, HOST), (5, HOST)]
    assert all(each.peer_port is not None for each in reserved)
    with pytest.raises(DeployFailed, match=r"nodes 1 to 6, told of: \[2, 5\]"):
        REDIS.deploy(context)
    REDIS.clean_up(context)
    assert not any(taken(each.port) for each in reserved)


def test_peers_have_to_be_those_that_were_reserved(tmp_path: Path) -> None:
    target = Target(name="t", system="redis", topology=Topology(nodes=3, replication_factor=3))
    context = Context.open(target, tmp_path, options=HostOptions(host=HOST), own_nodes=(1,))
    (own,) = REDIS.reserve(context)
    elsewhere = [NodeAddress(number, "127.0.1.2", 7000 + number) for number in (2, 3)]
    other = NodeAddress(1, HOST, own.port + 1)
    with pytest.raises(DeployFailed, match=r"node 1 .* reserved"):
        REDIS.deploy(context, (other, *elsewhere))
    REDIS.clean_up(context)


def test_a_system_whose_nodes_are_on_one_machine_refuses_by_name(tmp_path: Path) -> None:
    target = Target(name="t", system="rocksdb", deployment="in_process", topology=Topology(nodes=2))
    context = Context.open(target, tmp_path, own_nodes=(1,))
    with pytest.raises(TargetInvalid, match="the nodes of RocksDB cannot be on several machines"):
        ROCKSDB.reserve(context)
    whole = Context.open(target, tmp_path, own_nodes=(1, 2))
    assert ROCKSDB.reserve(whole) == ()


def test_whoever_has_several_nodes_says_whether_they_may_be_apart() -> None:
    plugins = [each for each in discover()[0].values() if isinstance(each, Plugin)]
    several = {each.manifest.id for each in plugins if each.manifest.topology.max_nodes > 1}
    spread = {each.manifest.id for each in plugins if each.manifest.topology.spread}
    assert spread == several, "every family that has several nodes is on the shared base"
    assert all(isinstance(each, ServerPlugin) for each in plugins if each.manifest.id in spread)
