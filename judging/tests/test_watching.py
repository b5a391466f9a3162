"""Watching series: steps and drifts, found where they are, confirmed only with enough evidence."""

import numpy as np
import pytest
from weighhouse_judging.series.change_points import find_changes, known_of, watched
from weighhouse_judging.series.changes import Known, Point, same_change


def noise(seed, size, level=100.0, spread=0.01):
    return level * (1 + np.random.default_rng(seed).normal(0, spread, size))


def points(*parts, places=None):
    values = np.concatenate(parts)
    names = places or ["one"] * values.size
    return [Point(float(value), name) for value, name in zip(values, names, strict=True)]


def remembering(seed, size, correlation, spread):
    news = np.random.default_rng(seed).normal(0, spread * np.sqrt(1 - correlation**2), size)
    values = np.zeros(size)
    for index in range(1, size):
        values[index] = correlation * values[index - 1] + news[index]
    return 100 * (1 + values)


def test_a_step_is_found_in_its_place_and_measured():
    (change,) = find_changes(points(noise(1, 20), noise(2, 12, level=90.0)))
    assert (change.kind, change.status, change.profile) == ("step", "confirmed", "strict")
    assert change.index == 20
    assert change.before == pytest.approx(100, rel=0.02)
    assert change.after == pytest.approx(90, rel=0.02)
    assert change.relative == pytest.approx(-0.1, abs=0.02)
    assert change.p_value < 1e-6


def test_a_step_upwards_is_found_too():
    (change,) = find_changes(points(noise(1, 20), noise(2, 12, level=110.0)))
    assert (change.status, change.index) == ("confirmed", 20)
    assert change.relative == pytest.approx(0.1, abs=0.02)


def test_two_steps_close_together_are_two():
    levels = points(noise(1, 40), noise(2, 6, level=95.0), noise(3, 12, level=90.0))
    changes = watched(levels)
    assert [change.kind for change in changes] == ["step", "step"]
    assert sorted(change.index for change in changes) == pytest.approx([40, 46], abs=1)


def test_a_dip_that_recovers_is_two_steps_when_it_is_watched():
    changes = watched(points(noise(1, 40), noise(2, 6, level=94.0), noise(3, 20)))
    assert [round(change.relative, 2) < 0 for change in changes] == [True, False]


def test_three_points_after_are_a_candidate_only():
    (change,) = find_changes(points(noise(1, 20), noise(2, 3, level=80.0)))
    assert (change.index, change.status, change.profile) == (20, "candidate", None)


def test_too_little_before_is_never_confirmed():
    changes = find_changes(points(noise(1, 6), noise(2, 12, level=80.0)))
    assert all(change.index >= 8 for change in changes if change.status == "confirmed")


def test_a_step_too_small_to_matter_is_a_candidate_only():
    (change,) = find_changes(
        points(noise(1, 30, spread=0.002), noise(2, 30, level=99.0, spread=0.002))
    )
    assert change.status == "candidate"


def test_short_constant_and_stationary_series_have_none():
    assert find_changes([]) == []
    assert find_changes([Point(value) for value in (1.0, 2.0, 3.0, 4.0)]) == []
    assert find_changes([Point(5.0)] * 50) == []
    assert find_changes([Point(0.0)] * 50) == []
    assert watched(points(noise(4, 60))) == []


@pytest.mark.parametrize("size", [5, 12, 60])
def test_constants_of_machines_in_turn_have_none(size):
    for apart in (0.0, 1e-7):
        levels = [1e9 * (1 + apart * (place % 2)) for place in range(size)]
        assert find_changes([Point(one, "ab"[n % 2]) for n, one in enumerate(levels)]) == []


def test_a_step_between_constants_is_found():
    (change,) = find_changes([Point(100.0)] * 12 + [Point(80.0)] * 8)
    assert (change.index, change.status) == (12, "confirmed")


def test_figures_that_may_be_nothing_are_watched_too():
    values = [0.0, 2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 1.0, 1.0, 0.0, 2.0, 1.0, *[60.0, 61.0, 59.0] * 3]
    (change,) = find_changes([Point(value) for value in values])
    assert (change.index, change.status) == (12, "confirmed")
    assert change.after == pytest.approx(60.0, abs=1.0)


def test_two_bad_runs_are_no_new_level():
    values = noise(1, 40)
    values[-2:] = 75.0
    assert find_changes(points(values)) == []


@pytest.mark.parametrize("seed", range(3))
def test_machines_in_turn_are_one_series_that_finds_a_step(seed):
    places = ["slow" if index % 2 else "fast" for index in range(40)]
    levels = np.array([92.0 if place == "slow" else 100.0 for place in places])
    values = levels * (1 + np.random.default_rng(seed).normal(0, 0.01, 40))
    assert watched(points(values, places=places)) == []
    values[32:] *= 0.95
    (change,) = watched(points(values, places=places))
    assert (change.status, same_change(change.index, 32)) == ("confirmed", True)
    assert change.relative == pytest.approx(-0.05, abs=0.015)


def test_a_level_that_moves_with_its_machine_is_told_so_and_is_no_step():
    values = np.concatenate([noise(1, 30), noise(2, 12, level=94.0)])
    moved = points(values, places=["old"] * 30 + ["new"] * 12)
    (change,) = watched(moved)
    assert (change.kind, change.index, change.status) == ("moved", 30, "confirmed")
    assert change.relative == pytest.approx(-0.06, abs=0.01)


def test_an_equal_machine_in_place_of_another_is_nothing():
    assert watched(points(noise(1, 42), places=["old"] * 30 + ["new"] * 12)) == []


def test_a_machine_that_comes_back_has_not_been_replaced():
    values = np.concatenate([noise(1, 20), noise(2, 12, level=94.0), noise(3, 10)])
    places = ["old"] * 20 + ["new"] * 12 + ["old"] * 10
    changes = find_changes(points(values, places=places))
    assert [one.kind for one in changes if one.kind == "moved"] == []


def test_a_spread_that_grows_is_an_event_of_its_own():
    values = np.concatenate([noise(1, 40), noise(5, 30, spread=0.03)])
    (change,) = watched(points(values))
    assert (change.kind, change.status) == ("spread", "confirmed")
    assert abs(change.index - 40) <= 5
    assert change.before == pytest.approx(0.01, rel=0.4)
    assert change.after == pytest.approx(0.03, rel=0.4)


def test_a_spread_too_small_to_matter_is_not_told():
    assert watched(points(noise(1, 40, spread=0.001), noise(5, 30, spread=0.003))) == []


def test_a_step_is_found_in_noise_that_grew():
    wide = [noise(5, 40, spread=0.03), noise(6, 30, level=85.0, spread=0.03)]
    changes = watched(points(noise(1, 40), *wide))
    assert [change.kind for change in changes] == ["spread", "step"]
    assert same_change(changes[1].index, 80)


def test_a_slow_decline_is_named_drift_and_not_step():
    values = noise(3, 160) * (1 - 0.0008 * np.maximum(np.arange(160) - 59, 0))
    (change,) = watched(points(values))
    assert (change.kind, change.status, change.end) == ("drift", "confirmed", None)
    assert abs(change.index - 60) < 25
    assert change.relative == pytest.approx(-0.08, abs=0.02)


def test_a_drift_ends_where_the_level_stays():
    decline = np.clip(np.arange(200) - 59, 0, 80)
    changes = watched(points(noise(3, 200) * (1 - 0.0012 * decline)))
    (change,) = [one for one in changes if one.status == "confirmed"]
    assert change.kind == "drift"
    assert change.end is not None
    assert abs(change.end - 140) < 20
    assert change.after == pytest.approx(100 * (1 - 0.096), rel=0.02)


def test_points_that_remember_are_worth_fewer():
    independent = find_changes(points(noise(1, 80), noise(2, 20, level=90.0)))[0]
    values = remembering(1, 100, 0.7, 0.01)
    values[80:] *= 0.9
    correlated = find_changes(points(values))[0]
    assert independent.effective_points > 70
    assert correlated.effective_points < 50
    assert correlated.autocorrelation > 0.4


def test_what_remembers_is_no_change():
    changes = [
        change
        for seed in range(12)
        for change in find_changes(points(remembering(seed, 120, 0.5, 0.03)))
        if change.status == "confirmed"
    ]
    assert changes == []


def test_what_was_confirmed_stays_and_moves_to_its_place():
    values = points(noise(1, 30), noise(2, 20, level=95.0))
    (change,) = find_changes(values, [Known("step", 32)])
    assert (change.index, change.status) == (30, "confirmed")
    faded = find_changes(points(noise(4, 60)), [Known("step", 20)])
    assert [(one.index, one.status) for one in faded] == [(20, "confirmed")]


def test_the_same_values_give_the_same_changes():
    values = points(noise(1, 30), noise(2, 30, level=95.0))
    assert find_changes(values) == find_changes(values)
    changes = watched(values)
    assert find_changes(values, known_of(changes)) == changes
