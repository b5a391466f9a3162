"""Bases of verdicts: pooled, of a branch, of a release, pinned; regressions only once accepted."""

import pytest

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import report

REDIS = [{"name": "redis", "system": "redis"}]


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
