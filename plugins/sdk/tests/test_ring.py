"""Rings: where nodes listen, and which tokens they have."""

import itertools

import pytest
from weighhouse_plugin_cassandra import PLUGIN
from weighhouse_protocol.target import Topology
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.families.ring import copies_of, copies_problem, own_address, tokens
from weighhouse_sdk.wire import Address


@pytest.mark.parametrize("nodes", [2, 3, 5, 7])
def test_all_tokens_lie_at_even_distances_and_take_turns(nodes: int) -> None:
    held = {token: number for number in range(1, nodes + 1) for token in tokens(number, nodes)}
    assert len(held) == 16 * nodes
    ring = sorted(held)
    assert ring[0] == -(2**63)
    assert ring[-1] < 2**63
    distances = {later - earlier for earlier, later in itertools.pairwise(ring)}
    assert max(distances) - min(distances) <= 1
    assert [held[token] for token in ring] == list(range(1, nodes + 1)) * 16


def test_no_two_nodes_of_a_machine_share_an_address() -> None:
    ports = (1024, 9042, 39735, 65535)
    found = {own_address(port, number) for port in ports for number in range(1, 4)}
    assert len(found) == 12
    assert own_address(65535, 3) == "127.255.255.3"


def test_several_nodes_share_a_port_on_the_loopback_network() -> None:
    given = tuple(Address("127.0.0.1", port) for port in (9042, 9043, 9044))
    assert {each.port for each in PLUGIN.spread(given)} == {9042}
    assert len({each.host for each in PLUGIN.spread(given)}) == 3
    assert PLUGIN.spread(given[:1]) == given[:1]
    with pytest.raises(DeployFailed) as caught:
        PLUGIN.spread(tuple(Address("192.0.2.1", port) for port in (9042, 9043)))
    assert "127.0.0.1" in caught.value.hint


def test_nodes_on_machines_of_their_own_share_the_first_ones_port() -> None:
    given = tuple(Address(f"192.0.2.{each}", 9000 + each) for each in (1, 2, 3))
    assert PLUGIN.spread(given) == tuple(Address(f"192.0.2.{each}", 9001) for each in (1, 2, 3))
    mixed = (*(Address("127.0.1.1", port) for port in (9042, 9043)), Address("127.0.1.2", 9044))
    placed = PLUGIN.spread(mixed)
    assert [each.port for each in placed] == [9042] * 3
    assert placed[2].host == "127.0.1.2"
    assert len({each.host for each in placed}) == 3


@pytest.mark.parametrize(
    ("told", "copies"),
    [
        ('{"replication": {"class": "a.SimpleStrategy", "replication_factor": "2"}}', {2}),
        ('{"replication": {"class": "a.NetworkTopologyStrategy", "dc1": "3", "dc2": "1"}}', {1, 3}),
        ('{"replication": {"class": "a.NetworkTopologyStrategy", "dc1": "3/1"}}', {3}),
    ],
)
def test_copies_of_a_keyspace_are_read(told: str, copies: set[int]) -> None:
    assert copies_of(told) == copies


@pytest.mark.parametrize(
    ("stated", "nodes", "kept", "said"),
    [
        ((1, 1), 1, None, None),
        ((3, 3), 3, None, None),
        ((3, 3), 3, {3}, None),
        ((3, 1), 3, None, None),
        # Nothing said of a ring of several: it would silently get one copy.
        ((1, 1), 3, None, "the ring has 3 nodes"),
        ((3, 3), 1, None, "the ring has 1 nodes"),
        ((3, 3), 3, {1}, "keeps 1 copies"),
        ((3, 3), 3, {1, 3}, "keeps 1, 3 copies"),
    ],
)
def test_a_ring_of_somebody_else_has_the_copies_that_are_stated_or_is_refused(
    stated: tuple[int, int], nodes: int, kept: set[int] | None, said: str | None
) -> None:
    topology = Topology(nodes=stated[0], replication_factor=stated[1])
    found = copies_problem(topology, nodes, kept)
    assert (found is None) == (said is None)
    if found and said:
        assert said in found[0]
