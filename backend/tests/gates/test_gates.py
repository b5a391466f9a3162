"""Gates and settlement over real rows: what is said, and to whom."""

from uuid import UUID

import pytest
from weighhouse_backend.gates.settlement import CampaignSettlementService

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import FACTS, whole_run
from backend.tests.results.sides import base_alike_slower, report, weigh


@pytest.fixture(scope="module", autouse=True)
def weighed(laboratory):
    """How much campaigns differ is known here."""
    weigh(laboratory)


@pytest.fixture(scope="module")
def campaigns(laboratory):
    """Three campaigns of one experiment: a base, one like it, one a fifth slower."""
    return base_alike_slower(laboratory)


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
    assert gate["caveats"]
    assert laboratory.get(f"/campaigns/{slower}")["verdict"] == "regression"


def test_the_threshold_of_a_gate_may_be_asked_for(laboratory, campaigns):
    gate = laboratory.get(f"/campaigns/{campaigns[2]}/gate", threshold_percent=30)
    assert (gate["verdict"], gate["threshold_percent"]) == ("equivalent", 30.0)


def test_settling_again_changes_nothing(laboratory, campaigns):
    slower = campaigns[2]
    before = (laboratory.get(f"/campaigns/{slower}"), laboratory.get(f"/campaigns/{slower}/gate"))
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(slower))
    )
    after = (laboratory.get(f"/campaigns/{slower}"), laboratory.get(f"/campaigns/{slower}/gate"))
    assert after == before


def test_a_campaign_that_has_not_ended_has_no_verdict(laboratory):
    laboratory.campaign(experiment("unsettled", repetitions=1))
    order = laboratory.begin()
    gate = laboratory.client.get(
        f"/api/v1/campaigns/{order['campaign_id']}/gate", headers=laboratory.headers
    )
    assert gate.status_code == 409
    failure = {"kind": "invalid", "message": "the test is over"}
    laboratory.complete(order, 0, outcome="failed", failure=failure)
    laboratory.complete(laboratory.begin(), 0, outcome="failed", failure=failure)


def test_a_database_that_crashes_is_a_regression_and_shown(laboratory):
    document = experiment("crashing")
    base = laboratory.carry_out(document, report)

    def crashing(order):
        return [] if order["target"]["name"] == "redis" else report(order)

    crashed = laboratory.carry_out(document, crashing)
    gate = laboratory.get(f"/campaigns/{crashed}/gate")
    assert (gate["verdict"], gate["exit_code"]) == ("regression", 1)
    assert "failed every repeat under load" in gate["message"]
    comparison = laboratory.get("/comparisons", campaign=crashed, base=base)
    cell = next(one for one in comparison["cells"] if one["side"] == f"{crashed}~redis")
    assert cell["status"] == "failed"
    assert len(cell["failed_runs"]) == 5
    assert cell["failed_runs"][0]["failure"]["message"] == "it crashed"
    assert comparison["unmatched"] == [
        {
            "workload": "balanced", "load_level": cell["load_level"],
            "side": f"{crashed}~redis", "reason": "failed", "because": "",
        }
    ]  # fmt: skip


def test_too_few_repeats_decide_nothing(laboratory):
    document = experiment("few", repetitions=3)
    laboratory.carry_out(document, report)
    slower = laboratory.carry_out(document, lambda order: report(order, factor=0.5))
    assert laboratory.get(f"/campaigns/{slower}/gate")["exit_code"] == 2


def test_another_number_of_records_is_not_comparable_and_named(laboratory):
    document = experiment("grown", targets=[{"name": "redis", "system": "redis"}])
    laboratory.carry_out(document, report)
    document["workloads"][0]["record_count"] = 10_000
    grown = laboratory.carry_out(document, report)
    gate = laboratory.get(f"/campaigns/{grown}/gate")
    assert (gate["verdict"], gate["exit_code"]) == ("not_comparable", 4)
    assert "workload.record_count 50 → 10000" in gate["message"]
    assert [(one["target"], one["field"], one["base"], one["candidate"])
            for one in gate["mismatches"]] == [
        ("redis", "workload.record_count", "50", "10000")
    ]  # fmt: skip
    assert laboratory.get(f"/campaigns/{grown}")["verdict"] == "not_comparable"


def test_a_workload_by_another_name_is_the_same_workload(laboratory):
    document = experiment("renamed", targets=[{"name": "redis", "system": "redis"}])
    laboratory.carry_out(document, report)
    document["workloads"][0]["name"] = "otherwise"
    renamed = laboratory.carry_out(document, report)
    gate = laboratory.get(f"/campaigns/{renamed}/gate")
    assert (gate["verdict"], len(gate["cells"])) == ("equivalent", 1)
    assert gate["cells"][0]["workload"] == "otherwise"


def test_another_kind_of_machine_is_not_comparable_and_its_twin_is(laboratory):
    document = experiment("moved", targets=[{"name": "redis", "system": "redis"}])
    verdicts = []
    for changed in ({}, {"machine_id": "f" * 32, "hostname": "twin"}, {"kernel": "99.1"}):
        facts = {**FACTS, **changed}
        ended = laboratory.carry_out(
            document, lambda order, facts=facts: report(order, facts=facts)
        )
        verdicts.append(laboratory.get(f"/campaigns/{ended}/gate"))
    assert [one["verdict"] for one in verdicts] == ["no_baseline", "inconclusive", "not_comparable"]
    assert verdicts[1]["mismatches"] == [], "its twin is compared; its noise is not known"
    assert [one["field"] for one in verdicts[2]["mismatches"]] == ["machine.kernel"]


def test_what_differs_between_the_sides_is_the_subject(laboratory):
    """A version and a setting are what is tried; limits could explain anything by themselves."""
    document = experiment("tried", targets=[{"name": "redis", "system": "redis"}])
    laboratory.carry_out(document, report, git={"commit": "a" * 40})
    document["targets"][0]["limits"] = {"cpus": 2}
    tried = laboratory.carry_out(
        document,
        lambda order: whole_run(seed=order["seed"] % 5, rate=400, version="7.2.1"),
        git={"commit": "b" * 40},
    )
    gate = laboratory.get(f"/campaigns/{tried}/gate")
    assert gate["message"].startswith("Redis 7.0.15 → 7.2.1, commit aaaaaaaaaa → bbbbbbbbbb: ")
    assert "Differs too, undeclared: limits.cpus none → 2." in gate["message"].splitlines()
    assert [(one["what"], one["confounder"]) for one in gate["subject"]] == [
        ("Redis", False), ("commit", False), ("limits.cpus", True),
    ]  # fmt: skip


def test_another_tenant_reads_no_verdict(laboratory, campaigns, tenants):
    path = f"/api/v1/campaigns/{campaigns[0]}/gate"
    assert laboratory.client.get(path, headers=tenants[1].headers).status_code == 404


def test_settling_sends_for_detection(laboratory):
    laboratory.ledger.jobs.clear()
    laboratory.carry_out(experiment("sent", repetitions=1), report)
    sent = [arguments for name, arguments in laboratory.ledger.jobs
            if name == "alerts.detect_changes"]  # fmt: skip
    assert len(sent) == 1
    assert len(sent[0]["series_ids"]) == 18
