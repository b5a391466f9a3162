"""Latencies that were told in coarse steps, and what is claimed of them."""

import numpy as np
import pytest
from weighhouse_judging.arithmetic.intervals import paired
from weighhouse_judging.arithmetic.rounding import coarser, step_of
from weighhouse_judging.verdicts.sides import Judgement, judge
from weighhouse_protocol.figures import CATALOGUE


def judged(first: list[float], second: list[float], metric: str = "p50_us") -> Judgement:
    found = judge(CATALOGUE[metric], dict(enumerate(first)), dict(enumerate(second)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("figures", "step"),
    [
        ([10.0, 11.0, 13.0, 10.0], 1.0),
        ([10.0, 10.0, 10.0, 10.0], 10.0),
        ([13.0, 13.0, 13.0], 1.0),
        ([9.983, 9.991, 10.015], 0.008),
        ([9.983, 9.983], 0.001),
        ([103.0, 111.0, 119.0], 8.0),
        ([300.0, 400.0, 600.0], 100.0),
    ],
)
def test_the_step_is_read_off_the_figures(figures: list[float], step: float) -> None:
    assert float(step_of(figures)) == pytest.approx(step)


def test_of_many_trials_each_has_its_own_step() -> None:
    assert step_of([[10.0, 11.0, 12.0], [9.983, 9.991, 10.015]]).tolist() == [1.0, 0.008]


def test_a_step_that_hides_a_difference_is_no_equality() -> None:
    same = judged([10.0] * 10, [10.0] * 10)
    assert (same.verdict, same.resolution) == ("inconclusive", 10.0)
    whole = judged([11.0] * 10, [11.0] * 10)
    assert (whole.verdict, whole.resolution) == ("inconclusive", 1.0)
    assert whole.high == pytest.approx(np.expm1(1.96 * (2.1 * 2 / 12) ** 0.5 / 11), rel=1e-3)
    fine = judged([11.007] * 10, [11.007] * 10)
    assert (fine.verdict, fine.resolution) == ("equivalent", 0.001)


def test_a_difference_of_many_steps_is_told_all_the_same() -> None:
    assert judged([10.0, 11.0] * 4, [15.0, 16.0] * 4).verdict == "changed"


def test_figures_that_are_no_latencies_have_no_step() -> None:
    found = judged([400.0] * 6, [400.0] * 6, "throughput")
    assert (found.verdict, found.resolution) == ("equivalent", None)


def test_what_scatters_by_a_step_averages_out() -> None:
    generator = np.random.default_rng(1)
    a, b = np.rint(generator.normal(100.0, 2.0, (2, 40)))
    own = paired(np.log(b / a))
    assert float(coarser(own, (a, b), 1.0).error) == pytest.approx(float(own.error), rel=0.03)
    still = np.rint(generator.normal(100.3, 0.02, (2, 40)))
    assert float(coarser(own, (still[0], still[1]), 1.0).error) > 1.5 * float(own.error)
