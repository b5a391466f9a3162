"""The course of a series, against plain least squares."""

import numpy as np
import pytest
from scipy import stats
from weighhouse_judging.series.course import MODEL, Model, Piece, fitted
from weighhouse_judging.series.scan import Memory

INDEPENDENT = Model(memories=(Memory(),), place_sigma=MODEL.place_sigma, clip=1e9)


def series(seed=0, size=40, spread=0.02):
    return np.random.default_rng(seed).normal(5.0, spread, size)


def test_without_correlation_a_step_is_judged_by_students_t():
    values = series()
    course = fitted(values, np.zeros(40, dtype=np.int64), model=INDEPENDENT)
    for index in (9, 20, 35):
        by_t = stats.ttest_ind(values[:index], values[index:])
        assert course.p_value(course.step.likelihood[index]) == pytest.approx(by_t.pvalue)
        height = values[index:].mean() - values[:index].mean()
        assert course.step.size[index] == pytest.approx(height)


def test_a_ramp_is_judged_by_least_squares():
    values = series(1)
    course = fitted(values, np.zeros(40, dtype=np.int64), model=INDEPENDENT)
    slope = stats.linregress(np.clip(np.arange(40) - 12, 0, None), values)
    assert course.drift.size[12] == pytest.approx(slope.slope)
    assert course.p_value(course.drift.likelihood[12]) == pytest.approx(slope.pvalue)


def test_a_known_correlation_is_taken_out_as_generalised_least_squares_does():
    phi, size, index = 0.6, 30, 18
    values = series(2, size)
    covariance = phi ** np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    root = np.linalg.inv(np.linalg.cholesky(covariance))
    both = root @ np.stack([np.ones(size), np.arange(size) >= index], 1)
    weights, (left,), _, _ = np.linalg.lstsq(both, root @ values, rcond=None)
    error = np.sqrt(left / (size - 2) * np.linalg.inv(both.T @ both)[1, 1])
    course = fitted(
        values, np.zeros(size, dtype=np.int64), model=Model(memories=(Memory(phi),), clip=1e9)
    )
    assert course.step.size[index] == pytest.approx(weights[1])
    by_hand = 2 * stats.t.sf(abs(weights[1]) / error, size - 2)
    assert course.p_value(course.step.likelihood[index]) == pytest.approx(by_hand)


def test_pieces_are_taken_away_before_more_is_looked_for():
    values = series(3, 60, 0.01)
    values[20:] -= 0.1
    values[40:] += 0.004 * np.arange(20)
    places = np.zeros(60, dtype=np.int64)
    course = fitted(values, places, [Piece("step", 20), Piece("drift", 40)])
    assert course.sizes == pytest.approx((-0.1, 0.004), abs=0.01)
    assert fitted(values, places).step.likelihood[20] > 20
    assert course.step.likelihood[20] < 2
    assert np.abs(course.rest).max() < 0.05


def test_the_effect_of_places_is_no_level():
    values = series(4, 60, 0.005)
    places = np.arange(60) % 2
    values[places == 1] += 0.2
    course = fitted(values, places)
    assert np.abs(course.rest).max() < 0.03
    assert np.ptp(course.level) == pytest.approx(0.0, abs=1e-12)


def test_too_few_points_have_no_course():
    assert fitted(series(0, 2), np.zeros(2, dtype=np.int64)) is None
