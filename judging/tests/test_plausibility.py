"""Little's law from both sides, on figures that were published and on runs."""

from dataclasses import replace

import pytest
from weighhouse_judging.findings.observation import RunObservation
from weighhouse_judging.findings.plausibility import averaged_percentiles, littles_law

from .observations import FILLED, found

# A published comparison of in-memory stores, as printed: system, workload, clients, operations a
# second, p99 in the unit claimed (ms).
IN_UNITS = [
    ("Aerospike", "read-heavy", 1, 3348.0, 436.0),
    ("Aerospike", "read-heavy", 32, 32_592.0, 2979.0),
    ("Redis", "read-heavy", 1, 1656.0, 862.0),
    ("Redis", "read-heavy", 32, 17_158.0, 4447.0),
    ("Dragonfly", "read-heavy", 1, 1371.0, 1137.0),
    ("Dragonfly", "read-heavy", 32, 16_328.0, 4883.0),
    ("Aerospike", "balanced", 1, 3372.0, 441.0),
    ("Aerospike", "balanced", 32, 33_741.0, 2409.0),
    ("Redis", "balanced", 1, 1664.0, 874.0),
    ("Redis", "balanced", 32, 17_004.0, 4017.0),
    ("Dragonfly", "balanced", 1, 1278.0, 1187.0),
    ("Dragonfly", "balanced", 32, 16_497.0, 4631.0),
    ("Aerospike", "write-heavy", 1, 3562.0, 410.0),
    ("Aerospike", "write-heavy", 32, 34_896.0, 2233.0),
    ("Redis", "write-heavy", 1, 1757.0, 808.0),
    ("Redis", "write-heavy", 32, 17_170.0, 3547.0),
    ("Dragonfly", "write-heavy", 1, 1331.0, 1124.0),
    ("Dragonfly", "write-heavy", 32, 16_925.0, 3859.0),
]

# Others, whose contradiction has another cause than the unit: a mean quoted for another number of
# threads, totals that a load tool divided by too short a time. Clients, in flight each, operations
# a second, mean in µs.
IN_OTHER_THINGS = [
    ("Memcached, one worker", 1, 1, 25_000.0, 70.0),
    ("Dragonfly c6gn, writes", 1200, 1, 4_195_628.23, 392.83),
    ("Dragonfly c6gn, reads", 1200, 1, 4_109_802.84, 401.26),
    ("Dragonfly c6gn, pipelined", 300, 10, 7_083_583.57, 458.21),
    ("Dragonfly c7gn, writes", 1200, 1, 5_195_097.56, 260.12),
    ("Dragonfly c7gn, reads", 1200, 1, 6_078_632.89, 271.77),
    ("Dragonfly c6in, reads", 1200, 1, 5_100_000.0, 299.0),
]
SOUND = [
    ("Dragonfly c7gn, pipelined", 300, 10, 8_975_121.86, 323.25),
    ("Garnet, writes", 1200, 1, 3_500_000.0, 346.0),
    ("Garnet, reads", 1200, 1, 3_700_000.0, 327.0),
    ("Garnet, pipelined", 300, 10, 25_400_000.0, 119.0),
    ("Dragonfly c6in, writes", 1200, 1, 3_600_000.0, 291.0),
    ("Dragonfly c6in, pipelined", 300, 10, 6_900_000.0, 358.0),
    ("Redis, 16 threads", 16, 1, 103_520.0, 70.0),
    ("Aerospike, 200 threads", 200, 1, 480_467.0, 413.1),
    ("Cassandra, 400 threads", 400, 1, 138_020.0, 2896.0),
]


@pytest.mark.parametrize(("system", "workload", "clients", "throughput", "p99"), IN_UNITS)
def test_published_figures_cannot_be_milliseconds_and_can_be_microseconds(
    system: str, workload: str, clients: int, throughput: float, p99: float
) -> None:
    finding = littles_law(clients=clients, throughput=throughput, quantiles_us={0.99: p99 * 1000})
    assert finding is not None, (system, workload)
    assert finding.severity == "error"
    assert finding.numbers["consistent_if_divided_by"] == 1000
    limit = finding.numbers["largest_possible_us"]
    assert limit == pytest.approx(clients / throughput * 1e6 * 100)
    assert littles_law(clients=clients, throughput=throughput, quantiles_us={0.99: p99}) is None


@pytest.mark.parametrize(("what", "clients", "pipeline", "throughput", "mean"), IN_OTHER_THINGS)
def test_the_unit_is_not_doubted_where_it_would_explain_nothing(
    what: str, clients: int, pipeline: int, throughput: float, mean: float
) -> None:
    """A thousandth of these means fits any number of clients, and leaves them all idle."""
    finding = littles_law(clients=clients, pipeline=pipeline, throughput=throughput, mean_us=mean)
    assert finding is not None, what
    assert "consistent_if_divided_by" not in finding.numbers
    assert "unit" not in finding.message


@pytest.mark.parametrize(("what", "clients", "pipeline", "throughput", "mean"), SOUND)
def test_no_sound_figure_is_flagged(
    what: str, clients: int, pipeline: int, throughput: float, mean: float
) -> None:
    found_it = littles_law(clients=clients, pipeline=pipeline, throughput=throughput, mean_us=mean)
    assert found_it is None, what


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


def test_a_client_that_thinks_cannot_be_waiting() -> None:
    """8 clients, 4,000 a second: 2 ms each; with a pause of 1.5 no latency of 1 ms is possible."""
    assert littles_law(clients=8, throughput=4000.0, mean_us=1000.0) is None
    finding = littles_law(clients=8, throughput=4000.0, mean_us=1000.0, think_time_us=1500.0)
    assert finding is not None
    assert finding.numbers["largest_possible_us"] == pytest.approx(500.0)
    assert littles_law(clients=8, throughput=4000.0, mean_us=490.0, think_time_us=1500.0) is None
    # More pauses than time: nothing is possible at all.
    assert littles_law(clients=8, throughput=4000.0, mean_us=5.0, think_time_us=3000.0) is not None


def closed(**changes: object) -> RunObservation:
    figures = replace(FILLED.everything, **changes)  # type: ignore[arg-type]
    return replace(FILLED, everything=figures)


def test_littles_law_is_asked_of_closed_loops_alone() -> None:
    run = closed(mean_us=5_000_000.0)
    assert "littles-law" in found(run)
    assert "littles-law" not in found(replace(run, load_model="open"))


def test_clients_that_nobody_saw_waiting_are_missed() -> None:
    """8 clients, 20,000 a second, 60 µs: 1.2 of 8 are in flight. Where were they?"""
    run = replace(closed(ok=2_000_000, throughput=20_000.0, mean_us=60.0, quantiles_us={}))
    finding = found(run)["unaccounted-clients"]
    assert finding.severity == "error"
    assert finding.numbers["waiting"] == pytest.approx(1.2)
    assert "1.2 waiting of 8 clients: 85\u2009% of the clients' time" in finding.message
    assert "unaccounted-clients" not in found(replace(run, load_model="open"))
    assert "unaccounted-clients" not in found(replace(run, broken_on_purpose=True))
    assert "unaccounted-clients" not in found(replace(run, latency_understated=True))


def test_think_time_and_pipeline_are_accounted_for() -> None:
    thinking = replace(closed(mean_us=300.0), think_time_us=480.0)
    assert "unaccounted-clients" not in found(thinking)
    assert "unaccounted-clients" in found(replace(thinking, think_time_us=0.0))
    deep = replace(closed(mean_us=8000.0), pipeline=10)
    assert "unaccounted-clients" not in found(deep)
    assert "unaccounted-clients" in found(replace(deep, pipeline=40))


def test_clients_also_wait_for_what_fails() -> None:
    """Half of all time goes into time-outs: the successes alone fill half of the clients."""
    run = closed(ok=500_000, errors=1000, throughput=5000.0, mean_us=800.0, asked_mean_us=1590.0)
    assert "unaccounted-clients" not in found(run)
    none = closed(ok=500_000, throughput=5000.0, mean_us=800.0)
    assert "unaccounted-clients" in found(none)
    for errors in (1, 10_000):  # of which nobody knows how long they took
        untimed = closed(ok=500_000, errors=errors, throughput=5000.0, mean_us=800.0)
        assert "unaccounted-clients" not in found(untimed)


def test_what_a_client_does_for_itself_is_no_waiting() -> None:
    """A database in the driver's process: 2 µs of it, 4 µs to draw a key and fill a record."""
    inside = closed(throughput=8 / 6e-6, mean_us=2.0, quantiles_us={})
    assert "unaccounted-clients" not in found(inside)
    beside = closed(throughput=8 / 60e-6, mean_us=20.0, quantiles_us={})
    assert found(beside)["unaccounted-clients"].numbers["untold_us"] == pytest.approx(40.0)


@pytest.mark.parametrize("kind", ["averaged", "of_one_connection", "largest_of_intervals"])
def test_what_is_no_percentile_is_not_called_one(kind: str) -> None:
    finding = averaged_percentiles(kind, {0.99: 900.0, 0.5: 10.0})  # type: ignore[arg-type]
    assert finding is not None
    assert finding.numbers == {"statistic": kind, "percentiles": "p50, p99"}
    assert averaged_percentiles("of_all", {0.99: 900.0}) is None
    assert averaged_percentiles(kind, {}) is None  # type: ignore[arg-type]
