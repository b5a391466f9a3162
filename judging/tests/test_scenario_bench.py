"""The bench of scenarios in its short form, and that its servers are what they are called."""

import json
import math

import numpy as np
import pytest
from weighhouse_judging.bench import knees, scenarios
from weighhouse_judging.bench.bars import bar
from weighhouse_judging.bench.servers import Queue


def test_every_bar_is_met_or_traded_with_few_seeds(capsys):
    assert scenarios.main(["--short"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["missed"] == []
    assert len(report["bars"]) >= 13


def test_a_missed_bar_is_told_and_fails(capsys, monkeypatch):
    low = bar("something", {"one": 0.5}, at_least=0.9)
    monkeypatch.setattr(scenarios, "bars", lambda *_: iter([low]))
    assert scenarios.main(["--short"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("MISSED")
    assert json.loads(lines[-1])["missed"] == ["something"]


def test_one_server_is_the_exponential_of_the_textbook():
    # M/M/1: the response time is exponential with rate μ - λ.
    for rate in (10.0, 500.0, 990.0):
        expected = -math.log(0.01) / (1_000.0 - rate) * 1e6
        assert Queue(1, 1_000.0).open_us(rate, 0.99) == pytest.approx(expected, rel=1e-6)


def test_four_servers_are_those_of_a_simulation():
    generator, queue = np.random.default_rng(1), Queue(4, 250.0)
    arrivals = np.cumsum(generator.exponential(1 / 400.0, 200_000))
    served = generator.exponential(1 / 250.0, 200_000)
    free, took = np.zeros(4), np.zeros(200_000)
    for place, at in enumerate(arrivals):
        first = int(np.argmin(free))
        free[first] = max(free[first], at) + served[place]
        took[place] = free[first] - at
    assert queue.open_us(400.0, 0.99) == pytest.approx(np.quantile(took, 0.99) * 1e6, rel=0.05)


@pytest.mark.parametrize(("servers", "clients"), [(1, 5), (8, 20), (8, 4)])
def test_clients_that_wait_are_those_of_a_simulation(servers, clients):
    generator = np.random.default_rng(2)
    ahead = max(0, clients - servers)
    waits = generator.gamma(ahead, 1 / (servers * 100.0), 400_000) if ahead else 0.0
    took = waits + generator.exponential(1 / 100.0, 400_000)
    expected = np.quantile(took, 0.99) * 1e6
    assert Queue(servers, 100.0).closed_us(clients, 0.99) == pytest.approx(expected, rel=0.01)


def test_the_repairman_is_machine_repair_by_hand():
    # One client: 1 / (1 + pause); two: by the balance of three states.
    law = knees.repairman(1, 2.0)
    assert float(law(np.array([1.0]))[0]) == pytest.approx(1 / 3)
    idle = 1 / (1 + 2 * 0.5 + 2 * 0.25)
    assert float(law(np.array([2.0]))[0]) == pytest.approx(1 - idle)


def test_the_shipped_knee_beats_a_knee_that_hangs_on_the_range():
    for curve in ("law σ 0.05 κ 0", "law σ 0.1 κ 0.001"):
        power = knees.score("power (shipped)", curve, 40, 0.03, 1)
        kneedle = knees.score("kneedle", curve, 40, 0.03, 1)
        assert power.moves == 0.0
        assert kneedle.moves > 0.4
