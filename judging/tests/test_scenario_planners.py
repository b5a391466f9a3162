"""What all planners promise: they end, whatever is answered, and say the same after a kill."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from weighhouse_judging.scenarios import calibrate, peak, scenario, sweep
from weighhouse_judging.scenarios.registry import SCENARIOS
from weighhouse_judging.scenarios.scenario import Failure, Measurement, PlanRefused, Refusal, Result

from . import playing as play

PLANS = {
    "sweep": [
        sweep.Plan("clients", 1, 64, stop_at_us=5_000.0, repeats=2),
        sweep.Plan("rate", 1_000, 900_000, most_measurements=12),
    ],
    "calibrate": [
        calibrate.Plan("rate", 1_000, 1_000_000, 1_000.0),
        calibrate.Plan("clients", 1, 64, 1_000.0, ramp=False),
    ],
    "peak": [peak.Plan(8, stop_at_us=5_000.0, repeats=2)],
}
CASES = [(name, plan) for name, plans in PLANS.items() for plan in plans]
FEW = settings(max_examples=12, deadline=None, derandomize=True, database=None)
MANY = settings(max_examples=150, deadline=None, derandomize=True, database=None)


def test_every_scenario_is_played_here():
    assert set(PLANS) == set(SCENARIOS)


@pytest.mark.parametrize(("name", "plan"), CASES)
@FEW
@given(data=st.data())
def test_it_ends_for_any_answers_and_says_only_numbers(name, plan, data):
    result, steps, measured = play.played(SCENARIOS[name], plan, play.hostile(data))
    assert len(measured) <= plan.most_measurements
    assert play.finite(result)
    assert result.reason.sentence.endswith(".")
    for step in steps:
        assert play.finite(step)
        assert step.levels == tuple(sorted(set(step.levels)))
        assert step.reason.sentence.endswith(".")


@pytest.mark.parametrize(("name", "plan"), CASES)
@settings(FEW, max_examples=4)
@given(data=st.data())
def test_a_replay_of_what_was_stored_gives_every_step_and_the_end_again(name, plan, data):
    result, steps, measured = play.played(SCENARIOS[name], plan, play.hostile(data))
    again = scenario.replay(SCENARIOS[name], plan, tuple(measured))
    assert again.steps == tuple(steps)
    assert again.result == result
    half = scenario.replay(SCENARIOS[name], plan, measured[: len(measured) // 2])
    assert half.steps == tuple(steps[: len(measured) // 2 + 1])
    assert half.result is None or not measured


NUMBERS = st.one_of(play.NUMBERS, st.integers(-3, 2_000).map(float))
COUNTS = st.integers(-1, 120)
ANY_PLAN = st.one_of(
    st.builds(
        sweep.Plan, st.sampled_from(["clients", "rate", "depth"]), NUMBERS, NUMBERS,
        st.one_of(st.none(), NUMBERS), st.sampled_from(["p99_us", "throughput", "x"]), COUNTS,
        COUNTS, COUNTS, NUMBERS,
    ).map(lambda plan: ("sweep", plan)),
    st.builds(
        calibrate.Plan, st.sampled_from(["clients", "rate", "depth"]), NUMBERS, NUMBERS, NUMBERS,
        st.sampled_from(["p99_us", "memory"]), st.floats(0, 0.6), COUNTS, COUNTS,
    ).map(lambda plan: ("calibrate", plan)),
    st.builds(
        peak.Plan, COUNTS, st.lists(st.integers(-1, 30), max_size=4).map(tuple),
        st.one_of(st.none(), NUMBERS), st.just("p99_us"), COUNTS, COUNTS,
    ).map(lambda plan: ("peak", plan)),
)  # fmt: skip


@MANY
@given(named=ANY_PLAN)
def test_a_plan_is_refused_with_place_and_remedy_or_begins(named):
    name, plan = named
    refused = SCENARIOS[name].refusals(plan)
    if not refused:
        assert not isinstance(SCENARIOS[name].advance(plan, ()), Result)
        return
    fields = set(plan.__dataclass_fields__)
    assert all(one.where.split("[")[0] in fields and one.message and one.mend for one in refused)
    with pytest.raises(PlanRefused) as caught:
        SCENARIOS[name].advance(plan, ())
    assert caught.value.refusals == refused


@pytest.mark.parametrize(
    ("plan", "where", "says"),
    [
        (sweep.Plan("clients", 8, 4), "end", "4 is not above start 8"),
        (sweep.Plan("clients", 1.5, 4), "start", "1.5 clients cannot be had"),
        (sweep.Plan("rate", math.nan, 4), "start", "nan is no rate"),
        (sweep.Plan("clients", 1, 64, most_measurements=3), "most_measurements", "7 levels"),
        (sweep.Plan("clients", 1, 64, latency="throughput"), "latency", "is no latency"),
        (calibrate.Plan("rate", 1, 2, -5.0), "envelope_us", "-5 µs is no limit"),
        (calibrate.Plan("depth", 1, 2, 5.0), "axis", "depths are not calibrated"),
        (peak.Plan(8, depths=(10, 1)), "depths", "they do not rise"),
        (peak.Plan(8, depths=(0, 1)), "depths[0]", "0 is out of range"),
    ],
)
def test_what_is_wrong_is_said(plan, where, says):
    module = {sweep.Plan: sweep, calibrate.Plan: calibrate, peak.Plan: peak}[type(plan)]
    first, *_ = module.refusals(plan)
    assert isinstance(first, Refusal)
    assert first.where == where
    assert says in first.message


def test_a_figure_that_cannot_be_is_none():
    for value in (0.0, -1.0, math.nan, math.inf, 1e300, 1e-300):
        assert Measurement(1.0, {"throughput": value}).figure("throughput") is None
    failed = Measurement(1.0, {"throughput": 5.0}, Failure("system", "it fell over"))
    assert failed.figure("throughput") is None
    assert Measurement(1.0, {"throughput": 5.0}).figure("throughput") == 5.0


@given(level=st.floats(1e-3, 5e7))
@MANY
def test_levels_are_rounded_once_and_stay_near(level):
    rounded = scenario.rounded("rate", level)
    assert scenario.rounded("rate", rounded) == rounded
    assert rounded == pytest.approx(level, rel=6e-4)
