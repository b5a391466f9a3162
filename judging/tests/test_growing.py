"""Repeats that grow: what is given up because the blocks left would hardly decide it."""

from dataclasses import replace

import numpy as np
import pytest
from weighhouse_judging.arithmetic.intervals import paired
from weighhouse_judging.bench import until_decided
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.futility import chance_of_decision
from weighhouse_judging.verdicts.repetitions import Repetitions, of_judgement, wants_more
from weighhouse_judging.verdicts.sides import LEVEL, Judgement, judge
from weighhouse_protocol.figures import CATALOGUE

PLAN = Repetitions(5, 30)
THROUGHPUT = CATALOGUE["throughput"]


def judged(difference: float, noise: float, size: int, seed: int = 1) -> Judgement:
    generator = np.random.default_rng(seed)
    shifts = generator.normal(0, noise, size)
    shifts += difference - shifts.mean()
    base: Repeats = dict.fromkeys(range(size), 100.0)
    other = {block: 100 * float(np.exp(shift)) for block, shift in enumerate(shifts)}
    found = judge(THROUGHPUT, base, other, looked_at=True)
    assert found is not None
    return found


def test_a_difference_that_is_lost_in_noise_is_given_up() -> None:
    lost = of_judgement("cell", PLAN, 14, judged(0.0, 0.14, 14))
    assert lost.futile
    assert not wants_more(PLAN, lost)


@pytest.mark.parametrize(("difference", "noise"), [(-0.045, 0.06), (0.0, 0.05)])
def test_what_may_yet_be_told_or_be_equal_goes_on(difference: float, noise: float) -> None:
    found = judged(difference, noise, 12)
    assert found.verdict == "inconclusive"
    assert wants_more(PLAN, of_judgement("cell", PLAN, 12, found))


def test_where_more_blocks_are_allowed_less_is_given_up() -> None:
    found = judged(0.0, 0.14, 14)
    assert not of_judgement("cell", Repetitions(5, 300), 14, found).futile


def test_who_wants_a_narrow_interval_gets_it_whatever_it_decides() -> None:
    plan = replace(PLAN, half_width=0.02)
    assert wants_more(plan, of_judgement("cell", plan, 14, judged(0.0, 0.14, 14)))


def test_a_large_family_has_less_hope() -> None:
    alone = judged(-0.05, 0.055, 12)
    assert alone.p_value is not None
    among = replace(alone, p_family=alone.p_value * 84)
    plan = Repetitions(5, 14)
    assert not of_judgement("cell", plan, 12, alone).futile
    assert of_judgement("cell", plan, 12, among).futile


def test_the_chance_is_what_comes_true() -> None:
    generator = np.random.default_rng(7)
    spread = np.exp(generator.uniform(np.log(0.02), np.log(0.15), (20_000, 1)))
    data = spread * generator.normal(size=(20_000, 30))
    data += generator.uniform(-0.2, 0.2, (20_000, 1))
    now = paired(data[:, :15])
    chance = chance_of_decision(now, 15, 30, 0.03, LEVEL, LEVEL)
    _, changed, equal = until_decided._decided(paired(data), 30)
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 1.0)):
        among = (low <= chance) & (chance < high)
        assert among.sum() > 200
        assert np.mean((changed | equal)[among]) == pytest.approx(chance[among].mean(), abs=0.05)
