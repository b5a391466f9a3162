"""What an agent reports of an attempt: heartbeats, numbered events, the outcome."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from weighhouse_protocol.base import (
    Bytes,
    Count,
    Document,
    Elapsed,
    Few,
    FewBy,
    Instant,
    Label,
    LastLines,
    Many,
    ManyBy,
    Measure,
    Offset,
    Order,
    Percent,
    Report,
    Seconds,
    Sentence,
    Told,
    Whole,
)
from weighhouse_protocol.counts import Counts, CountsMoment, NodeCounts
from weighhouse_protocol.driver import Interval, Said, Wire
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.programs import ProgramRan

RunPhase = Literal["deploy", "load", "warmup", "measure", "collect"]
"""The phases of a run, as people see them."""

FailureKind = Literal[
    "policy", "missing_binary", "deploy", "not_ready", "driver", "database", "timeout",
    "cancelled", "infrastructure", "invalid", "refused",
]  # fmt: skip
"""Why a run failed. Only `infrastructure` is tried again; `refused`: the server did not take what
was asked, for want of rights, as a replica, read-only, or full."""


class Failure(Report):
    """Why an attempt did not come to its end."""

    kind: FailureKind
    message: Told
    hint: Told = ""
    """How to mend it."""
    log_lines: LastLines = ()
    """The last lines of the log that tells, for example the server's own."""


SettingSource = Literal[
    "default", "experiment", "plugin", "place", "system", "operator", "unknown"
]  # fmt: skip
"""Who set a value. `default`: nobody, it is as the vendor ships it. `plugin`: the plugin, for what
it needs; `place`: the plugin, where the system listens, keeps its files and finds its peers, which
every deployment has of its own. `system`: the system itself, by what else was set or by its
machine. `operator`: whoever set up a system that was there before, or nobody. `unknown`: nobody of
ours, and what the vendor ships is not known."""


class Setting(Report):
    """One line of the effective configuration."""

    name: Label
    value: Told
    default: Told | None = None
    """The vendor's default; None: unknown."""
    source: SettingSource = "default"
    """Agents of before know `default`, `experiment` and `plugin` alone."""


class PhaseChanged(Report):
    """The run entered a phase."""

    kind: Literal["phase"] = "phase"
    sequence: Order
    at_us: Instant
    phase: RunPhase


class IntervalReported(Report):
    """A driver's interval, as the driver wrote it."""

    kind: Literal["interval"] = "interval"
    sequence: Order
    at_us: Instant
    interval: Interval


class ResourceSample(Report):
    """What the system under test and the machine used, over one sampling period."""

    kind: Literal["sample"] = "sample"
    sequence: Order
    at_us: Instant
    cpu_percent: Percent | None = None
    """Of the system's processes; 100 = one core."""
    resident_bytes: Bytes | None = None
    disk_bytes: Bytes | None = None
    driver_cpu_percent: Percent | None = None
    driver_resident_bytes: Bytes | None = None
    machine_cpu_percent: Percent | None = None
    steal_percent: Percent | None = None
    metrics: ManyBy[Measure] = Field(default_factory=dict)
    """The system's own metrics, by name; `system_open_files`; as counters since sampling began,
    where the kernel tells, `system_disk_read_bytes`, `system_disk_written_bytes`, and by interface
    `network_received_bytes.NAME`, `network_sent_bytes.NAME`, `network_received_packets.NAME`,
    `network_sent_packets.NAME`; and while something is filled
    `fill_amount`, `fill_target`, `fill_disk_free`, `fill_disk_size`."""


NOT_TOLD = "not_told"
"""Mark of a question that only describes the system, and that it refused: `QUESTION: its words`."""


class TimelineMark(Report):
    """Something happened: an event of the system, of the plugin or of the driver."""

    kind: Literal["mark"] = "mark"
    sequence: Order
    at_us: Instant
    mark: Label
    """`deployed`, `ready`, `stopped`; `fault`, `fault_done`, `fault_failed`; a system's own event:
    `NAME_began` and `NAME_ended`, or `NAME`; `filled`, `disk_nearly_full`; `sample_failed`,
    `memory_failed`, `system_ended`; `not_told`; `nodes_found`."""
    label: Told = ""


class TargetDescribed(Report):
    """What was really set up."""

    kind: Literal["target"] = "target"
    sequence: Order
    at_us: Instant
    version: Label
    endpoints: Many[Label]
    effective_configuration: Many[Setting] = ()
    commands: Many[Told] = ()
    """Command lines used, secrets masked."""
    facts: MachineFacts
    co_located: bool | None = True
    """Driver and system share a machine; None: it cannot be known from here."""
    threads: Order | None = None
    """Threads that made the load; None: told by an older agent, or none was made here."""
    layout: Label | None = None
    stream_hash: Label | None = None
    programs: Few[ProgramRan] = ()
    """What really ran on the member's machine; of an older agent none."""


class MemoryMeasured(Report):
    """Memory of the system at a moment of the run."""

    kind: Literal["memory"] = "memory"
    sequence: Order
    at_us: Instant
    moment: Literal["before", "after_load", "after"]
    resident_bytes: Bytes | None = None
    used_bytes: Bytes | None = None
    """What the system says it uses for data, where it says so."""
    disk_bytes: Bytes | None = None
    records: Count | None = None
    """What the system says it holds, copies aside, where it says so."""


class ServerCounted(Report):
    """What nodes of the system counted of their own work up to a moment."""

    kind: Literal["counted"] = "counted"
    sequence: Order
    at_us: Instant
    moment: CountsMoment
    nodes: Few[NodeCounts]
    """Those on the member's machine, or external ones, that told."""


class OperationErrors(Report):
    """An operation's errors of one kind in a phase, and what was said first of them."""

    operation: Label
    kind: Label
    count: Count
    first: Said | None = None


class PhaseEnded(Report):
    """A driver's phase ended; what it counted and said of itself."""

    kind: Literal["phase_ended"] = "phase_ended"
    sequence: Order
    at_us: Instant
    phase: Literal["check", "load", "warmup", "measure"]
    """`check` is what was there before a run wrote anything: `read`, a sample of the records, of
    which `verify_failed` have not the workload's fields and lengths; or `held`, how many records an
    external system told (`ok`) beside which others are then loaded."""
    duration_us: Elapsed
    operations: FewBy[FewBy[Count]] = Field(default_factory=dict)
    """Operation → {ok, not_found, errors, verify_failed, never_sent}."""
    errors: FewBy[Count] = Field(default_factory=dict)
    """Kind of error → how many, over all operations."""
    failed: Few[OperationErrors] = ()
    """The same, each operation's by itself."""
    said: FewBy[Said] = Field(default_factory=dict)
    """Kind of error → the first words of it; of an agent from before it told by operation."""
    client_bound: bool = False
    client_bound_reasons: Few[Sentence] = ()
    interrupted: bool = False
    wire: Wire | None = None
    """Bytes on the driver's connections; None too of an agent from before it told."""
    counted: Counts | None = None
    """What a system inside the driver counted of its own work in the phase."""
    stream_hash: Label | None = None
    """Hash of the first operations of the phase's driver, where it told; None too of an agent from
    before there were chains."""


AttemptEvent = Annotated[
    PhaseChanged
    | IntervalReported
    | ResourceSample
    | TimelineMark
    | TargetDescribed
    | MemoryMeasured
    | ServerCounted
    | PhaseEnded,
    Field(discriminator="kind"),
]
"""One line of the spool. `sequence` starts at 0 and has no gaps."""

ATTEMPT_EVENT: TypeAdapter[AttemptEvent] = TypeAdapter(AttemptEvent)


class EventBatch(Document):
    """Body of `POST /agent/v1/attempts/{id}/events`."""

    events: tuple[AttemptEvent, ...] = Field(min_length=1, max_length=2000, fail_fast=True)


class EventsAccepted(Report):
    """Answer to a batch: everything below `next_sequence` is stored."""

    next_sequence: Order
    pause_seconds: Seconds | None = None
    """How long to gather the events of a run under way before the next ones are sent, as many send
    just now; none, as from a platform of before: `upload_seconds`."""


class SignTaken(Report):
    """Answer to a sign of life."""

    pause_seconds: Seconds | None = None
    """How long until the next, as many give them just now; none, as from a platform of before:
    `sign_seconds`."""


class AttemptStarted(Document):
    """Body of `POST …/start`; refused (409) when the attempt is not this agent's any more."""

    fence: Whole


class ClockOffset(Report):
    """How far an agent's clock is from the server's, by the exchange of the least round trip."""

    offset_us: Offset
    """The server's clock less the agent's."""
    error_us: Whole
    """The offset is right within this: half of the round trip."""
    samples: Whole = Field(default=1, ge=1)


class Heartbeat(Document):
    """Body of `POST …/heartbeat`."""

    fence: Whole
    phase: RunPhase
    progress: float = Field(default=0.0, ge=0, le=1)
    next_sequence: Whole = 0
    """Events spooled so far, whether sent or not."""
    spool_bytes: Whole = 0
    """Of the events that are not with the server yet."""
    sent_at_us: Instant | None = None
    """The agent's clock, unix µs."""
    clock: ClockOffset | None = None
    """What the agent makes of the latest exchanges."""


class HeartbeatAnswer(Report):
    """The lease is renewed; the server may ask to stop."""

    cancel: Literal["none", "graceful", "kill"] = "none"
    received_at_us: Instant | None = None
    """The server's clock when the request came; with `answered_at_us` and the agent's two
    instants: RFC 5905, section 8."""
    answered_at_us: Instant | None = None


class Completion(Document):
    """Body of `POST …/complete`."""

    fence: Whole
    outcome: Literal["completed", "failed", "cancelled"]
    failure: Failure | None = None
    events_count: Whole
    """Number of events of the attempt; the server refuses (409) while some are missing."""


class CompletionAnswer(Report):
    """What became of it."""

    result: Literal["accepted", "already_accepted", "superseded"]


class AttemptState(Report):
    """Answer to `GET /agent/v1/attempts/{id}`: what the server has."""

    attempt_id: Label
    status: Label
    next_sequence: Order
    log_offsets: ManyBy[Bytes] = Field(default_factory=dict)
    cancel: Literal["none", "graceful", "kill"] = "none"
