"""Comparisons, gate and history over real rows: what is said, and to whom."""

from itertools import count
from uuid import UUID

import pytest

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import FACTS, whole_run

runs = count()


def report(order, *, memcached=1.5, factor=1.0, **target):
    """Redis at 400 a second, Memcached `memcached` times as quick; half a percent of noise.

    The noise goes round from run to run: drawn at random, all repeats are alike now and then.
    """
    name = order["target"]["name"]
    noise = next(runs) % 5 - 2
    rate = round((400 if name == "redis" else 400 * memcached) * factor) + noise
    return whole_run(
        seed=order["seed"] % 1000,
        rate=rate,
        median_us=100.0 / factor,
        memory=10_000_000 if name == "redis" else 8_000_000,
        version="7.0.15" if name == "redis" else "1.6.18",
        **target,
    )


@pytest.fixture(scope="module")
def campaigns(laboratory):
    """Three campaigns of one experiment: a base, one like it, one a fifth slower."""
    document = experiment("compared")
    base = laboratory.carry_out(document, report)
    alike = laboratory.carry_out(document, lambda order: report(order, factor=1.002))
    slower = laboratory.carry_out(document, lambda order: report(order, factor=0.8))
    return base, alike, slower


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
    assert comparison["load_levels"] == [{"kind": "closed", "value": 4.0, "label": "4 clients"}]
    throughput = difference(comparison["differences"], "throughput")
    assert throughput["side"] == f"{campaigns[0]}~memcached"
    assert throughput["baseline_side"] == f"{campaigns[0]}~redis"
    assert (throughput["verdict"], throughput["better"]) == ("changed", True)
    assert throughput["relative"] == pytest.approx(0.5, abs=0.02)
    assert throughput["low"] < throughput["relative"] < throughput["high"]
    assert throughput["p_value"] == pytest.approx(2 / 252)
    assert throughput["p_holm"] > throughput["p_value"]
    memory = difference(comparison["differences"], "memory_bytes")
    assert memory["relative"] == pytest.approx(-0.2)
    assert memory["better"] is True


def test_cells_show_repeats_and_estimates(laboratory, campaigns):
    comparison = laboratory.get("/comparisons", campaign=campaigns[0])
    for cell in comparison["cells"]:
        assert cell["status"] == "completed"
        assert len(cell["repeats"]) == 5
        values = sorted(repeat["throughput"] for repeat in cell["repeats"])
        assert cell["throughput"]["median"] == values[2]
        assert values[0] <= cell["throughput"]["low"] <= cell["throughput"]["median"]
        assert cell["memory_before_bytes"]["median"] == 5_000_000
    assert comparison["unmatched"] == []


def test_differences_are_sorted_by_significance(laboratory, campaigns):
    found = laboratory.get("/comparisons", campaign=campaigns[0])["differences"]
    factors = [item["significance"] for item in found]
    assert factors == sorted(factors, reverse=True)


def test_the_baseline_can_be_chosen(laboratory, campaigns):
    turned = laboratory.get("/comparisons", campaign=campaigns[0], baseline=1)
    throughput = difference(turned["differences"], "throughput")
    assert throughput["baseline_side"].endswith("~memcached")
    assert throughput["relative"] == pytest.approx(-1 / 3, abs=0.02)


def test_no_number_leaves_without_its_disclaimers(laboratory, campaigns):
    comparison = laboratory.get("/comparisons", campaign=campaigns[0])
    kinds = {(one["kind"], one["id"]) for one in comparison["disclaimers"]}
    assert ("plugin", "redis-note") in kinds
    assert ("plugin", "memcached-note") in kinds
    assert ("check", "check-co-located") in kinds
    assert ("check", "check-comparability") in kinds
    assert not any(identifier == "check-memory-fit" for _, identifier in kinds)
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
    assert {side["label"] for side in comparison["sides"]} >= {"Redis #1"}


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


def test_the_first_campaign_has_no_baseline(laboratory, campaigns):
    gate = laboratory.get(f"/campaigns/{campaigns[0]}/gate")
    assert (gate["verdict"], gate["exit_code"]) == ("no_baseline", 2)
    assert gate["base_campaign_id"] is None
    assert laboratory.get(f"/campaigns/{campaigns[0]}")["verdict"] == "no_baseline"


def test_a_campaign_like_its_base_passes(laboratory, campaigns):
    base, alike, _ = campaigns
    gate = laboratory.get(f"/campaigns/{alike}/gate")
    assert (gate["verdict"], gate["exit_code"]) == ("equivalent", 0)
    assert gate["base_campaign_id"] == base
    assert gate["link"].endswith(f"/compare?campaign={alike}&base={base}")
    assert laboratory.get(f"/campaigns/{alike}")["verdict"] == "equivalent"


def test_a_slower_campaign_is_a_regression(laboratory, campaigns):
    _, alike, slower = campaigns
    gate = laboratory.get(f"/campaigns/{slower}/gate")
    assert (gate["verdict"], gate["exit_code"]) == ("regression", 1)
    assert gate["base_campaign_id"] == alike
    assert {cell["outcome"] for cell in gate["cells"]} == {"worse"}
    assert all(one["metric"] == "throughput" for one in gate["comparisons"])
    assert all(one["high"] < -0.05 for one in gate["comparisons"])
    assert gate["disclaimers"]
    assert laboratory.get(f"/campaigns/{slower}")["verdict"] == "regression"


def test_the_threshold_of_a_gate_may_be_asked_for(laboratory, campaigns):
    gate = laboratory.get(f"/campaigns/{campaigns[2]}/gate", threshold_percent=30)
    assert (gate["verdict"], gate["threshold_percent"]) == ("equivalent", 30.0)


def test_settling_again_changes_nothing(laboratory, campaigns):
    slower = campaigns[2]
    before = (laboratory.get(f"/campaigns/{slower}"), laboratory.get(f"/campaigns/{slower}/gate"))
    laboratory.work(lambda analysis: analysis.settlement.settle_campaign(UUID(slower)))
    after = (laboratory.get(f"/campaigns/{slower}"), laboratory.get(f"/campaigns/{slower}/gate"))
    assert after == before


def test_runs_carry_findings_and_disclaimers(laboratory, campaigns):
    listed = laboratory.get("/runs", campaign_id=campaigns[0])["items"]
    run = laboratory.get(f"/runs/{listed[0]['id']}")
    findings = {finding["id"]: finding for finding in run["findings"]}
    assert "co-located" in findings
    assert findings["co-located"]["documentation"] == "/docs/findings/co-located"
    assert "coordinated-omission" in findings
    assert "littles-law" not in findings
    assert run["disclaimers"][0]["text"] == "Mind this."
    ranks = [["error", "caution", "info"].index(one["severity"]) for one in run["findings"]]
    assert ranks == sorted(ranks)


def test_findings_stand_before_the_campaign_is_settled(laboratory):
    laboratory.campaign(experiment("unsettled", repetitions=1))
    order = laboratory.begin()
    events = report(order)
    laboratory.send(order, events)
    laboratory.complete(order, len(events))
    laboratory.settle(order["run_id"])
    run = laboratory.get(f"/runs/{order['run_id']}")
    assert "co-located" in {finding["id"] for finding in run["findings"]}
    gate = laboratory.client.get(
        f"/api/v1/campaigns/{order['campaign_id']}/gate", headers=laboratory.headers
    )
    assert gate.status_code == 409
    other = laboratory.begin()
    failure = {"kind": "invalid", "message": "the test is over"}
    laboratory.complete(other, 0, outcome="failed", failure=failure)


def test_a_database_that_crashes_is_a_regression_and_shown(laboratory):
    document = experiment("crashing")
    base = laboratory.carry_out(document, report)

    def crashing(order):
        return [] if order["target"]["name"] == "redis" else report(order)

    crashed = laboratory.carry_out(document, crashing)
    gate = laboratory.get(f"/campaigns/{crashed}/gate")
    assert (gate["verdict"], gate["exit_code"]) == ("regression", 1)
    assert "failed under load" in gate["message"]
    comparison = laboratory.get("/comparisons", campaign=crashed, base=base)
    cell = next(one for one in comparison["cells"] if one["side"] == f"{crashed}~redis")
    assert cell["status"] == "failed"
    assert len(cell["failed_runs"]) == 5
    assert cell["failed_runs"][0]["failure"]["message"] == "it crashed"
    assert comparison["unmatched"] == [
        {
            "workload": "balanced", "load_level": cell["load_level"],
            "side": f"{crashed}~redis", "reason": "failed",
        }
    ]  # fmt: skip


def test_too_few_repeats_claim_nothing(laboratory):
    document = experiment("few", repetitions=3)
    base = laboratory.carry_out(document, report)
    slower = laboratory.carry_out(document, lambda order: report(order, factor=0.5))
    comparison = laboratory.get("/comparisons", campaign=slower, base=base)
    assert {one["verdict"] for one in comparison["differences"]} == {"insufficient"}
    assert {one["repeats_needed"] for one in comparison["differences"]} == {2}
    assert "repeats" in {finding["id"] for finding in comparison["findings"]}
    assert laboratory.get(f"/campaigns/{slower}/gate")["exit_code"] == 2


def test_another_tenant_compares_nothing(laboratory, campaigns, tenants):
    base = campaigns[0]
    for path in (
        f"/comparisons?campaign={base}",
        f"/comparisons?side={base}~redis&side={base}~memcached",
        f"/campaigns/{base}/gate",
    ):
        answer = laboratory.client.get(f"/api/v1{path}", headers=tenants[1].headers)
        assert answer.status_code == 404, path


def history(laboratory, levels, slug, **target):
    """Campaigns of one experiment at given levels, oldest first; its throughput series."""
    document = experiment(slug, targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    ids = [
        laboratory.carry_out(
            document,
            lambda order, level=level: whole_run(seed=1, rate=level, seconds=1, **target),
        )
        for level in levels
    ]
    name = laboratory.get(f"/campaigns/{ids[0]}")["experiment"]["id"]
    (series,) = laboratory.get("/series", experiment_id=name, metric="throughput")["items"]
    detect = [UUID(series["id"])]
    laboratory.work(lambda analysis: analysis.history.detect(detect))
    return ids, laboratory.get(f"/series/{series['id']}")


@pytest.fixture(scope="module")
def watched(laboratory):
    """Ten campaigns at about 100 a second, then five at about 80."""
    levels = [100, 102, 98, 100, 102, 98, 100, 102, 98, 100, 80, 82, 78, 80, 82]
    return history(laboratory, levels, "watched")


def test_a_series_has_a_point_a_campaign(watched):
    ids, series = watched
    assert [point["campaign_id"] for point in series["points"]] == ids
    assert series["points"][0]["value"] == 100.0
    assert series["points"][0]["repeats"] == [100.0]
    assert series["points"][0]["version"] == "7.0.15"
    assert series["points_count"] == 15
    assert series["last_value"] == 82.0
    assert len(series["segments"]) == 1
    assert "Some CPU, 4 cores" in series["segments"][0]["label"]
    assert series["disclaimers"]


def test_a_point_tells_the_commit_of_its_campaign(laboratory):
    document = experiment("built", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    git = {"commit": "ABCDEF1234", "branch": "main", "repository": "git@github.com:team/store.git"}
    for wanted in ({}, {"git": git}):
        laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1), **wanted)
    name = laboratory.get("/campaigns", commit="abcdef1")["items"][0]["experiment"]["id"]
    (series,) = laboratory.get("/series", experiment_id=name, metric="throughput")["items"]
    before, after = laboratory.get(f"/series/{series['id']}")["points"]
    assert before["git"] is None
    assert after["git"]["commit_url"] == "https://github.com/team/store/commit/abcdef1234"
    assert after["git"]["branch"] == "main"


def test_a_shift_is_found_where_it_happened(watched):
    ids, series = watched
    (change,) = series["change_points"]
    assert change["campaign_id"] == ids[10]
    assert change["status"] == "confirmed"
    assert change["state"] == "untriaged"
    assert change["relative"] == pytest.approx(-0.2, abs=0.03)
    assert series["change_points_count"] == 1


def test_looking_again_finds_the_same_change_and_keeps_its_name(watched, laboratory):
    _, series = watched
    laboratory.work(lambda analysis: analysis.history.detect([UUID(series["id"])]))
    again = laboratory.get(f"/series/{series['id']}")
    assert again["change_points"] == series["change_points"]


def test_another_machine_begins_a_new_segment_and_no_alert(laboratory):
    document = experiment("moved", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    for number in range(14):
        facts = FACTS if number < 9 else {**FACTS, "cpu_model": "Other CPU"}
        rate = 100 if number < 9 else 70
        laboratory.carry_out(
            document,
            lambda _order, rate=rate + number % 2, facts=facts: whole_run(
                seed=1, rate=rate, seconds=1, facts=facts
            ),
        )
    found = laboratory.get("/series", metric="throughput", workload="balanced")["items"]
    series_id = next(one["id"] for one in found if one["experiment"]["name"] == "Moved")
    laboratory.work(lambda analysis: analysis.history.detect([UUID(series_id)]))
    series = laboratory.get(f"/series/{series_id}")
    assert [point["segment"] for point in series["points"]] == [0] * 9 + [1] * 5
    assert "Other CPU" in series["segments"][1]["label"]
    assert series["change_points"] == []


def test_series_are_filtered_and_private(watched, laboratory, tenants):
    _, series = watched
    assert laboratory.get("/series", system_id="memcached", metric="p99_us")["items"]
    assert laboratory.get("/series", system_id="unknown")["items"] == []
    theirs = laboratory.client.get("/api/v1/series", headers=tenants[1].headers).json()
    assert theirs["items"] == []
    answer = laboratory.client.get(f"/api/v1/series/{series['id']}", headers=tenants[1].headers)
    assert answer.status_code == 404


def test_settling_sends_for_detection(laboratory):
    laboratory.ledger.jobs.clear()
    laboratory.carry_out(experiment("sent", repetitions=1), report)
    sent = [arguments for name, arguments in laboratory.ledger.jobs
            if name == "analysis.detect_changes"]  # fmt: skip
    assert len(sent) == 1
    assert len(sent[0]["series_ids"]) == 12
