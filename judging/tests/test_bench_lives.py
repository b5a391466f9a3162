"""The bench of campaigns and of projects' lives tells what the shipped functions tell."""

import numpy as np
import pytest
from weighhouse_judging.arithmetic.intervals import Spread
from weighhouse_judging.bench import between, lives
from weighhouse_judging.bench.between import Noise
from weighhouse_judging.verdicts.campaigns import PastCampaign, learned
from weighhouse_judging.verdicts.sides import judge
from weighhouse_protocol.figures import CATALOGUE


@pytest.mark.parametrize("known", [4, 10, 20])
def test_the_bench_tells_of_two_campaigns_what_the_judge_does(known: int) -> None:
    case = between.Case(Noise("normal", 0.01), known, (5, 10))
    a, b, noise = case.drawn(200, 3)
    b -= 0.09
    drawn, decided = between.differences(a, b, noise)
    called = between.changed(drawn, decided)
    for trial in range(200):
        assert noise.within is not None
        one = between.Between(
            noise.variance[trial],
            np.broadcast_to(noise.freedom, (200,))[trial],
            noise.share,
            within=Spread(
                noise.within.variance[trial], noise.within.freedom, noise.within.memory[trial]
            ),
        )
        sides = [
            {(name, block): value for block, value in enumerate(np.exp(side[trial]).tolist())}
            for name, side in (("a", a), ("b", b))
        ]
        found = judge(CATALOGUE["throughput"], *sides, between=one)
        assert found is not None
        assert found.low is not None
        low = drawn.estimate[trial] - drawn.half_width()[trial]
        assert np.log1p(found.low) == pytest.approx(low)
        assert (found.verdict == "changed") == called[trial]
    assert known == min(between.KNOWN) or 0.1 < called.mean() < 0.95


@pytest.mark.parametrize("known", [4, 10, 20])
def test_the_bench_learns_of_campaigns_what_is_learned_of_a_series(known: int) -> None:
    generator = np.random.default_rng(4)
    past = generator.normal(0, 0.01, (100, known, 5))
    past[:, known // 2 :] -= 0.05
    many = between.learned_of(past)
    for trial, series in enumerate(np.exp(past).tolist()):
        one = learned([PastCampaign(tuple(repeats)) for repeats in series])
        assert one is not None
        assert float(one.between.variance) == pytest.approx(float(many.variance[trial]))
        freedom = np.broadcast_to(many.freedom, (100,))
        assert float(one.between.freedom) == pytest.approx(float(freedom[trial]))
        assert one.between.within is not None
        assert many.within is not None
        inside = float(many.within.variance[trial])
        assert float(one.between.within.variance) == pytest.approx(inside)


def test_campaigns_that_remember_are_alike_beside_each_other_alone() -> None:
    found = between.effects(np.random.default_rng(5), between.REMEMBERED, (4000, 12))
    together = np.corrcoef(found.T)
    assert together[4, 5] == pytest.approx(0.5, abs=0.05)
    assert together[0, 11] == pytest.approx(0.0, abs=0.06)
    assert found.std(axis=0) == pytest.approx(np.full(12, 0.02), rel=0.05)


@pytest.mark.parametrize("noise", [Noise("normal", 0.03), between.TWO_SPEEDS], ids=str)
def test_a_life_that_asks_the_gate_where_it_must_goes_as_one_that_always_asks(
    noise: Noise, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = lives.Project(noise, 3, level=lives.step_at(20, -0.12))
    seldom = lives.lived(project, 30, 6)
    monkeypatch.setattr(lives, "worse", lives.judged_worse)
    assert lives.lived(project, 30, 6) == seldom
    assert seldom.alarms


def test_what_is_worse_once_alone_is_no_regression() -> None:
    noisy = [lives.lived(lives.Project(between.RARE_SLOW), 60, seed) for seed in range(6)]
    alarms, stops = (
        sum(len(getattr(life, name)) for life in noisy) for name in ("alarms", "stops")
    )
    assert alarms > 5 * stops
    for life in noisy:
        assert set(life.stops) <= set(life.alarms)


def test_a_step_is_counted_at_the_build_that_brought_it() -> None:
    stepping = lives.Project(Noise("normal", 0.005), level=lives.step_at(15, -0.1))
    assert lives.stopped(stepping, 15, 2, 5, 7) == [0.0, 1.0, 0.0, 0.0]
    still = lives.Project(Noise("normal", 0.005))
    assert lives.stopped(still, 15, 2, 5, 7) == [0.0, 0.0, 0.0, 1.0]
