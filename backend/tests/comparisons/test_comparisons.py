"""Comparisons over real rows: what is said, and to whom."""

import pytest

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import base_alike_slower, report


@pytest.fixture(scope="module")
def campaigns(laboratory):
    """Three campaigns of one experiment: a base, one like it, one a fifth slower."""
    return base_alike_slower(laboratory, before=4)


def difference(found, metric, side=None):
    (one,) = [
        item
        for item in found
        if item["metric"] == metric and (side is None or item["side"] == side)
    ]
    return one


def test_targets_of_a_campaign_are_sides(laboratory, campaigns):
    comparison = laboratory.get("/comparisons", campaign=campaigns[0])
    assert [side["label"] for side in comparison["sides"]] == ["Redis", "Memcached"]
    assert [side["version"] for side in comparison["sides"]] == ["7.0.15", "1.6.18"]
    assert comparison["workloads"] == ["balanced"]
    (level,) = comparison["load_levels"]
    assert (level["kind"], level["value"], level["label"]) == ("closed", 4.0, "4 clients")
    throughput = difference(comparison["differences"], "throughput")
    assert throughput["side"] == f"{campaigns[0]}~memcached"
    assert throughput["baseline_side"] == f"{campaigns[0]}~redis"
    assert (throughput["verdict"], throughput["better"]) == ("changed", True)
    assert throughput["relative"] == pytest.approx(0.5, abs=0.02)
    assert throughput["low"] < throughput["relative"] < throughput["high"]
    assert (throughput["method"], throughput["kind"]) == ("paired", "interval")
    assert throughput["decided_by"] == "family"
    assert throughput["p_value"] < throughput["p_holm"] < 0.05
    memory = difference(comparison["differences"], "memory_after_bytes")
    assert memory["relative"] == pytest.approx(-0.2, abs=0.001)
    assert memory["better"] is True


def test_cells_show_repeats_and_estimates(laboratory, campaigns):
    comparison = laboratory.get("/comparisons", campaign=campaigns[0])
    for cell in comparison["cells"]:
        assert cell["status"] == "completed"
        assert len(cell["repeats"]) == 5
        values = sorted(repeat["throughput"] for repeat in cell["repeats"])
        assert cell["throughput"]["median"] == values[2]
        assert cell["throughput"]["kind"] == "interval"
        assert cell["throughput"]["low"] < values[0]
        assert cell["failed_repeats"]["total"] == 5
        assert cell["memory_before_bytes"]["median"] == 5_000_000
        loaded = 10_000_000 if cell["side"].endswith("redis") else 8_000_000
        assert cell["memory_after_load_bytes"]["median"] == loaded
        assert cell["memory_after_bytes"]["median"] == loaded + 1000
    assert comparison["unmatched"] == []


def test_what_people_ask_for_first_stands_first_and_memory_last(laboratory, campaigns):
    found = laboratory.get("/comparisons", campaign=campaigns[0])["differences"]
    metrics = list(dict.fromkeys(item["metric"] for item in found))
    assert metrics[:2] == ["throughput", "p99_us"]
    assert metrics[-2:] == ["memory_after_bytes", "memory_per_record_bytes"]
    for metric in metrics:
        factors = [item["significance"] for item in found if item["metric"] == metric]
        assert factors == sorted(factors, reverse=True)


def test_mean_latency_is_shown_with_its_interval_and_never_judged(laboratory, campaigns):
    found = laboratory.get("/comparisons", campaign=campaigns[0])
    for cell in found["cells"]:
        assert cell["mean_us"]["kind"] == "interval"
        assert cell["mean_us"]["low"] < cell["mean_us"]["median"] < cell["mean_us"]["high"]
    judged = {one["metric"] for one in found["differences"]}
    judged |= {one["metric"] for one in found["rankings"]}
    assert "throughput" in judged
    assert "mean_us" not in judged


def test_the_baseline_can_be_chosen(laboratory, campaigns):
    turned = laboratory.get("/comparisons", campaign=campaigns[0], baseline=1)
    throughput = difference(turned["differences"], "throughput")
    assert throughput["baseline_side"].endswith("~memcached")
    assert throughput["relative"] == pytest.approx(-1 / 3, abs=0.02)


def test_no_number_leaves_without_its_caveats(laboratory, campaigns):
    comparison = laboratory.get("/comparisons", campaign=campaigns[0])
    assert {one["id"] for one in comparison["caveats"]} >= {
        "statement:redis-note", "statement:memcached-note", "check:co-located",
        "confounder:conditions",
    }  # fmt: skip
    assert 0 <= comparison["disclosure"]["completeness"] <= 1


def test_the_fairness_sheet_names_what_differs(laboratory, campaigns):
    rows = {
        row["aspect"]: row
        for row in laboratory.get("/comparisons", campaign=campaigns[0])["fairness"]
    }
    assert rows["durability"]["values"] == ["nothing is kept"] * 2
    assert rows["durability"]["same"]
    assert rows["durability"]["raw"][0] == [
        {"origin": "setting", "name": "appendonly", "value": "no"}
    ], "what the server said"
    assert rows["eviction"]["values"] == ["nothing", "any record"]
    assert rows["eviction"]["confounder"]
    assert rows["machine"]["same"]
    assert rows["system"]["values"] == ["Redis", "Memcached"]


def test_two_campaigns_are_compared_target_by_target(laboratory, campaigns):
    base, _, slower = campaigns
    comparison = laboratory.get("/comparisons", campaign=slower, base=base)
    assert [side["key"] for side in comparison["sides"]] == [
        f"{base}~redis", f"{slower}~redis", f"{base}~memcached", f"{slower}~memcached",
    ]  # fmt: skip
    throughputs = [one for one in comparison["differences"] if one["metric"] == "throughput"]
    assert len(throughputs) == 2
    assert all(one["relative"] == pytest.approx(-0.2, abs=0.02) for one in throughputs)
    assert all(one["better"] is False for one in throughputs)
    assert {side["label"] for side in comparison["sides"]} >= {"Redis № 5"}


def test_any_sides_may_be_named(laboratory, campaigns):
    base, alike, _ = campaigns
    comparison = laboratory.get("/comparisons", side=[f"{base}~redis", f"{alike}~redis"])
    throughput = difference(comparison["differences"], "throughput")
    assert throughput["verdict"] == "equivalent"
    rows = {row["aspect"]: row for row in comparison["fairness"]}
    assert not any(row["confounder"] for row in rows.values())


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"side": ["nonsense", "more"]},
        {"campaign": "first", "baseline": 7},
        {"side": ["first~redis", "first~unknown"]},
    ],
)
def test_an_unclear_question_is_refused(laboratory, campaigns, query):
    def named(value):
        return value.replace("first", campaigns[0]) if isinstance(value, str) else value

    parameters = {
        key: [named(one) for one in value] if isinstance(value, list) else named(value)
        for key, value in query.items()
    }
    answer = laboratory.client.get(
        "/api/v1/comparisons", params=parameters, headers=laboratory.headers
    )
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("comparison-unclear")


def test_too_few_repeats_claim_nothing(laboratory):
    document = experiment("few", repetitions=3)
    base = laboratory.carry_out(document, report)
    slower = laboratory.carry_out(document, lambda order: report(order, factor=0.5))
    comparison = laboratory.get("/comparisons", campaign=slower, base=base)
    assert {one["verdict"] for one in comparison["differences"]} == {"insufficient"}
    assert {one["repeats_needed"] for one in comparison["differences"]} == {2}
    assert "check:repeats" in {one["id"] for one in comparison["caveats"]}
    (reading,) = [one for one in comparison["readings"] if one["side"].endswith("~redis")]
    assert reading["too_few"] == reading["cells"] > 0
    assert reading["sentence"].endswith("3 repeats; 5 would do")


def test_cells_of_one_name_that_were_measured_otherwise_are_told_field_by_field(laboratory):
    document = experiment("grown", repetitions=1, targets=[{"name": "redis", "system": "redis"}])
    base = laboratory.carry_out(document, report)
    document["workloads"][0]["record_count"] = 5000
    other = laboratory.carry_out(document, report)
    comparison = laboratory.get("/comparisons", campaign=other, base=base)
    rows = {row["aspect"]: row for row in comparison["fairness"]}
    row = rows["measured:workload.record_count"]
    assert (row["label"], row["values"]) == ("Workload, record count", ["50", "5000"])
    assert row["confounder"]
    assert [name for name in rows if name.startswith("measured:")] == [row["aspect"]]
    (one,) = [one for one in comparison["caveats"] if one["kind"] == "confounder"]
    assert "record count" in one["text"].lower()


def test_another_tenant_compares_nothing(laboratory, campaigns, tenants):
    base = campaigns[0]
    for path in (
        f"/comparisons?campaign={base}",
        f"/comparisons?side={base}~redis&side={base}~memcached",
    ):
        answer = laboratory.client.get(f"/api/v1{path}", headers=tenants[1].headers)
        assert answer.status_code == 404, path
