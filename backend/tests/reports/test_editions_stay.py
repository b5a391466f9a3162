"""Editions stay what they are: whatever is kept how long, and whoever deletes."""

from backend.tests.disclosure.under_terms import TARGETS, told
from backend.tests.results.laboratory import experiment
from backend.tests.retention.test_thinning import RULES, SECONDS, carried_out, grow_old, save


def test_a_campaign_that_an_edition_shows_is_not_deleted(call, laboratory, report):
    document = experiment("shown", targets=TARGETS, repetitions=2)
    shown = laboratory.carry_out(document, told)
    made = report({"name": "ours", "campaign_id": shown}, title="What we shipped")
    address = f"/campaigns/{shown}/keeping"
    assert call("GET", address).json()["held_because"] == [], "a text may lose what it refers to"
    call("POST", f"/reports/{made['id']}/editions")
    held = call("GET", address).json()["held_because"]
    assert held == ["edition 1 of the report “What we shipped” shows it, and editions stay"]
    refused = call("POST", f"/campaigns/{shown}/deletion", json={"because": "to save room"})
    assert refused.status_code == 409
    assert "editions stay" in refused.json()["detail"]
    edition = call("GET", f"/reports/{made['id']}/editions/1").json()
    assert edition["document"]["withdrawn"] == []


def test_one_in_a_comparison_is_held_as_well(call, laboratory, report):
    documents = [experiment(slug, targets=TARGETS, repetitions=2) for slug in ("left", "right")]
    left, right = (laboratory.carry_out(one, told) for one in documents)
    sides = [f"{left}~free", f"{right}~free"]
    made = report({"name": "both", "comparison": {"side": sides}}, title="Side by side")
    call("POST", f"/reports/{made['id']}/editions")
    for one in (left, right):
        held = call("GET", f"/campaigns/{one}/keeping").json()["held_because"]
        assert any("Side by side" in reason for reason in held)


def test_what_rules_remove_of_runs_is_in_no_edition(call, laboratory, report):
    campaign, order = carried_out(laboratory, "long-ago", SECONDS)
    grow_old(laboratory, campaign, 40)
    made = report({"name": "ours", "campaign_id": campaign})
    call("POST", f"/reports/{made['id']}/editions")
    before = call("GET", f"/reports/{made['id']}/editions/1").json()
    save(laboratory, **RULES)
    laboratory.clear_away()
    assert call("GET", f"/runs/{order['run_id']}").json()["thinned"] is not None
    after = call("GET", f"/reports/{made['id']}/editions/1").json()
    assert after == before
    assert after["changes"] == []
