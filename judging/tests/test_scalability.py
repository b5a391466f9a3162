"""The Universal Scalability Law: exact figures, ends, refusals."""

import math

import numpy as np
import pytest
from weighhouse_judging.bench.scenarios import law_recovered
from weighhouse_judging.scenarios.scalability import NotSaid, Peak, Scalability, fit

N = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]


def law(n, sigma, kappa):
    return 1e4 * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def test_figures_without_noise_are_recovered_exactly():
    found = fit(N, [law(n, 0.05, 0.002) for n in N])
    assert found.throughput_of_one == pytest.approx(1e4, rel=1e-4)
    assert found.contention.value == pytest.approx(0.05, rel=1e-3)
    assert found.coherency.value == pytest.approx(0.002, rel=1e-3)
    assert found.r_squared == pytest.approx(1.0)
    assert isinstance(found.peak, Peak)
    assert found.peak.clients.value == pytest.approx(math.sqrt(0.95 / 0.002), rel=1e-3)
    assert found.peak.throughput == pytest.approx(law(math.sqrt(0.95 / 0.002), 0.05, 0.002), 1e-3)


@pytest.mark.parametrize(("sigma", "kappa"), [(0.0, 0.0), (0.1, 0.0), (0.0, 0.001)])
def test_ends_of_the_law_are_found_and_stay_inside(sigma, kappa):
    found = fit(N, [law(n, sigma, kappa) for n in N])
    assert found.contention.value == pytest.approx(sigma, abs=1e-6)
    assert found.coherency.value == pytest.approx(kappa, abs=1e-6)
    assert found.contention.low >= 0
    assert found.coherency.low >= 0
    if kappa == 0:
        assert isinstance(found.peak, NotSaid)
        assert found.peak.kind in {"no_peak", "beyond_range"}


def test_nothing_is_said_beyond_twice_the_range():
    found = fit(N, [law(n, 0.05, 0.00001) for n in N])
    assert isinstance(found.peak, NotSaid)
    assert found.peak.kind == "beyond_range"
    assert found.throughput(128) == pytest.approx(law(128, 0.05, 0.00001), rel=1e-3)
    beyond = found.throughput(129)
    assert isinstance(beyond, NotSaid)
    assert beyond.kind == "beyond_range"
    assert "of 129 it says nothing (at most 128)" in beyond.sentence


def test_three_numbers_of_clients_are_too_few_however_often():
    found = fit([1, 2, 4] * 5, [1.0, 2.0, 3.0] * 5)
    assert isinstance(found, NotSaid)
    assert found.kind == "too_few_levels"


def measured(truth, loads, repeats, noise=0.03, seed=3):
    """Each load so many times."""
    dice = np.random.default_rng(seed)
    n = [n for n in loads for _ in range(repeats)]
    return fit(n, [truth(n) * math.exp(dice.normal(0, noise)) for n in n])


def test_a_peak_has_an_interval():
    found = measured(lambda n: law(n, 0.05, 0.002), [*N, 128.0], 1)
    assert isinstance(found, Scalability)
    assert isinstance(found.peak, Peak)
    clients = found.peak.clients
    assert clients.low <= clients.value
    assert clients.value <= clients.high <= 256


def full(clients):
    """A server that is full with 12 clients, and stays so."""
    return 1e4 * min(clients, 12)


@pytest.mark.parametrize("seed", range(5))
def test_a_server_that_is_only_full_has_no_peak(seed):
    once = measured(full, N, 1, seed=seed)
    assert isinstance(once, Scalability)
    assert isinstance(once.peak, NotSaid)
    assert once.peak.kind in {"no_peak", "beyond_range"}
    assert "64 clients" in once.peak.sentence


@pytest.mark.parametrize("seed", range(5))
def test_repeats_say_that_the_law_does_not_fit(seed):
    often = measured(full, N, 5, seed=seed)
    assert isinstance(often, NotSaid)
    assert often.kind == "does_not_fit"
    assert "more than repeats of one load explain" in often.sentence
    holds = measured(lambda n: law(n, 0.05, 0.002), N, 5, seed=seed)
    assert isinstance(holds, Scalability)


def test_a_peak_takes_a_load_that_does_measurably_less():
    """The law's own peak, at 43 of at most 64: what it costs until there is lost in the noise."""
    found = measured(lambda n: law(n, 0.05, 0.0005), N, 3, noise=0.05)
    assert isinstance(found.peak, NotSaid)
    assert found.peak.kind == "no_peak"
    further = measured(lambda n: law(n, 0.05, 0.0005), [*N, 128.0, 256.0], 3, noise=0.05)
    assert isinstance(further.peak, Peak)


def test_a_curve_that_collapses_at_once_is_fitted_too():
    found = fit(N, [1e4 / n**1.5 for n in N])
    assert isinstance(found, Scalability)
    assert found.contention.value >= 0
    assert isinstance(found.peak, Peak)
    assert found.peak.clients.value >= 1.0


@pytest.mark.parametrize("kappa", [0.0, 0.0005])
def test_intervals_hold_the_truth(kappa):
    sigma_held, kappa_held, _ = law_recovered(("1 to 64 by doubling", 0.05, kappa), 20, 5)
    assert sigma_held >= 0.85
    assert kappa_held >= 0.85
