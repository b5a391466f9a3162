"""What clocks and drivers of a run have to be told of."""

import pytest
from weighhouse_backend.findings.evidence import is_understated
from weighhouse_backend.results.schemas import DriverRecord
from weighhouse_judging.findings.observation import OperationFigures, RunObservation
from weighhouse_judging.findings.run_checks import check_run
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.target import Target


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
