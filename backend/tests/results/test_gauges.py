"""What a system says of itself, and what passed disks and network: kept, thinned, counted."""

import datetime

import pytest
from weighhouse_backend.measurements.gauges import GaugeStep, gauges_of, unit_of

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import START_US, numbered, whole_run

BEGIN = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
DISK, LO = "system_disk_written_bytes", "network_sent_bytes.lo"


def steps(*metrics, every=2):
    return [
        GaugeStep(BEGIN + datetime.timedelta(seconds=every * at), one)
        for at, one in enumerate(metrics)
    ]


def only(found):
    (one,) = found
    return one


def test_a_counter_has_a_rate_and_a_total():
    found = only(gauges_of(steps({DISK: 100}, {DISK: 300}, {DISK: 300})))
    assert (found.label, found.source, found.unit) == ("Written to disk", "disk", "bytes")
    assert found.values == [100, 300, 300]
    assert found.per_second == [None, 100, 0]
    assert found.total == 300


def test_a_gap_is_bridged_and_a_counter_that_begins_anew_goes_on():
    found = only(gauges_of(steps({LO: 10}, {}, {LO: 50}, {LO: 8})))
    assert found.label == "Sent, lo"
    assert found.per_second == [None, None, 10, 4]
    assert found.total == 58


def test_what_a_system_says_stands_as_it_says_it():
    found = only(gauges_of(steps({"evicted_keys": 5}, {"evicted_keys": 3})))
    assert (found.name, found.label, found.source) == ("evicted_keys", "evicted_keys", "system")
    assert (found.values, found.per_second, found.total) == ([5, 3], None, None)


def test_disks_and_networks_come_first_what_is_nothing_last_and_a_fill_not_at_all():
    found = gauges_of(
        steps({"b": 1, "a": 0, "system_open_files": 9, LO: 1, DISK: 2, "fill_amount": 3})
    )
    assert [one.name for one in found] == [DISK, LO, "system_open_files", "b", "a"]


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("used_memory", "bytes"), ("bytes", "bytes"), ("data_used_bytes", "bytes"),
        ("heap_allocated_kbytes", "number"), ("data_used_pct", "percent"),
        ("latest_fork_usec", "number"), ("uptimeMillis", "ms"), ("keyspace_hits", "number"),
        ("network.bytesIn", "bytes"), ("mem_fragmentation_ratio", "number"),
    ],
)  # fmt: skip
def test_a_unit_is_told_by_the_name_or_not_at_all(name, unit):
    assert unit_of(name) == unit


def sampled(count):
    def report(order):
        events = [
            {key: value for key, value in one.items() if key != "sequence"}
            for one in whole_run(seed=order["seed"] % 5)
            if one["kind"] != "sample"
        ]
        samples = [
            {
                "kind": "sample", "at_us": START_US + (2 + at) * 1_000_000,
                "metrics": {DISK: 1000.0 * at, "used_memory": 5e6 + at, "fill_amount": 1.0},
            }
            for at in range(count)
        ]  # fmt: skip
        return numbered([*events[:-1], *samples, events[-1]])

    return report


def test_gauges_of_a_run_are_served_machine_by_machine(laboratory):
    document = experiment("gauged", repetitions=1)
    campaign = laboratory.carry_out(document, sampled(40))
    run = laboratory.get("/runs", campaign_id=campaign)["items"][0]
    found = laboratory.get(f"/runs/{run['id']}/gauges")
    assert found["every"] == 1
    (machine,) = found["machines"]
    assert [one["name"] for one in machine["gauges"]] == [DISK, "used_memory"]
    disk, memory = machine["gauges"]
    assert machine["t"] == [pytest.approx(2 + at) for at in range(40)]
    assert disk["per_second"][1:] == [pytest.approx(1000)] * 39
    assert disk["total"] == 39_000
    assert (memory["unit"], memory["values"][-1]) == ("bytes", 5_000_039)
    thinned = laboratory.get(f"/runs/{run['id']}/gauges", points=10)
    assert thinned["every"] == 4
    assert thinned["machines"][0]["gauges"][0]["values"] == [1000.0 * at for at in range(3, 40, 4)]
    assert thinned["machines"][0]["gauges"][0]["total"] == 39_000


def test_a_run_that_nothing_is_known_of_has_none(laboratory):
    campaign = laboratory.campaign(experiment("waiting", repetitions=1))
    run = laboratory.get("/runs", campaign_id=campaign)["items"][0]
    assert laboratory.get(f"/runs/{run['id']}/gauges")["machines"] == []
