"""Who gets which slots, and who follows whom; the rest is tried on real clusters."""

import itertools
from collections import Counter
from pathlib import Path

import pytest
from weighhouse_sdk.families.resp_cluster import (
    SLOTS,
    is_cluster,
    primaries,
    primary_of,
    share,
    slots_in,
)
from weighhouse_sdk.families.resp_replication import slot_of
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


def test_keys_have_the_slots_of_the_specification() -> None:
    assert slot_of("123456789") == 0x31C3, "the specification's own example"
    assert [slot_of(each) for each in ("foo", "user1000", "")] == [12182, 3443, 0]


def test_what_moves_is_nobodys_slot_yet() -> None:
    ranges = ("0-2", "7", "[9->-0c1e]", "[11-<-77aa]")
    assert list(slots_in(ranges)) == [0, 1, 2, 7]


@pytest.mark.parametrize(
    ("machines", "copies", "most"), [(3, 2, 1), (3, 3, 1), (2, 2, 1), (2, 3, 2), (4, 2, 1)]
)
def test_replicas_are_on_other_machines_than_their_primaries(
    machines: int, copies: int, most: int
) -> None:
    """As many copies of the same data on one machine as there have to be, and no more."""
    nodes = 6 * copies
    hosts = [f"192.0.2.{1 + each % machines}" for each in range(nodes)]
    addresses = tuple(Address(host, 7000) for host in hosts)
    places = [
        Place(n, f"n{n}", addresses[n - 1], Path(), addresses, copies) for n in range(1, nodes + 1)
    ]
    together: Counter[tuple[int, str]] = Counter()
    for each in places:
        together[(primary_of(each) or each.number, each.address.host)] += 1
    assert max(together.values()) == most
    followed = Counter(primary_of(each) for each in places)
    assert {followed[number] for number in range(1, 7)} == {copies - 1}


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
