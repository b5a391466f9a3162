"""Runs with what checks have to say of them, over real rows."""

import pytest
from weighhouse_backend.findings.schemas import FindingRead

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import report


def test_runs_carry_findings_and_caveats(laboratory):
    campaign_id = laboratory.carry_out(experiment("examined", repetitions=1), report)
    listed = laboratory.get("/runs", campaign_id=campaign_id)["items"]
    run = laboratory.get(f"/runs/{listed[0]['id']}")
    findings = {finding["id"]: finding for finding in run["findings"]}
    assert "co-located" in findings
    assert findings["co-located"]["documentation"] == "/docs/findings/co-located"
    assert "coordinated-omission" in findings
    assert "littles-law" not in findings
    said = {one["id"]: one for one in run["caveats"]}
    assert said[f"statement:{run['system_id']}-note"]["text"] == "Mind this."
    assert {f"check:{name}" for name in findings} == {
        name for name in said if name.startswith("check:")
    }
    assert said["check:co-located"]["runs"] == [run["id"]]
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


def swapping(order, *, measured):
    """A machine that swaps and loses time: in the measured phase, or before it."""
    events = report(order)
    for event in events:
        if event["kind"] == "sample":
            event |= {"steal_percent": 20.0, "metrics": {"machine_swapped_bytes": 4096.0}}
            event["at_us"] -= 0 if measured else 10_000_000
    return events


def test_what_happened_before_the_measured_phase_does_not_count(laboratory):
    for measured in (True, False):
        campaign_id = laboratory.carry_out(
            experiment(f"swapping-{measured}".lower(), repetitions=1),
            lambda order, measured=measured: swapping(order, measured=measured),
        )
        run_id = laboratory.get("/runs", campaign_id=campaign_id)["items"][0]["id"]
        findings = {one["id"]: one for one in laboratory.get(f"/runs/{run_id}")["findings"]}
        assert ("environment" in findings) is measured
        if measured:
            numbers = findings["environment"]["numbers"]
            assert (numbers["steal_percent"], numbers["swapped_bytes"]) == (20.0, 3 * 4096.0)


def test_a_system_that_lost_what_it_acknowledged_is_found_out(laboratory):
    def lossy(order):
        events = report(order)
        for event in events:
            if event.get("moment") == "after_load":
                event["records"] = 30
        return events

    campaign_id = laboratory.carry_out(experiment("lossy", repetitions=1), lossy)
    run_id = laboratory.get("/runs", campaign_id=campaign_id)["items"][0]["id"]
    findings = {one["id"]: one for one in laboratory.get(f"/runs/{run_id}")["findings"]}
    assert "says that it holds 30: 20 were evicted" in findings["load-complete"]["message"]


@pytest.mark.parametrize(
    ("check", "message", "title"),
    [
        ("steady-state", "Not assessable: 5 intervals, and …", "Steady state not assessable"),
        ("steady-state", "Warming up: throughput rose by 9 %.", "Not in a steady state"),
        ("memory-fit", "…: it cannot be held, so records were evicted.", "Data does not fit"),
        ("of-before", "A check that is no more.", "As it was called"),
    ],
)
def test_what_was_stored_before_is_called_by_its_text(check, message, title):
    stored = {
        "id": check, "severity": "info", "title": "As it was called", "message": message,
        "numbers": {}, "formula": "", "source": "", "documentation": "", "scope": "run",
    }  # fmt: skip
    assert FindingRead.model_validate(stored).title == title
