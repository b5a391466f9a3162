"""What clocks and drivers of a run have to be told of."""

import pytest
from weighhouse_backend.findings.evidence import (
    clock_errors,
    held_before,
    is_understated,
    memory_limit,
    records_held,
    sampled,
    steal_percent,
)
from weighhouse_backend.findings.memory import held_in_effect
from weighhouse_backend.measurements.models import ResourceSample, RunRecord
from weighhouse_backend.measurements.records import merged
from weighhouse_backend.results.schemas import DriverRecord
from weighhouse_backend.runs.models import AttemptMember
from weighhouse_judging.findings.observation import OperationFigures, RunObservation, Sampled
from weighhouse_judging.findings.run_checks import check_run
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

from backend.tests.results.laboratory import manifest


@pytest.mark.parametrize(
    ("off", "found"), [({"one": 0.9}, set()), ({"one": 0.1, "two": 1.5}, {"clock-offset"})]
)
def test_a_clock_off_by_more_than_an_interval_is_a_finding(
    off: dict[str, float], found: set[str]
) -> None:
    seen = RunObservation(
        load_model="open",
        everything=OperationFigures(ok=10**6),
        clocks_off_seconds=off,
        interval_seconds=1.0,
    )
    assert {one.id for one in check_run(seen)} & {"clock-offset"} == found


@pytest.mark.parametrize(
    ("version", "loop_delay_us", "tool", "understated"),
    [
        ("0.1.0", 0.0, None, True),
        ("0.2.0", 0.0, None, False),
        ("0.1.0", 12.5, None, False),  # a driver that always counted
        ("0.1.0", 0.0, "some-tool", False),
    ],
)
def test_drivers_from_before_the_repair_are_told_of(
    version: str, loop_delay_us: float, tool: str | None, understated: bool
) -> None:
    driver = DriverRecord(
        cpu_percent=1, lag_p99_us=None, loop_delay_p99_us=loop_delay_us, steal_percent=0,
        reconnects=0, client_bound=False, reasons=[],
    )  # fmt: skip
    facts = MachineFacts(
        hostname="h", machine_id="m", cpu_model="c", cores=2, memory_bytes=1, kernel="6",
        operating_system="os", architecture="x86_64", versions={"driver some": version},
    )  # fmt: skip
    target = Target(name="t", system="some", tool=tool)
    assert is_understated(target, driver, facts) is understated
    seen = RunObservation(
        load_model="closed", everything=OperationFigures(ok=1), latency_understated=understated
    )
    assert ("latency-understated" in {one.id for one in check_run(seen)}) is understated


def driver_seen(steal: float | None) -> DriverRecord:
    return DriverRecord(
        cpu_percent=1, lag_p99_us=None, loop_delay_p99_us=0, steal_percent=50,
        steal_percent_mean=steal, reconnects=0, client_bound=False, reasons=[],
    )  # fmt: skip


def test_steal_is_the_mean_of_the_machine_that_lost_most() -> None:
    samples = [
        ResourceSample(member=member, steal_percent=steal)
        for member, steal in [(0, 0.0), (0, 9.0), (0, None), (1, 1.0), (1, 1.0)]
    ]
    assert steal_percent(samples, driver_seen(None)) == 4.5
    assert steal_percent(samples, driver_seen(6.0)) == 6.0
    assert steal_percent([], driver_seen(None)) is None


def test_clocks_of_a_gang_are_known_so_well() -> None:
    gang = [
        AttemptMember(index=0, agent_name="north", clock_error_us=250_000),
        AttemptMember(index=1, agent_name="south", clock_error_us=None),
    ]
    assert clock_errors(gang) == {"north": 0.25}
    assert clock_errors(gang[:1]) == {}


def told(*held: dict[str, dict[str, int | None]]) -> int | None:
    parts = [
        RunRecord(
            member=place, memory=memory, endpoints=[], effective_configuration=[], commands=[],
            facts={}, phases=[],
        )
        for place, memory in enumerate(held)
    ]  # fmt: skip
    return records_held(merged(parts))


def test_records_are_counted_only_when_every_machine_told() -> None:
    assert told({"after_load": {"records": 600}}) == 600
    assert told({"after_load": {"records": 600}}, {"after_load": {"records": 400}}, {}) == 1000
    assert told({"after_load": {"records": 600}}, {"after_load": {"resident_bytes": 1}}) is None
    assert told({"before": {"records": 0}}) is None


def test_the_tightest_limit_of_memory_counts() -> None:
    facts = MachineFacts(
        hostname="h", machine_id="m", cpu_model="c", cores=2, memory_bytes=1, kernel="6",
        operating_system="os", architecture="x86_64", cgroup_memory_limit_bytes=3 << 20,
    )  # fmt: skip
    free, limited = (
        Target.model_validate({"name": "t", "system": "s", "limits": limits})
        for limits in ({}, {"memory_mebibytes": 2})
    )
    assert memory_limit(free, None) is None
    assert memory_limit(free, facts) == 3 << 20
    assert memory_limit(limited, facts) == 2 << 20


@pytest.mark.parametrize(
    ("parameters", "settings", "data"),
    [
        ({}, [], 64 << 20),  # the default
        ({"memory_mebibytes": 8}, [], 8 << 20),
        ({"memory_mebibytes": 8}, [{"name": "maxbytes", "value": str(16 << 20)}], 16 << 20),
        ({"memory_mebibytes": 8}, [{"name": "maxbytes", "value": "8 on each node"}], 8 << 20),
        ({"memory_mebibytes": 8}, [{"name": "maxbytes", "value": "0"}], None),  # no bound
    ],
)
def test_memory_for_data_is_what_was_in_effect(
    parameters: dict[str, int], settings: list[dict[str, str]], data: int | None
) -> None:
    held = {
        "title": "Memory", "description": "Memory.", "type": "integer", "default": 64,
        "x-unit": "MiB", "x-scale": 1 << 20, "x-setting": "maxbytes", "x-holds": "data",
    }  # fmt: skip
    document = manifest("some")
    document["parameters"]["properties"]["memory_mebibytes"] = held
    document["holding"] = {"source": "invented", "footprints": [{"record_bytes": 100}]}
    system = Manifest.model_validate(document)
    target = Target(name="t", system="some", parameters=parameters)
    found = held_in_effect(target, Workload(name="w"), system, settings)
    assert (found.data_bytes, found.cache_bytes, found.footprint_bytes) == (data, None, 1100)


def test_a_sample_that_failed_is_told_in_the_servers_words() -> None:
    words = "NOPERM this user has no permissions"
    errors = {"operation": "read", "kind": "refused", "count": 3}
    phase = {
        "phase": "check",
        "duration_us": 1000,
        "operations": {"read": {"ok": 1, "not_found": 2, "errors": 3, "verify_failed": 4}},
        "failed": [{**errors, "first": {"at_us": 5, "words": words}}],
    }
    record = merged([RunRecord(member=0, facts={}, memory={}, phases=[phase], commands=[])])
    found = sampled(record)
    assert found == Sampled(found=1, missing=2, misshapen=4, failed=3, words=words)
    assert held_before(record) is None
