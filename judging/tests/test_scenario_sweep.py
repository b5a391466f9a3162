"""Sweeps: doublings, early ends, knees."""

import math

import numpy as np
import pytest
from weighhouse_judging.bench import knees
from weighhouse_judging.scenarios import sweep
from weighhouse_judging.scenarios.scalability import NotSaid, Scalability
from weighhouse_judging.scenarios.scenario import Failure, Measurement
from weighhouse_judging.scenarios.sweep import SWEEP, Plan

from . import playing as play


def held(clients):
    return lambda n: 10_000.0 * min(n, clients)


def levels(steps):
    return [step.level for step in steps]


def test_it_doubles_then_looks_around_the_knee():
    result, steps, _ = play.played(SWEEP, Plan("clients", 1, 100), play.steady(held(12)))
    assert levels(steps)[:8] == [1, 2, 4, 8, 16, 32, 64, 100]
    assert [step.purpose for step in steps[8:]] == ["refine"] * 3
    curve = result.figures
    assert result.outcome == "done"
    assert curve.points[curve.knee].level == pytest.approx(12, abs=1)
    assert curve.knee_inside
    assert curve.points[curve.saturation].level in {12, 13}
    assert curve.efficiencies[0].share == 1.0
    assert curve.efficiencies[-1].share == pytest.approx(0.12)
    assert isinstance(curve.scalability, Scalability)


def test_the_knee_is_within_a_step_of_what_a_grid_of_all_loads_finds():
    for at in range(2, 60, 3):
        result, *_ = play.played(SWEEP, Plan("clients", 1, 64), play.steady(held(at)))
        knee = result.figures.points[result.figures.knee].level
        assert abs(math.log2(knee / at)) <= 0.5, (at, knee)


def test_it_stops_when_throughput_falls_beyond_noise():
    falling = play.steady(lambda n: 1e4 * n / (1 + 0.01 * n * (n - 1)))
    result, steps, _ = play.played(SWEEP, Plan("clients", 1, 1024, refinements=0), falling)
    assert (result.outcome, result.reason.kind) == ("stopped", "throughput_falls")
    assert levels(steps) == [1, 2, 4, 8, 16, 32]
    assert "Throughput falls: at 32 clients" in result.reason.sentence


def test_a_dip_inside_noise_stops_nothing():
    noisy = play.steady(lambda n: {4: 33_000.0, 8: 32_000.0}.get(n, held(4)(n)))
    _, steps, _ = play.played(SWEEP, Plan("clients", 1, 16, refinements=0), noisy)
    assert levels(steps) == [1, 2, 4, 8, 16]


@pytest.mark.parametrize(
    ("plan", "answer", "kind", "last"),
    [
        (Plan("clients", 1, 64, stop_at_us=9_000.0, refinements=0),
         play.steady(lambda n: 1e4, lambda n: n * 1_000.0), "latency_passed", 16),
        (Plan("rate", 1_000, 64_000, refinements=0),
         play.steady(lambda rate: min(rate, 10_000.0)), "rate_not_reached", 16_000),
        (Plan("clients", 1, 64, refinements=0),
         lambda step: Measurement(step.level, {"throughput": 1e4 * step.level},
                                  error_share=0.3 if step.level >= 8 else 0.0), "errors", 8),
        (Plan("clients", 1, 64, refinements=0),
         lambda step: Measurement(step.level, {"throughput": 1e4 * step.level},
                                  Failure("system", "out of memory") if step.level > 4 else None),
         "point_failed", 8),
    ],
)  # fmt: skip
def test_it_ends_early_and_says_why(plan, answer, kind, last):
    result, steps, _ = play.played(SWEEP, plan, answer)
    assert (result.outcome, result.reason.kind) == ("stopped", kind)
    assert steps[-1].level == last


def test_a_first_point_that_fails_is_said():
    def broken(step):
        return Measurement(step.level, failure=Failure("system", "no answer on port 6379"))

    result, steps, _ = play.played(SWEEP, Plan("clients", 1, 64, repeats=1), broken)
    assert result.outcome == "first_point_failed"
    assert result.reason.sentence == (
        "The first point, 1 client, could not be measured: no answer on port 6379."
    )
    assert len(steps) == 1
    assert result.figures.knee is None


def test_what_the_machine_spoiled_is_measured_once_more():
    spoiled = iter([Failure("elsewhere", "agent lost"), None])

    def answer(step):
        if step.level == 2:
            return Measurement(2, {"throughput": 2e4}, next(spoiled))
        return play.steady(held(8))(step)

    result, steps, _ = play.played(SWEEP, Plan("clients", 1, 16, refinements=0), answer)
    assert levels(steps) == [1, 2, 2, 4, 8, 16]
    assert steps[2].purpose == "again"
    assert result.figures.points[1].throughput.repeats == 1


def test_four_repeats_have_intervals_and_fewer_ranges():
    noise = np.random.default_rng(1).normal(0, 0.02, 200)
    answers = iter(noise.tolist())

    def answer(step):
        return Measurement(step.level, {"throughput": held(8)(step.level) * (1 + next(answers))})

    for repeats, intervals in ((3, False), (4, True)):
        result, *_ = play.played(SWEEP, Plan("clients", 1, 16, repeats=repeats), answer)
        for point in result.figures.points:
            assert point.throughput.is_interval is intervals
            assert point.throughput.low <= point.throughput.median <= point.throughput.high
        assert 0.005 < result.figures.noise < 0.05


def test_a_knee_at_the_end_is_not_inside():
    result, *_ = play.played(SWEEP, Plan("clients", 1, 64), play.steady(held(1000)))
    curve = result.figures
    assert curve.points[curve.knee].level == 64
    assert not curve.knee_inside


def test_rates_have_a_knee_by_response_time_and_no_law():
    def answer(step):
        rate = step.level
        mean = 100.0 / max(0.02, 1 - rate / 50_000)
        return Measurement(rate, {"throughput": min(rate, 50_000), "mean_us": mean})

    result, *_ = play.played(SWEEP, Plan("rate", 1_000, 128_000, refinements=8), answer)
    curve = result.figures
    assert curve.points[curve.knee].level == pytest.approx(25_000, rel=0.15)
    assert isinstance(curve.scalability, NotSaid)
    assert curve.scalability.kind == "not_for_rates"


def test_the_range_is_walked_by_doubling_with_its_end():
    assert sweep.ladder(Plan("clients", 3, 20)) == (3, 6, 12, 20)
    assert sweep.ladder(Plan("rate", 1_000, 4_000)) == (1_000, 2_000, 4_000)


def test_answers_at_levels_that_nobody_asked_for_end_it_at_the_limit():
    def elsewhere(step):
        return Measurement(step.level * 1.7, {"throughput": 1e4})

    result, steps, _ = play.played(SWEEP, Plan("clients", 1, 64, most_measurements=9), elsewhere)
    assert result.outcome == "limit_reached"
    assert len(steps) == 9


def test_the_knee_is_where_power_is_greatest():
    # Of X = n / (1 + σ (n - 1)), X²/n is greatest at (1 - σ)/σ: 19 for σ = 5 %.
    n = np.arange(1.0, 65.0)
    assert knees.shipped(n, n / (1 + 0.05 * (n - 1))) == 19


def test_efficiency_has_an_interval_from_four_repeats_and_a_range_below():
    def of(repeats):
        noisy = [1.0, 1.02, 0.99, 1.01, 0.98][:repeats]
        measured = [
            Measurement(n, {"throughput": held(4)(n) * by, "p99_us": 100.0, "mean_us": 50.0})
            for n in (1, 4, 8)
            for by in noisy
        ]
        return sweep.curve(Plan("clients", 1, 8, repeats=repeats), measured).efficiencies

    alone = of(1)
    assert [one.bounds for one in alone] == [None, None, None]
    three = of(3)
    assert three[0].bounds is None, "the first is what the others are told against"
    assert not three[2].is_interval
    assert three[2].bounds.low == pytest.approx(0.5 * 0.99 / 1.02)
    assert three[2].bounds.high == pytest.approx(0.5 * 1.02 / 0.99)
    five = of(5)
    assert five[2].is_interval
    assert five[2].bounds.low < 0.5 < five[2].bounds.high
    assert five[2].bounds.high < 0.5 * 1.02 / 0.98, "narrower than the range"


def test_the_law_is_drawn_over_what_was_measured_and_not_beyond():
    measured = [Measurement(n, {"throughput": held(6)(n)}) for n in (2, 4, 8, 16, 32)]
    law = sweep.curve(Plan("clients", 2, 32), measured).scalability
    line = law.line()
    assert line[0][0] == pytest.approx(2)
    assert line[-1][0] == pytest.approx(32)
    assert all(y == pytest.approx(law.throughput(n)) for n, y in line[1:-1])
