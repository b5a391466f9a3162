"""Repeats that remember are told from others, and their means are known to scatter by more."""

import numpy as np
import pytest
from weighhouse_judging.arithmetic.intervals import Between, Spread, two_campaigns
from weighhouse_judging.arithmetic.memory import inflation, told_memory
from weighhouse_judging.bench.between import Case, Noise, learned_of, remembering, told
from weighhouse_judging.verdicts.campaigns import PastCampaign, learned


def campaigns(correlation: float, campaigns: int, repeats: int, seed: int = 1) -> np.ndarray:
    generator = np.random.default_rng([seed, campaigns, repeats])
    return remembering(generator, correlation, 0.02, (campaigns, repeats))


@pytest.mark.parametrize("correlation", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("repeats", [5, 20])
def test_how_much_alike_neighbours_are_is_told(correlation: float, repeats: int) -> None:
    found = told_memory(list(campaigns(correlation, 4000 // repeats, repeats)))
    assert float(found) == pytest.approx(correlation, abs=0.12)


def test_independent_repeats_are_hardly_ever_taken_for_others() -> None:
    many = np.random.default_rng(2).normal(0, 0.02, (10, 4000, 20))
    assert np.mean(told_memory(list(many)) > 0) < 0.02


def test_alternating_repeats_and_short_campaigns_tell_nothing() -> None:
    assert float(told_memory([np.array([0.1, -0.1] * 10)] * 10)) == 0.0
    assert float(told_memory([np.array([0.1, 0.2, 0.3])] * 50)) == 0.0
    assert float(told_memory([np.zeros(20)] * 10)) == 0.0


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("repeats", [1, 2, 5, 20])
def test_what_a_mean_scatters_by_is_what_is_said(correlation: float, repeats: int) -> None:
    drawn = campaigns(correlation, 60_000, repeats, 3)
    factor = float(inflation(np.asarray(correlation), 1 / repeats))
    if repeats == 1:
        assert factor == 1.0
        return
    by_sample = np.mean(drawn.var(axis=-1, ddof=1)) / repeats
    assert drawn.mean(axis=-1).var() == pytest.approx(factor * by_sample, rel=0.05)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_a_mean_of_any_number_of_repeats_is_where_long_ones_lead(correlation: float) -> None:
    memory = np.asarray(correlation)
    endless, many = inflation(memory, np.array([0.0, 1e-12])), inflation(memory, 1e-5)
    assert endless == pytest.approx((1 + correlation) / (1 - correlation))
    assert float(many) == pytest.approx(float(endless[0]), rel=0.01)


@pytest.mark.parametrize("memory", [0.0, 0.9])
@pytest.mark.parametrize("share", [0.0, 1e-12, 0.2, 1.0])
@pytest.mark.parametrize("scatter", [0.0, 0.02])
def test_campaigns_of_any_length_judge_to_a_number(
    memory: float, share: float, scatter: float
) -> None:
    """A known difference of campaigns that no repeats are in has a share of 0."""
    a, b = np.random.default_rng(9).normal(0, scatter, (2, 5))
    for within in (None, Spread(np.asarray(scatter**2), np.asarray(4.0), np.asarray(memory))):
        between = Between(np.asarray(9e-4), np.asarray(3.0), np.asarray(share), within=within)
        found = two_campaigns(a, b, between)
        assert np.all(np.isfinite([found.estimate, found.error, found.freedom]))
        assert float(found.half_width()) > 0


def test_the_interval_of_two_short_campaigns_knows_what_long_ones_remember() -> None:
    """Five repeats beside campaigns of twenty: it held in 90 %, said to be 95."""
    case = Case(Noise("normal", 0.0), 10, (20, 5), 0.03, correlation=0.5)
    assert 0.93 <= told(case, 4000, 7).covered <= 0.985
    plain = Case(Noise("normal", 0.0), 10, (20, 5), 0.03)
    assert 0.93 <= told(plain, 4000, 7).covered <= 0.985


def test_a_series_tells_it_in_the_order_of_its_repeats() -> None:
    remembered = np.exp(campaigns(0.7, 10, 20))
    shuffled = np.random.default_rng(4).permuted(remembered, axis=-1)
    told_of = [
        learned([PastCampaign(tuple(one)) for one in each.tolist()])
        for each in (remembered, shuffled)
    ]
    memories = [one.between.within.memory for one in told_of if one and one.between.within]
    assert [float(memory) > 0 for memory in memories] == [True, False]
    many = learned_of(np.log(remembered)[None])
    assert many.within is not None
    assert float(many.within.memory[0]) == pytest.approx(float(memories[0]))
    a, b = np.log(remembered[:2, :5])
    widths = [
        float(two_campaigns(a, b, one.between).half_width()) for one in told_of if one is not None
    ]
    assert widths[0] > 1.2 * widths[1]
