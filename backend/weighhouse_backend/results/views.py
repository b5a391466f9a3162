"""Rows of results as the API shows them. Pure but for the rows it is given."""

from collections.abc import Mapping, Sequence

from weighhouse_protocol.experiment import Experiment, LoadLevel
from weighhouse_protocol.load import Share
from weighhouse_protocol.matrix import OperatingPoint, OwnPoints
from weighhouse_protocol.scenarios import SEARCHES
from weighhouse_protocol.workload import Workload
from weighhouse_protocol.yaml_document import experiment_to_yaml

from weighhouse_backend.campaigns.plan import AGAIN
from weighhouse_backend.campaigns.schemas import FailureRead, LoadLevelRead
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.measurements.models import RunRecord
from weighhouse_backend.measurements.packed_intervals import ALL
from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.measurements.sample_levels import Samples
from weighhouse_backend.measurements.summaries import US_PER_SECOND
from weighhouse_backend.results.figure_rows import FigureFacts, OperationRow
from weighhouse_backend.results.schemas import (
    AgentOfRun,
    AskedLatency,
    AttemptRead,
    CellOfRun,
    DriverRecord,
    MemoryOfRun,
    OperationSummary,
    Reproduce,
    RunListed,
    RunMemberRead,
    RunSummaryRead,
    SettingRead,
    TargetOfRun,
)
from weighhouse_backend.results.series_schemas import (
    ResourceLines,
)
from weighhouse_backend.results.sources import Measured, worked_out
from weighhouse_backend.runs.models import Attempt, AttemptMember, Campaign, Cell, Run
from weighhouse_backend.runs.states import AttemptStatus, MemberStatus, RunStatus

LONGEST_VERSION = 80
"""That a target may ask for."""


def listed(
    run: Run,
    cell: Cell,
    members: Sequence[AttemptMember],
    summary: RunSummaryRead | None,
) -> RunListed:
    """A run as it stands in a list; `members` are those of the attempt it is shown by."""
    lead = members[0] if members else None
    agent = None if lead is None else AgentOfRun(id=lead.agent_id, name=lead.agent_name)
    return read_of(
        RunListed,
        run,
        cell=cell_of_run(cell),
        measured_again=run.twin == AGAIN,
        status=RunStatus(run.status),
        failure=failure_read(run.failure),
        system_id=cell.system_id,
        agent=agent,
        summary=summary,
    )


def shown_attempt(run: Run, attempts: Sequence[Attempt]) -> Attempt | None:
    """The attempt a run is shown by: the one that gave its result, else the latest."""
    winner = [attempt for attempt in attempts if attempt.id == run.result_attempt_id]
    return winner[0] if winner else (attempts[-1] if attempts else None)


def cell_of_run(cell: Cell) -> CellOfRun:
    """The point of the matrix that a run repeats."""
    return CellOfRun(target=cell.target, workload=cell.workload, load_level=load_level(cell))


def load_level(cell: Cell) -> LoadLevelRead:
    """A cell's load level."""
    return LoadLevelRead.model_validate(
        {"kind": cell.load_kind, "value": cell.load_value, "label": cell.load_label}
    )


def failure_read(stored: dict[str, object] | None) -> FailureRead | None:
    """A failure as it stands in a row."""
    return FailureRead.model_validate(stored) if stored else None


def attempt_read(attempt: Attempt, members: Sequence[AttemptMember]) -> AttemptRead:
    """One try at a run."""
    return read_of(
        AttemptRead,
        attempt,
        status=AttemptStatus(attempt.status),
        agent_name=", ".join(member.agent_name for member in members),
        failure=failure_read(attempt.failure),
    )


def member_read(
    member: AttemptMember, record: RunRecord | None, log_streams: Sequence[str]
) -> RunMemberRead:
    """One agent's part in the attempt a run is shown by."""
    return read_of(
        RunMemberRead,
        member,
        agent=AgentOfRun(id=member.agent_id, name=member.agent_name),
        share=None if member.share is None else Share.model_validate(member.share),
        status=MemberStatus(member.status),
        environment={} if record is None else record.facts,
        threads=None if record is None else record.threads,
        failure=failure_read(member.failure),
        log_streams=list(log_streams),
    )


def run_summary(
    rows: Mapping[tuple[str, str], OperationRow], facts: FigureFacts | None, load_kind: str
) -> RunSummaryRead | None:
    """The figures of a settled run; None while there are none.

    :param rows: by phase and operation.
    """
    measured = {name: row for (phase, name), row in rows.items() if phase == "measure"}
    if ALL not in measured or facts is None or facts.driver is None:
        return None
    loaded = rows.get(("load", ALL))
    figures = worked_out(Measured(measured[ALL], loaded, facts))
    return RunSummaryRead(
        duration_seconds=measured[ALL].duration_seconds,
        throughput=measured[ALL].throughput,
        figures={name: one.value for name, one in figures.items()},
        operations={name: operation_summary(row) for name, row in measured.items()},
        load=operation_summary(loaded) if loaded else None,
        driver=DriverRecord.model_validate(facts.driver),
        load_model="open" if load_kind == "open" else "closed",
    )


def operation_summary(row: OperationRow) -> OperationSummary:
    """One operation's figures."""
    return read_of(
        OperationSummary,
        row,
        asked=None if row.asked is None else AskedLatency.model_validate(row.asked),
    )


def target_of_run(record: AttemptRecord | None) -> TargetOfRun | None:
    """What was really set up; None before the agent told it."""
    if record is None or record.version is None:
        return None
    return read_of(
        TargetOfRun,
        record,
        effective_configuration=[
            SettingRead.model_validate(item) for item in record.effective_configuration
        ],
        memory=memory_of_run(record),
    )


def memory_of_run(record: AttemptRecord) -> MemoryOfRun:
    """Resident memory of the system at its three moments."""
    return MemoryOfRun(
        before_bytes=record.memory.get("before", {}).get("resident_bytes"),
        after_load_bytes=record.memory.get("after_load", {}).get("resident_bytes"),
        after_bytes=record.memory.get("after", {}).get("resident_bytes"),
    )


def reproduce(
    document: Experiment, campaign: Campaign, cell: Cell, run: Run, version: str | None = None
) -> Reproduce:
    """An experiment of this run's cell alone, with the campaign's seed.

    :param version: of the system that ran, where it told: another one is another measurement.

    A run's operations follow from seed, workload, load level and repetition, so the file repeats
    the cell up to this repetition: its last run makes the same operations as this one. A load that
    a search chose is a load as any other, so the file measures it and searches no further.
    """
    parts: dict[str, None] = dict.fromkeys(SEARCHES)
    chosen = {"scenario": "fixed", **parts} if document.searches else {}
    target = document.targets[cell.target_index]
    if target.version == "any" and version and len(version) <= LONGEST_VERSION:
        target = target.model_copy(update={"version": version})
    alone = document.model_copy(
        update={
            "slug": f"{document.slug}-{cell.target}"[:63].rstrip("-._"),
            "targets": (target,),
            "workloads": _workloads_alone(document, cell),
            "load_levels": (_level_alone(document, cell),),
            "exclusions": (),
            "repetitions": run.repetition,
            "seed": campaign.seed,
            **chosen,
        }
    )
    return Reproduce(
        yaml=experiment_to_yaml(alone), command=f"weighhouse run {alone.slug}.yaml --wait"
    )


def _workloads_alone(document: Experiment, cell: Cell) -> tuple[Workload, ...]:
    """The cell's workload; of a chain all, for what came before is part of what was measured."""
    return document.workloads if document.chain else (document.workloads[cell.workload_index],)


def _level_alone(document: Experiment, cell: Cell) -> LoadLevel:
    """The cell's load level; of a load for each target, the point of this one. It keeps its name,
    from which the operations follow.
    """
    level = document.load_levels[cell.load_index]
    if not isinstance(level, OwnPoints):
        return level
    load = document.load_of(cell.target_index, cell.workload_index, cell.load_index)
    point = OperatingPoint(target=cell.target, load=load)
    return level.model_copy(update={"points": (point,)})


def resource_lines(steps: Sequence[Samples], origin_us: int) -> ResourceLines:
    """Merged samples of one member over time, shares of CPU by their mean, sizes by their largest;
    `origin_us` is second 0.
    """
    return ResourceLines(
        t=[(one.at_us - origin_us) / US_PER_SECOND for one in steps],
        cpu_percent=_means(steps, "cpu_percent"),
        resident_bytes=_largest(steps, "resident_bytes"),
        driver_cpu_percent=_means(steps, "driver_cpu_percent"),
        disk_bytes=_largest(steps, "disk_bytes"),
        steal_percent=_means(steps, "steal_percent"),
    )


def _means(steps: Sequence[Samples], name: str) -> list[float | None]:
    return [one.figures[name].mean if name in one.figures else None for one in steps]


def _largest(steps: Sequence[Samples], name: str) -> list[int | None]:
    return [int(one.figures[name].high) if name in one.figures else None for one in steps]
