"""Intervals of several drivers on common bounds: what belongs together is added, the rest told."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from weighhouse_backend.measurements.alignment import align
from weighhouse_backend.measurements.packed_intervals import (
    OK,
    DriverUse,
    Outcome,
    PhaseKind,
    StoredInterval,
)

SECOND = 1_000_000
BEGIN = 1_800_000_000 * SECOND


def successes(interval: StoredInterval) -> int:
    return sum(outcomes[OK].count for outcomes in interval.operations.values() if OK in outcomes)


def interval(
    step: float, count: int, seconds: float = 1.0, phase: PhaseKind = "measure", index: int = 1,
    *, drain: bool = False,
) -> StoredInterval:  # fmt: skip
    """An interval that begins `step` seconds after the common begin."""
    return StoredInterval(
        phase=phase,
        phase_index=index,
        start_us=BEGIN + round(step * SECOND),
        duration_us=round(seconds * SECOND),
        operations={"read": {OK: Outcome(count)}},
        driver=DriverUse(drain=drain),
    )


def test_clocks_are_corrected_and_what_belongs_together_is_added() -> None:
    offset = 700_000  # the second driver's clock is that much behind the server's
    first = [interval(step, 100) for step in range(3)]
    second = [interval(step - 0.7, 10) for step in range(3)]
    (phase,) = align({0: first, 1: second}, {0: 0, 1: offset})
    assert [sum(successes(part) for part in step.parts) for step in phase.steps] == [110, 110, 110]
    assert (phase.start_us, phase.end_us) == (BEGIN, BEGIN + 3 * SECOND)
    assert phase.cut.operations == 0


def test_what_one_driver_measured_alone_is_cut_and_told() -> None:
    first = [interval(step, 100) for step in range(4)]
    second = [interval(step, 10) for step in range(1, 3)]
    (phase,) = align({0: first, 3: second}, {})
    assert [successes(part) for part in phase.parts] == [100, 10, 100, 10]
    assert (phase.end_us - phase.start_us) == 2 * SECOND
    assert (phase.cut.operations, phase.cut.seconds) == (200, 1.0)


def test_answers_that_come_just_after_the_end_count_and_make_no_step_of_their_own() -> None:
    first = [interval(0, 100), interval(1, 3, seconds=0.004)]
    second = [interval(0, 10)]
    (phase,) = align({0: first, 1: second}, {})
    (step,) = phase.steps
    assert sum(successes(part) for part in step.parts) == 113
    assert phase.end_us - phase.start_us == SECOND


def test_what_comes_back_after_the_end_is_cut_of_no_driver_and_makes_the_phase_no_longer() -> None:
    first = [interval(0, 100), interval(1, 7, drain=True), interval(2, 5, drain=True)]
    second = [interval(0, 10), interval(1, 3, seconds=0.004, drain=True)]
    (phase,) = align({0: first, 1: second}, {})
    assert [sum(successes(part) for part in step.parts) for step in phase.steps] == [110, 10, 5]
    assert [all(part.driver.drain for part in step.parts) for step in phase.steps] == [
        False, True, True,
    ]  # fmt: skip
    assert phase.end_us - phase.start_us == SECOND
    assert phase.cut.operations == 0


def test_what_was_due_is_told_by_the_same_clock_as_the_rest() -> None:
    offset = 2_500_000
    right = [interval(at, 100) for at in range(5)]
    slow = [replace(one, start_us=one.start_us - offset) for one in right]
    told = [
        [replace(one, driver=DriverUse(due=[[one.start_us, 100, 0]])) for one in of]
        for of in (right, slow)
    ]
    (phase,) = align(dict(enumerate(told)), {1: offset})
    assert len(phase.parts) == 10
    for part in phase.parts:
        assert all(at == part.start_us for at, _, _ in part.driver.due)


def test_nothing_of_a_load_phase_is_cut() -> None:
    first = [interval(step, 50, phase="load", index=0) for step in range(5)]
    second = [interval(0, 250, phase="load", index=0)]
    (phase,) = align({0: first, 1: second}, {})
    assert sum(successes(part) for part in phase.parts) == 500
    assert phase.end_us - phase.start_us == 5 * SECOND
    assert phase.cut.operations == 0


def test_drivers_that_never_measured_together_have_no_phase() -> None:
    (phase,) = align({0: [interval(0, 1)], 1: [interval(9, 1)]}, {})
    assert phase.parts == []
    assert phase.cut.operations == 2
    lonely = align({0: [interval(0, 1)], 1: [interval(0, 1, phase="load", index=0)]}, {})
    assert [len(found.parts) for found in lonely] == [1, 0]


@given(
    st.lists(st.lists(st.integers(0, 10**6), min_size=1, max_size=12), min_size=2, max_size=5),
    st.integers(-50_000, 50_000),
)
def test_every_operation_is_counted_once_or_cut(counts: list[list[int]], offset: int) -> None:
    drivers = {
        member: [interval(step, count) for step, count in enumerate(found)]
        for member, found in enumerate(counts)
    }
    (phase,) = align(drivers, {0: offset})
    counted = sum(successes(part) for part in phase.parts)
    assert counted + phase.cut.operations == sum(map(sum, counts))
    shortest = min(len(found) for found in counts)
    assert counted >= sum(sum(found[:shortest]) for found in counts) - (
        0 if offset == 0 else sum(found[0] + found[shortest - 1] for found in counts)
    )
