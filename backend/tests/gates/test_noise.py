"""Campaigns that measure noise: every target twice in a block, and what is learnt from it."""

from itertools import count
from uuid import UUID

import pytest
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.comparisons.floors import FloorService
from weighhouse_backend.gates.bases import BaseService
from weighhouse_backend.gates.settlement import CampaignSettlementService

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

NOISE = (-0.02, 0.03, 0.01, -0.03, 0.02, -0.01, 0.025)
runs = count()


def noisy(order):
    """Four hundred a second, give or take three percent."""
    del order
    place = next(runs) % len(NOISE)
    return whole_run(seed=place, rate=round(400 * (1 + NOISE[place])))


def carry_out(laboratory, document, **wanted):
    campaign = laboratory.campaign(document, **wanted)
    queued = laboratory.get(f"/campaigns/{campaign}")["runs"]["queued"]
    orders = laboratory.measure(noisy, queued)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
    )
    return campaign, orders


@pytest.fixture(scope="module")
def measured(laboratory):
    """Two A/A campaigns of one experiment, ten blocks each."""
    document = experiment(
        "noise", scenario="noise", repetitions=6, targets=[{"name": "redis", "system": "redis"}]
    )
    return [carry_out(laboratory, document) for _ in range(2)]


def floor(laboratory, **asked):
    found = laboratory.get("/noise-floors", **asked)["items"]
    return {(one["target"], one["metric"]): one for one in found}


def test_every_target_stands_twice_in_a_block(laboratory, measured):
    campaign, orders = measured[0]
    found = laboratory.get(f"/campaigns/{campaign}")
    assert (found["noise"], found["status"], found["verdict"]) == (True, "completed", None)
    repeats = [(run["repetition"], run["twin"]) for run in found["cells"][0]["runs"]]
    assert repeats == [(number, twin) for number in range(1, 7) for twin in (0, 1)]
    seeds = [order["seed"] for order in orders]
    assert seeds[::2] == seeds[1::2]
    assert len(set(seeds)) == 6
    places = laboratory.get("/runs", campaign_id=campaign, limit=100)["items"]
    assert len(places) == 12


def test_the_first_twin_is_not_always_first(laboratory, measured):
    by_position = []
    for campaign, orders in measured:
        runs_of = laboratory.get(f"/campaigns/{campaign}")["cells"][0]["runs"]
        twins = {run["id"]: run["twin"] for run in runs_of}
        by_position += [twins[order["run_id"]] for order in orders[::2]]
    assert set(by_position) == {0, 1}


def test_a_floor_is_what_equal_sides_differ_by(laboratory, measured):
    found = floor(laboratory)["redis", "throughput"]
    assert (found["pairs"], found["campaigns"]) == (12, 2)
    assert 0.005 < found["floor"] < 0.08
    assert found["median_difference"] <= found["p95_difference"] <= found["largest_difference"]
    assert found["largest_difference"] < 0.062
    assert [point["campaign_id"] for point in found["points"]] == [one for one, _ in measured]
    assert [point["pairs"] for point in found["points"]] == [6, 6]
    assert found["points"][0]["floor"] is None, "six pairs are too few for a floor"
    assert found["points"][1]["floor"] == pytest.approx(found["floor"])


def test_floors_are_read_by_agent(laboratory, measured):
    agent = laboratory.get(f"/campaigns/{measured[0][0]}")["agents"][0]["id"]
    assert floor(laboratory, agent_id=agent) == floor(laboratory)
    assert floor(laboratory, agent_id=measured[0][0]) == {}
    assert set(floor(laboratory, metric="p99_us")) == {("redis", "p99_us")}


def test_noise_is_no_base_and_in_no_series(laboratory, measured):
    usual = experiment("noise", repetitions=1, targets=[{"name": "redis", "system": "redis"}])
    campaign = laboratory.campaign(usual)
    assert laboratory.get(f"/campaigns/{campaign}")["base_campaign_id"] is None
    laboratory.measure(noisy, 1)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
    )
    experiment_id = laboratory.get(f"/campaigns/{campaign}")["experiment"]["id"]
    series = laboratory.get("/series", experiment_id=experiment_id)["items"]
    assert series
    assert {one["points_count"] for one in series} == {1}
    refused = laboratory.client.post(
        "/api/v1/campaigns", headers=laboratory.headers,
        json={"experiment": "noise", "base_campaign_id": measured[0][0]},
    )  # fmt: skip
    assert refused.status_code == 422
    assert "measured noise" in refused.json()["detail"]


def test_settling_again_keeps_what_was_learnt_once(laboratory, measured):
    before = floor(laboratory)
    answer = laboratory.client.post(
        f"/api/v1/campaigns/{measured[1][0]}/repeats", json={"count": 1},
        headers=laboratory.headers,
    )  # fmt: skip
    assert answer.status_code == 202, answer.text
    laboratory.measure(noisy, 2)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(
            UUID(measured[1][0])
        )
    )
    after = floor(laboratory)
    assert after.keys() == before.keys()
    assert after["redis", "throughput"]["pairs"] == 13


def test_the_same_cells_measured_once_have_this_floor(laboratory, measured):
    """What `scenario: noise` learns holds for the same cells under `scenario: fixed`."""
    document = experiment(
        "grows", repetitions={"at_most": 6},
        targets=[{"name": "redis", "system": "redis"}],
    )  # fmt: skip
    campaign, _ = carry_out(laboratory, document)
    found = []

    def ask(services):
        stored = services.get(CampaignService).get(UUID(campaign))
        cells = services.get(BaseService).cells([stored.id])[stored.id]
        floor_of = services.get(FloorService).of_cells(stored.project_id, cells)
        found.extend(floor_of(cell, "throughput") for cell in cells)

    laboratory.work(ask)
    assert found[0] is not None
    assert found[0].pairs >= 12


def test_a_comparison_knows_what_its_machine_cannot_tell(laboratory, measured):
    campaign, _ = carry_out(laboratory, experiment("beside", repetitions=5))
    differences = laboratory.get("/comparisons", campaign=campaign)["differences"]
    found = next(one for one in differences if one["metric"] == "throughput")
    assert found["floor"] is not None
    assert found["threshold"] >= found["floor"]


def test_noise_may_be_asked_for_once(laboratory):
    document = experiment("once", repetitions=1)
    campaign, orders = carry_out(laboratory, document, noise=True)
    assert laboratory.get(f"/campaigns/{campaign}")["noise"]
    assert len(orders) == 4


def test_another_tenant_reads_no_floors(laboratory, measured, tenants):
    answer = laboratory.client.get("/api/v1/noise-floors", headers=tenants[1].headers)
    assert answer.json() == {"items": []}


def test_a_series_shows_what_its_machine_cannot_tell(laboratory, measured):
    document = experiment("banded", repetitions=5, targets=[{"name": "redis", "system": "redis"}])
    campaigns = [carry_out(laboratory, document)[0] for _ in range(3)]
    name = laboratory.get(f"/campaigns/{campaigns[0]}")["experiment"]["id"]
    (listed,) = laboratory.get("/series", experiment_id=name, metric="throughput")["items"]
    series = laboratory.get(f"/series/{listed['id']}")
    (band,) = series["bands"]
    points = series["points"]
    assert (band["starts_at"], band["ends_at"]) == (points[0]["at"], points[-1]["at"])
    assert band["level"] == sorted(point["value"] for point in points)[1]
    assert band["low"] < band["level"] < band["high"]
    assert band["high"] == pytest.approx(band["level"] * (1 + band["floor"]))
    assert not band["between_known"], "two A/A campaigns do not tell what campaigns differ by"
    floors = floor(laboratory)
    assert band["floor"] == pytest.approx(floors["redis", "throughput"]["floor"])
