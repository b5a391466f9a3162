"""When data begins and ends to go from node to node, as the timeline tells it."""

from weighhouse_protocol.redistribution import amount_of
from weighhouse_sdk.rebalance import Redistributed, Redistributing, Streamed, together


def test_a_transfer_is_what_all_nodes_tell_of_it() -> None:
    told = [
        Streamed("a", 110, 200, 30),
        Streamed("a", 100, None, 0),
        Streamed("a", 120, 190, 4, failed=True),
        Streamed("b", 150, 160, 7),
    ]
    found = together(told)
    assert (found["a"].begun_at_us, found["a"].ended_at_us) == (100, None)
    assert (found["a"].bytes, found["a"].failed) == (34, True)
    assert (found["b"].ended_at_us, found["b"].bytes) == (160, 7)


def test_a_redistribution_is_told_by_the_instants_of_the_nodes() -> None:
    watching = Redistributing()
    watching.first(together([Streamed("before", 1, 2, 1000)]))
    before = Streamed("before", 1, 2, 1000)
    assert watching.marks(together([before]), settled=True) == []
    under_way = [before, Streamed("a", 100, None, 30)]
    began = Redistributed("redistribution_began", "redistribution began", 100)
    assert watching.marks(together(under_way), settled=False) == [began]
    assert watching.marks(together(under_way), settled=False) == []
    overlapping = [before, Streamed("a", 100, 180, 30), Streamed("b", 150, 210, 12, failed=True)]
    assert watching.marks(together(overlapping), settled=False) == [], "a node has yet to answer"
    # The one that sent the first has left.
    left = [before, Streamed("a", 100, 190, 0), Streamed("b", 150, 210, 12, failed=True)]
    (ended,) = watching.marks(together(left), settled=True)
    assert (ended.mark, ended.at_us) == ("redistribution_ended", 210)
    assert amount_of(ended.label) == (42, 2, 1)
    assert watching.marks(together(left), settled=True) == []


def test_one_between_two_looks_is_told_whole() -> None:
    watching = Redistributing()
    watching.first({})
    began, ended = watching.marks(together([Streamed("a", 100, 180, 30)]), settled=True)
    assert (began.at_us, ended.at_us, amount_of(ended.label)) == (100, 180, (30, 1, 0))
    later = [Streamed("a", 100, 180, 30), Streamed("b", 300, None, 5)]
    (began,) = watching.marks(together(later), settled=True)
    assert began.at_us == 300


def test_no_other_label_tells_an_amount() -> None:
    assert amount_of("redistribution began") is None
    assert amount_of("node 1: migration ended") is None
