"""The ladder of depths."""

import pytest
from weighhouse_judging.scenarios.peak import PEAK, Plan
from weighhouse_judging.scenarios.scenario import Failure, Measurement

from . import playing as play


def piped(limit=40.0, falls=0.0):
    def throughput(depth):
        return 1e4 * min(depth, limit) * (1 - falls * max(0.0, depth - limit) / limit)

    return play.steady(throughput, lambda depth: 100.0 * max(1.0, depth / 4))


def test_the_whole_ladder_is_climbed_and_what_is_bought_is_told():
    result, steps, _ = play.played(PEAK, Plan(8), piped())
    assert [step.level for step in steps] == [1, 2, 5, 10, 20, 50, 100]
    found = result.figures
    assert result.outcome == "done"
    assert found.points[found.best].level == 50
    assert found.points[found.enough].level == 50
    last = found.bought[-1]
    assert (last.depth, last.throughput, last.latency) == (100, pytest.approx(40), 25.0)


def test_two_depths_in_a_row_that_do_less_are_enough():
    plan = Plan(8, depths=(1, 2, 4, 8, 16, 32))
    result, steps, _ = play.played(PEAK, plan, piped(limit=4, falls=0.2))
    assert result.reason.kind == "throughput_falls"
    assert steps[-1].level == 16
    assert result.figures.points[result.figures.enough].level == 4


def test_the_limit_of_latency_ends_it():
    result, steps, _ = play.played(PEAK, Plan(8, stop_at_us=400.0), piped())
    assert result.reason.kind == "latency_passed"
    assert steps[-1].level == 20


@pytest.mark.parametrize(("bad", "outcome"), [(1, "first_point_failed"), (5, "stopped")])
def test_depths_that_fail_end_it(bad, outcome):
    def answer(step):
        if step.level >= bad:
            return Measurement(step.level, failure=Failure("system", "closed the connection"))
        return piped()(step)

    result, *_ = play.played(PEAK, Plan(8), answer)
    assert result.outcome == outcome
    assert "closed the connection" in result.reason.sentence
