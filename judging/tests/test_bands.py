"""Noise bands: the floor about a level, machine by machine."""

import numpy as np
import pytest
from weighhouse_judging.verdicts.bands import BandPoint, noise_bands
from weighhouse_judging.verdicts.noise import Floor, floor_of


def floor(campaigns: int, deviation: float = 0.01, between: float = 0.0) -> Floor:
    """What A/A campaigns of ten pairs each would say."""
    noise = np.random.default_rng(5)
    measured = {}
    for number in range(campaigns):
        shift = np.exp(noise.normal(0, between))
        pairs = 100 * shift * np.exp(noise.normal(0, deviation, (10, 2)))
        measured[str(number)] = [(float(a), float(b)) for a, b in pairs]
    found = floor_of(measured)
    assert found is not None
    return found


def points(values: list[float], place: str | None = "a") -> list[BandPoint]:
    noise = np.random.default_rng(7)
    return [
        BandPoint(number, value, (value * np.exp(noise.normal(0, 0.01, 5))).tolist(), place)
        for number, value in enumerate(values)
    ]


def test_a_band_is_the_floor_about_the_median() -> None:
    (band,) = noise_bands(points([100.0, 104.0, 101.0]), (), {"a": floor(1)})
    assert (band.first, band.last, band.level) == (0, 2, 101.0)
    assert not band.between_known
    assert band.floor == pytest.approx(floor(1).of_pairs(5))
    assert band.high == pytest.approx(101 * (1 + band.floor))
    assert band.low == pytest.approx(101 / (1 + band.floor))


def test_what_campaigns_differ_by_widens_it() -> None:
    (band,) = noise_bands(points([100.0] * 8), (), {"a": floor(8, between=0.05)})
    assert band.between_known
    assert band.floor > 2 * floor(8, between=0.05).of_pairs(5)
    assert 0.05 < band.floor < 0.3


def test_equal_campaigns_stay_in_it() -> None:
    noise = np.random.default_rng(3)
    known = {"a": floor(20, between=0.03)}
    (band,) = noise_bands(points([100.0] * 20), (), known)
    drawn = 100 * np.exp(noise.normal(0, 0.03, 5000)) * np.exp(noise.normal(0, 0.0045, 5000))
    assert 0.9 < np.mean((drawn > band.low) & (drawn < band.high)) < 0.995


def test_a_step_begins_another_and_so_does_another_machine() -> None:
    stepped = noise_bands(points([100.0, 100.0, 80.0, 80.0]), {2}, {"a": floor(1)})
    assert [(one.first, one.last, one.level) for one in stepped] == [(0, 1, 100.0), (2, 3, 80.0)]
    turns = points([100.0, 90.0, 100.0, 90.0])
    turns = [
        BandPoint(point.campaign, point.value, point.repeats, "ab"[number % 2])
        for number, point in enumerate(turns)
    ]
    by_place = noise_bands(turns, (), {"a": floor(1), "b": floor(1)})
    assert [(one.place, one.level) for one in by_place] == [("a", 100.0), ("b", 90.0)]
    assert [one.place for one in noise_bands(turns, (), {"b": floor(1)})] == ["b"]


def test_a_place_that_nobody_knows_has_none() -> None:
    assert noise_bands(points([100.0], place=None), (), {"a": floor(1)}) == []
    assert noise_bands([BandPoint(1, 0.0, [0.0], "a")], (), {"a": floor(1)}) == []
