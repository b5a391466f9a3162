"""What a calibration found feeds the next experiment: each target at its own load."""

from pathlib import Path

import pytest
from weighhouse_backend.campaigns.plan import PlannedCell
from weighhouse_backend.gates.undecided import CampaignFigures
from weighhouse_protocol.yaml_document import experiment_from_yaml

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

from .test_searches import BOTH, ONE, calibration, curves, finish, queue, server

CAPACITY = {"redis": 1000, "memcached": 400}


def queues(order):
    """A median latency of 100 µs that grows as the rate nears what each can do."""
    rate, capacity = order["load"]["rate_per_second"], CAPACITY[order["target"]["name"]]
    late = 100 / max(0.01, 1 - rate / capacity)
    return whole_run(seed=order["seed"] % 5, rate=round(min(rate, capacity)), median_us=late)


@pytest.fixture(scope="module")
def calibrated(laboratory):
    campaign = laboratory.campaign(calibration("calibrated", 200) | {"targets": BOTH})
    finish(laboratory, campaign, queues)
    return campaign


def validated(laboratory, yaml):
    answer = laboratory.client.post(
        "/api/v1/experiments/validate", json={"yaml": yaml}, headers=laboratory.headers
    ).json()
    assert answer["valid"], answer["errors"]
    return answer["document"]


def test_the_points_are_the_load_of_the_next_experiment(laboratory, calibrated):
    found = {
        one["target"]: one["operating_point"]
        for one in laboratory.get(f"/campaigns/{calibrated}/searches")["searches"]
    }
    given = laboratory.get(f"/campaigns/{calibrated}/operating-points")
    assert given["missing"] == []
    document = validated(laboratory, given["yaml"])
    assert "scenario" not in document or document["scenario"] == "fixed"
    (level,) = document["load_levels"]
    assert (level["model"], level["name"]) == ("own", "p50 within 200 µs")
    points = {one["target"]: one["load"]["rate_per_second"] for one in level["points"]}
    for target, point in found.items():
        assert points[target] == pytest.approx(point["value"], rel=1e-5)
    lower = laboratory.get(f"/campaigns/{calibrated}/operating-points", take="low")
    (level,) = validated(laboratory, lower["yaml"])["load_levels"]
    for one in level["points"]:
        assert one["load"]["rate_per_second"] == pytest.approx(
            found[one["target"]]["low"], rel=1e-5
        )

    campaign = laboratory.campaign(document | {"repetitions": 5})
    orders = laboratory.measure(queues, 10)
    asked = {(one["target"]["name"], one["load"]["rate_per_second"]) for one in orders}
    assert asked == set(points.items()), "each at its own"
    stands = laboratory.get(f"/campaigns/{campaign}")
    assert [(one["label"], one["own"]) for one in stands["load_levels"]] == [
        ("p50 within 200 µs", True)
    ]
    cells = {one["target"]: one["load_level"] for one in stands["cells"]}
    assert {name: cell["value"] for name, cell in cells.items()} == points
    comparison = laboratory.get("/comparisons", campaign=campaign)
    (loops,) = [
        one["value"] for one in comparison["disclosure"]["items"] if "load model" in one["label"]
    ]
    assert loops == "open loop, timed from when each operation was due"
    assert {one["verdict"] for one in comparison["differences"]} & {"changed", "equivalent"}
    assert comparison["unmatched"] == []
    (level,) = comparison["load_levels"]
    assert (level["label"], level["own"]) == ("p50 within 200 µs", True)
    (row,) = [one for one in comparison["fairness"] if "rate per second" in one["label"]]
    assert row["confounder"], "readers are told that the sides were asked for different loads"
    run = stands["cells"][0]["runs"][0]["id"]
    again = validated(laboratory, laboratory.get(f"/runs/{run}")["reproduce"]["yaml"])
    assert [one["target"] for one in again["load_levels"][0]["points"]] == [
        stands["cells"][0]["target"]
    ]


def test_what_was_not_found_is_named(laboratory):
    campaign = laboratory.campaign(calibration("never-found", 20))
    finish(laboratory, campaign, queue)
    given = laboratory.get(f"/campaigns/{campaign}/operating-points")
    assert given["yaml"] is None
    (one,) = given["missing"]
    assert one["target"] == "redis"
    assert "No load meets the envelope" in one["reason"]


def test_a_sweep_gives_no_operating_points(laboratory):
    campaign = laboratory.campaign(curves("only-curves", targets=ONE))
    finish(laboratory, campaign, server)
    answer = laboratory.client.get(
        f"/api/v1/campaigns/{campaign}/operating-points", headers=laboratory.headers
    )
    assert answer.status_code == 404
    assert "was no calibration (scenario: sweep)" in answer.text


def test_what_is_excluded_has_no_runs_and_is_named_with_its_reason(laboratory):
    document = experiment(
        "excluding",
        repetitions=1,
        workloads=[
            {"name": "balanced", "record_count": 50, "operations": {"read": 0.5, "update": 0.5}},
            {"name": "reads", "record_count": 50, "operations": {"read": 1}},
        ],
        exclusions=[{"target": "memcached", "workload": "reads", "reason": "nobody asked"}],
    )
    campaign = laboratory.campaign(document)
    orders = laboratory.measure(
        lambda order: whole_run(seed=order["seed"] % 5, rate=100, median_us=100), 3
    )
    assert [one["campaign_id"] for one in orders] == [campaign] * 3
    stands = laboratory.get(f"/campaigns/{campaign}")
    assert {(one["target"], one["workload"]) for one in stands["cells"]} == {
        ("redis", "balanced"),
        ("redis", "reads"),
        ("memcached", "balanced"),
    }
    unmatched = laboratory.get("/comparisons", campaign=campaign)["unmatched"]
    [one] = [one for one in unmatched if one["workload"] == "reads"]
    assert (one["side"], one["reason"]) == (f"{campaign}~memcached", "not planned"), unmatched
    assert one["because"] == "nobody asked"


def test_a_workload_that_an_excluded_system_cannot_do_is_valid(laboratory):
    def errors(**changes):
        document = experiment(
            "scanning",
            workloads=[
                {"name": "reads", "operations": {"read": 1}},
                {"name": "scans", "operations": {"scan": 1}},
            ],
            **changes,
        )
        answer = laboratory.client.post(
            "/api/v1/experiments/validate", json={"document": document}, headers=laboratory.headers
        ).json()
        return [f"{one['path']}: {one['message']}" for one in answer["errors"]]

    both = errors()
    assert any("Memcached cannot do 'scan'" in one for one in both), both
    part = errors(exclusions=[{"system": "memcached", "workload": "scans"}])
    assert not any("Memcached" in one for one in part), part


def test_the_figure_that_is_watched_is_that_of_the_cells_own_loop():
    fixtures = Path(__file__).parents[3] / "protocol" / "fixtures" / "experiment"
    document = experiment_from_yaml((fixtures / "good-operating-points.yaml").read_text("utf-8"))
    figures = CampaignFigures(document, {}, {})
    clients, rate = PlannedCell(0, 0, 1), PlannedCell(1, 0, 1)
    assert figures.metric(clients).name == "throughput"
    assert figures.metric(rate).name == "p99_us"
