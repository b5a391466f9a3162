"""The base beside: its targets, measured again in the blocks of the build's, judged by pairs."""

import re
from itertools import count
from uuid import UUID

import pytest
from sqlalchemy import text
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.results.laboratory import experiment, manifest
from backend.tests.results.reports import whole_run

REDIS = [{"name": "redis", "system": "redis"}]
THEN, NOW = "7.0.15", "8.0.0"
noise = count()


class Beside:
    """Campaigns of one experiment on a machine whose speed is another each day."""

    def __init__(self, laboratory, slug, **changes):
        self.laboratory = laboratory
        self.document = experiment(slug, targets=REDIS, **changes)
        self.orders = []
        self.day = 1.0
        self.speed = {THEN: 1.0, NOW: 1.0}
        self.newest = THEN
        self.has = {THEN, NOW}

    def report(self, order):
        self.orders.append(order)
        wanted = order["target"]["version"]
        version = self.newest if wanted == "any" else wanted
        if version not in self.has:
            version = self.newest
        place = next(noise) % 5
        factor = self.day * self.speed[version]
        return whole_run(
            seed=place, rate=round(4000 * factor) + 10 * (place - 2), median_us=100.0 / factor,
            version=version,
        )  # fmt: skip

    def run(self, **wanted):
        self.orders = []
        campaign_id = self.laboratory.campaign(self.document, **wanted)
        del self.laboratory.memory.documents[campaign_id]
        return self.go_on(campaign_id)

    def go_on(self, campaign_id):
        """Measure what waits until the campaign has ended."""
        while self.laboratory.get(f"/campaigns/{campaign_id}")["verdict"] is None:
            read = self.laboratory.get(f"/campaigns/{campaign_id}")
            waiting = [
                run for cell in read["cells"] for run in cell["runs"] if run["status"] == "queued"
            ]
            self.laboratory.measure(self.report, len(waiting))
            self.laboratory.work(
                lambda services: services.get(CampaignSettlementService).settle_campaign(
                    UUID(campaign_id)
                )
            )
        return campaign_id

    def gate(self, campaign_id, **query):
        return self.laboratory.get(f"/campaigns/{campaign_id}/gate", **query)

    def ask(self, **wanted):
        return self.laboratory.client.post(
            "/api/v1/campaigns",
            json={"experiment": self.document["slug"], **wanted},
            headers=self.laboratory.headers,
        )


def test_without_a_base_a_campaign_runs_as_usual(laboratory):
    builds = Beside(laboratory, "beside-nothing")
    first = builds.run(base="beside")
    assert len(builds.orders) == 5
    gate = builds.gate(first)
    assert gate["verdict"] == "no_baseline"
    assert "no earlier campaign of this experiment has passed or been accepted" in gate["message"]


def test_the_base_is_measured_again_in_the_same_blocks_as_what_ran_then(laboratory):
    builds = Beside(laboratory, "beside-blocks", seed=7)
    base = builds.run()
    builds.newest = NOW
    campaign = builds.run(base="beside")
    versions = [order["target"]["version"] for order in builds.orders]
    assert sorted(versions) == [THEN] * 5 + ["any"] * 5
    blocks = list(zip(versions[::2], versions[1::2], strict=True))
    assert all(set(block) == {THEN, "any"} for block in blocks)
    assert len(set(blocks)) == 2, "neither is always first"
    read = laboratory.get(f"/campaigns/{campaign}")
    assert (read["base"], read["base_campaign_id"]) == ("beside", base)
    assert [(cell["target"], cell["beside"]) for cell in read["cells"]] == [
        ("redis", False), ("redis.base", True),
    ]  # fmt: skip


def test_a_loss_is_found_at_once_whatever_the_day(laboratory):
    builds = Beside(laboratory, "beside-loss")
    base = builds.run()
    builds.newest, builds.speed[NOW], builds.day = NOW, 0.9, 1.2
    gate = builds.gate(builds.run(base="beside"))
    assert (gate["verdict"], gate["base_campaign_ids"]) == ("regression", [base])
    (difference,) = gate["comparisons"]
    assert difference["method"] == "paired"
    assert gate["link"].endswith(f"/campaigns/{gate['campaign_id']}"), "no comparison has the copy"
    assert difference["relative"] == pytest.approx(-0.1, abs=0.01)
    assert [(one["what"], one["before"], one["after"]) for one in gate["subject"]] == [
        ("Redis", THEN, NOW)
    ]
    assert "measured again" in gate["message"]
    assert re.search(r"throughput \+(19|20)\.\d\u2009%", gate["message"])


def test_what_the_machine_does_to_both_is_no_loss(laboratory):
    builds = Beside(laboratory, "beside-machine")
    builds.run()
    builds.newest, builds.day = NOW, 0.8
    campaign = builds.run(base="beside")
    gate = builds.gate(campaign)
    assert gate["verdict"] == "equivalent"
    assert re.search(
        r"Redis, balanced, 4 clients: throughput \u2212(19|20)\.\d\u2009%", gate["message"]
    )
    assert "The machine changed by so much, not the build." in gate["message"]
    assert builds.gate(campaign, base="pooled")["comparisons"][0]["method"] != "paired"


def test_the_copy_is_in_no_series_no_comparison_and_nobodys_base(laboratory):
    builds = Beside(laboratory, "beside-apart")
    builds.run()
    builds.newest, builds.speed[NOW] = NOW, 0.97
    campaign = builds.run(base="beside")
    compared = laboratory.get("/comparisons", campaign=campaign)
    assert [side["target"] for side in compared["sides"]] == ["redis"]
    later = builds.run(base=f"campaign:{campaign}")
    (difference,) = builds.gate(later)["comparisons"]
    assert difference["baseline_repeats"] == 5
    assert difference["relative"] == pytest.approx(0.0, abs=0.005)


def test_another_version_than_the_base_had_is_not_comparable(laboratory):
    builds = Beside(laboratory, "beside-gone")
    builds.run()
    builds.newest, builds.has = NOW, {NOW}
    gate = builds.gate(builds.run(base="beside"))
    assert (gate["verdict"], gate["exit_code"]) == ("not_comparable", 4)
    assert [(one["field"], one["base"], one["candidate"]) for one in gate["mismatches"]] == [
        ("base.version", THEN, NOW)
    ]


def test_a_base_that_cannot_be_told_from_the_build_is_not_comparable(laboratory):
    builds = Beside(laboratory, "beside-untold")
    builds.run(git={"commit": "a" * 40})
    gate = builds.gate(builds.run(base="beside", git={"commit": "b" * 40}))
    assert gate["verdict"] == "not_comparable"
    assert gate["mismatches"][0]["field"] == "base.program"


def test_more_repeats_are_measured_of_both(laboratory):
    builds = Beside(laboratory, "beside-more")
    builds.run()
    builds.newest = NOW
    campaign = builds.run(base="beside")
    answer = laboratory.client.post(
        f"/api/v1/campaigns/{campaign}/repeats", json={"count": 2}, headers=laboratory.headers
    )
    assert answer.status_code in {200, 201, 202}, answer.text
    read = laboratory.get(f"/campaigns/{campaign}")
    assert [len(cell["runs"]) for cell in read["cells"]] == [7, 7]


def test_until_decided_looks_at_pairs(laboratory):
    rule = {"at_least": 5, "at_most": 9, "until": "decided"}
    builds = Beside(laboratory, "beside-until", repetitions=rule)
    builds.run()
    builds.newest, builds.day = NOW, 0.7
    campaign = builds.run(base="beside")
    read = laboratory.get(f"/campaigns/{campaign}")
    own, copy = (len(cell["runs"]) for cell in read["cells"])
    assert own == copy
    assert builds.gate(campaign)["verdict"] == "equivalent"


def test_it_is_refused_with_words_where_it_cannot_be_had(laboratory):
    builds = Beside(laboratory, "beside-refused")
    first = builds.run()
    noisy = builds.ask(base="beside", noise=True)
    assert noisy.status_code == 422
    assert "noise has no base" in noisy.json()["detail"]
    nobody = builds.ask(base="beside:release:9.9")
    assert "no campaign stands for the release 9.9" in nobody.json()["detail"]
    builds.document["targets"] = [{"name": "other", "system": "redis"}]
    builds.laboratory.client.post(
        "/api/v1/experiments", params={"upsert": True}, json={"document": builds.document},
        headers=laboratory.headers,
    )  # fmt: skip
    without = builds.ask(base="beside")
    assert without.status_code == 422
    assert "has no target of this experiment" in without.json()["detail"]
    assert builds.gate(first)["verdict"] == "no_baseline"


def test_it_is_proposed_with_its_cost_where_campaigns_are_not_known_to_be_alike(laboratory):
    builds = Beside(laboratory, "beside-proposed")
    first, pooled = builds.run(), builds.run()
    with unit_of_work(laboratory.sessions) as session:
        session.execute(
            text(
                "UPDATE runs SET started_at = finished_at - interval '30 s' WHERE campaign_id = :id"
            ),
            {"id": pooled},
        )
    gate = builds.gate(pooled)
    assert gate["verdict"] == "inconclusive"
    assert gate["proposal"] == {
        "reason": "unknown", "base": f"beside:campaign:{first}", "minutes": 5.0,
    }  # fmt: skip
    assert builds.gate(first)["proposal"] is None, "there is no base to measure"
    builds.newest = NOW
    beside = builds.gate(builds.run(base=gate["proposal"]["base"]))
    assert (beside["verdict"], beside["base_campaign_ids"]) == ("equivalent", [first])
    assert beside["proposal"] is None


def test_settings_that_no_plugin_knows_any_more_cannot_be_had(laboratory):
    builds = Beside(laboratory, "beside-settings")
    builds.document["targets"] = [{**REDIS[0], "parameters": {"hz": 20}}]
    builds.run()
    changed = manifest("redis")
    del changed["parameters"]["properties"]["hz"]
    laboratory.enrol(changed, manifest("memcached"))
    builds.document["targets"] = REDIS
    builds.laboratory.client.post(
        "/api/v1/experiments", params={"upsert": True}, json={"document": builds.document},
        headers=laboratory.headers,
    )  # fmt: skip
    refused = builds.ask(base="beside")
    assert refused.status_code == 422
    assert "can no longer be had" in refused.json()["detail"]
