"""Campaigns whose loads are chosen while they are measured: sweeps and calibrations."""

from itertools import cycle
from uuid import UUID

import pytest
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.gates.settlement import CampaignSettlementService

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

ONE = [{"name": "redis", "system": "redis"}]
BOTH = [*ONE, {"name": "memcached", "system": "memcached"}]
CAPACITY = {"redis": 6, "memcached": 12}
"""Clients up to which each one's throughput grows."""


def server(order):
    """Throughput grows with the clients up to the capacity, then falls: they wait."""
    clients, capacity = order["load"]["clients"], CAPACITY[order["target"]["name"]]
    rate = round(100 * min(clients, capacity) * 0.97 ** max(0, clients - capacity))
    return whole_run(seed=order["seed"] % 5, rate=rate, median_us=1e6 * clients / rate)


def queue(order):
    """A median latency of 100 µs that grows as the rate nears 1,000 a second."""
    rate = order["load"]["rate_per_second"]
    late = 100 / max(0.01, 1 - rate / 1000)
    done = min(rate, 1000)
    return whole_run(seed=order["seed"] % 5, rate=round(done), median_us=late)


def finish(laboratory, campaign, report):
    """Carry out a campaign until it is settled for good; its orders."""
    orders = []
    while True:
        queued = laboratory.get(f"/campaigns/{campaign}")["runs"]["queued"]
        orders += laboratory.measure(report, queued)
        settle(laboratory, campaign)
        if laboratory.get(f"/campaigns/{campaign}")["status"] != "running":
            return orders


def settle(laboratory, campaign):
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
    )


def curves(slug, **changes):
    part = {"scenario": "sweep", "sweep": {"to": 32, "refine": 2}, "repetitions": 2,
            "load_levels": [{"model": "closed", "clients": 1}], "targets": BOTH}  # fmt: skip
    return experiment(slug, **(part | changes))


@pytest.fixture(scope="module")
def swept(laboratory):
    campaign = laboratory.campaign(curves("swept"))
    return campaign, finish(laboratory, campaign, server)


def searches(laboratory, campaign):
    return laboratory.get(f"/campaigns/{campaign}/searches")


def test_loads_are_doubled_then_refined_around_the_knee(laboratory, swept):
    campaign, orders = swept
    redis = [one["load"]["clients"] for one in orders if one["target"]["name"] == "redis"]
    assert redis[:8] == [1, 1, 2, 2, 4, 4, 8, 8], "two repeats of each, doubled"
    found = {one["target"]: one for one in searches(laboratory, campaign)["searches"]}
    for target, capacity in CAPACITY.items():
        one = found[target]
        assert (one["over"], one["axis"], one["latency"]) == (True, "clients", "p99_us")
        measured = [point["load_level"]["value"] for point in one["points"]]
        assert measured == sorted(measured)
        assert capacity / 2**0.5 <= one["knee"] <= capacity * 2**0.5, one["sentence"]
        assert one["knee_inside"]
        assert one["points"][0]["efficiency"] == 1
        assert one["points"][1]["efficiency"] == pytest.approx(1, abs=0.05)
        assert all(len(point["runs"]) == 2 for point in one["points"])
    stopped = found["redis"]
    assert stopped["outcome"] == "stopped"
    assert "Throughput falls" in stopped["sentence"]
    assert max(point["load_level"]["value"] for point in stopped["points"]) == 16


def test_no_law_is_told_of_a_server_that_follows_another(laboratory, swept):
    for one in searches(laboratory, swept[0])["searches"]:
        assert one["scalability"] is None
        assert "The law does not fit" in one["scalability_note"]


def test_a_law_is_fitted_with_intervals(laboratory):
    noise = cycle((0.99, 1.01))

    def lawful(order):
        clients = order["load"]["clients"]
        rate = 200 * clients / (1 + 0.05 * (clients - 1) + 0.004 * clients * (clients - 1))
        return whole_run(
            seed=order["seed"] % 5, rate=round(rate * next(noise)), median_us=1e6 * clients / rate
        )

    campaign = laboratory.campaign(curves("lawful", targets=ONE))
    finish(laboratory, campaign, lawful)
    law = searches(laboratory, campaign)["searches"][0]["scalability"]
    assert law["contention"]["low"] <= law["contention"]["value"]
    assert 0 < law["r_squared"] <= 1
    assert law["peak_clients"] or law["note"]


def test_every_step_is_on_record_with_its_reason(laboratory, swept):
    campaign = laboratory.get(f"/campaigns/{swept[0]}")
    looks = campaign["looks"]
    assert [look["decision"] for look in looks] == ["more"] * (len(looks) - 1) + ["enough"]
    assert looks[0]["reason"] == "2 of 2 searches go on"
    assert looks[-1]["reason"] == "all 2 searches have ended"
    steps = searches(laboratory, swept[0])["searches"][0]["steps"]
    assert [step["value"] for step in steps[:4]] == [2, 4, 8, 16]
    assert steps[-1]["value"] is None
    assert all(step["reason"].endswith(".") for step in steps)
    assert [step["look"] for step in steps] == list(range(1, len(looks) + 1))


def test_the_matrix_has_the_chosen_loads_in_order(laboratory, swept):
    campaign = laboratory.get(f"/campaigns/{swept[0]}")
    values = [level["value"] for level in campaign["load_levels"]]
    assert values == sorted(values)
    assert {cell["load_level"]["value"] for cell in campaign["cells"]} == set(values)
    assert campaign["status"] == "completed"


def test_a_run_can_be_reproduced_at_its_chosen_load(laboratory, swept):
    campaign = laboratory.get(f"/campaigns/{swept[0]}")
    highest = max(cell["load_level"]["value"] for cell in campaign["cells"])
    cell = next(cell for cell in campaign["cells"] if cell["load_level"]["value"] == highest)
    yaml = laboratory.get(f"/runs/{cell['runs'][0]['id']}")["reproduce"]["yaml"]
    assert f"clients: {highest:g}" in yaml
    assert "sweep" not in yaml.replace("swept", ""), "it measures this load and no other"
    checked = laboratory.client.post(
        "/api/v1/experiments/validate", json={"yaml": yaml}, headers=laboratory.headers
    )
    assert checked.json()["valid"], checked.json()["errors"]


def test_series_have_the_loads_that_every_campaign_measures(laboratory, swept):
    campaign = laboratory.get(f"/campaigns/{swept[0]}")
    listed = laboratory.get("/series", experiment_id=campaign["experiment"]["id"], limit=200)
    loads = {one["load_level"]["value"] for one in listed["items"]}
    assert loads == {1, 2, 4, 8, 16, 32} & {level["value"] for level in campaign["load_levels"]}


def test_a_worker_that_dies_while_it_chooses_leaves_no_trace(laboratory):
    campaign = laboratory.campaign(curves("dying", targets=ONE))
    laboratory.measure(server, 2)

    class Killed(Exception):
        pass

    def choose_and_die(services):
        services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
        assert services.get(LookService).of(UUID(campaign))
        raise Killed

    with pytest.raises(Killed):
        laboratory.work(choose_and_die)
    stands = laboratory.get(f"/campaigns/{campaign}")
    assert (stands["status"], stands["looks"], len(stands["load_levels"])) == ("settling", [], 1)
    for _ in range(2):  # a task may come twice
        settle(laboratory, campaign)
    stands = laboratory.get(f"/campaigns/{campaign}")
    assert (stands["status"], stands["runs"]["total"]) == ("running", 4)
    finish(laboratory, campaign, server)


def test_what_is_under_way_is_no_failure(laboratory):
    campaign = laboratory.campaign(curves("half-way", targets=ONE))
    [one] = searches(laboratory, campaign)["searches"]
    assert (one["over"], one["points"], one["steps"]) == (False, [], [])
    laboratory.measure(server, 2)
    settle(laboratory, campaign)
    laboratory.measure(server, 1)
    [one] = searches(laboratory, campaign)["searches"]
    assert [len(point["runs"]) for point in one["points"]] == [2, 1]
    assert [point["failures"] for point in one["points"]] == [[], []]
    assert one["sentence"] == one["steps"][-1]["reason"]
    assert "2 clients" in one["sentence"]
    finish(laboratory, campaign, server)


def test_a_first_point_that_fails_ends_the_sweep_and_says_so(laboratory):
    campaign = laboratory.campaign(curves("dead-sweep", targets=ONE))
    finish(laboratory, campaign, lambda _: [])
    [one] = searches(laboratory, campaign)["searches"]
    assert (one["over"], one["outcome"]) == (True, "first_point_failed")
    assert "it crashed" in one["sentence"]
    assert one["points"][0]["failures"] == ["it crashed"] * 2


def calibration(slug, limit_us, **changes):
    return experiment(
        slug, targets=ONE, scenario="calibrate", repetitions=2,
        load_levels=[{"model": "open", "rate_per_second": 50}],
        calibrate={"at_most": 4000, "measurements": 14, **changes},
        latency_envelope={"percentile": 50, "limit_us": limit_us},
    )  # fmt: skip


def test_a_calibration_ends_near_the_most_load_inside(laboratory):
    campaign = laboratory.campaign(calibration("inside", 200))
    orders = finish(laboratory, campaign, queue)
    assert len(orders) <= 14
    [one] = searches(laboratory, campaign)["searches"]
    point = one["operating_point"]
    assert point is not None, one["sentence"]
    assert (one["envelope_us"], one["latency"], one["axis"]) == (200, "p50_us", "rate")
    assert point["value"] == pytest.approx(500, rel=0.1)
    assert point["low"] <= point["value"] <= point["high"]
    assert one["outcome"] in {"found", "uncertain"}


def test_an_envelope_that_no_load_meets_is_the_result(laboratory):
    campaign = laboratory.campaign(calibration("never", 20))
    finish(laboratory, campaign, queue)
    [one] = searches(laboratory, campaign)["searches"]
    assert (one["outcome"], one["operating_point"]) == ("no_load_meets", None)
    assert "No load meets the envelope" in one["sentence"]


def test_noise_is_not_measured_at_chosen_loads(laboratory):
    saved = laboratory.client.post(
        "/api/v1/experiments", params={"upsert": True}, json={"document": curves("noisy")},
        headers=laboratory.headers,
    )  # fmt: skip
    assert saved.status_code == 201, saved.text
    asked = {"experiment": "noisy", "noise": True}
    answer = laboratory.client.post("/api/v1/campaigns", json=asked, headers=laboratory.headers)
    assert answer.status_code == 422
    assert "not at chosen ones" in answer.text


def test_loads_of_the_file_are_no_search(laboratory):
    campaign = laboratory.campaign(experiment("plain", targets=ONE, repetitions=1))
    answer = laboratory.client.get(
        f"/api/v1/campaigns/{campaign}/searches", headers=laboratory.headers
    )
    assert answer.status_code == 404
    assert answer.json()["type"] == "/docs/problems/nothing-searched"
