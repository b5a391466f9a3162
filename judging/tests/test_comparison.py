"""The rule that decides what may be said of two samples."""

import numpy as np
import pytest
from weighhouse_judging.verdicts.comparison import (
    METRIC,
    MOST_REPEATS_NEEDED,
    Judgement,
    judge,
    with_holm,
)

THROUGHPUT, P99 = METRIC["throughput"], METRIC["p99_us"]
STEADY = [100.0, 100.5, 99.5, 100.2, 99.8]


def judged(baseline: list[float], other: list[float], metric: str = "throughput") -> Judgement:
    judgement = judge(METRIC[metric], baseline, other)
    assert judgement is not None
    return judgement


def test_a_clear_step_is_a_change_for_the_better_or_the_worse() -> None:
    higher = [value * 1.2 for value in STEADY]
    up = judged(STEADY, higher)
    assert (up.verdict, up.better) == ("changed", True)
    assert up.relative == pytest.approx(0.2)
    assert up.low < 0.2 < up.high
    down = judged(higher, STEADY)
    assert (down.verdict, down.better) == ("changed", False)
    assert judged(STEADY, higher, "p99_us").better is False


def test_sides_that_agree_within_the_threshold_are_equivalent() -> None:
    judgement = judged(STEADY, [value * 1.005 for value in STEADY])
    assert (judgement.verdict, judgement.better) == ("equivalent", None)
    assert judgement.repeats_needed is None


def test_a_significant_change_below_the_threshold_is_not_called_one() -> None:
    exact = [100.0, 100.01, 99.99, 100.02, 99.98]
    judgement = judged(exact, [value * 1.01 for value in exact])
    assert judgement.low > 0
    assert judgement.verdict == "equivalent"


def test_noise_is_inconclusive_and_says_how_many_repeats_are_missing() -> None:
    noisy = [80.0, 120.0, 100.0, 90.0, 110.0]
    judgement = judged(noisy, [95.0, 125.0, 85.0, 105.0, 104.0])
    assert judgement.verdict == "inconclusive"
    assert judgement.repeats_needed is not None
    assert 1 <= judgement.repeats_needed <= MOST_REPEATS_NEEDED


def test_fewer_than_five_repeats_are_never_enough() -> None:
    judgement = judged(STEADY[:3], [value * 2 for value in STEADY[:3]])
    assert judgement.verdict == "insufficient"
    assert judgement.repeats_needed == 2
    assert judged(STEADY, [200.0] * 4).verdict == "insufficient"


def test_a_given_threshold_replaces_the_metrics_own() -> None:
    other = [value * 1.04 for value in STEADY]
    assert judged(STEADY, other).verdict == "changed"
    wider = judge(THROUGHPUT, STEADY, other, threshold=0.08)
    assert wider is not None
    assert wider.verdict == "equivalent"


def test_nothing_is_said_without_values_or_against_zero() -> None:
    assert judge(THROUGHPUT, [], STEADY) is None
    assert judge(THROUGHPUT, STEADY, []) is None
    assert judge(P99, [0.0] * 5, STEADY) is None


def test_sides_that_do_not_scatter_at_all() -> None:
    assert judged([100.0] * 5, [100.0] * 5).verdict == "equivalent"
    assert judged([100.0] * 5, [110.0] * 5).verdict == "changed"


def test_more_repeats_settle_what_the_estimate_promised() -> None:
    generator = np.random.default_rng(4)
    first = judged(generator.normal(100, 4, 6).tolist(), generator.normal(100.5, 4, 6).tolist())
    assert first.verdict == "inconclusive"
    assert first.repeats_needed is not None
    size = 6 + 3 * first.repeats_needed
    later = judged(
        generator.normal(100, 4, size).tolist(), generator.normal(100.5, 4, size).tolist()
    )
    assert later.verdict == "equivalent"


def test_holm_is_reported_over_all_and_decides_nothing() -> None:
    changed = judged(STEADY, [value * 1.2 for value in STEADY])
    adjusted = with_holm([changed] * 10)
    assert all(item.p_holm == pytest.approx(10 * 2 / 252) for item in adjusted)
    assert all(item.verdict == "changed" for item in adjusted)


@pytest.mark.parametrize(("spread", "most"), [(0.01, 0.005), (0.03, 0.04), (0.05, 0.05)])
def test_false_alarms_between_equal_sides_are_rare(spread: float, most: float) -> None:
    generator = np.random.default_rng(20_261_120)
    rounds = 600
    alarms = 0
    for _ in range(rounds):
        sides = 100 * np.exp(generator.normal(0, spread, (2, 5)))
        alarms += judged(sides[0].tolist(), sides[1].tolist()).verdict == "changed"
    assert alarms / rounds <= most
