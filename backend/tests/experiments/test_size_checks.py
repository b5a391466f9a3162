"""What will not fit into a store is refused before anything is saved, with both figures."""

from typing import Any

import pytest
from weighhouse_backend.experiments.comparability import warnings
from weighhouse_backend.experiments.manifest_checks import check
from weighhouse_backend.experiments.size_checks import Records, records_of
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest

from .manifests import manifest

STORE = manifest(
    "store",
    operations=["read", "update", "insert"],
    features=["ttl"],
    deployments=["process", "external"],
    topology={"layout": "ring", "max_nodes": 9},
    parameters={
        "type": "object",
        "properties": {
            "room_mebibytes": {
                "type": "integer", "default": 100, "x-unit": "MiB", "x-holds": "data",
                "x-holds-percentage": 50,
            },
            "evicts": {"type": "boolean", "default": False},
        },
    },
    fairness={
        "eviction": [{"when": {"evicts": True}, "value": "anything"}, {"value": "nothing"}],
    },
    holding={"source": "invented", "footprints": [{"record_bytes": 1000}]},
)  # fmt: skip
"""2,000 bytes a record of ten fields of 100; of 100 MiB half may be taken: 26,214 records."""
CLOSED = {"model": "closed", "clients": 4}
INSERTS = {"operations": {"read": 0.5, "insert": 0.5}}


def experiment(**changed: Any) -> Experiment:
    target = {"name": "t", "system": "store", "parameters": {}} | changed.pop("target", {})
    workload = {"name": "w", "record_count": 1000} | changed.pop("workload", {})
    return Experiment.model_validate(
        {
            "version": 1, "slug": "s", "name": "n", "targets": [target], "workloads": [workload],
            "load_levels": [changed.pop("load", CLOSED)],
            "phases": {"warmup_seconds": 1, "measure_seconds": 9},
        }
        | changed
    )  # fmt: skip


def refused(**changed: Any) -> list[FieldError]:
    manifests: dict[str, Manifest] = {"store": STORE}
    return check(experiment(**changed), manifests)


def test_what_is_loaded_is_held_against_the_store() -> None:
    assert refused(workload={"record_count": 26_214}) == []
    (error,) = refused(workload={"record_count": 30_000})
    assert error.path == "targets[0].parameters.room_mebibytes"
    assert error.message == (
        "under w, 4 clients, 30,000 records will take 57.22 MiB on each node (2,000 bytes a record "
        "in Store), and Store holds 50 MiB, 50\u2009% of 100 MiB: it refuses writes beyond that"
    )
    assert error.expected == "room_mebibytes: 115 or more, or fewer or smaller records"
    assert (
        refused(workload={"record_count": 30_000}, target={"parameters": {"room_mebibytes": 115}})
        == []
    )


@pytest.mark.parametrize(
    ("changed", "records"),
    [
        ({"load": {"model": "open", "rate_per_second": 100}}, Records(1000, 500)),
        (
            {"load": {
                "model": "open", "rate_per_second": 100,
                "operation_rates": {"read": 80, "insert": 20},
            }},
            Records(1000, 200),
        ),
        (
            {"load": {
                "model": "open", "rate_per_second": 100,
                "profile": {"shape": "steps", "step_seconds": 1, "factors": [1, 3]},
            }},
            Records(1000, 1000),
        ),
        ({}, Records(1000, 400_000, 80_000)),
        ({"load": {"model": "closed", "clients": 1}}, Records(1000, 100_000, 20_000)),
        (
            {"load": {"model": "closed", "clients": 2, "think_time_us": 100_000}},
            Records(1000, 100, 20),
        ),
        (
            {"phases": {"warmup_seconds": 0, "measure_seconds": 9, "measure_operations": 600}},
            Records(1000, 300),
        ),
        (
            {"scenario": "sustained", "sustained": {"until": {"records": 5000}}},
            Records(1000, 4000),
        ),
        (
            {"scenario": "sustained", "sustained": {"until": {"memory_bytes": 10**7}}},
            Records(1000),
        ),
        (
            {"workload": {"record_count": 1000, "ttl_seconds": 2, **INSERTS}},
            Records(1000, 80_000, 80_000),
        ),
        (
            {"workload": {"record_count": 1000, **INSERTS,
                          "expiry": {"fraction": 0.75, "min_seconds": 1, "max_seconds": 2}}},
            Records(1000, 160_000, 80_000),
        ),
        (
            {"scenario": "sweep", "sweep": {"to": 8},
             "load": {"model": "closed", "clients": 1}},
            Records(1000, 400_000, 80_000),
        ),
    ],
)  # fmt: skip
def test_what_is_inserted_counts_as_far_as_it_can_be_known(
    changed: dict[str, Any], records: Records
) -> None:
    document = {"workload": {"record_count": 1000, **INSERTS}} | changed
    assert records_of(experiment(**document), 0, 0, 0) == records


def test_inserts_of_a_closed_loop_say_at_which_rate_they_are_counted() -> None:
    (error,) = refused(workload=INSERTS)
    assert "1,000 records and up to 80,000 operations a second: 400,000 inserts" in error.message
    assert "or measure_operations" in (error.expected or "")


def test_of_several_cells_the_one_that_needs_most_is_told_once() -> None:
    many = [{"name": f"w{count}", "record_count": count} for count in (30_000, 60_000, 40_000)]
    (error,) = refused(workloads=many)
    assert error.message.startswith("under w60000")


def test_nodes_share_the_records_out_and_copies_multiply_them() -> None:
    three = {"topology": {"nodes": 3, "replication_factor": 1}}
    assert refused(workload={"record_count": 60_000}, target=three) == []
    three["topology"]["replication_factor"] = 2
    assert refused(workload={"record_count": 60_000}, target=three)


def test_a_limit_of_memory_is_a_bound_too() -> None:
    (error,) = refused(
        workload={"record_count": 20_000}, target={"limits": {"memory_mebibytes": 30}}
    )
    assert error.path == "targets[0].limits.memory_mebibytes"
    assert "will take 38.15 MiB" in error.message
    assert "it may use 30 MiB: the operating system then ends the node" in error.message
    assert (error.expected or "").startswith("memory_mebibytes: 39 or more")


def test_what_evicts_on_purpose_is_told_and_not_refused() -> None:
    evicting = {"target": {"parameters": {"evicts": True}}, "workload": {"record_count": 30_000}}
    assert refused(**evicting) == []
    (told,) = warnings(experiment(**evicting), {"store": STORE})
    assert (told.aspect, told.targets) == ("eviction", ("t",))
    assert "57.22 MiB" in told.message
    assert "Store holds 50 MiB" in told.message
    assert told.message.endswith(
        "are evicted, as it is set up, and are not found when they are read."
    )


def test_servers_that_are_there_are_not_asked_before_a_run() -> None:
    there = {"deployment": "external", "endpoints": ["tcp://127.0.0.1:1"]}
    assert refused(workload={"record_count": 10**7}, target=there) == []
