"""Events of a system, found in its metrics."""

from weighhouse_sdk.event_marks import STILL_SAMPLES, Marking


def test_a_gauge_has_a_begin_and_an_end() -> None:
    marking = Marking({"tasks": "compaction"}, {})
    seen = [marking.events({"tasks": value, "other": 1.0}) for value in (0.0, 2.0, 1.0, 0.0, 0.0)]
    assert [[mark for mark, _ in each] for each in seen] == [
        [], ["compaction_began"], [], ["compaction_ended"], [],
    ]  # fmt: skip
    assert seen[1][0].label == "compaction began"


def test_work_under_way_at_the_first_look_is_told() -> None:
    assert Marking({"saving": "snapshot"}, {}).events({"saving": 1.0}) == [
        ("snapshot_began", "snapshot began")
    ]


def test_a_sample_without_the_metric_changes_nothing() -> None:
    marking = Marking({"tasks": "compaction"}, {"evictions": "eviction"})
    marking.events({"tasks": 1.0, "evictions": 5.0})
    assert marking.events({}) == []
    assert marking.events({"tasks": 1.0, "evictions": 5.0}) == []
    assert marking.events({"tasks": 0.0, "evictions": 6.0}) == [
        ("compaction_ended", "compaction ended"),
        ("eviction", "eviction"),
    ]


def test_a_counter_is_told_when_it_begins_to_grow_and_after_a_rest() -> None:
    marking = Marking({}, {"evictions": "eviction"})
    values = [7.0, 7.0, 8.0, 9.0, *[9.0] * (STILL_SAMPLES - 1), 10.0, *[10.0] * STILL_SAMPLES, 11.0]
    told = [bool(marking.events({"evictions": value})) for value in values]
    assert [index for index, each in enumerate(told) if each] == [2, len(values) - 1]


def test_a_counter_that_falls_is_counted_from_there() -> None:
    marking = Marking({}, {"evictions": "eviction"})
    assert [bool(marking.events({"evictions": each})) for each in (50.0, 0.0, 3.0)] == [
        False, False, True,
    ]  # fmt: skip


def test_every_node_is_told_of_its_own() -> None:
    marking = Marking({"tasks": "compaction"}, {})
    assert marking.events({"node 1 tasks": 1.0, "node 12 tasks": 1.0}) == [
        ("compaction_began", "node 1: compaction began"),
        ("compaction_began", "node 12: compaction began"),
    ]
    assert marking.events({"node 1 tasks": 1.0, "node 12 tasks": 0.0}) == [
        ("compaction_ended", "node 12: compaction ended")
    ]
