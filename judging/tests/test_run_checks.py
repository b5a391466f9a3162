"""The checks of a run: silent on a sound one, and right about each fault."""

from dataclasses import replace

import pytest
from weighhouse_judging.findings.checks import Finding
from weighhouse_judging.findings.observation import OperationFigures, RunObservation, SettingSeen
from weighhouse_judging.findings.run_checks import check_run, littles_law

SOUND = RunObservation(
    load_model="open",
    everything=OperationFigures(
        ok=1_000_000,
        throughput=10_000.0,
        mean_us=90.0,
        quantiles_us={0.5: 80.0, 0.99: 200.0, 0.9999: 900.0},
    ),
    clients=8,
    interval_throughputs=[10_000.0 + (index * 37) % 100 for index in range(30)],
    co_located=False,
    records_asked=1000,
    records_loaded=1000,
    steal_percent_max=0.0,
    governor="performance",
    other_cpu_percent=20.0,
    throttled_seconds=0.0,
    thermal_throttles=0.0,
    cores=8,
)


def found(run: RunObservation) -> dict[str, Finding]:
    return {finding.id: finding for finding in check_run(run)}


def test_a_sound_run_has_nothing_to_say_for_itself() -> None:
    assert found(SOUND) == {}


# "Aerospike, read-heavy, 1 client: 3,348 op/s, p99 436 ms" and its relatives, as printed in a
# published comparison of in-memory stores: throughput, p99 in the unit claimed (ms).
PUBLISHED = [
    (1, 3348.0, 436.0),
    (32, 32_592.0, 2979.0),
    (1, 1656.0, 862.0),
    (32, 17_158.0, 4447.0),
    (1, 1371.0, 1137.0),
    (32, 16_328.0, 4883.0),
]


@pytest.mark.parametrize(("clients", "throughput", "p99"), PUBLISHED)
def test_published_figures_cannot_be_milliseconds_and_can_be_microseconds(
    clients: int, throughput: float, p99: float
) -> None:
    finding = littles_law(clients=clients, throughput=throughput, quantiles_us={0.99: p99 * 1000})
    assert finding is not None
    assert finding.severity == "error"
    assert finding.numbers["consistent_if_divided_by"] == 1000
    limit = finding.numbers["largest_possible_us"]
    assert limit == pytest.approx(clients / throughput * 1e6 * 100)
    assert littles_law(clients=clients, throughput=throughput, quantiles_us={0.99: p99}) is None


def test_the_published_example_in_words() -> None:
    finding = littles_law(clients=1, throughput=3348.0, quantiles_us={0.99: 436_000.0})
    assert finding is not None
    assert "1 client with 3,348 operations a second cannot have a p99 of 436 ms" in finding.message
    assert "at most 29.9 ms" in finding.message
    assert "µs and not ms" in finding.message


def test_littles_law_holds_for_the_mean_with_pipelines_and_within_tolerance() -> None:
    assert littles_law(clients=8, throughput=80_000.0, mean_us=100.0) is None
    assert littles_law(clients=8, throughput=80_000.0, mean_us=104.0) is None
    assert littles_law(clients=8, throughput=80_000.0, mean_us=120.0) is not None
    assert littles_law(clients=8, pipeline=10, throughput=80_000.0, mean_us=900.0) is None
    assert littles_law(clients=8, throughput=0.0, mean_us=100.0) is None


def test_littles_law_is_asked_of_closed_loops_alone() -> None:
    queued = replace(SOUND.everything, mean_us=5_000_000.0)
    assert "littles-law" not in found(replace(SOUND, everything=queued))
    assert "littles-law" in found(replace(SOUND, everything=queued, load_model="closed"))


def faulty(**figures: object) -> RunObservation:
    return replace(SOUND, everything=replace(SOUND.everything, **figures))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("run", "name", "severity"),
    [
        (replace(SOUND, client_bound=True), "client-bound", "caution"),
        (replace(SOUND, co_located=True), "co-located", "caution"),
        (faulty(ok=10_000), "samples", "info"),
        (faulty(ok=500), "samples", "caution"),
        (faulty(errors=5_000), "errors", "caution"),
        (faulty(errors=50_000), "errors", "error"),
        (faulty(not_found=50_000), "not-found", "caution"),
        (faulty(verify_failed=1), "verification", "error"),
        (replace(SOUND, records_loaded=999), "load-complete", "error"),
        (replace(SOUND, steal_percent_max=4.0), "environment", "caution"),
        (replace(SOUND, governor="powersave"), "environment", "caution"),
        (replace(SOUND, other_cpu_percent=90.0), "environment", "caution"),
        (replace(SOUND, throttled_seconds=0.4), "environment", "caution"),
        (replace(SOUND, thermal_throttles=2.0), "environment", "caution"),
        (replace(SOUND, record_bytes=1000, machine_memory_bytes=10**9), "memory-fit", "info"),
        (
            replace(SOUND, settings=(SettingSeen("appendonly", "yes", "no", "experiment"),)),
            "effective-configuration",
            "info",
        ),
        (
            replace(SOUND, interval_throughputs=[10_000.0 * 0.99**index for index in range(30)]),
            "steady-state",
            "caution",
        ),
        (replace(SOUND, load_model="closed", clients=64), "coordinated-omission", "info"),
    ],
)
def test_each_fault_is_found_and_nothing_else(
    run: RunObservation, name: str, severity: str
) -> None:
    findings = found(run)
    assert set(findings) == {name}
    finding = findings[name]
    assert finding.severity == severity
    assert finding.documentation == f"/docs/findings/{name}"
    assert finding.formula
    assert finding.source
    assert finding.numbers


def test_p9999_of_ten_thousand_operations_is_noise() -> None:
    finding = found(faulty(ok=10_000))["samples"]
    assert finding.numbers["percentiles"] == "p99.99"
    assert finding.numbers["operations_needed"] == 100_000


def test_noise_is_no_trend() -> None:
    wobbling = [10_000.0 * (1 + 0.2 * (-1) ** index) for index in range(40)]
    assert "steady-state" not in found(replace(SOUND, interval_throughputs=wobbling))


def test_a_setting_left_at_its_default_is_not_mentioned() -> None:
    settings = (
        SettingSeen("maxmemory", "0", "0", "experiment"),
        SettingSeen("hz", "10", "10", "default"),
        SettingSeen("port", "7001", "6379", "default"),
    )
    assert found(replace(SOUND, settings=settings)) == {}


def test_the_gravest_comes_first() -> None:
    run = replace(faulty(ok=500, verify_failed=3), load_model="closed", clients=64, co_located=True)
    order = ["error", "caution", "info"]
    ranks = [order.index(finding.severity) for finding in check_run(run)]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 3


def test_a_system_broken_on_purpose_may_fail_and_drift() -> None:
    drifting = [10_000.0 - 200.0 * index for index in range(30)]
    run = replace(faulty(errors=50_000), interval_throughputs=drifting)
    assert found(run)["errors"].severity == "error"
    assert "steady-state" in found(run)
    told = found(replace(run, broken_on_purpose=True, client_bound=True))
    assert "waited for a way" in told["client-bound"].message
    assert told["errors"].severity == "caution"
    assert "on purpose" in told["errors"].message
    assert "steady-state" not in told
