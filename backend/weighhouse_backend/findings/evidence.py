"""From stored results to what the checks of a run ask for. Pure but for the rows it is given."""

from collections.abc import Sequence

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.findings.observation import OperationFigures, RunObservation, SettingSeen
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.load import ClosedLoad
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

from weighhouse_backend.campaigns.models import AttemptMember, Cell
from weighhouse_backend.results.models import ResourceSample, RunSummary
from weighhouse_backend.results.records import AttemptRecord
from weighhouse_backend.results.schemas import DriverRecord
from weighhouse_backend.results.summaries import ALL, US_PER_SECOND

GANG = 2
"""Members from which on clocks have to agree."""
UNDERSTATING = "0.1."
"""Versions of drivers from before the repair of closed-loop latency."""


def observation(
    document: Experiment,
    cell: Cell,
    rows: Sequence[RunSummary],
    record: AttemptRecord,
    throughputs: Sequence[float],
    samples: Sequence[ResourceSample] = (),
    members: Sequence[AttemptMember] = (),
) -> RunObservation | None:
    """What the checks look at in a settled run; None when nothing was measured."""
    totals = {row.phase: row for row in rows if row.operation == ALL}
    measured = totals.get("measure")
    if measured is None or record.driver is None:
        return None
    load, workload = document.load_levels[cell.load_index], document.workloads[cell.workload_index]
    driver = DriverRecord.model_validate(record.driver)
    facts = MachineFacts.model_validate(record.facts) if record.facts else None
    closed = load if isinstance(load, ClosedLoad) else None
    stolen = [sample.steal_percent for sample in samples if sample.steal_percent is not None]
    return RunObservation(
        load_model=load.model,
        everything=_figures(measured),
        clients=closed.clients if closed else None,
        pipeline=closed.pipeline if closed else 1,
        think_time_us=closed.think_time_us if closed else 0.0,
        interval_throughputs=throughputs,
        driver_cpu_percent=driver.cpu_percent,
        lag_p99_us=driver.lag_p99_us,
        client_bound=driver.client_bound,
        client_bound_reasons=driver.reasons,
        co_located=record.co_located,
        records_asked=records_asked(workload),
        misses_expected=misses_expected(workload),
        broken_on_purpose=bool(document.faults),
        records_loaded=totals["load"].ok if "load" in totals else None,
        record_bytes=workload.record_bytes,
        steal_percent_max=max([*stolen, driver.steal_percent]),
        governor=None if facts is None else facts.cpu_governor,
        other_cpu_percent=None if facts is None else other_cpu_percent(samples, facts.cores),
        throttled_seconds=_summed(samples, "machine_throttled_us", 1e-6),
        thermal_throttles=_summed(samples, "machine_thermal_throttles"),
        clocks_off_seconds=clocks_off(members),
        interval_seconds=document.phases.interval_seconds,
        latency_understated=closed is not None
        and is_understated(document.targets[cell.target_index], driver, facts),
        cores=None if facts is None else facts.cores,
        machine_memory_bytes=None if facts is None else facts.memory_bytes,
        settings=[SettingSeen(**setting) for setting in record.effective_configuration],
    )


def clocks_off(members: Sequence[AttemptMember]) -> dict[str, float]:
    """How far the clocks of a gang's agents are off, in seconds; an agent alone needs none."""
    if len(members) < GANG:
        return {}
    return {
        member.agent_name: abs(member.clock_offset_us) / US_PER_SECOND
        for member in members
        if member.clock_offset_us is not None
    }


def is_understated(target: Target, driver: DriverRecord, facts: MachineFacts | None) -> bool:
    """Whether a closed loop's latencies leave out what clients wait behind each other.

    Drivers over client libraries did until version 0.2; they recorded no delay of their loop
    either, which tells them from those that always counted it.
    """
    if facts is None or target.tool is not None or target.deployment == "in_process":
        return False
    versions = [version for name, version in facts.versions.items() if name.startswith("driver ")]
    return driver.loop_delay_p99_us == 0 and any(
        version.startswith(UNDERSTATING) for version in versions
    )


def records_asked(workload: Workload) -> int:
    """Records the load phase is to insert."""
    if workload.insert_count is not None:
        return workload.insert_count
    return workload.record_count - workload.insert_start


def misses_expected(workload: Workload) -> bool:
    """Whether the workload itself asks for records that are not there."""
    return (
        workload.operations.delete > 0
        or workload.read_miss_fraction > 0
        or workload.ttl_seconds is not None
    )


def other_cpu_percent(samples: Sequence[ResourceSample], cores: int) -> float | None:
    """CPU used by neither system nor driver, median over the samples; 100 = one core.

    A system that lives inside the driver is sampled as both; the driver's use then counts once.
    None when no sample tells both the machine's use and the driver's.
    """
    others = []
    for sample in samples:
        if sample.machine_cpu_percent is None or sample.driver_cpu_percent is None:
            continue
        system = sample.cpu_percent or 0.0
        inside = sample.resident_bytes is not None and (
            sample.resident_bytes == sample.driver_resident_bytes
        )
        ours = sample.driver_cpu_percent + (0.0 if inside else system)
        others.append(max(0.0, sample.machine_cpu_percent * cores - ours))
    return statistics.median(others) if others else None


def _summed(samples: Sequence[ResourceSample], metric: str, factor: float = 1.0) -> float | None:
    known = [sample.metrics[metric] for sample in samples if metric in sample.metrics]
    return sum(known) * factor if known else None


def _figures(row: RunSummary) -> OperationFigures:
    quantiles = {
        0.5: row.p50_us, 0.95: row.p95_us, 0.99: row.p99_us, 0.999: row.p999_us,
        0.9999: row.p9999_us,
    }  # fmt: skip
    return OperationFigures(
        ok=row.ok,
        not_found=row.not_found,
        errors=row.errors,
        verify_failed=row.verify_failed,
        throughput=row.throughput,
        mean_us=row.mean_us,
        quantiles_us={q: value for q, value in quantiles.items() if value is not None},
    )
