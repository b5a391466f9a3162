"""Calibrations: brackets, ends, confirmations."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from weighhouse_judging.bench.servers import Queue
from weighhouse_judging.scenarios import calibrate
from weighhouse_judging.scenarios.calibrate import CALIBRATE, Plan
from weighhouse_judging.scenarios.scenario import Failure, Measurement, Step, about

from . import playing as play

FEW = settings(max_examples=12, deadline=None, derandomize=True, database=None)


@FEW
@given(
    capacity=st.floats(3_000, 800_000),
    idle=st.floats(50.0, 900.0),
    bend=st.floats(0.3, 12.0),
    ramp=st.booleans(),
)
def test_a_rising_latency_without_noise_is_answered_inside_its_bracket(capacity, idle, bend, ramp):
    def latency(rate):
        return idle / max(1e-3, 1 - (rate / capacity) ** bend)

    plan = Plan("rate", 1_000, 1_000_000, 1_000.0, noise=0.01, ramp=ramp)
    truth = capacity * (1 - idle / 1_000) ** (1 / bend)
    result, *_ = play.played(CALIBRATE, plan, play.steady(lambda rate: rate, latency))
    figures = result.figures
    if figures.inside is not None:
        assert latency(figures.inside.level) <= 1_000.0
    if figures.outside is not None:
        assert latency(figures.outside.level) > 1_000.0
    if figures.point is None:
        assert result.outcome in {"no_load_meets", "all_loads_meet"}
        assert truth < 1_100 or truth > 900_000
        return
    low = -math.inf if figures.inside is None else figures.inside.level
    high = math.inf if figures.outside is None else figures.outside.level
    assert low <= figures.point.level * 1.001
    assert figures.point.level <= high * 1.001
    if 1_000 < truth < 1_000_000:
        assert figures.point.level == pytest.approx(truth, rel=0.06)


def test_what_comes_after_too_much_lets_the_system_recover_and_counts_for_nothing():
    plan = Plan("rate", 1_000, 1_000_000, 1_000.0, ramp=False)

    def seen(level, latency_us):
        return Measurement(level, {"p99_us": latency_us, "throughput": level})

    too_much = [seen(1_000, 200.0), seen(400_000, 9_000.0)]
    rest = calibrate.advance(plan, too_much)
    assert (rest.kind, rest.purpose) == ("measure", "again")
    assert rest.level < rest.reason.numbers["low"]
    assert "lets it recover, and counts for nothing" in rest.reason.sentence
    step = calibrate.advance(plan, [*too_much, seen(rest.level, 50_000.0)])
    assert step == calibrate.advance(plan, [*too_much, seen(rest.level, 200.0)])
    assert step.purpose == "narrow"


def test_clients_are_whole_and_the_most_that_stay_inside():
    queue = Queue(1, 10_000.0)
    for times in (2, 5):
        envelope = queue.closed_us(1, 0.99) * times
        plan = Plan("clients", 1, 512, envelope, noise=0.01)
        server = play.steady(queue.closed_throughput, lambda n: queue.closed_us(n, 0.99))
        result, *_ = play.played(CALIBRATE, plan, server)
        truth = sum(queue.closed_us(n, 0.99) <= envelope for n in range(1, 100))
        point = result.figures.point
        assert point.level == int(point.level)
        assert abs(point.level - truth) <= 1


def test_it_begins_with_a_ramp_narrows_and_confirms():
    queue = Queue(4, 25_000.0)
    plan = Plan("rate", 1_000, 1_000_000, queue.open_us(1_000, 0.99) * 5)
    server = play.steady(lambda rate: min(rate, 1e5), lambda rate: queue.open_us(rate, 0.99))
    result, steps, measured = play.played(CALIBRATE, plan, server)
    assert result.outcome == "found"
    assert steps[0].kind == "ramp"
    assert steps[0].levels[0] == 1_000
    assert steps[0].levels[-1] == 1_000_000
    assert {step.purpose for step in steps[1:]} <= {"narrow", "confirm", "again"}
    assert result.figures.point.confirmed_by >= plan.confirmations
    assert result.figures.point.low <= result.figures.point.level <= result.figures.point.high
    assert len(measured) <= 12
    assert result.reason.sentence.startswith("The most inside a p99 of")


def test_an_envelope_that_no_load_meets_says_so_with_the_nearest_point():
    plan = Plan("rate", 1_000.4, 1_000_000, 1_000.0)
    slow = play.steady(lambda rate: rate, lambda rate: 1_500.0 + rate / 100)
    result, *_ = play.played(CALIBRATE, plan, slow)
    assert result.outcome == "no_load_meets"
    assert result.figures.point is None
    assert result.figures.inside is None
    assert result.figures.outside.level == 1_000
    assert result.figures.outside.latency_us == pytest.approx(1_510, rel=0.01)
    assert result.reason.sentence.startswith("No load meets the envelope of 1 ms: at 1,000")


def test_an_envelope_that_every_load_meets_says_so():
    plan = Plan("clients", 1, 64, 1_000.0)
    quick = play.steady(lambda n: n * 1e4, lambda n: 100.0 + n)
    result, *_ = play.played(CALIBRATE, plan, quick)
    assert result.outcome == "all_loads_meet"
    assert result.figures.inside.level == 64
    assert result.figures.outside is None


def test_a_server_that_always_fails_meets_nothing():
    def broken(step: Step) -> Measurement:
        return Measurement(step.level, failure=Failure("system", "refused"))

    result, *_ = play.played(CALIBRATE, Plan("rate", 1_000, 64_000, 1_000.0, ramp=False), broken)
    assert result.outcome == "no_load_meets"
    assert "could not be borne" in result.reason.sentence


def test_a_machine_that_spoils_every_run_is_not_the_systems_fault():
    def lost(step: Step) -> Measurement:
        return Measurement(step.level, failure=Failure("elsewhere", "agent lost"))

    result, steps, _ = play.played(CALIBRATE, Plan("rate", 1_000, 64_000, 1_000.0), lost)
    assert result.outcome == "not_measured"
    assert "agent lost" in result.reason.sentence
    assert len(steps) == calibrate.FAILURES_ELSEWHERE


@pytest.mark.parametrize("how", ["rate", "errors"])
def test_what_is_not_done_is_outside_however_quick(how):
    def answer(step: Step) -> Measurement:
        def at(level):
            over = level > 20_000
            done = 20_000.0 if over and how == "rate" else level
            share = 0.5 if over and how == "errors" else 0.0
            return Measurement(level, {"throughput": done, "p99_us": 100.0}, error_share=share)

        if step.kind == "ramp":
            return Measurement(step.level, stages=tuple(at(level) for level in step.levels))
        return at(step.level)

    result, *_ = play.played(CALIBRATE, Plan("rate", 1_000, 100_000, 1_000.0, noise=0.01), answer)
    assert result.figures.point.level == pytest.approx(20_000, rel=0.1)


def test_one_stalled_run_moves_nothing_for_good():
    queue, stalled = Queue(4, 25_000.0), iter([False, False, True])

    def answer(step: Step) -> Measurement:
        found = play.steady(lambda rate: min(rate, 1e5), lambda rate: queue.open_us(rate, 0.99))(
            step
        )
        if step.kind == "measure" and next(stalled, False):
            return Measurement(found.level, {**found.figures, "p99_us": 5e5})
        return found

    envelope = queue.open_us(1_000, 0.99) * 3
    result, *_ = play.played(CALIBRATE, Plan("rate", 1_000, 1_000_000, envelope), answer)
    level = result.figures.point.level
    assert queue.open_us(level * 0.96, 0.99) < envelope < queue.open_us(level * 1.04, 0.99)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (24_960.4, "24,960"), (311_821.7, "311,800"), (3.14159, "3.142"), (0.012345, "0.01235"),
        (999.96, "1,000"), (0, "0"), (-17.25, "-17.25"), (12, "12"),
    ],
)  # fmt: skip
def test_a_number_is_told_without_an_exponent(value, words):
    assert about(value) == words
