"""From stored results to what the checks of a run ask for. Pure but for the rows it is given."""

from collections.abc import Sequence

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.findings.observation import (
    ErrorsSeen,
    OperationFigures,
    RunObservation,
    Sampled,
    SettingSeen,
)
from weighhouse_judging.findings.steadiness import Course
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.load import ClosedLoad, OpenLoad
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.records import reads, writes
from weighhouse_protocol.report import NOT_TOLD
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

from weighhouse_backend.campaigns.documents import load_of
from weighhouse_backend.findings.memory import Held, held_in_effect
from weighhouse_backend.measurements.models import ResourceSample, RunSummary, TimelineMark
from weighhouse_backend.measurements.packed_intervals import ALL
from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.measurements.summaries import US_PER_SECOND
from weighhouse_backend.results.counts import reconciliation_of
from weighhouse_backend.results.failures import failures_of, phases_told
from weighhouse_backend.results.schemas import DriverRecord
from weighhouse_backend.runs.models import AttemptMember, Cell

MEBIBYTE = 2**20
GANG = 2
"""Members from which on clocks have to agree."""
UNDERSTATING = "0.1."
"""Versions of drivers from before the repair of closed-loop latency."""


def observation(
    document: Experiment,
    cell: Cell,
    rows: Sequence[RunSummary],
    record: AttemptRecord,
    course: Course,
    samples: Sequence[ResourceSample] = (),
    members: Sequence[AttemptMember] = (),
    manifest: Manifest | None = None,
    marks: Sequence[TimelineMark] = (),
) -> RunObservation | None:
    """What the checks look at in a settled run; None when nothing was measured.

    :param samples: of the measured phase alone.
    :param manifest: of the system's plugin.
    """
    totals = {row.phase: row for row in rows if row.operation == ALL}
    measured = totals.get("measure")
    if measured is None or record.driver is None:
        return None
    load, workload = load_of(document, cell), document.workloads[cell.workload_index]
    driver = DriverRecord.model_validate(record.driver)
    facts = MachineFacts.as_kept(record.facts) if record.facts else None
    closed = load if isinstance(load, ClosedLoad) else None
    opened = load if isinstance(load, OpenLoad) else None
    target = document.targets[cell.target_index]
    course_asked = document.phases.under(workload.name)
    stolen = [sample.steal_percent for sample in samples if sample.steal_percent is not None]
    held = (
        Held()
        if manifest is None
        else held_in_effect(target, workload, manifest, record.effective_configuration)
    )
    return RunObservation(
        load_model=load.model,
        everything=_figures(measured),
        clients=closed.clients if closed else None,
        pipeline=closed.pipeline if closed else 1,
        think_time_us=closed.think_time_us if closed else 0.0,
        seconds=measured.duration_seconds,
        asked_operations=course_asked.measure_operations,
        asked_seconds=course_asked.measure_seconds,
        operations={
            row.operation: _figures(row)
            for row in rows
            if row.phase == "measure" and row.operation != ALL
        },
        # A rate that changes is no rate to be reached at every time.
        rate_per_second=opened.rate_per_second if opened and opened.profile is None else None,
        arrival=opened.arrival if opened else "constant",
        course=course,
        driver_cpu_percent=driver.cpu_percent,
        lag_p99_us=driver.lag_p99_us,
        client_bound=driver.client_bound,
        client_bound_reasons=driver.reasons,
        saturated=driver.saturated,
        places=opened.max_in_flight if opened else None,
        co_located=record.co_located,
        records_asked=workload.records_to_load,
        key_space=workload.record_count,
        caches=target.caches,
        reads=reads(workload, load),
        reads_disk=held.reads_disk,
        data=target.data,
        writes=writes(workload, load),
        sampled=sampled(record),
        held_before=held_before(record),
        misses_expected=misses_expected(workload),
        broken_on_purpose=bool(document.faults),
        records_loaded=totals["load"].ok if "load" in totals else None,
        records_held=records_held(record),
        records_inserted=sum(
            row.ok
            for row in rows
            if row.phase in ("warmup", "measure") and row.operation == "insert"
        ),
        record_bytes=workload.record_bytes,
        footprint_bytes=held.footprint_bytes,
        steal_percent=steal_percent(samples, driver),
        steal_percent_max=max([*stolen, driver.steal_percent]),
        governor=None if facts is None else facts.cpu_governor,
        other_cpu_percent=None if facts is None else other_cpu_percent(samples, facts.cores),
        swapped_bytes=_summed(samples, "machine_swapped_bytes"),
        throttled_seconds=_summed(samples, "machine_throttled_us", 1e-6),
        thermal_throttles=_summed(samples, "machine_thermal_throttles"),
        clocks_off_seconds=clocks_off(members),
        clock_errors_seconds=clock_errors(members),
        interval_seconds=document.phases.interval_seconds,
        latency_understated=closed is not None and is_understated(target, driver, facts),
        cores=None if facts is None else facts.cores,
        machine_memory_bytes=None if facts is None else facts.memory_bytes,
        nodes=target.topology.nodes,
        copies=target.topology.replication_factor,
        memory_limit_bytes=memory_limit(target, facts),
        data_memory_bytes=held.data_bytes,
        data_on_disk=held.on_disk,
        beyond=held.beyond,
        cache_bytes=held.cache_bytes,
        reconciled=reconciliation_of(record, manifest, workload),
        failures=[
            ErrorsSeen(one.phase, one.operation, one.kind, one.count, one.words)
            for one in failures_of(phases_told(record))
        ],
        settings=[SettingSeen(**setting) for setting in record.effective_configuration],
        not_told=list(dict.fromkeys(mark.label for mark in marks if mark.kind == NOT_TOLD)),
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


def clock_errors(members: Sequence[AttemptMember]) -> dict[str, float]:
    """How well the clocks' offsets are known, in seconds; an agent alone needs none."""
    if len(members) < GANG:
        return {}
    return {
        member.agent_name: member.clock_error_us / US_PER_SECOND
        for member in members
        if member.clock_error_us is not None
    }


def steal_percent(samples: Sequence[ResourceSample], driver: DriverRecord) -> float | None:
    """Mean steal over the measured phase, of the machine that lost most; what the driver saw of its
    own machine counts too. None when nobody looked.
    """
    by_member: dict[int, list[float]] = {}
    for sample in samples:
        if sample.steal_percent is not None:
            by_member.setdefault(sample.member, []).append(sample.steal_percent)
    means = [sum(found) / len(found) for found in by_member.values()]
    if driver.steal_percent_mean is not None:
        means.append(driver.steal_percent_mean)
    return max(means, default=None)


def memory_limit(target: Target, facts: MachineFacts | None) -> int | None:
    """What the operating system lets a node use: the least of target's and agent's limit."""
    asked = target.limits.memory_mebibytes
    group = None if facts is None else facts.cgroup_memory_limit_bytes
    limits = [] if asked is None else [asked * MEBIBYTE]
    limits += [] if group is None else [group]
    return min(limits, default=None)


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


def records_held(record: AttemptRecord) -> int | None:
    """What the system says it holds after the load phase; None unless all of its machines told."""
    told = [part.memory["after_load"] for part in record.members if "after_load" in part.memory]
    counts = [moment.get("records") for moment in told]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def sampled(record: AttemptRecord) -> Sampled | None:
    """What reads of a sample came to before the run; None: there were none."""
    for phase in phases_told(record):
        if phase.phase == "check" and (read := phase.operations.get("read")) is not None:
            said = (one.first for one in phase.failed if one.first is not None)
            first = min(said, key=lambda one: one.at_us, default=None)
            return Sampled(
                found=read.get("ok", 0),
                missing=read.get("not_found", 0),
                misshapen=read.get("verify_failed", 0),
                failed=read.get("errors", 0),
                words="" if first is None else first.words,
            )
    return None


def held_before(record: AttemptRecord) -> int | None:
    """Records beside which the campaign's first load was made without anybody's word."""
    for phase in phases_told(record):
        if phase.phase == "check" and (held := phase.operations.get("held")) is not None:
            return held.get("ok")
    return None


def misses_expected(workload: Workload) -> bool:
    """Whether the workload itself asks for records that are not there."""
    return (
        workload.operations.delete > 0
        or workload.read_miss_fraction > 0
        or workload.longest_ttl is not None
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
        never_sent=row.never_sent,
        answered_late=row.answered_late,
        beyond_range=row.overflow,
        timeouts=int(row.errors_by_kind.get("timeout", 0)),
        throughput=row.throughput,
        mean_us=row.mean_us,
        quantiles_us={q: value for q, value in quantiles.items() if value is not None},
        asked_mean_us=None if row.asked is None else row.asked["mean_us"],
    )
