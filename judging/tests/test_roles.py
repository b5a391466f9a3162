"""What rows of the fairness sheet are to a comparison, and whom they likely favour."""

import pytest
from weighhouse_judging.fairness.roles import favoured
from weighhouse_judging.fairness.sheet import SideFacts, fairness_sheet
from weighhouse_protocol.fairness.vocabulary import Acknowledgement, Durability, Memory, Reads

DISK_NOW = Durability(kept="log", reaches="disk", every_seconds=0)
DISK_LATER = Durability(kept="log", reaches="disk", every_seconds=1)
NOTHING = Durability(kept="nothing")


@pytest.mark.parametrize(
    ("aspect", "values", "places"),
    [
        ("durability", (NOTHING, DISK_LATER, DISK_NOW), (0,)),
        ("durability", (DISK_NOW, DISK_LATER), (1,)),
        ("durability", (NOTHING, Durability(kept="memory", nodes=2)), ()),
        ("acknowledgement", (Acknowledgement(copies=1), Acknowledgement(copies="all")), (0,)),
        ("reads", (Reads(asks="quorum"), Reads(asks="any")), (1,)),
        ("memory", (Memory(bytes=1 << 20), Memory(bytes=1 << 30)), (1,)),
        ("memory", (Memory(bytes=1 << 20, page_cache=True), Memory(bytes=1 << 30)), ()),
        ("processors", (2.0, "all"), (1,)),
        ("transport", ("loopback", "call", "call"), (1, 2)),
        ("nodes", (1, 3), (1,)),
        ("replication", (1, 3), (0,)),
        ("co_located", ("yes", "no"), (1,)),
        ("durability", (NOTHING, None), ()),
        ("transport", ("call", "call"), ()),
        ("compression", ("lz4", "none"), ()),
    ],
)
def test_the_side_that_does_less_or_has_more_is_favoured(aspect, values, places):
    assert favoured(aspect, values) == places


def side(**facts):
    return SideFacts(**{"key": "k", "label": "L", "system": "redis", "version": "7", **facts})


def roles(*sides):
    return {row.aspect: row for row in fairness_sheet(sides)}


def test_system_and_version_are_what_is_compared():
    rows = roles(side(), side(system="valkey", repeats=3), side(version="8", repeats=5))
    assert rows["system"].role == rows["version"].role == "compared"
    assert rows["repeats"].role == "harmless"


def test_the_only_difference_of_one_system_is_what_is_compared_and_favours_nobody():
    rows = roles(side(nodes=1), side(nodes=3))
    assert rows["nodes"].role == "compared"
    assert rows["nodes"].favours == ()
    assert rows["system"].role == "same"


def test_a_library_cannot_be_a_server():
    server = side(deployment="process", nodes=1)
    library = side(system="rocksdb", deployment="in_process", nodes=3)
    rows = roles(server, library)
    assert rows["deployment"].role == "cannot_be_avoided"
    assert rows["deployment"].favours == (1,)
    assert rows["nodes"].role == "may_explain"


def test_two_servers_could_have_been_deployed_alike():
    rows = roles(side(deployment="process"), side(system="valkey", deployment="docker"))
    assert rows["deployment"].role == "may_explain"


def test_each_system_has_its_own_driver():
    assert roles(side(driver="a"), side(system="b", driver="b"))["driver"].role == (
        "cannot_be_avoided"
    )
