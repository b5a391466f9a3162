"""Workloads as people have them: large values, a share that expires, keys of a bell."""

from typing import Any

import pytest
from pydantic import ValidationError
from weighhouse_protocol.compatibility.driver_memory import kept_bytes, memory_errors
from weighhouse_protocol.compatibility.workloads import workload_errors
from weighhouse_protocol.load import ClosedLoad, Load, OpenLoad, Phase
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.record_sizes import long_record
from weighhouse_protocol.records import same_records
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Expiry, Workload

MIB, GIB = 2**20, 2**30
DRAW = {"fraction": 0.3, "min_seconds": 60, "max_seconds": 3600}


def workload(**said: Any) -> Workload:
    return Workload.model_validate({"name": "w", **said})


def test_what_says_nothing_of_the_new_fields_is_written_as_before() -> None:
    """Digests of stored experiments are made of what is written."""
    for said in ({}, {"ttl_seconds": 60}, {"request_distribution": "gaussian"}):
        written = workload(**said).model_dump(mode="json")
        assert not {"expiry", "gaussian_median", "gaussian_stddev"} & written.keys()
    told = workload(expiry=DRAW, gaussian_stddev=0.1).model_dump(mode="json")
    assert told["expiry"] == DRAW
    assert told["gaussian_stddev"] == 0.1
    assert Workload.model_validate(told) == workload(expiry=DRAW, gaussian_stddev=0.1)


def test_values_are_as_large_as_a_string_of_redis() -> None:
    huge = workload(field_count=1, field_length=512 * MIB, record_count=10**12)
    assert huge.record_bytes == 512 * MIB
    assert huge.record_bytes * huge.records_to_load == 512 * MIB * 10**12
    assert long_record(workload(field_count=1000, field_length=512 * MIB)) == 512_000 * MIB
    for said in (
        {"field_length": 512 * MIB + 1},
        {"min_field_length": 512 * MIB + 1},
        {"field_length_distribution": "histogram", "field_length_histogram": [[512 * MIB + 1, 1]]},
    ):
        with pytest.raises(ValidationError, match="536870912"):
            workload(**said)


def test_lengths_of_large_values_are_drawn() -> None:
    between = {"field_count": 1, "field_length": 2 * MIB, "min_field_length": MIB}
    assert workload(**between, field_length_distribution="uniform").record_bytes == 1.5 * MIB
    with pytest.raises(ValidationError, match=r"1,048,577; use uniform, or histogram"):
        workload(**between, field_length_distribution="zipfian")
    few = {**between, "min_field_length": 2 * MIB - 1000, "field_length_distribution": "zipfian"}
    assert 2 * MIB - 1000 < workload(**few).record_bytes < 2 * MIB


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"expiry": {**DRAW, "min_seconds": 3601}}, "min_seconds 3601 is above max_seconds 3600"),
        ({"expiry": {**DRAW, "fraction": 0}}, "greater than 0"),
        ({"expiry": {**DRAW, "fraction": 1.1}}, "less than or equal to 1"),
        ({"expiry": DRAW, "ttl_seconds": 5}, "leave one of them out"),
        ({"gaussian_stddev": 0}, "greater than or equal to 0.000000001"),
        ({"gaussian_median": 1.5}, "less than or equal to 1"),
    ],
)
def test_what_is_wrong_is_told(said: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        workload(**said)


def test_how_much_lasts_and_how_long_the_rest() -> None:
    for said, lasting, longest in (
        ({}, 1.0, None),
        ({"ttl_seconds": 60}, 0.0, 60),
        ({"expiry": DRAW}, 0.7, 3600),
    ):
        told = workload(**said)
        assert (told.lasting_share, told.longest_ttl) == (pytest.approx(lasting), longest)
    assert not same_records(workload(), workload(expiry=DRAW)), "loading makes it"
    assert same_records(workload(), workload(request_distribution="gaussian"))


def test_a_bell_is_over_names_of_series_too() -> None:
    series = {"time_series": {"series_keys": 10}, "record_count": 1000}
    assert workload(**series, request_distribution="gaussian").time_series is not None


def test_a_time_of_its_own_takes_a_driver_that_knows_it() -> None:
    """One of before has `ttl` alone."""
    store = {
        "id": "store", "version": "1", "name": "Store", "vendor": "V", "licence": "L",
        "architecture": "A", "colour": "#000000", "mark": "s", "operations": ["read"],
        "deployments": ["external"], "default_deployment": "external",
        "driver": {"id": "d"}, "features": ["ttl"],
        "benchmark_clause": {
            "policy": "open", "text": "", "source": "s", "checked_on": "2026-01-01",
        },
    }  # fmt: skip
    said = workload(expiry=DRAW, operations={"read": 1.0})
    target = Target(name="t", system="store", deployment="external", endpoints=("tcp://h:1",))
    (error,) = workload_errors(said, [target], {"store": Manifest.model_validate(store)})
    assert error.path == "expiry"
    assert "cannot let each record expire at a time of its own" in error.message
    assert Expiry.model_validate(DRAW).fraction == 0.3


BIG = workload(field_count=1, field_length=2 * MIB, operations={"read": 0.5, "update": 0.5})


@pytest.mark.parametrize(
    ("said", "load", "loading", "mebibytes"),
    [
        (BIG, ClosedLoad(clients=100), 1, 400),
        (BIG, ClosedLoad(clients=100, pipeline=10), 1, 2200),
        (BIG, ClosedLoad(clients=1), 64, 128),
        (BIG, OpenLoad(model="open", rate_per_second=10, connections=8, max_in_flight=100), 1, 216),
        (BIG.model_copy(update={"keys_per_read": 10}), ClosedLoad(clients=1), 1, 22),
        (workload(field_count=1, field_length=2 * MIB, operations={"scan": 1}, max_scan_length=50),
         ClosedLoad(clients=3), 1, 300),
        (workload(field_count=1, field_length=2 * MIB, operations={"read": 1}),
         ClosedLoad(clients=3, pipeline=1000), 1, 6),
        (workload(field_count=1, field_length=2 * MIB),
         OpenLoad(model="open", rate_per_second=10, connections=1, max_in_flight=100,
                  operation_rates={"insert": 10}), 1, 200),
    ],
)  # fmt: skip
def test_what_a_driver_has_in_memory_is_counted(
    said: Workload, load: Load, loading: int, mebibytes: int
) -> None:
    phases = [Phase(kind="load", clients=loading), Phase(kind="measure", duration_seconds=1)]
    assert kept_bytes(said, load, phases) == pytest.approx(mebibytes * MIB, rel=0.001)


def test_what_does_not_fit_into_the_drivers_machine_is_told_in_words() -> None:
    load = ClosedLoad(clients=1000, pipeline=10)
    assert list(memory_errors(BIG, load, (), 64 * GIB)) == []
    assert list(memory_errors(BIG, load, (), 0)) == [], "of what is not known nothing is said"
    (error,) = memory_errors(BIG, load, (), 16 * GIB)
    assert error.path == "clients"
    assert error.message == (
        "1000 clients, pipeline 10 of w have up to 21.5 GiB of requests and replies at once in the "
        "driver's memory, and its machine has 16.0 GiB"
    )
    (error,) = memory_errors(
        BIG, OpenLoad(model="open", rate_per_second=1, max_in_flight=10_000), (), GIB
    )
    assert error.path == "max_in_flight"
