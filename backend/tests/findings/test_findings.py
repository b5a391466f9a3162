"""Runs with what checks have to say of them, over real rows."""

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import report


def test_runs_carry_findings_and_disclaimers(laboratory):
    campaign_id = laboratory.carry_out(experiment("examined", repetitions=1), report)
    listed = laboratory.get("/runs", campaign_id=campaign_id)["items"]
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
    other = laboratory.begin()
    failure = {"kind": "invalid", "message": "the test is over"}
    laboratory.complete(other, 0, outcome="failed", failure=failure)
