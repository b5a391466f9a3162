"""Bases of verdicts: pooled, of a branch, of a release, pinned; regressions only once accepted."""

from dataclasses import replace
from uuid import uuid4

import pytest

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import report, weigh

REDIS = [{"name": "redis", "system": "redis"}]


@pytest.fixture(scope="module", autouse=True)
def weighed(laboratory):
    """How much campaigns differ is known here."""
    weigh(laboratory)


class Builds:
    """Campaigns of one experiment, one after the other."""

    def __init__(self, laboratory, slug):
        self.laboratory = laboratory
        self.document = experiment(slug, targets=REDIS)

    def run(self, factor=1.0, facts=None, **wanted):
        told = {} if facts is None else {"facts": facts}
        return self.laboratory.carry_out(
            self.document, lambda order: report(order, factor=factor, **told), **wanted
        )

    def gate(self, campaign_id, **query):
        return self.laboratory.get(f"/campaigns/{campaign_id}/gate", **query)

    def put(self, campaign_id, path, body):
        return self.laboratory.client.put(
            f"/api/v1/campaigns/{campaign_id}/{path}", json=body, headers=self.laboratory.headers
        )


def test_the_latest_that_passed_are_pooled_and_the_first_is_the_anchor(laboratory):
    builds = Builds(laboratory, "pooled")
    ids = [builds.run() for _ in range(4)]
    gates = [builds.gate(one) for one in ids]
    assert [gate["verdict"] for gate in gates] == ["no_baseline"] + ["equivalent"] * 3
    assert gates[3]["base_campaign_ids"] == ids[2::-1]
    assert gates[3]["anchor_campaign_id"] == ids[0]
    assert gates[1]["link"].endswith(f"/compare?campaign={ids[1]}&base={ids[0]}")
    assert gates[3]["link"].endswith(f"/campaigns/{ids[3]}"), "its figures are of three bases"
    assert laboratory.get(f"/campaigns/{ids[3]}")["base_campaign_id"] == ids[2]


def test_a_regression_is_no_base_until_it_is_accepted(laboratory):
    builds = Builds(laboratory, "accepted")
    good, slow = builds.run(), builds.run(0.8)
    still_slow = builds.run(0.8)
    assert builds.gate(slow)["verdict"] == "regression"
    gate = builds.gate(still_slow)
    assert (gate["verdict"], gate["base_campaign_ids"]) == ("regression", [good])

    refused = laboratory.client.post(
        "/api/v1/campaigns",
        json={"experiment": "accepted", "base": f"campaign:{slow}"},
        headers=laboratory.headers,
    )
    assert refused.status_code in {409, 422}
    assert "accept it first" in refused.json()["detail"]

    answer = builds.put(still_slow, "acceptance", {"note": "every record is checked now"})
    assert answer.status_code == 200, answer.text
    accepted = laboratory.get(f"/campaigns/{still_slow}")
    assert accepted["accepted"]["note"] == "every record is checked now"
    assert accepted["verdict"] == "regression"
    after = builds.run(0.8)
    gate = builds.gate(after)
    assert (gate["verdict"], gate["base_campaign_ids"]) == ("equivalent", [still_slow])
    assert builds.gate(still_slow)["base_campaign_ids"] == [good], "its verdict is kept"


def test_the_pool_moves_on_and_its_anchor_does_not(laboratory):
    builds = Builds(laboratory, "drop-by-drop")
    ids = [builds.run() for _ in range(12)]
    gates = [builds.gate(one) for one in ids[1:]]
    assert gates[-1]["base_campaign_ids"] == ids[10:0:-1]
    assert {gate["anchor_campaign_id"] for gate in gates} == {ids[0]}


def test_what_was_accepted_is_the_anchor_and_not_held_against_later_builds(laboratory):
    builds = Builds(laboratory, "accepted-since")
    first = builds.run()
    assert builds.put(first, "release", {"name": "1.0"}).status_code == 200
    slow = builds.run(0.8)
    assert builds.put(slow, "acceptance", {"note": "records are checked"}).status_code == 200
    gate = builds.gate(builds.run(0.8))
    assert (gate["verdict"], gate["anchor_campaign_id"]) == ("equivalent", slow)


def test_what_another_branch_accepted_is_nobody_elses_anchor(laboratory):
    builds = Builds(laboratory, "accepted-apart")
    main = {"git": {"commit": "a" * 40, "branch": "main"}}
    mine = {"git": {"commit": "b" * 40, "branch": "mine"}, "base": "branch:main"}
    first = builds.run(**main)
    slow = builds.run(0.8, **mine)
    assert builds.put(slow, "acceptance", {"note": "not merged"}).status_code == 200
    assert builds.gate(builds.run(0.8, **main))["anchor_campaign_id"] == first


def test_the_anchor_has_a_threshold_of_its_own(laboratory):
    builds = Builds(laboratory, "own-threshold")
    builds.document["thresholds"] = {"gate_percent": 10, "anchor_percent": 7}
    ids = [builds.run(factor) for factor in (1.0, 0.95, 0.92)]
    gate = builds.gate(ids[2])
    assert (gate["threshold_percent"], gate["anchor_threshold_percent"]) == (10, 7)
    assert (gate["verdict"], gate["cells"][0]["stopped_by"]) == ("regression", "anchor")
    asked = builds.gate(ids[2], anchor_threshold_percent=20)
    assert (asked["exit_code"], asked["anchor_threshold_percent"]) == (0, 20)
    kept = builds.gate(ids[2], threshold_percent=20)
    assert (kept["exit_code"], kept["threshold_percent"]) == (1, 20)


def test_an_anchor_without_a_threshold_has_the_gates(laboratory):
    builds = Builds(laboratory, "one-threshold")
    builds.document["thresholds"] = {"gate_percent": 12}
    found = builds.gate(builds.run())
    assert found["anchor_threshold_percent"] == 12
    assert builds.gate(found["campaign_id"], threshold_percent=3)["anchor_threshold_percent"] == 3


def test_the_experiment_says_what_its_campaigns_compare_with(laboratory):
    builds = Builds(laboratory, "by-document")
    builds.document["gate"] = {"base": "release:1.0"}
    first = builds.run()
    gate = builds.gate(first)
    assert (gate["verdict"], gate["exit_code"]) == ("no_baseline", 2)
    assert "release 1.0" in gate["message"], "there is none before the first"
    assert builds.put(first, "release", {"name": "1.0"}).status_code == 200
    second, third = builds.run(), builds.run()
    assert laboratory.get(f"/campaigns/{third}")["base"] == "release:1.0"
    assert builds.gate(third)["base_campaign_ids"] == [first]
    other = builds.run(base="pooled")
    assert builds.gate(other)["base_campaign_ids"] == [third, second, first]


def test_a_document_names_no_campaign_that_cannot_be_a_base(laboratory):
    builds = Builds(laboratory, "by-identifier")
    good, slow = builds.run(), builds.run(0.8)
    builds.document["gate"] = {"base": f"campaign:{slow}"}
    refused = builds.run(0.8)
    assert "nobody accepted" in builds.gate(refused)["message"]
    assert builds.put(slow, "acceptance", {"note": "records are checked"}).status_code == 200
    assert builds.gate(builds.run(0.8))["base_campaign_ids"] == [slow]
    asked = builds.gate(good, base=f"campaign:{slow}")
    assert "not older" in asked["message"]


@pytest.mark.parametrize("whose", ["another tenant's", "nobody's"])
def test_a_campaign_that_is_not_in_the_project_is_no_base(laboratory, tenants, whose):
    foreign = str(uuid4())
    if whose == "another tenant's":
        theirs = replace(laboratory, headers=tenants[1].headers, agent={})
        theirs.enrol()
        foreign = Builds(theirs, "theirs").run()
    builds = Builds(laboratory, "not-theirs")
    builds.document["gate"] = {"base": f"campaign:{foreign}"}
    found = builds.gate(builds.run())
    assert found["verdict"] == "no_baseline"
    assert "is not there" in found["message"]
    assert builds.gate(found["campaign_id"], base=f"campaign:{foreign}")["exit_code"] == 2


def test_what_passed_needs_no_acceptance(laboratory):
    builds = Builds(laboratory, "fine")
    answer = builds.put(builds.run(), "acceptance", {"note": "why not"})
    assert answer.status_code == 409
    assert answer.json()["type"].endswith("nothing-to-accept")


def test_a_release_is_a_base_by_name_and_the_anchor(laboratory):
    builds = Builds(laboratory, "released")
    first, second = builds.run(), builds.run()
    assert builds.put(first, "release", {"name": "1.0"}).status_code == 200
    assert builds.put(second, "release", {"name": "1.0"}).status_code == 409
    third = builds.run(base="release:1.0")
    gate = builds.gate(third)
    assert (gate["base_campaign_ids"], gate["anchor_campaign_id"]) == ([first], first)
    assert builds.gate(third, base="pooled")["base_campaign_ids"] == [second, first]
    assert builds.gate(third)["base_campaign_ids"] == [first]
    missing = laboratory.client.post(
        "/api/v1/campaigns",
        json={"experiment": "released", "base": "release:2.0"},
        headers=laboratory.headers,
    )
    assert "release 2.0" in missing.json()["detail"]


def test_a_branch_has_bases_of_its_own_and_may_ask_for_those_of_another(laboratory):
    builds = Builds(laboratory, "branched")
    main = {"git": {"commit": "a" * 40, "branch": "main"}}
    mine = {"git": {"commit": "b" * 40, "branch": "mine"}}
    first = builds.run(**main)
    alone = builds.gate(builds.run(**mine))
    assert alone["verdict"] == "no_baseline"
    assert "on the branch mine" in alone["message"]
    request = builds.run(base="branch:main", **mine)
    assert builds.gate(request)["base_campaign_ids"] == [first]


@pytest.mark.parametrize("base", ["nonsense", "campaign:7", "release:", "branch:"])
def test_a_base_that_is_none_is_refused_with_the_forms(laboratory, base):
    answer = laboratory.client.post(
        "/api/v1/campaigns", json={"experiment": "pooled", "base": base}, headers=laboratory.headers
    )
    assert answer.status_code == 422
    assert "base" in answer.json()["errors"][0]["path"]


def test_another_tenant_accepts_nothing(laboratory, tenants):
    builds = Builds(laboratory, "foreign")
    campaign = builds.run()
    for path, body in (("acceptance", {"note": "x"}), ("release", {"name": "1"})):
        answer = laboratory.client.put(
            f"/api/v1/campaigns/{campaign}/{path}", json=body, headers=tenants[1].headers
        )
        assert answer.status_code == 404


def test_a_release_that_lies_by_itself_stops_no_build_after_it(laboratory):
    builds = Builds(laboratory, "by-itself")
    for factor in (1.0, 1.004, 0.997, 1.002, 0.998):
        builds.run(factor)
    release = builds.run(1.25)
    answer = builds.put(release, "release", {"name": "1.0"})
    assert answer.status_code == 200, answer.text
    gate = builds.gate(builds.run())
    assert gate["anchor_campaign_id"] == release
    assert gate["verdict"] != "regression"
    assert (
        "the anchor's throughput was better than that of the campaigns next to it"
        in (gate["message"])
    )


def test_a_release_as_fast_as_those_next_to_it_is_held_against_builds(laboratory):
    builds = Builds(laboratory, "not-by-itself")
    for factor in (1.25, 1.254, 1.247, 1.252, 1.248):
        builds.run(factor)
    release = builds.run(1.25)
    assert builds.put(release, "release", {"name": "1.0"}).status_code == 200
    gate = builds.gate(builds.run())
    assert (gate["verdict"], gate["anchor_campaign_id"]) == ("regression", release)
    assert "the campaigns next to it" not in gate["message"]
