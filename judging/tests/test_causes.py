"""Segments, families and causes of changes."""

import itertools

import pytest
from weighhouse_judging.series.causes import Cause, Sighting, causes
from weighhouse_judging.series.families import adjusted, withstand
from weighhouse_judging.series.segments import Segment, segments_by_kind


def sighting(change, figure="throughput", *, order=40, cell="a", kind="step", p=1e-6, subject="s"):
    return Sighting(change, subject, cell, figure, kind, order, p)


def test_a_kind_that_comes_back_rejoins_its_segment():
    assert segments_by_kind(["a", "a", "b", "a", "c", "b"]) == [
        Segment("a", (0, 1, 3)), Segment("b", (2, 5)), Segment("c", (4,)),
    ]  # fmt: skip
    assert segments_by_kind([]) == []


def test_a_family_is_held_to_its_false_discovery_rate():
    values = [0.01, 0.04, 0.03, 1.0]
    assert adjusted(values) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 1.0])
    assert withstand(values) == [True, False, False, False]
    assert withstand([0.04]) == [True]
    assert withstand([]) == []


def test_one_cause_is_one_alert_led_by_what_explains_the_rest():
    seen = [
        sighting("latency", "p99_us", p=1e-12),
        sighting("throughput", order=41),
        sighting("other cell", cell="b", order=42, p=1e-3),
        sighting("memory", "memory_after_load_bytes"),
    ]
    (cause,) = causes(seen)
    assert cause == Cause("throughput", ("latency", "memory", "other cell"))


def test_other_subjects_kinds_and_times_are_other_causes():
    seen = [
        sighting("first"), sighting("other", subject="t"), sighting("drift", kind="drift"),
        sighting("later", order=60),
    ]  # fmt: skip
    assert [cause.lead for cause in causes(seen)] == ["drift", "first", "other", "later"]


def test_two_steps_of_one_series_close_together_stay_two():
    seen = [
        sighting("late", order=106, p=1e-9),
        sighting("late p99", "p99_us", order=107, p=1e-4),
        sighting("early p99", "p99_us", order=101, p=1e-8),
        sighting("early", order=100, p=1e-7),
    ]
    expected = [Cause("early", ("early p99",)), Cause("late", ("late p99",))]
    for order in itertools.permutations(seen):
        assert causes(order) == expected


def test_every_change_is_in_one_cause():
    seen = [
        sighting(f"{figure} {order}", figure, order=order, p=10.0**-order)
        for figure in ("throughput", "p50_us", "p99_us", "unheard of")
        for order in (10, 14, 18, 22)
    ]
    told = [name for cause in causes(seen) for name in (cause.lead, *cause.downstream)]
    assert sorted(told) == sorted(one.change for one in seen)
