"""More than two sides, and whole distributions, over real rows."""

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.comparisons.distributions import SpectrumService
from weighhouse_backend.comparisons.errors import ComparisonUnclear
from weighhouse_backend.comparisons.service import ComparisonService
from weighhouse_backend.comparisons.sides import Question
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_testing.statements import statements

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run
from backend.tests.results.sides import report

THREE = [
    {"name": "redis", "system": "redis"},
    {"name": "memcached", "system": "memcached"},
    {"name": "other", "system": "memcached"},
]
CELL = {"workload": "balanced", "load_level": "4 clients"}


NOISE = {"redis": (0, 1, -1, 2, -2), "memcached": (2, -2, 1, -1, 0), "other": (-2, 2, -1, 1, 0)}
"""Of each block; the two that are equal differ by as much to one side as to the other."""


@pytest.fixture(scope="module")
def three(laboratory) -> str:
    """Redis, and twice a Memcached that is half as quick again."""
    noise = {name: iter(of_blocks) for name, of_blocks in NOISE.items()}

    def measured(order):
        name = order["target"]["name"]
        rate = (400 if name == "redis" else 600) + next(noise[name])
        return whole_run(seed=order["seed"] % 5, rate=rate)

    return laboratory.carry_out(experiment("three", targets=THREE), measured)


@pytest.fixture(scope="module")
def two(laboratory) -> str:
    """A campaign of two sides with three repeats each."""
    return laboratory.carry_out(experiment("pair", repetitions=3), report)


def ranking(comparison, metric):
    (one,) = [item for item in comparison["rankings"] if item["metric"] == metric]
    return one


def test_three_sides_are_ranked_as_far_as_they_can_be_told(laboratory, three):
    comparison = laboratory.get("/comparisons", campaign=three)
    found = ranking(comparison, "throughput")
    assert (found["workload"], found["load_level"]["label"]) == ("balanced", "4 clients")
    assert found["told_apart"]
    assert found["repeats_wanted"] is None
    ranks = {one["side"].partition("~")[2]: one for one in found["ranks"]}
    assert [one["side"] for one in found["ranks"]][-1] == f"{three}~redis"
    for tied in ("memcached", "other"):
        assert (ranks[tied]["best_rank"], ranks[tied]["worst_rank"]) == (1, 2)
        assert ranks[tied]["among_best"]
    assert (ranks["redis"]["best_rank"], ranks["redis"]["worst_rank"]) == (3, 3)
    assert set(ranks["redis"]["behind"]) == {f"{three}~memcached", f"{three}~other"}
    assert ranks["redis"]["kind"] == "interval"
    assert ranks["redis"]["low"] < ranks["redis"]["median"] < ranks["redis"]["high"]
    assert {one["metric"] for one in comparison["rankings"]} == {
        "throughput", "p50_us", "p95_us", "p99_us", "p999_us", "memory_after_bytes",
        "load_throughput", "server_cpu_us", "wire_bytes", "memory_per_record_bytes",
    }  # fmt: skip


def test_two_sides_have_no_ranks_and_neither_have_targets_against_themselves(
    laboratory, three, two
):
    assert laboratory.get("/comparisons", campaign=two)["rankings"] == []
    assert laboratory.get("/comparisons", campaign=three, base=two)["rankings"] == []


def test_few_repeats_are_all_of_one_rank(laboratory):
    few = laboratory.carry_out(experiment("few-of-three", targets=THREE, repetitions=3), report)
    found = ranking(laboratory.get("/comparisons", campaign=few), "throughput")
    assert not found["told_apart"]
    assert found["repeats_wanted"] == 5
    assert {(one["best_rank"], one["worst_rank"], one["kind"]) for one in found["ranks"]} == {
        (1, 3, "range")
    }


def test_spectra_are_read_from_the_histograms_of_all_runs_of_a_side(laboratory, three):
    found = laboratory.get("/comparisons/distributions", campaign=three, **CELL, operation="read")
    assert found["operations"] == ["all", "read", "update"]
    assert [one["side"] for one in found["sides"]] == [
        f"{three}~redis", f"{three}~memcached", f"{three}~other",
    ]  # fmt: skip
    redis = found["sides"][0]
    assert (redis["runs"], redis["banded"]) == (5, True)
    merged = Histogram()
    for run in laboratory.get("/runs", campaign_id=three, limit=100)["items"]:
        if run["cell"]["target"] == "redis":
            merged.add_encoded(_stored(laboratory, run["id"]))
    assert redis["operations"] == merged.total
    for point in redis["points"]:
        (exact,) = merged.quantiles_us([point["quantile"]])
        assert point["value_us"] == pytest.approx(exact)
        assert point["low_us"] <= point["value_us"] <= point["high_us"]
        assert merged.total * (1 - point["quantile"]) >= 10
    assert 0.99 in [point["quantile"] for point in redis["points"]]


def test_the_shift_says_by_how_much_each_percentile_is_slower(laboratory):
    slower = laboratory.carry_out(
        experiment("slower-side"),
        lambda order: report(order, factor=0.8 if order["target"]["name"] == "memcached" else 1.0),
    )
    found = laboratory.get("/comparisons/distributions", campaign=slower, **CELL)
    (curve,) = found["shifts"]
    assert (curve["baseline_side"], curve["side"]) == (f"{slower}~redis", f"{slower}~memcached")
    assert (curve["method"], curve["runs"], curve["left_out"]) == ("paired", 5, 0)
    assert curve["banded"]
    middle = [point for point in curve["points"] if 0.2 < point["quantile"] < 0.95]
    shifts = np.array([point["relative"] for point in middle])
    assert shifts == pytest.approx(0.25, abs=0.12)
    assert all(point["low"] <= point["relative"] <= point["high"] for point in middle)
    turned = laboratory.get("/comparisons/distributions", campaign=slower, **CELL, baseline=1)
    assert turned["shifts"][0]["points"][5]["relative"] < 0


def test_campaigns_are_shifted_without_pairs(laboratory, two, three):
    found = laboratory.get("/comparisons/distributions", campaign=three, base=two, **CELL)
    assert [
        (one["baseline_side"], one["side"], one["method"], one["baseline_runs"], one["runs"])
        for one in found["shifts"]
    ] == [
        (f"{two}~redis", f"{three}~redis", "unpaired", 3, 5),
        (f"{two}~memcached", f"{three}~memcached", "unpaired", 3, 5),
    ]
    assert not any(one["banded"] for one in found["shifts"])


def test_below_four_runs_there_is_no_band(laboratory, two):
    found = laboratory.get("/comparisons/distributions", campaign=two, **CELL)
    assert found["fewest_for_a_band"] == 4
    assert {one["runs"] for one in found["sides"]} == {3}
    assert not any(one["banded"] for one in (*found["sides"], *found["shifts"]))
    points = [point for one in found["sides"] for point in one["points"]]
    assert points
    assert {(point["low_us"], point["high_us"]) for point in points} == {(None, None)}


def test_distributions_carry_their_caveats(laboratory, three):
    said = laboratory.get("/comparisons/distributions", campaign=three, **CELL)["caveats"]
    assert {"statement:redis-note", "statement:memcached-note", "check:co-located"} <= {
        one["id"] for one in said
    }


def test_the_queries_do_not_grow_with_sides_or_repeats(laboratory, two, three):
    counts = []
    for campaign in (two, three):
        with statements() as seen:
            laboratory.get("/comparisons/distributions", campaign=campaign, **CELL)
        counts.append(len(seen))
    assert counts[0] == counts[1]
    with statements() as seen:
        laboratory.get("/comparisons/distributions", campaign=three, **CELL)
    assert sum("run_summaries.histogram" in one for one in seen) == 1


def test_more_histograms_than_are_read_at_once_are_refused(laboratory, three, tenants):
    def read(services):
        spectra = replace(services.get(SpectrumService), most_histograms=14)
        caller = Caller("user", tenants[0].user_id, "Mia", {tenants[0].project_id: Role.VIEWER})
        chosen = services.get(ComparisonService).chosen(caller, Question(campaign_id=UUID(three)))
        with pytest.raises(ComparisonUnclear, match="15 runs are more than the 14"):
            spectra.read(chosen, **CELL, operation="all")
        assert replace(spectra, most_histograms=15).read(chosen, **CELL, operation="all").sides

    laboratory.work(read)


@pytest.mark.parametrize(
    "asked",
    [
        {"workload": "other", "load_level": "4 clients"},
        {"workload": "balanced", "load_level": "5 clients"},
        {**CELL, "operation": "scan"},
    ],
)
def test_a_cell_that_nobody_measured_is_named(laboratory, three, asked):
    answer = laboratory.client.get(
        "/api/v1/comparisons/distributions",
        params={"campaign": three, **asked},
        headers=laboratory.headers,
    )
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("comparison-unclear")


def test_another_tenant_reads_no_distribution(laboratory, three, tenants):
    answer = laboratory.client.get(
        "/api/v1/comparisons/distributions",
        params={"campaign": three, **CELL},
        headers=tenants[1].headers,
    )
    assert answer.status_code == 404


def _stored(laboratory, run_id: str) -> bytes:
    found: dict[str, bytes] = {}

    def read(services):
        run = services.get(RunService).find(run_id)
        stored = services.get(ResultRepository).histograms(run.result_attempt_id, "measure")
        found.update(stored)

    laboratory.work(read)
    return found["read"]
