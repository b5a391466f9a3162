"""Results as the API shows them, and the typed forms of what is stored as JSON."""

import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field
from weighhouse_protocol.base import Report
from weighhouse_protocol.counts import Counts
from weighhouse_protocol.driver import Said, Wire
from weighhouse_protocol.load import Share
from weighhouse_protocol.programs import ProgramRan
from weighhouse_protocol.report import OperationErrors, SettingSource

from weighhouse_backend.campaigns.schemas import CompletenessRead, FailureRead, LoadLevelRead
from weighhouse_backend.measurements.expired import ThinnedRead
from weighhouse_backend.results.count_schemas import ReconciliationRead
from weighhouse_backend.runs.states import AttemptStatus, MemberStatus, RunStatus


class MemoryRead(BaseModel):
    """Memory of the system at a moment of the run, in bytes."""

    resident_bytes: int | None = None
    used_bytes: int | None = None
    disk_bytes: int | None = None
    records: int | None = None
    """What the system says it holds; none where it does not tell."""


class PhaseRecord(Report):
    """What the driver said at the end of a phase."""

    phase: Literal["check", "load", "warmup", "measure"]
    duration_us: int
    operations: dict[str, dict[str, int]] = Field(default_factory=dict)
    errors: dict[str, int] = Field(default_factory=dict)
    """Kind → how many; empty of an agent from before it told."""
    failed: list[OperationErrors] = Field(default_factory=list)
    said: dict[str, Said] = Field(default_factory=dict)
    """Kind of error → the first words of it; of an agent from before it told by operation."""
    client_bound: bool = False
    client_bound_reasons: list[str] = Field(default_factory=list)
    interrupted: bool = False
    wire: Wire | None = None
    """Bytes on the driver's connections; None of drivers that have none, or told of none."""
    counted: Counts | None = None
    """What a system inside the driver counted of its own work in the phase."""
    stream_hash: str | None = None


class ErrorsRead(BaseModel):
    """An operation's errors of one kind in a phase, of all drivers, and what was said first.

    Words are the server's own, or those of the library that asked it, up to 2 KiB; null: nobody
    said anything, as with a connection that was lost.
    """

    phase: Literal["check", "load", "warmup", "measure"]
    operation: str | None
    """null: of all operations together, by an agent from before it told each."""
    kind: str
    count: int
    words: str | None
    at: datetime.datetime | None
    """When they were said, by the clock of the driver's machine."""


class DriverRecord(BaseModel):
    """What the driver measured of itself over the measured phase."""

    cpu_percent: float
    """100 = one core."""
    lag_p99_us: float | None
    """Pacing lag, sent - due; only in an open loop."""
    loop_delay_p99_us: float
    steal_percent: float
    """Largest of an interval."""
    steal_percent_mean: float | None = None
    """Over the measured phase; none of runs from before it was kept."""
    reconnects: int
    client_bound: bool
    reasons: list[str]
    saturated: bool = False
    """As many operations were under way as the load allows: others had to wait for a place."""
    drain_seconds: float = 0.0
    """How long after the measured phase of an open loop something came back."""
    drivers: int = 1
    """Machines that made the load together."""
    cut_operations: int = 0
    """Operations that are in no figure: they lie outside the time in which all drivers measured."""
    cut_seconds: float = 0.0
    """The longest that one driver measured alone."""


class AskedLatency(BaseModel):
    """Latency of everything that was asked, in µs: failed, not found and wrong counted at the time
    they took, beside the successes.
    """

    mean_us: float | None
    p50_us: float | None
    p95_us: float | None
    p99_us: float | None
    p999_us: float | None
    p9999_us: float | None
    max_us: float | None


class OperationSummary(BaseModel):
    """One operation over one phase. Latencies in µs, of the successes, out of merged histograms."""

    ok: int
    not_found: int
    errors: int
    verify_failed: int
    never_sent: int | None
    """Due in an open loop, and given up: no time of them is in any figure; null: not told."""
    answered_late: int | None
    """Of what was sent in an open loop: came back after the phase had ended, in no rate; null: not
    told.
    """
    throughput: float
    """Successes within the phase, a second."""
    mean_us: float | None
    p50_us: float | None
    p95_us: float | None
    p99_us: float | None
    p999_us: float | None
    p9999_us: float | None
    max_us: float | None
    errors_by_kind: dict[str, int]
    overflow: int
    """Beyond the range of the driver's or tool's histograms: counted, and in no percentile. None of
    our drivers' since their histograms have no end."""
    asked: AskedLatency | None
    """None: something that did not succeed was not timed, or the run is from before this was kept.
    """


class RunSummaryRead(BaseModel):
    """The figures of a run."""

    duration_seconds: float
    """Of the measured phase."""
    throughput: float
    figures: dict[str, float]
    """By their names in the catalogue, over all operations; those that it gave."""
    operations: dict[str, OperationSummary]
    """By operation; `all` is their sum."""
    load: OperationSummary | None
    """The load phase's inserts."""
    driver: DriverRecord
    load_model: Literal["closed", "open"]


class CellOfRun(BaseModel):
    """The point of the matrix that a run repeats."""

    target: str
    workload: str
    load_level: LoadLevelRead


class AgentOfRun(BaseModel):
    """An agent that carried it out; in a list the first of its gang."""

    id: UUID
    name: str


class AttemptRead(BaseModel):
    """One try at a run."""

    id: UUID
    number: int
    status: AttemptStatus
    agent_name: str
    """Of all its members."""
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    failure: FailureRead | None
    set_aside: str | None = None
    """Why its result is out of the figures."""


class RunMemberRead(BaseModel):
    """One agent's part in a run."""

    index: int
    agent: AgentOfRun
    slot: str
    roles: list[str]
    nodes: list[int]
    """Numbers of the system's nodes on its machine."""
    share: Share | None
    """Its part of the load; none: it made none."""
    status: MemberStatus
    phase: str | None
    machine_id: str | None
    """Which machine it was, as the agent tells them apart."""
    environment: dict[str, Any]
    """`MachineFacts` of its machine."""
    threads: int | None
    """Driver threads."""
    clock_offset_us: int | None
    """The server's clock less the machine's."""
    clock_error_us: int | None
    """The offset is right within this."""
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    failure: FailureRead | None
    log_streams: list[str]


class SettingRead(BaseModel):
    """One line of the effective configuration."""

    name: str
    value: str
    default: str | None
    source: SettingSource


class MemoryOfRun(BaseModel):
    """Memory of the system before, after load, and at the end; resident bytes."""

    before_bytes: int | None
    after_load_bytes: int | None
    after_bytes: int | None


class TargetOfRun(BaseModel):
    """What was really set up."""

    version: str
    endpoints: list[str]
    effective_configuration: list[SettingRead]
    memory: MemoryOfRun
    commands: list[str]
    programs: list[ProgramRan]
    """What really ran, by digests of its files; none of runs from before they were told."""
    layout: str | None
    stream_hash: str | None
    """Of the first 10,000 operations: equal hashes mean equal operations."""


class Reproduce(BaseModel):
    """How to do it again."""

    yaml: str
    command: str


class TimelineItem(BaseModel):
    """Something that happened."""

    at: datetime.datetime
    kind: str
    label: str
    member: int = 0
    """Whose event it is."""


class ArtifactRead(BaseModel):
    """A file the run left."""

    sha256: str
    name: str
    media_type: str
    size_bytes: int
    member: int = 0
    """Whose file it is."""


class RunListed(BaseModel):
    """A run in a list."""

    id: UUID
    campaign_id: UUID
    cell: CellOfRun
    repetition: int
    measured_again: bool
    """It is the second measurement of a cell that seemed worse, and no repeat of it."""
    status: RunStatus
    phase: str | None
    failure: FailureRead | None
    position: int
    system_id: str
    agent: AgentOfRun | None
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    summary: RunSummaryRead | None


class RunFacts(RunListed):
    """A run with its facts, without what checks have to say of it."""

    completeness: CompletenessRead
    """Whether its figures are all there will be."""
    target_name: str
    """What its target is called beside the others of its campaign."""
    attempts: list[AttemptRead]
    waiting_for: str | None = None
    """Whom it waits for, while it is queued and no agents can take it."""
    members: list[RunMemberRead]
    """Who carried out the attempt it is shown by."""
    environment: dict[str, Any]
    """`MachineFacts` of the machine it ran on."""
    target: TargetOfRun | None
    reproduce: Reproduce
    errors: list[ErrorsRead]
    """By phase, then the commonest first."""
    reconciliation: ReconciliationRead | None
    """What the servers counted of their own work beside what the client did; null: this system
    keeps no such counters, or its plugin knows of none."""
    timeline: list[TimelineItem]
    log_streams: list[str]
    artifacts: list[ArtifactRead]
    chain: list[RunListed]
    """All runs of its chain in the order they are measured, itself too; none: of no chain."""
    thinned: ThinnedRead | None = None
    """What was removed of it since; null: nothing."""


class LogAccepted(BaseModel):
    """A piece of a log is stored."""

    next_offset: int
    """Where the next piece begins."""
