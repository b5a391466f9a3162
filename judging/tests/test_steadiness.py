"""The classes of a run's course, their segments, and how often they are wrong."""

import json
from dataclasses import replace

import numpy as np
import pytest
from weighhouse_judging.bench import littles_law
from weighhouse_judging.bench import steadiness as bench
from weighhouse_judging.findings.course import sentence, steady_state
from weighhouse_judging.findings.steadiness import Course, assess

from .observations import SOUND, course

SHORT = 60
"""Courses drawn of each kind; the bench draws more."""


def noisy(levels: list[float], seed: int = 1) -> list[float]:
    noise = np.random.default_rng(seed).normal(0.0, 0.02, len(levels))
    return [float(value) for value in np.asarray(levels) * np.exp(noise)]


@pytest.mark.parametrize("kind", bench.KINDS, ids=lambda kind: kind.name)
def test_each_kind_of_course_is_called_what_it_is(kind: bench.Kind) -> None:
    """A short form of the bench, with its seed; three deviations of so few draws are allowed."""
    scored = bench.score(kind, max(60, kind.bar_from), trials=SHORT)
    allowed = 3.0 * (kind.bar * (1.0 - kind.bar) / SHORT) ** 0.5
    if kind.truth == "flat":
        assert scored.flagged <= kind.bar + allowed
    else:
        assert scored.flagged >= kind.bar - allowed
        assert scored.named >= scored.flagged - 0.1


@pytest.mark.parametrize("loop", littles_law.SOUND, ids=lambda loop: loop.name)
def test_sound_closed_loops_are_not_doubted(loop: littles_law.Loop) -> None:
    assert littles_law.doubted(loop, 5, 1) == 0.0


@pytest.mark.parametrize("loop", littles_law.WRONG, ids=lambda loop: loop.name)
def test_closed_loops_with_wrong_latencies_are_doubted(loop: littles_law.Loop) -> None:
    assert littles_law.doubted(loop, 5, 1) == 1.0


def test_the_bench_says_when_a_bar_is_missed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = bench.Kind("still, but asked for movement", "unsteady", bench.KINDS[0].draw, 0.99)
    monkeypatch.setattr(bench, "KINDS", (strict,))
    monkeypatch.setattr(bench, "LENGTHS", (30,))
    assert bench.main(["--trials", "5"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert "OUTSIDE THE BAR" in printed[0]
    (scored,) = json.loads(printed[-1])["scores"]
    assert (scored["intervals"], scored["passed"]) == (30, False)


def test_a_middle_third_at_half_speed_is_three_segments() -> None:
    found = assess(course(noisy([10_000.0] * 20 + [5_000.0] * 20 + [10_000.0] * 20)))
    assert found.kind == "unsteady"
    assert [(one.begin, one.end) for one in found.segments] == [(0, 20), (20, 40), (40, 60)]
    assert found.segments[1].throughput == pytest.approx(5_000.0, rel=0.02)
    assert found.lowest_share == pytest.approx(0.5, rel=0.03)
    assert "3 stretches of different level, the lowest at 5" in sentence(found)


def test_what_wanders_widely_is_not_one_thing() -> None:
    """Recorded on a busy machine, a server frozen on and off in the middle: no clear edges."""
    recorded = [
        13.0, 12.4, 11.4, 11.2, 10.7, 14.6, 9.6, 7.0, 6.9, 2.6, 3.7, 7.2,
        7.5, 4.6, 6.0, 7.2, 10.1, 14.1, 14.4, 15.9, 14.2, 15.6, 12.4,
    ]  # fmt: skip
    found = assess(course([1000.0 * value for value in recorded]))
    assert found.kind == "unsteady"
    assert found.mean_error > 0.1
    assert len(found.segments) >= 3


def test_a_standstill_is_a_level_too() -> None:
    found = assess(course(noisy([10_000.0] * 20 + [0.0] * 10 + [10_000.0] * 20)))
    assert found.kind == "unsteady"
    assert found.segments[1].throughput == 0.0
    assert found.lowest_share == 0.0


def test_one_slow_second_is_no_level() -> None:
    values = noisy([10_000.0] * 60)
    values[0] = values[30] = 1_000.0
    assert assess(course(values)).kind == "flat"


def test_a_smooth_course_is_flat() -> None:
    assert assess(course([10_000.0] * 30)).kind == "flat"
    alternating = [10_000.0 * (1 + 0.2 * (-1) ** index) for index in range(40)]
    assert assess(course(alternating)).kind == "flat"


def test_p99_decides_where_throughput_is_flat() -> None:
    """A quarter of the clients' time: throughput even, p99 three times as high at the end."""
    values, p99s = noisy([10_000.0] * 60), noisy([500.0] * 30 + [1_500.0] * 30, seed=2)
    slower = assess(course(values, p99s_us=p99s, operations=[10_000] * 60))
    assert slower.kind == "slowing_down"
    assert slower.p99_change == pytest.approx(2.0, rel=0.05)
    assert [one.begin for one in slower.segments] == [0, 30]
    better = assess(course(values, p99s_us=p99s[::-1], operations=[10_000] * 60))
    assert better.kind == "warming_up"
    few = assess(course(values, p99s_us=p99s, operations=[300] * 60))
    assert few.kind == "flat"
    assert few.p99_change is None


def test_intervals_without_a_p99_do_not_stop_the_looking() -> None:
    p99s: list[float | None] = [*noisy([500.0] * 30), *noisy([1_500.0] * 30)]
    p99s[10] = p99s[40] = None
    found = assess(course(noisy([10_000.0] * 60), p99s_us=p99s, operations=[10_000] * 60))
    assert found.kind == "slowing_down"


def test_a_backlog_that_grows_is_an_overload_whatever_the_throughput() -> None:
    waits = [1e6 * 0.05 * second for second in range(60)]
    found = assess(course(noisy([10_000.0] * 60), waits_us=waits))
    assert found.kind == "overloaded"
    assert found.backlog_growth == pytest.approx(0.05, rel=0.05)
    stall = [0.0] * 20 + [1e6 * (10 - step) for step in range(10)] + [0.0] * 30
    assert assess(course(noisy([10_000.0] * 60), waits_us=stall)).kind == "flat"


def test_a_long_run_is_read_by_its_parts_and_told_by_its_intervals() -> None:
    found = assess(course(noisy([10_000.0] * 1800 + [8_000.0] * 1800)))
    assert found.kind == "slowing_down"
    assert [one.end for one in found.segments] == [1800, 3600]


@pytest.mark.parametrize("throughputs", [[], [10_000.0] * 9, [0.0] * 30 + [1.0] * 5])
def test_a_course_of_too_little_is_not_assessable(throughputs: list[float]) -> None:
    found = assess(course(throughputs))
    assert found.kind == "not_assessable"
    assert found.segments == ()


def test_each_class_has_its_sentence_and_severity() -> None:
    def finding(values: Course) -> tuple[str, str]:
        told = steady_state(replace(SOUND, course=values))
        assert told is not None
        return told.severity, told.message.split(":")[0]

    falling = noisy([10_000.0 * 0.99**index for index in range(60)])
    assert finding(course(falling)) == ("caution", "Slowing down")
    assert finding(course(falling[::-1])) == ("caution", "Warming up")
    waits = [1e6 * 0.05 * second for second in range(60)]
    assert finding(course(noisy([1e4] * 60), waits_us=waits)) == ("error", "Overloaded")
    assert finding(course([1e4] * 5)) == ("info", "Not assessable")


def counted(counts: list[int]) -> Course:
    """A course of operations by the second."""
    return Course([float(each) for each in counts], operations=counts, seconds=float(len(counts)))


@pytest.mark.parametrize(
    "counts", [[0, 1] * 15, [1, 0, 0] * 20, [1, 2] * 10, [4, 5] * 6, [19] * 12, [1] * 10]
)
def test_what_is_regular_is_flat_however_little_it_is(counts: list[int]) -> None:
    found = assess(counted(counts))
    assert found.kind == "flat"
    (segment,) = found.segments
    assert segment.throughput == pytest.approx(sum(counts) / len(counts))
    assert (segment.begin, segment.end) == (0, len(counts))


def test_of_few_operations_it_is_told_how_few_they_are() -> None:
    drawn = np.random.default_rng(4).poisson(0.2, 60)
    found = assess(counted([int(each) for each in drawn]))
    assert found.kind == "not_assessable"
    assert f"{drawn.sum()} operations succeeded in all, by which its rate is known to ±" in (
        sentence(found)
    )
    nothing = assess(counted([0] * 30 + [1]))
    assert nothing.kind == "not_assessable"
    assert "1 operation succeeded in all: too few" in sentence(nothing)


def test_a_second_in_which_nothing_was_done_is_told() -> None:
    seconds = noisy([10_000.0] * 60)
    seconds[20:23] = [0.0, 40.0, 0.0]
    found = assess(course(seconds))
    assert (found.kind, found.standstill_seconds) == ("unsteady", 3.0)
    assert "for 3 s in all next to nothing was done" in sentence(found)
    brief = replace(course([*noisy([500.0] * 59), 0.0]), lengths_seconds=[1.0] * 59 + [0.001])
    assert assess(brief).standstill_seconds == 0.0, "half an operation was to be expected in it"


def test_what_returns_is_told_with_its_period() -> None:
    seconds = noisy(([6_000.0] * 5 + [10_000.0] * 15) * 6)
    found = assess(replace(course(seconds), seconds=60.0))
    assert found.kind == "periodic"
    assert found.period_seconds == pytest.approx(10.0, rel=0.02)
    assert found.lowest_share == pytest.approx(0.6, rel=0.05)
    assert "throughput falls to 6" in sentence(found)
    assert "every 10 s or so" in sentence(found)


def test_a_p99_that_returns_is_told_where_throughput_is_flat() -> None:
    p99s = noisy(([4_000.0] * 3 + [1_000.0] * 12) * 10)
    flat = course(noisy([10_000.0] * 150))
    found = assess(replace(flat, p99s_us=p99s, operations=[10_000] * 150, seconds=150.0))
    assert (found.kind, found.period_of) == ("periodic", "p99")
    assert found.period_seconds == pytest.approx(15.0, rel=0.02)
    assert "p99 rises every 15 s or so" in sentence(found)


def test_a_standstill_among_few_operations_is_seen_where_it_was() -> None:
    found = assess(counted([3] * 30 + [0] * 30 + [3] * 30))
    assert found.kind == "unsteady"
    edges = [one.begin for one in found.segments[1:]]
    assert edges[0] == pytest.approx(30, abs=4)
    assert edges[-1] == pytest.approx(60, abs=4)
    assert found.intervals == 90
