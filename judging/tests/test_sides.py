"""Two sides: what is said of them, by which rule, and what never is."""

import numpy as np
import pytest
from weighhouse_judging.arithmetic.intervals import Between
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.noise import Floor, floor_of
from weighhouse_judging.verdicts.sides import Judgement, judge, with_family
from weighhouse_protocol.figures import CATALOGUE

THROUGHPUT = CATALOGUE["throughput"]
STEADY = [100.0, 100.5, 99.5, 100.2, 99.8]


def blocks(values: list[float], campaign: str = "a") -> Repeats:
    return {(campaign, place): value for place, value in enumerate(values)}


def judged(first: Repeats, second: Repeats, metric: str = "throughput", **how: object) -> Judgement:
    found = judge(CATALOGUE[metric], first, second, **how)  # type: ignore[arg-type]
    assert found is not None
    return found


def noisy(
    seed: int, size: int, blocks_by: float = 0.05, residual: float = 0.01
) -> list[list[float]]:
    generator = np.random.default_rng(seed)
    shared = generator.normal(0, blocks_by, size)
    return (100 * np.exp(shared + generator.normal(0, residual, (2, size)))).tolist()


def floor(residual: float, pairs: int = 20) -> Floor:
    generator = np.random.default_rng(3)
    found = floor_of({"x": (100 * np.exp(generator.normal(0, residual, (pairs, 2)))).tolist()})
    assert found is not None
    return found


def test_pairs_see_what_block_noise_hides() -> None:
    first, second = noisy(1, 6, blocks_by=0.1)
    lower = [value * 0.93 for value in second]
    together = judged(blocks(first), blocks(lower))
    assert (together.method, together.verdict, together.better) == ("paired", "changed", False)
    apart = judged(blocks(first), blocks(lower, "b"))
    assert (apart.method, apart.verdict) == ("unpaired", "inconclusive")


def test_between_campaigns_nothing_is_claimed_before_it_is_known_how_they_differ() -> None:
    half = [value / 2 for value in STEADY] * 4
    for other in (half, STEADY * 4):
        found = judged(blocks(STEADY * 4), blocks(other, "b"))
        assert (found.method, found.verdict, found.decided_by) == (
            "unpaired", "inconclusive", "campaigns"
        )  # fmt: skip
        assert (found.low, found.p_value, found.better, found.significance) == (None, None, None, 0)
        assert found.repeats_needed is None  # no number of them tells it
    known = Between(np.asarray(0.01**2), np.asarray(9.0), np.asarray(0.2))
    found = judged(blocks(STEADY), blocks([value / 2 for value in STEADY], "b"), between=known)
    assert (found.method, found.verdict) == ("two_level", "changed")


def test_repeats_without_a_partner_are_counted_and_left_out() -> None:
    first, second = blocks(STEADY), blocks([value * 1.2 for value in STEADY])
    wild = {**second, ("a", 17): 1.0}
    assert judged(first, wild).relative == pytest.approx(judged(first, second).relative)
    assert judged(first, wild).left_out == 1


@pytest.mark.parametrize(("metric", "better"), [("throughput", True), ("p99_us", False)])
def test_better_depends_on_the_metric(metric: str, better: bool) -> None:
    higher = blocks([value * 1.3 for value in STEADY])
    assert judged(blocks(STEADY), higher, metric).better is better


def test_two_or_three_repeats_have_no_interval_and_no_verdict() -> None:
    for size in (1, 2, 3):
        found = judged(blocks(STEADY[:size]), blocks([50.0] * size))
        assert (found.verdict, found.decided_by) == ("insufficient", "repeats")
        assert (found.low, found.high, found.p_value, found.significance) == (None, None, None, 0.0)
    four = judged(blocks(STEADY[:4]), blocks([50.0, 50.1, 49.9, 50.2]))
    assert (four.verdict, four.repeats_needed) == ("insufficient", 1)
    assert four.low is not None


def test_missing_data_never_sort_above_what_is_proven() -> None:
    one = judged(blocks([100.0]), blocks([50.0]))
    five = judged(blocks(STEADY), blocks([value * 0.9 for value in STEADY[::-1]]))
    assert five.significance > one.significance == 0.0


def test_a_certain_difference_below_the_threshold_is_equivalent() -> None:
    exact = [100.0, 100.01, 99.99, 100.02, 99.98]
    found = judged(blocks(exact), blocks([value * 1.01 for value in exact]))
    assert found.low is not None
    assert found.low > 0
    assert found.verdict == "equivalent"


def test_equality_takes_the_90_percent_interval_and_the_page_draws_95() -> None:
    between = next(
        found
        for found in (judged(*map(blocks, noisy(seed, 8, residual=0.02))) for seed in range(200))
        if found.verdict == "equivalent" and not -0.03 < (found.low or 0) < (found.high or 0) < 0.03
    )
    assert between.decided_by == "equality"
    assert -0.03 <= (between.equality_low or -1) < (between.equality_high or 1) <= 0.03
    assert (between.low or 0) < (between.equality_low or 0)
    assert (between.high or 0) > (between.equality_high or 0)


def test_nothing_is_said_where_no_ratio_exists() -> None:
    assert judge(THROUGHPUT, {}, blocks(STEADY)) is None
    assert judge(THROUGHPUT, blocks(STEADY), blocks([0.0, 1.0, 1.0, 1.0, 1.0])) is None


def test_a_table_corrects_what_it_shows_together() -> None:
    generator = np.random.default_rng(12)
    doubtful = next(
        found
        for found in (
            judged(blocks(STEADY), blocks((96 * np.exp(generator.normal(0, 0.012, 5))).tolist()))
            for _ in range(200)
        )
        if found.verdict == "changed" and (found.p_value or 0) > 0.002
    )
    assert with_family([doubtful])[0].verdict == "changed"
    table = with_family([doubtful, *[judged(blocks(STEADY), blocks(STEADY[::-1]))] * 83])
    assert (table[0].verdict, table[0].decided_by, table[0].better) == (
        "inconclusive",
        "family",
        None,
    )
    assert table[0].repeats_needed
    for item in table:
        assert (item.verdict == "changed") <= ((item.p_family or 1) <= 0.05)


def test_a_floor_lends_what_it_knows_and_raises_the_threshold() -> None:
    known, alone = next(
        pair
        for pair in (
            (judged(blocks(a), blocks(b), floor=floor(0.01)), judged(blocks(a), blocks(b)))
            for a, b in (
                (first, [value * 0.95 for value in second])
                for first, second in (noisy(seed, 5) for seed in range(200))
            )
        )
        if pair[1].verdict == "inconclusive" and pair[0].verdict == "changed"
    )
    assert (known.verdict, known.decided_by) == ("changed", "noise_floor")
    assert (known.low, known.high) == (alone.low, alone.high)
    first, second = noisy(11, 5)
    lower = [value * 0.95 for value in second]
    rough = judged(blocks(first), blocks(lower), floor=floor(0.08))
    assert rough.threshold == rough.floor
    assert rough.threshold > 0.05
    assert rough.verdict != "changed"


def test_a_floor_takes_nothing_from_what_pairs_know_themselves() -> None:
    first, second = noisy(5, 20)
    lower = [value * 0.95 for value in second]
    known = judged(blocks(first), blocks(lower), floor=floor(0.02))
    assert (known.verdict, known.decided_by) == ("changed", "level")
    assert known.p_value == pytest.approx(1.2 * (judged(blocks(first), blocks(lower)).p_value or 0))


def test_a_floor_of_another_machine_lends_nothing() -> None:
    loud = (100 * np.exp(np.random.default_rng(4).normal(0, 0.2, 5))).tolist()
    alone = judged(blocks(STEADY), blocks(loud))
    assert judged(blocks(STEADY), blocks(loud), floor=floor(0.001)).p_value == alone.p_value


def test_a_floor_needs_ten_pairs_and_four_campaigns() -> None:
    generator = np.random.default_rng(5)
    assert floor_of({"x": [(1.0, 1.1)] * 9}) is None
    assert floor(0.01).between is None
    level = generator.normal(0, 0.03, 40)
    many = {
        str(key): np.exp(level[key] + generator.normal(0, 0.01, (6, 2))).tolist()
        for key in range(40)
    }
    found = floor_of(many)
    assert found is not None
    assert found.between is not None
    assert float(found.within.variance) ** 0.5 == pytest.approx(0.01, rel=0.2)
    assert float(found.between.variance) ** 0.5 == pytest.approx(0.03, rel=0.3)


def test_figures_looked_at_while_they_grew_are_judged_more_carefully() -> None:
    first, second = noisy(2, 8)
    lower = [value * 0.9 for value in second]
    once, often = (
        judged(blocks(first), blocks(lower), looked_at=looked) for looked in (False, True)
    )
    assert (often.p_value or 0) > (once.p_value or 1)
    assert (often.low or 0) < (once.low or 0)


def test_what_whole_campaigns_differ_by_is_known_with_the_first_repeat() -> None:
    first, second = noisy(3, 8, blocks_by=0.0)
    shaken = Between(np.asarray(0.01**2), np.asarray(30.0), np.asarray(0.01))
    alike = Between(np.asarray(0.01**2 / 8), np.asarray(30.0), np.asarray(1 / 8))
    found = [
        judged(blocks(first), blocks(second, "b"), between=one, looked_at=True)
        for one in (shaken, alike)
    ]
    wide, narrow = ((one.equality_high or 0) - one.relative for one in found)
    errors = [one.error or 0 for one in found]
    # As an interval of one look is wider than its error: the horizon's is nearly reached.
    assert wide / errors[0] < 2.8
    assert narrow / errors[1] > 3


def test_more_repeats_settle_what_the_estimate_promised() -> None:
    first, second = noisy(6, 6, residual=0.04)
    found = judged(blocks(first), blocks(second))
    assert found.verdict == "inconclusive"
    assert found.repeats_needed
    first, second = noisy(7, 6 + 3 * found.repeats_needed, residual=0.04)
    assert judged(blocks(first), blocks(second)).verdict == "equivalent"
