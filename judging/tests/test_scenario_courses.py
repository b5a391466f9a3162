"""What is read from the course of a run: fills, faults, soaks."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from weighhouse_judging.scenarios import fault, soak, spread, sustained
from weighhouse_judging.scenarios.scenario import PlanRefused
from weighhouse_judging.scenarios.spread import Interval
from weighhouse_judging.scenarios.sustained import Amount

MANY = settings(max_examples=100, deadline=None, derandomize=True, database=None)


def seconds(rates, p99s=None, failed=None):
    """Intervals of a second."""
    return [
        Interval(
            float(place), 1.0, int(rate), 0 if failed is None else failed[place], None,
            () if p99s is None or not rate else (("p99_us", float(p99s[place])),),
        )
        for place, rate in enumerate(rates)
    ]  # fmt: skip


# Spread


def test_a_spread_by_hand():
    found = spread.of_throughput([Interval(0, 1.0, 100), Interval(1, 3.0, 900)])
    assert (found.least, found.greatest, found.peak_to_trough) == (100, 300, 3.0)
    assert found.average == 250
    latency = spread.of_latency(seconds([5, 5, 5], [10, 20, 90]), "p99_us")
    assert (latency.least, latency.median, latency.greatest) == (10, 20, 90)
    assert latency.average is None


def test_nothing_has_no_spread_and_a_standstill_no_ratio():
    assert spread.of_throughput([]) is None
    assert spread.of_latency(seconds([1, 1]), "p99_us") is None
    assert spread.of_throughput(seconds([10, 0])).peak_to_trough is None


# Sustained


def test_a_fill_is_set_on_progress_with_its_first_and_last_tenth():
    rates = np.linspace(2_000, 1_000, 100)
    intervals = seconds(rates, 1e6 / rates)
    filled = np.concatenate([[0.0], np.cumsum(rates.astype(int))])
    amounts = [Amount(float(at), float(there)) for at, there in enumerate(filled)]
    plan = sustained.Plan("records", float(filled[-1]))
    found = sustained.figures(plan, intervals, amounts)
    assert found.reached == 1.0
    assert list(found.progress) == sorted(found.progress)
    assert found.first_tenth.begin == 0
    assert found.last_tenth.end == 100
    assert found.first_tenth.throughput == pytest.approx(1_960, rel=0.02)
    assert found.last_tenth.throughput == pytest.approx(1_070, rel=0.02)
    assert found.throughput_change == pytest.approx(-0.455, abs=0.02)
    assert dict(found.latencies_us)["p99_us"].peak_to_trough == pytest.approx(2.0)


def test_tenths_are_of_what_was_filled_not_of_what_was_loaded_before():
    intervals = seconds([10] * 100)
    amounts = [Amount(float(at), 1_000.0 + 10 * at) for at in range(101)]
    found = sustained.figures(sustained.Plan("records", 2_000.0), intervals, amounts)
    assert (found.begun, found.reached) == (0.5, 1.0)
    assert (found.first_tenth.begin, found.first_tenth.end) == (0, 10)
    assert (found.last_tenth.begin, found.last_tenth.end) == (90, 100)
    assert found.first_tenth.from_progress == 0.5


def test_progress_never_goes_back_when_a_store_shrinks():
    intervals = seconds([10] * 6)
    amounts = [Amount(at, there) for at, there in enumerate([0, 40, 30, 35, 60, 80, 200])]
    found = sustained.progress_of(sustained.Plan("bytes", 100.0), intervals, amounts)
    assert found == (0.4, 0.4, 0.4, 0.6, 0.8, 1.0)


@given(
    amounts=st.lists(st.tuples(st.floats(0, 1e4), st.floats(0, 1e12)), max_size=20),
    rates=st.lists(st.integers(0, 10**6), max_size=30),
)
@MANY
def test_progress_is_a_share_that_rises_whatever_was_sampled(amounts, rates):
    plan = sustained.Plan("bytes", 1e9)
    found = sustained.figures(plan, seconds(rates), [Amount(*one) for one in amounts])
    assert all(0 <= one <= 1 for one in found.progress)
    assert list(found.progress) == sorted(found.progress)
    for tenth in (found.first_tenth, found.last_tenth):
        assert tenth is None or 0 <= tenth.begin < tenth.end <= len(rates)


def test_a_fill_ends_before_the_disk_is_full_when_it_is_done_or_out_of_time():
    plan = sustained.Plan("bytes", 1e9, most_seconds=60)
    assert sustained.ends(plan, Amount(10, 5e8)) is None
    assert sustained.ends(plan, Amount(10, 1e9)).kind == "filled"
    assert sustained.ends(plan, Amount(60, 5e8)).kind == "time_over"
    near = sustained.ends(plan, Amount(10, 5e8), disk_free=4e9, disk_size=1e11)
    assert near.kind == "disk_nearly_full"
    assert "3.725 GiB of 93.13 GiB are free" in near.sentence
    assert sustained.ends(plan, Amount(10, 5e8), disk_free=6e9, disk_size=1e11) is None


def test_a_fill_of_nothing_is_refused():
    with pytest.raises(PlanRefused, match="target: 0 records fill nothing"):
        sustained.figures(sustained.Plan("records", 0.0), [], [])


# Fault


def broken(down=range(60, 70), slow=range(60, 100), noise=0.03, size=200, seed=1):
    draws = np.random.default_rng(seed).normal(0, noise, size)
    p99s = [1_000 * (5 if at in slow else 1) * math.exp(draws[at]) for at in range(size)]
    rates = [0 if at in down else 10_000 for at in range(size)]
    return seconds(rates, p99s, [20 if at in down else 0 for at in range(size)])


def test_before_during_and_after_a_fault():
    cost = fault.figures(fault.Plan(60.0, 70.0), broken())
    before, during, after = cost.parts
    assert (before.begin, before.end) == (0, 60)
    assert (during.begin, during.end) == (60, 70)
    assert (after.begin, after.end) == (70, 200)
    assert (before.failed, during.failed, after.failed) == (0, 200, 0)
    assert before.latency_us.median == pytest.approx(1_000, rel=0.02)
    assert cost.detected_seconds == 0.0
    assert cost.without_success_seconds == 10.0
    assert cost.first_success_seconds == 10.0
    assert cost.returned_seconds == pytest.approx(40.0, abs=2)
    assert cost.operations_missing == pytest.approx(100_000, rel=0.01)
    assert cost.band_by == "asked"
    assert cost.resolution_seconds == 1.0
    assert cost.reason.sentence.startswith("p99 was back within 10\u2009% of what it was after")


def test_a_latency_that_relapses_has_not_returned_before_its_relapse():
    cost = fault.figures(fault.Plan(60.0, 70.0), broken(slow=[*range(60, 80), *range(120, 140)]))
    assert cost.returned_seconds == pytest.approx(80, abs=2)


def test_a_single_slow_interval_is_no_relapse():
    cost = fault.figures(fault.Plan(60.0, 70.0), broken(slow=[*range(60, 80), 150]))
    assert cost.returned_seconds == pytest.approx(20, abs=2)


def test_what_never_returns_says_so():
    cost = fault.figures(fault.Plan(60.0, 70.0), broken(slow=range(60, 200)))
    assert cost.returned_seconds is None
    assert cost.reason.kind == "not_returned"


def test_a_noisy_system_gets_the_band_that_it_needed_before():
    cost = fault.figures(fault.Plan(60.0, 70.0), broken(noise=0.2))
    assert cost.band_by == "own_scatter"
    assert 0.15 < cost.band < 0.8
    assert cost.returned_seconds == pytest.approx(40, abs=5)


def test_a_fault_that_nobody_notices():
    cost = fault.figures(fault.Plan(60.0, 70.0), broken(down=(), slow=()))
    assert cost.detected_seconds is None
    assert cost.first_success_seconds is None
    assert cost.without_success_seconds == 0
    assert cost.returned_seconds == 0.0
    assert cost.operations_failed == 0


def test_a_fault_at_the_very_beginning_is_refused():
    with pytest.raises(PlanRefused, match="begin_seconds: 2 intervals lie before the fault"):
        fault.figures(fault.Plan(2.0, 5.0), broken())


@given(
    rates=st.lists(st.integers(0, 10**6), min_size=8, max_size=40),
    p99=st.lists(st.floats(1, 1e9), min_size=40, max_size=40),
    at=st.floats(5, 30),
    lasts=st.floats(0, 30),
)
@MANY
def test_parts_cover_the_run_once_whatever_happened(rates, p99, at, lasts):
    plan = fault.Plan(at, at + lasts)
    intervals = seconds(rates, p99)
    if fault.refusals(plan, intervals):
        return
    cost = fault.figures(plan, intervals)
    ends = [0, *(part.end for part in cost.parts)]
    assert [part.begin for part in cost.parts] == ends[:-1]
    assert ends[-1] == len(rates)
    assert sum(part.ok for part in cost.parts) == sum(rates)
    assert cost.operations_missing >= 0
    assert cost.returned_seconds is None or cost.returned_seconds >= 0


# Soak


def test_a_trend_is_told_with_its_interval():
    noise = np.random.default_rng(12).normal(0, 0.03, 7_200)
    values = 1e4 * np.exp(noise - 0.05 * np.arange(7_200) / 3_600)
    found = soak.trend(values.tolist(), 1.0, name="throughput")
    assert found.low <= math.expm1(-0.05) <= found.high
    assert found.clear
    assert found.reason.kind == "falls"
    assert found.reason.sentence.startswith("Throughput falls: \u22124.")


def test_a_leak_is_told_in_its_unit():
    values = 1e9 + 5e6 * np.arange(120) + np.random.default_rng(3).normal(0, 1e6, 120)
    found = soak.trend(values.tolist(), 60.0, name="resident memory", relative=False)
    assert found.per_hour == pytest.approx(3e8, rel=0.01)
    assert found.clear
    assert 5e8 < found.grown < 6e8


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_files_that_are_open_for_a_moment_are_no_leak(share: float):
    """Systems open files of the kernel for a moment; samples that meet it lie where they will."""
    generator = np.random.default_rng(8)
    rises = 0
    for _ in range(2_000):
        values = 12.0 + (generator.random(100) < share)
        found = soak.trend(values.tolist(), 0.1, name="open files", relative=False)
        rises += found.low > 0
        assert found.grown < 1.0
    assert rises > 10, "which their trend alone would say now and then"


@pytest.mark.parametrize("steps", [[50], [30, 60], [2], [97]])
def test_a_file_or_two_more_are_no_leak_and_one_a_minute_is(steps: list[int]):
    values = [12.0 + sum(at >= step for step in steps) for at in range(100)]
    assert soak.trend(values, 0.1, name="open files", relative=False).grown < 1.0
    minutely = [12.0 + at // 6 for at in range(360)]
    assert soak.trend(minutely, 10.0, name="open files", relative=False).grown > 50


def test_stillness_and_shortness_have_no_trend():
    noise = np.random.default_rng(4).normal(0, 0.03, 3_600)
    still = soak.trend((1e4 * np.exp(noise)).tolist(), 1.0, name="throughput")
    assert not still.clear
    assert still.reason.kind == "no_trend"
    short = soak.trend([1.0] * 5, 1.0, name="throughput")
    assert isinstance(short, soak.NotAssessable)
    flat = soak.trend([7.0] * 50, 1.0, name="file handles", relative=False)
    assert flat.per_hour == pytest.approx(0.0, abs=1e-9)
    assert not flat.clear


def test_stalls_that_return_are_found_with_their_period():
    values = 1e4 * np.exp(np.random.default_rng(5).normal(0, 0.03, 900))
    values[40::60] *= 0.5
    values[41::60] *= 0.5
    found = soak.stalls(values.tolist(), 10.0)
    assert found.period_seconds == 600.0
    assert found.dips == 15
    assert found.depth == pytest.approx(0.5, abs=0.05)
    assert found.reason.sentence.startswith("Throughput dips every 600 s or so (15 times, by 5")


def test_dips_without_order_have_no_period():
    generator = np.random.default_rng(6)
    for _ in range(10):
        values = 1e4 * np.exp(generator.normal(0, 0.03, 900))
        values[generator.choice(900, 12, replace=False)] *= 0.5
        assert soak.stalls(values.tolist(), 1.0) is None
    assert soak.stalls([0.0] * 50, 1.0) is None
    assert isinstance(soak.stalls([1.0] * 5, 1.0), soak.NotAssessable)


@given(values=st.lists(st.floats(0, 1e9), min_size=20, max_size=120))
@MANY
def test_any_series_has_finite_figures(values):
    found = soak.trend(values, 1.0, name="throughput")
    assert math.isfinite(found.per_hour)
    assert found.low <= found.per_hour <= found.high
    soak.stalls(values, 1.0)
