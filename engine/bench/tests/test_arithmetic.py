"""Truths of a stall against schedules that are played through, and ratios with their intervals."""

import itertools
import math

import numpy as np
import pytest
from enginebench.arithmetic import (
    Schedule,
    Sine,
    Steps,
    ratio_of_medians,
    stall_truth,
    steady_rate,
)

SINE = Sine(5.0, 0.5)
STEPS = Steps(2.0, (0.5, 1.5))


def waits(due, stall):
    began, ended = stall
    return np.sort([ended - at if began <= at < ended else 0.0 for at in due])


def percentile(sorted_values, share):
    return sorted_values[math.ceil(share * len(sorted_values)) - 1]


def due_times(schedule, duration):
    """When the integral reaches each whole number, found on a fine grid."""
    grid = np.linspace(0, duration, 1_000_001)
    reached = np.array([schedule.due_by(at) for at in grid[::100]])
    return np.interp(np.arange(int(reached[-1])), reached, grid[::100])


def test_a_stall_of_a_tenth_of_the_time_at_a_constant_rate():
    found = [
        stall_truth(Schedule(2000), 10.0, (4.5, 5.5), share).milliseconds
        for share in (0.95, 0.99, 0.999)
    ]
    assert found == pytest.approx([500, 900, 990], abs=0.001)


@pytest.mark.parametrize("profile", [None, SINE, STEPS])
@pytest.mark.parametrize("share", [0.95, 0.99, 0.999])
@pytest.mark.parametrize("began", [2.3, 3.5])
def test_the_truth_is_what_a_schedule_played_through_shows(profile, share, began):
    schedule, stall = Schedule(2000, profile), (began, began + 1.0)
    played = waits(due_times(schedule, 10.0), stall)
    truth = stall_truth(schedule, 10.0, stall, share)
    assert truth.milliseconds == pytest.approx(percentile(played, share) * 1e3, abs=2.5)


def test_a_percentile_that_the_stall_does_not_reach_has_no_truth():
    assert stall_truth(Schedule(2000), 10.0, (4.5, 5.5), 0.5) is None
    quiet = Schedule(2000, Steps(5.0, (1.0, 0.0)))
    assert stall_truth(quiet, 10.0, (6.0, 7.0), 0.999) is None


def test_chance_scatters_the_truth_of_random_arrivals_as_said():
    random, schedule, stall = np.random.default_rng(3), Schedule(2000), (4.5, 5.5)
    truth = stall_truth(schedule, 10.0, stall, 0.95, random=True)
    assert stall_truth(schedule, 10.0, stall, 0.95).deviation == 0
    found = []
    for _ in range(400):
        due = np.sort(random.uniform(0, 10, random.poisson(20_000)))
        found.append(percentile(waits(due, stall), 0.95) * 1e3)
    assert np.mean(found) == pytest.approx(truth.milliseconds, abs=4)
    assert np.std(found) == pytest.approx(truth.deviation, rel=0.15)


@pytest.mark.parametrize("profile", [SINE, STEPS])
def test_an_integral_is_the_sum_of_the_rate(profile):
    def factor(at):
        if profile is SINE:
            return 1 + 0.5 * math.sin(math.tau * at / 5)
        return (0.5, 1.5)[int(at // 2) % 2]

    grid = (np.arange(70_000) + 0.5) / 10_000
    expected = sum(factor(at) for at in grid) / 10_000
    assert profile.integral(7.0) == pytest.approx(expected, abs=1e-3)


def test_a_profile_stands_in_an_order_as_the_protocol_has_it():
    assert SINE.document() == {"shape": "sine", "period_seconds": 5.0, "amplitude": 0.5}
    assert STEPS.document() == {"shape": "steps", "step_seconds": 2.0, "factors": (0.5, 1.5)}


def test_a_ratio_lies_in_its_interval_and_what_rounds_share_widens_nothing():
    drift = np.linspace(1, 3, 9)
    ratio = ratio_of_medians(list(2 * drift), list(drift))
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((2, 2, 2))
    noise = [1.0, 1.2, 0.9, 1.1, 1.05, 0.95, 1.3]
    ratio = ratio_of_medians(noise, noise[::-1])
    assert ratio.low < ratio.value == 1 < ratio.high


def test_the_interval_of_a_ratio_holds_the_truth_as_often_as_it_says():
    random, inside = np.random.default_rng(5), 0
    for _ in range(100):
        ours, theirs = random.normal(2, 0.1, 15), random.normal(1, 0.05, 15)
        ratio = ratio_of_medians(list(ours), list(theirs))
        inside += ratio.low <= 2 <= ratio.high
    # The median's percentile interval of 15 rounds holds a little more or less than 95 %.
    assert 88 <= inside <= 100


def test_one_round_has_a_ratio_and_no_width():
    ratio = ratio_of_medians([3.0], [2.0])
    assert (ratio.value, ratio.low, ratio.high) == (1.5, 1.5, 1.5)
    assert str(ratio) == "1.50 [1.50, 1.50]"


def test_the_rate_is_that_of_the_middle():
    slow_start = [(0.0, 1000), (1.0, 1010)]
    middle = [(1.0 + step / 10, 1010 + step * 100) for step in range(1, 10)]
    slow_end = [(3.0, 1920), (5.0, 1925)]
    assert steady_rate([*slow_start, *middle, *slow_end]) == pytest.approx(1000)
    with pytest.raises(ValueError, match="too short"):
        steady_rate(list(itertools.islice(slow_start, 2)))
