"""The former rule, which the bench holds the present one against."""

import numpy as np
import pytest
from weighhouse_judging.bench.former import best_split, find_shifts
from weighhouse_judging.series.changes import same_change


def noise(seed: int, size: int, level: float = 100.0, spread: float = 0.01) -> list[float]:
    return (level * (1 + np.random.default_rng(seed).normal(0, spread, size))).tolist()


def energy_by_hand(values: list[float], split: int) -> float:
    left, right = values[:split], values[split:]

    def mean(a: list[float], b: list[float]) -> float:
        return sum(abs(x - y) for x in a for y in b) / (len(a) * len(b))

    def within(a: list[float]) -> float:
        pairs = [(x, y) for i, x in enumerate(a) for y in a[i + 1 :]]
        return sum(abs(x - y) for x, y in pairs) / len(pairs)

    weight = len(left) * len(right) / len(values)
    return weight * (2 * mean(left, right) - within(left) - within(right))


def test_the_split_is_where_the_energy_distance_is_largest() -> None:
    for seed in range(5):
        values = [*noise(seed, 11), *noise(seed + 50, 9, level=101.0)]
        by_hand = max(range(3, 18), key=lambda split: energy_by_hand(values, split))
        assert best_split(values) == by_hand


def test_a_step_is_found_in_its_place_and_measured() -> None:
    (shift,) = find_shifts([*noise(1, 20), *noise(2, 12, level=90.0)])
    assert shift.status == "confirmed"
    assert shift.profile == "strict"
    assert same_change(shift.index, 20)
    assert shift.before == pytest.approx(100, rel=0.02)
    assert shift.after == pytest.approx(90, rel=0.02)
    assert shift.relative == pytest.approx(-0.1, abs=0.02)


def test_two_steps_are_two_change_points() -> None:
    shifts = find_shifts([*noise(1, 20), *noise(2, 20, level=90.0), *noise(3, 20, level=97.0)])
    assert [shift.status for shift in shifts] == ["confirmed", "confirmed"]
    assert same_change(shifts[0].index, 20)
    assert same_change(shifts[1].index, 40)


def test_three_points_after_are_a_candidate_only() -> None:
    (shift,) = find_shifts([*noise(1, 20), *noise(2, 3, level=80.0)])
    assert (shift.index, shift.status, shift.profile) == (20, "candidate", None)


def test_too_little_before_is_a_candidate_only() -> None:
    (shift,) = find_shifts([*noise(1, 6), *noise(2, 12, level=80.0)])
    assert shift.status == "candidate"


def test_a_shift_too_small_to_matter_is_a_candidate_only() -> None:
    (shift,) = find_shifts([*noise(1, 30, spread=0.002), *noise(2, 30, level=99.0, spread=0.002)])
    assert shift.status == "candidate"


def test_short_constant_and_stationary_series_have_none() -> None:
    assert find_shifts([]) == []
    assert find_shifts([1.0, 2.0, 3.0, 4.0]) == []
    assert find_shifts([5.0] * 50) == []
    assert find_shifts(noise(4, 60)) == []


def test_a_step_between_constants_is_found() -> None:
    (shift,) = find_shifts([100.0] * 12 + [80.0] * 8)
    assert (shift.index, shift.status) == (12, "confirmed")


def test_correlated_points_are_held_to_the_strict_profile() -> None:
    generator = np.random.default_rng(0)
    seen = 0
    for _ in range(60):
        steps = generator.normal(0, 0.01, 60)
        values = [0.0]
        for step in steps:
            values.append(0.8 * values[-1] + step)
        for shift in find_shifts([100 * (1 + value) for value in values]):
            if shift.autocorrelation > 0.3 and shift.status == "confirmed":
                assert shift.profile == "strict"
                seen += 1
    assert seen > 0


def test_the_same_values_give_the_same_points() -> None:
    values = [*noise(1, 30), *noise(2, 30, level=95.0)]
    assert find_shifts(values) == find_shifts(values)
