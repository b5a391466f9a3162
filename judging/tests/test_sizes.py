"""What records take in a system, and whether they fit."""

from dataclasses import replace
from typing import Any

import pytest
from weighhouse_judging.findings.sizes import bound_of, excess, footprint_of, held
from weighhouse_protocol.capacity import Footprint, Steps
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Expiry, Workload

from .observations import SOUND, found

RECORDS = Workload(name="records", record_count=1000)
"""Ten fields of 100 bytes."""
MEBIBYTE = 2**20


def manifest(**holding: Any) -> Manifest:
    """Of a store that is given `room_mebibytes`, of which `stop_percentage` may be taken."""
    number = {"type": "integer", "minimum": 0}
    return Manifest.model_validate({
        "id": "store", "version": "1", "name": "Store", "vendor": "somebody", "licence": "MIT",
        "architecture": "a table", "colour": "#123456", "mark": "●", "operations": ["read"],
        "deployments": ["process"], "driver": {"id": "store"},
        "benchmark_clause": {
            "policy": "open", "text": ".", "source": "https://example.org",
            "checked_on": "2026-11-20",
        },
        "parameters": {"type": "object", "properties": {
            "room_mebibytes": number | {
                "default": 1, "x-unit": "MiB", "x-holds": "data",
                "x-holds-percentage": "stop_percentage", "x-setting": "room", "x-scale": MEBIBYTE,
            },
            "stop_percentage": number | {"default": 50},
            "cache_mebibytes": number | {
                "default": 2, "x-unit": "MiB", "x-holds": "cache", "x-holds-times": "files",
            },
            "files": number | {"default": 3},
            "evicts": {"type": "boolean", "default": False},
            "on_disk": {"type": "boolean", "default": False},
            "spills": {"type": "boolean", "default": False},
        }},
        "fairness": {"eviction": [
            {"when": {"evicts": True}, "value": "expiring"}, {"value": "nothing"},
        ]},
        "holding": {
            "source": "invented",
            "footprints": [{"record_bytes": 100, "field_bytes": 10, "beside_bytes": 64}],
            "node_bytes": MEBIBYTE,
            "disk_beyond": [{"spills": True}],
            "on_disk": [{"on_disk": True}],
        } | holding,
    })  # fmt: skip


def facts(settings: dict[str, str] | None = None, **target: Any) -> Facts:
    return Facts(
        Target.model_validate({"name": "t", "system": "store"} | target),
        manifest(),
        settings=settings,
    )


@pytest.mark.parametrize(
    ("steps", "sizes"),
    [
        (Steps(), {1: 1, 100: 100, 100.2: 101}),
        (Steps(multiple_of=16), {1: 16, 16: 16, 17: 32}),
        # jemalloc: by 16 up to 128, then four to a doubling.
        (
            Steps(multiple_of=16, least=128, a_doubling=4),
            {17: 32, 128: 128, 129: 160, 257: 320, 1024: 1024, 1025: 1280, 1400: 1536, 5400: 6144},
        ),
        # Memcached: by a quarter from 96 on, in eights.
        (
            Steps(multiple_of=8, least=96, factor=1.25),
            {1: 96, 97: 120, 121: 152, 361: 384, 1161: 1184, 1581: 1856, 2121: 2320},
        ),
    ],
)
def test_sizes_are_rounded_as_memory_is_handed_out(steps: Steps, sizes: dict[float, int]) -> None:
    assert {size: steps.over(size) for size in sizes} == sizes


def test_fields_apart_are_rounded_each_and_names_are_kept() -> None:
    whole = Footprint(record_bytes=0, field_bytes=6, head_bytes=50, names=True,
                      steps=Steps(multiple_of=16))  # fmt: skip
    assert whole.bytes_of(RECORDS) == 1184, "Aerospike's, as it was measured"
    apart = Footprint(record_bytes=163, field_bytes=57, head_bytes=4, apart=True,
                      steps=Steps(multiple_of=16, least=128, a_doubling=4))  # fmt: skip
    assert apart.bytes_of(RECORDS) == 163 + 10 * (57 + 112)


def test_records_that_do_not_fit_are_told_with_both_figures() -> None:
    """1,200 bytes each, half of 1 MiB may be taken: 436 fit."""
    assert list(excess(facts(), RECORDS, 436)) == []
    (found,) = excess(facts(), RECORDS, 437)
    assert (found.at, found.beyond) == ("room_mebibytes", "refused")
    assert (found.needs_bytes, found.holds_bytes, found.given_bytes) == (
        437 * 1200, MEBIBYTE / 2, MEBIBYTE,
    )  # fmt: skip
    never = facts(parameters={"stop_percentage": 0})
    assert list(excess(never, RECORDS, 873)) == [], "0 is no bound below the whole"
    assert list(excess(never, RECORDS, 874))
    assert list(excess(facts(parameters={"room_mebibytes": 0}), RECORDS, 10**9)) == []


def test_copies_and_nodes_count() -> None:
    three = {"nodes": 3, "replication_factor": 1}
    assert list(excess(facts(topology=three), RECORDS, 3 * 436)) == []
    assert list(excess(facts(topology=three | {"replication_factor": 2}), RECORDS, 3 * 436))


def test_what_evicts_and_what_goes_to_disk_is_not_refused() -> None:
    evicting = facts(parameters={"evicts": True})
    assert [one.beyond for one in excess(evicting, RECORDS, 10**6)] == ["refused"], "none expires"
    expiring = RECORDS.model_copy(update={"ttl_seconds": 60})
    assert [one.beyond for one in excess(evicting, expiring, 10**6)] == ["evicted"]
    draw = Expiry(fraction=0.5, min_seconds=1, max_seconds=60)
    half = RECORDS.model_copy(update={"expiry": draw})
    fits = next(count for count in range(1, 10**6) if list(excess(evicting, half, count))) - 1
    assert [one.beyond for one in excess(evicting, half, 2 * fits - 2)] == ["evicted"]
    assert [one.beyond for one in excess(evicting, half, 2 * fits + 3)] == ["refused"], (
        "the half that stays fills it"
    )
    assert list(excess(facts(parameters={"spills": True}), RECORDS, 10**6)) == []


def test_a_limit_of_the_operating_system_ends_what_is_in_memory() -> None:
    limits = {"memory_mebibytes": 2}
    roomy = {"room_mebibytes": 0}
    assert list(excess(facts(limits=limits, parameters=roomy), RECORDS, 800)) == []
    (found,) = excess(facts(limits=limits, parameters=roomy), RECORDS, 900)
    assert (found.at, found.beyond) == ("limits.memory_mebibytes", "ended")
    assert found.needs_bytes == 900 * (1200 + 64) + MEBIBYTE
    on_disk = {"on_disk": True, "room_mebibytes": 100}
    assert list(excess(facts(limits=limits, parameters=on_disk), RECORDS, 900)) == []
    capped = {"spills": True, "room_mebibytes": 1}
    assert (
        list(excess(facts(limits={"memory_mebibytes": 3}, parameters=capped), RECORDS, 900)) == []
    )


def test_what_was_in_effect_counts_before_what_was_ordered() -> None:
    asked = {"room_mebibytes": 8}
    for settings, given in (
        (None, 8), ({}, 8), ({"room": str(16 * MEBIBYTE)}, 16), ({"room": "8 on each node"}, 8),
    ):  # fmt: skip
        assert held("data", facts(settings, parameters=asked)) == (
            "room_mebibytes",
            given * MEBIBYTE,
        )
    assert held("data", facts({"room": "0"}, parameters=asked)) is None
    assert held("cache", facts()) == ("cache_mebibytes", 6 * MEBIBYTE)
    assert held("cache", facts(parameters={"files": 5})) == ("cache_mebibytes", 10 * MEBIBYTE)


def test_a_footprint_is_of_the_workload() -> None:
    short = {"when": {"workload:field_length": {"at_most": 64}}, "record_bytes": 7}
    store = manifest(footprints=[short, {"record_bytes": 9}])
    seen = Facts(Target(name="t", system="store"), store)
    of = {
        length: footprint_of(seen, RECORDS.model_copy(update={"field_length": length}))
        for length in (64, 65)
    }
    assert {length: one and one.record_bytes for length, one in of.items()} == {64: 7, 65: 9}
    drawn = RECORDS.model_copy(update={"field_length_histogram": ((10, 1.0), (500, 0.1))})
    found = footprint_of(seen, drawn)
    assert found is not None
    assert found.record_bytes == 9, "the longest counts"


def test_a_size_on_disk_is_no_bound_of_memory() -> None:
    disk = bound_of(facts(parameters={"on_disk": True}), RECORDS)
    assert disk is not None
    assert not disk.in_memory
    assert bound_of(facts(), RECORDS).in_memory  # type: ignore[union-attr]


def test_a_manifest_names_only_what_it_has() -> None:
    with pytest.raises(ValueError, match="holding: neither parameters nor driver options: absent"):
        manifest(disk_beyond=[{"absent": True}])


MEASURED = replace(SOUND, record_bytes=1000, footprint_bytes=1184, data_memory_bytes=1_500_000)
"""1,000 records of 1,184 bytes, and room for 1,266."""


def test_a_run_is_judged_by_the_same_figures() -> None:
    fits = found(MEASURED)["memory-fit"]
    assert "about 1.129 MiB (1,184 bytes a record), 78.93\u2009% of" in fits.message
    grown = found(replace(MEASURED, records_inserted=300, beyond="refused"))["memory-fit"]
    assert (grown.title, grown.severity) == ("Data does not fit", "caution")
    assert grown.message.endswith("it cannot be held, and writes beyond that were refused.")
    assert grown.numbers["data_bytes"] == 1300 * 1184
    evicted = found(replace(MEASURED, records_inserted=300, beyond="evicted"))["memory-fit"]
    assert evicted.message.endswith("records were evicted.")


def test_what_goes_to_disk_tested_both() -> None:
    spilt = found(replace(MEASURED, records_inserted=300, beyond="disk"))["memory-fit"]
    assert (spilt.title, spilt.severity) == ("Data takes most of the memory", "info")


def test_a_size_on_disk_is_told_only_when_it_is_full() -> None:
    on_disk = replace(MEASURED, data_on_disk=True, machine_memory_bytes=10**9, beyond="refused")
    fits = found(on_disk)["memory-fit"]
    assert (fits.title, fits.numbers["bound"]) == ("Data fits into memory", "the machine's memory")
    full = found(replace(on_disk, records_inserted=300))["memory-fit"]
    assert (full.title, full.numbers["bound"]) == (
        "Data does not fit",
        "what the system gives to data",
    )
