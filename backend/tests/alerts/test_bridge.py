"""A level that moved with its machine, and the campaign that an alert offers to tell them apart."""

from uuid import UUID

import pytest
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.gates.settlement import CampaignSettlementService

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import FACTS, whole_run

NEW_MACHINE = {**FACTS, "hostname": "new", "machine_id": "n"}
PATCHED = {**FACTS, "kernel": "6.18.2"}
"""Another place on the same machine."""
REDIS = [{"name": "redis", "system": "redis"}]
BEFORE, AFTER = 9, 5


class Moved:
    """Campaigns whose level fell with a new revision on a new machine, or a patched one."""

    def __init__(self, laboratory, slug, machine):
        self.laboratory = laboratory
        self.machine = machine
        self.then = experiment(slug, targets=REDIS, description="as it was")
        self.now = experiment(slug, targets=REDIS, description="as it is")
        for _ in range(BEFORE):
            laboratory.carry_out(self.then, lambda order: report(order, 1000, FACTS))
        for _ in range(AFTER):
            laboratory.carry_out(self.now, lambda order: report(order, 800, machine))

    def alert(self):
        listed = self.laboratory.get("/series", metric="throughput", limit=200)["items"]
        name = self.now["name"]
        (series,) = [one["id"] for one in listed if one["experiment"]["name"] == name]
        self.laboratory.work(lambda services: services.get(WatchService).detect([UUID(series)]))
        found = self.laboratory.get(f"/series/{series}")["change_points"]
        (change,) = [one for one in found if one["status"] == "confirmed"]
        return self.laboratory.get(f"/alerts/{change['alert_id']}")

    def bridge(self, alert, rate):
        """What the alert's page asks for, measured on the machine that is there now."""
        ends = alert["range"]
        before = self.laboratory.get(f"/campaigns/{ends['before']['campaign_id']}")
        made = self.laboratory.client.post(
            "/api/v1/campaigns",
            json={
                "experiment_id": before["experiment"]["id"],
                "revision": before["revision"],
                "base": f"campaign:{ends['first']['campaign_id']}",
            },
            headers=self.laboratory.headers,
        )
        assert made.status_code == 201, made.text
        campaign = made.json()["id"]
        self.laboratory.measure(lambda order: report(order, rate, self.machine), 5)
        self.laboratory.work(
            lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
        )
        return self.laboratory.get(f"/campaigns/{campaign}")


def report(order, rate, facts):
    noise = order["seed"] % 5 - 2
    return whole_run(
        seed=order["seed"] % 5, rate=rate + 2 * noise, seconds=1, facts=facts, version="7.0.15"
    )


@pytest.mark.parametrize(
    ("slug", "machine", "rate", "difference"),
    [
        ("by-the-machine", NEW_MACHINE, 800, 0.0),
        ("by-the-build", NEW_MACHINE, 1000, 0.25),
        ("by-the-patch", PATCHED, 800, 0.0),
    ],
)
def test_the_old_definition_on_the_new_machine_tells_which_it_was(
    laboratory, slug, machine, rate, difference
):
    moved = Moved(laboratory, slug, machine)
    alert = moved.alert()
    assert alert["change"]["kind"] == "moved"
    ends = alert["range"]
    measured = moved.bridge(alert, rate)
    assert measured["revision"] == 1
    now = laboratory.get(f"/campaigns/{ends['first']['campaign_id']}")
    assert now["revision"] == 2
    gate = laboratory.get(f"/campaigns/{measured['id']}/gate")
    assert gate["base_campaign_ids"] == [ends["first"]["campaign_id"]]
    (found,) = [one for one in gate["comparisons"] if one["baseline_side"].startswith(now["id"])]
    assert found["relative"] == pytest.approx(difference, abs=0.02)
    assert gate["verdict"] != "regression"
