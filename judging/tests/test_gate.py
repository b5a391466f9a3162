"""The gate: what it lets pass, what it stops, and how often it is wrong."""

import numpy as np
import pytest
from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.verdicts.gate import (
    EXIT_CODES,
    CellEvidence,
    GateResult,
    decide,
    no_baseline,
)

STEADY = (100.0, 100.5, 99.5, 100.2, 99.8)
NOISY = (80.0, 120.0, 100.0, 90.0, 110.0)


def cell(
    candidate: tuple[float, ...],
    baseline: tuple[float, ...] = STEADY,
    *,
    name: str = "redis",
    model: str = "closed",
    failures: tuple[str, ...] = (),
) -> CellEvidence:
    return CellEvidence(name, "balanced", "8 clients", model, baseline, candidate, failures)  # type: ignore[arg-type]


def times(factor: float, values: tuple[float, ...] = STEADY) -> tuple[float, ...]:
    return tuple(value * factor for value in values)


def outcome(result: GateResult) -> tuple[str, int]:
    return result.verdict, result.exit_code


def test_equal_campaigns_are_equivalent() -> None:
    assert outcome(decide([cell(times(1.001)), cell(times(0.999), name="memcached")])) == (
        "equivalent",
        0,
    )


def test_a_step_down_is_a_regression_and_named() -> None:
    result = decide([cell(times(1.0)), cell(times(0.8), name="memcached")])
    assert outcome(result) == ("regression", 1)
    assert "memcached" in result.message
    assert "-20.0%" in result.message


def test_an_improvement_passes() -> None:
    assert outcome(decide([cell(times(1.3))])) == ("passed", 0)


def test_noise_is_inconclusive_and_says_how_many_repeats_are_missing() -> None:
    result = decide([cell((95.0, 125.0, 85.0, 105.0, 104.0), NOISY)])
    assert outcome(result) == ("inconclusive", 2)
    assert "more repeats" in result.message


def test_too_few_repeats_prove_nothing() -> None:
    result = decide([cell(times(0.5)[:3], STEADY[:3])])
    assert outcome(result) == ("inconclusive", 2)
    assert "5 repeats" in result.message


def test_nothing_to_compare_with_is_no_pass() -> None:
    assert outcome(no_baseline()) == ("no_baseline", 2)
    assert outcome(decide([])) == ("no_baseline", 2)


@pytest.mark.parametrize("kind", ["infrastructure", "deploy", "policy"])
def test_a_cell_that_could_not_be_measured_is_infrastructure(kind: str) -> None:
    result = decide([cell(times(1.0)), cell((), failures=(kind,))])
    assert outcome(result) == ("infrastructure", 3)
    assert kind in result.message


def test_repeats_lost_to_infrastructure_leave_too_few() -> None:
    assert outcome(decide([cell(STEADY[:3], failures=("infrastructure",) * 2)])) == (
        "infrastructure",
        3,
    )


@pytest.mark.parametrize("kind", ["database", "timeout"])
def test_a_database_that_fails_under_load_is_a_result(kind: str) -> None:
    result = decide([cell((), failures=(kind,))])
    assert outcome(result) == ("regression", 1)
    assert "failed under load" in result.message


def test_a_regression_is_told_even_when_another_cell_is_missing() -> None:
    cells = [cell(times(0.7)), cell((), failures=("infrastructure",))]
    assert decide(cells).verdict == "regression"


def test_open_loops_are_gated_by_latency() -> None:
    slower = decide([cell(times(1.5), model="open")])
    assert outcome(slower) == ("regression", 1)
    assert "p99" in slower.message
    assert decide([cell(times(0.7), model="open")]).verdict == "passed"


def test_the_threshold_is_the_callers() -> None:
    assert decide([cell(times(0.93))], threshold=0.05).verdict == "regression"
    assert decide([cell(times(0.93))], threshold=0.10).verdict == "equivalent"


def test_a_rank_test_under_holm_would_be_blind_over_twelve_cells() -> None:
    p_values = [statistics.mann_whitney(STEADY, times(0.5)), *[1.0] * 11]
    assert min(statistics.holm(p_values)) > 0.05
    cells = [cell(times(0.5)), *[cell(times(1.0)) for _ in range(11)]]
    assert decide(cells).verdict == "regression"


def campaigns(generator: np.random.Generator, spread: float, step: float) -> GateResult:
    cells = []
    for index in range(12):
        sides = 100 * np.exp(generator.normal(0, spread, (2, 5)))
        factor = 1 + step if index == 0 else 1.0
        cells.append(cell(tuple(sides[1] * factor), tuple(sides[0]), name=f"t{index}"))
    return decide(cells)


@pytest.mark.parametrize("spread", [0.01, 0.03, 0.06])
def test_false_alarms_over_twelve_cells_stay_within_the_family_error(spread: float) -> None:
    generator = np.random.default_rng([7, int(spread * 1000)])
    rounds = 150
    alarms = sum(campaigns(generator, spread, 0.0).verdict == "regression" for _ in range(rounds))
    # 5 % of 150 are 7.5; 13 is the 98th percentile of that binomial.
    assert alarms <= 13


def test_a_tenth_lost_in_one_cell_of_twelve_is_found_at_two_percent_noise() -> None:
    generator = np.random.default_rng(8)
    found = sum(campaigns(generator, 0.02, -0.10).verdict == "regression" for _ in range(60))
    assert found >= 57


def test_every_verdict_has_its_exit_code() -> None:
    assert EXIT_CODES == {
        "passed": 0,
        "equivalent": 0,
        "regression": 1,
        "inconclusive": 2,
        "no_baseline": 2,
        "infrastructure": 3,
    }
