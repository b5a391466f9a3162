"""How sides scale, and what they take at each moment: over real rows."""

from collections import defaultdict
from itertools import count

import pytest

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

CAPACITY = {"redis": 4, "memcached": 16}
"""Clients up to which each one's throughput grows."""
OWN = {
    "model": "own",
    "name": "8 clients",
    "points": [
        {"target": "redis", "load": {"model": "closed", "clients": 3}},
        {"target": "memcached", "load": {"model": "closed", "clients": 5}},
    ],
}
LEVELS = [{"model": "closed", "clients": clients} for clients in (1, 2, 4, 16)]
rounds = defaultdict(count)


def server(order):
    """Throughput grows with the clients up to the capacity; a little noise goes round in each cell,
    whatever the order of runs."""
    clients, name = order["load"]["clients"], order["target"]["name"]
    deep = order["load"].get("pipeline", 1)
    place = next(rounds[name, clients, deep]) % 5
    rate = round(
        200 * min(clients, CAPACITY[name]) * (2 if deep > 1 else 1) * (1 + (place - 2) / 200)
    )
    events = whole_run(
        seed=place, rate=rate, median_us=1e6 * clients / rate,
        memory=20_000_000 if name == "redis" else 10_000_000,
    )  # fmt: skip
    return [_with_more(event, name) for event in events]


def _with_more(event, name):
    """Redis says what it uses and holds; its largest sample comes in the middle of the run."""
    if name == "redis" and event["kind"] == "memory":
        used = {"before": 1_000_000, "after_load": 3_000_000, "after": 3_500_000}[event["moment"]]
        disk = {"before": 0, "after_load": 8192, "after": 16384}[event["moment"]]
        return event | {"used_bytes": used, "disk_bytes": disk, "records": 500}
    if name == "redis" and event["kind"] == "sample":
        return event | {"disk_bytes": 4096, "resident_bytes": event["resident_bytes"] + 7}
    return event


@pytest.fixture(scope="module")
def campaign(laboratory):
    document = experiment(
        "scaled", repetitions=4,
        load_levels=[*LEVELS, {"model": "closed", "clients": 8, "pipeline": 10},
                     {"model": "closed", "clients": 16, "pipeline": 10}, OWN],
    )  # fmt: skip
    return laboratory.carry_out(document, server)


@pytest.fixture(scope="module")
def lines(laboratory, campaign):
    found = laboratory.get("/comparisons/scaling", campaign=campaign)["lines"]
    return {(one["side"].split("~")[1], one["variant"]): one for one in found}


def test_each_side_has_a_line_a_kind_of_load_and_none_for_a_load_of_its_own(lines):
    assert set(lines) == {
        ("redis", ""), ("redis", "pipeline 10"), ("memcached", ""), ("memcached", "pipeline 10"),
    }  # fmt: skip
    labels = [point["load_level"]["label"] for point in lines["redis", ""]["points"]]
    assert labels == ["1 client", "2 clients", "4 clients", "16 clients"], "8 clients are its own"


def test_efficiency_is_of_the_fewest_clients_and_has_its_interval(lines):
    first, second, third, last = lines["redis", ""]["points"]
    assert (first["efficiency"], first["efficiency_low"]) == (1, None)
    assert second["efficiency"] == pytest.approx(1, abs=0.02)
    assert third["efficiency"] == pytest.approx(1, abs=0.02)
    assert last["efficiency"] == pytest.approx(0.25, abs=0.01), "4 clients' worth with 16"
    for point in (second, third, last):
        assert point["efficiency_is_interval"], "four repeats of both"
        assert point["efficiency_low"] <= point["efficiency"] <= point["efficiency_high"]
    assert last["efficiency_high"] < 0.26


def test_knee_and_law_are_those_of_a_sweep(lines):
    line = lines["redis", ""]
    assert (line["knee"], line["knee_inside"], line["saturation"]) == (
        "4 clients", True, "4 clients",
    )  # fmt: skip
    assert line["scalability"] is None, "a server that is simply full has another curve"
    assert "The law does not fit" in line["scalability_note"]
    law = lines["memcached", ""]["scalability"]
    assert law["contention"]["low"] <= law["contention"]["value"] <= law["contention"]["high"]
    ends = law["line"][0]["clients"], law["line"][-1]["clients"]
    assert ends == pytest.approx((1, 16)), "nothing beyond what was measured"
    assert law["line"][0]["efficiency"] == 1
    short = lines["redis", "pipeline 10"]
    assert (short["scalability"], short["knee"]) == (None, None)
    assert "measure at least 4" in short["scalability_note"]


def test_sides_stand_beside_each_other_moment_by_moment(laboratory, campaign):
    found = laboratory.get(
        "/comparisons/footprint", campaign=campaign, workload="balanced", load_level="4 clients"
    )
    redis, memcached = found["sides"]
    sizes = {(one["measure"], one["moment"]): one["estimate"] for one in redis["figures"]}
    assert {key: one["median"] for key, one in sizes.items()} == {
        ("resident", "before"): 5_000_000,
        ("resident", "after_load"): 20_000_000,
        ("resident", "after"): 20_001_000,
        ("resident", "peak"): 20_001_000,
        ("resident", "per_record"): 30_000,
        ("used", "before"): 1_000_000,
        ("used", "after_load"): 3_000_000,
        ("used", "after"): 3_500_000,
        ("used", "per_record"): 4_000,
        ("disk", "before"): 0,
        ("disk", "after_load"): 8192,
        ("disk", "after"): 16384,
        ("disk", "peak"): 16384,
        ("disk", "per_record"): pytest.approx(16.384),
    }
    assert sizes["resident", "before"]["repeats"] == 4
    assert (redis["records"], redis["records_told"], redis["machines"]) == (500, True, 1)
    assert memcached["records_told"] is False, "it does not say; those of the workload"
    assert not [one for one in memcached["figures"] if one["measure"] != "resident"]
    assert found["caveats"], "no number leaves without what must stand beside it"


def test_a_cell_without_results_is_refused_by_name(laboratory, campaign):
    answer = laboratory.client.get(
        "/api/v1/comparisons/footprint",
        params={"campaign": campaign, "workload": "balanced", "load_level": "77 clients"},
        headers=laboratory.headers,
    )
    assert answer.status_code == 422
    assert "'77 clients'" in answer.json()["detail"]


def test_nobody_sees_another_organizations_sides(laboratory):
    nobody = "00000000-0000-7000-8000-000000000000"
    answer = laboratory.client.get(
        "/api/v1/comparisons/scaling", params={"campaign": nobody}, headers=laboratory.headers
    )
    assert answer.status_code == 404
