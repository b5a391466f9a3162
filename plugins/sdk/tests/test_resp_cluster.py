"""Who gets which slots, and who follows whom; the rest is tried on real clusters."""

import itertools
from pathlib import Path

import pytest
from weighhouse_sdk.families.resp_cluster import SLOTS, is_cluster, primaries, primary_of, share
from weighhouse_sdk.machine.process import Reservation
from weighhouse_sdk.places import Place
from weighhouse_sdk.wire import Address


def place(number: int, nodes: int, copies: int) -> Place:
    addresses = tuple(Address("127.0.0.1", 7000 + each) for each in range(nodes))
    return Place(number, f"n{number}", addresses[number - 1], Path(), addresses, copies)


@pytest.mark.parametrize("count", [3, 5, 7, 60])
def test_every_slot_has_one_primary(count: int) -> None:
    shares = [share(number, count) for number in range(1, count + 1)]
    assert shares[0][0] == 0
    assert shares[-1][1] == SLOTS - 1
    assert all(before[1] + 1 == after[0] for before, after in itertools.pairwise(shares))
    sizes = {last - first + 1 for first, last in shares}
    assert max(sizes) - min(sizes) <= 1


def test_replicas_follow_the_primaries_in_turn() -> None:
    followed = [primary_of(place(number, 9, 3)) for number in range(1, 10)]
    assert followed == [None, None, None, 1, 2, 3, 1, 2, 3]
    assert [primary_of(place(number, 3, 3)) for number in (1, 2, 3)] == [None, 1, 1]


def test_one_primary_is_no_cluster() -> None:
    assert not is_cluster(place(1, 1, 1))
    assert not is_cluster(place(2, 3, 3))
    assert is_cluster(place(2, 3, 1))
    assert primaries(place(1, 6, 2)) == 3


def test_ports_of_one_server_are_given_up_together() -> None:
    client, peer = Reservation(), Reservation()
    client.beside = peer
    assert client.port != peer.port
    client.release()
    client.release()
    Reservation("127.0.0.1", client.port).release()
    Reservation("127.0.0.1", peer.port).release()
