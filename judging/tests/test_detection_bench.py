"""The bench of detection in a short form: the first series of the same seeds."""

import json

import numpy as np
import pytest
from weighhouse_judging.bench import detection, generators
from weighhouse_judging.bench.detection import Bench, Figure
from weighhouse_judging.bench.watchers import RULES, SHIPPED

SHORT = Bench(RULES[SHIPPED], series=3)


def values(figures):
    return {figure.name: figure.value for figure in figures}


@pytest.mark.parametrize("kind", ["outliers", "ar 0.5", "machines in turn"])
def test_what_does_not_change_is_left_alone(kind):
    alerts, strict = SHORT.false_alerts(kind)
    assert (alerts.value, strict.value) == (0.0, 0.0)


@pytest.mark.parametrize("kind", ["normal", "machines in turn", "ar 0.5"])
def test_steps_are_found_in_time(kind):
    found, delay = Bench(RULES[SHIPPED], series=16).step(kind, 0.02, 0.95, 10)
    assert found.value >= 0.75  # of sixteen; the bar is of two hundred
    assert delay.passes, delay


def test_two_steps_close_together_are_both_found():
    assert Bench(RULES[SHIPPED], series=12).two_steps(6).passes


def test_a_drift_is_named():
    named, stepped, delay = Bench(RULES[SHIPPED], series=4).drift()
    assert named.value >= 0.5
    assert stepped.value <= 0.5
    assert 20 <= delay.value <= 100


def test_a_change_of_spread_is_told():
    told, _ = Bench(RULES[SHIPPED], series=4).spread("noise that triples")
    assert told.passes


def test_a_level_that_moves_with_its_machine_is_told_so():
    assert Bench(RULES[SHIPPED], series=4).moved(-0.05).passes


def test_the_former_rule_is_blind_to_a_step_on_machines_in_turn_and_sees_them_as_places():
    former = Bench(RULES["E-divisive, t and rank test (former)"], series=8)
    (found, _) = former.step("machines in turn", 0.02, 0.95, 5)
    assert not found.passes


def test_the_first_series_are_those_of_the_full_form():
    few = Bench(RULES[SHIPPED], series=2)._noise("step", "ar 0.5", 1, 20, 0.02)
    many = Bench(RULES[SHIPPED], series=200)._noise("step", "ar 0.5", 1, 20, 0.02)
    np.testing.assert_array_equal(few.deviations, many.deviations)


@pytest.mark.parametrize("kind", generators.KINDS)
def test_generators_give_the_spread_and_the_correlation_that_they_name(kind):
    noise = generators.KINDS[kind](np.random.default_rng(1), 40_000, 0.03)
    second = (np.array(noise.places) == "two") & ("machines" in kind)
    rest = np.where(second, (1 + noise.deviations) / 0.92 - 1, noise.deviations)
    if kind in ("wandering level", *detection.SPREADS_TOLD):
        return
    if kind != "outliers":
        assert rest.std() == pytest.approx(0.03, rel=0.1 if kind == "heavy tails" else 0.05)
    else:
        assert np.mean(rest < -0.1) == pytest.approx(0.03, rel=0.15)
    correlations = {"ar 0.3": 0.3, "ar 0.5": 0.5, "ar 0.5 0.2": 0.625}
    expected = correlations.get(kind, 0.0)
    assert np.corrcoef(rest[1:], rest[:-1])[0, 1] == pytest.approx(expected, abs=0.02)
    assert second.mean() == pytest.approx(0.5 if "machines" in kind else 0.0, abs=0.01)


def test_noise_triples_and_falls_and_a_level_wanders_as_their_names_say():
    def halves(kind):
        rest = generators.KINDS[kind](np.random.default_rng(1), 4_000, 0.03).deviations
        return rest[:2_000].std(), rest[2_000:].std()

    assert halves("noise that triples") == pytest.approx((0.03, 0.09), rel=0.05)
    assert halves("noise that falls to a third") == pytest.approx((0.09, 0.03), rel=0.05)
    wander = generators.wandering(np.random.default_rng(1), 4_000, 0.0).deviations
    assert np.diff(wander).std() == pytest.approx(0.003, rel=0.05)


def test_the_last_line_is_json_and_a_missed_bar_fails(monkeypatch, capsys):
    cleared, missed = Figure("a", 0.1, at_most=0.2), Figure("b", 0.5, at_least=0.7)
    for figures, code in (([cleared], 0), ([cleared, missed], 1)):
        monkeypatch.setattr(Bench, "figures", lambda _, figures=figures: iter(figures))
        assert detection.main(["--series", "1"]) == code
        document = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert document["passed"] == (code == 0)
        assert document["missed"] == ["b"][: len(figures) - 1]
        assert document["rules"]["shipped"][0]["value"] == 0.1
