"""Tables of results: from intervals and samples to summaries, logs and artefacts.

Everything here belongs to a member of an attempt (summaries: to the attempt, merged over its
members), so that a superseded attempt is never counted: the result of a run is what the members of
its winning attempt reported.
"""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index, LargeBinary, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference


def _of_member() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["attempt_id", "member"],
        ["attempt_members.attempt_id", "attempt_members.index"],
        ondelete="CASCADE",
    )


class Interval(Base):
    """What one driver saw in one interval; or several merged, for charts of long runs."""

    __tablename__ = "intervals"
    __table_args__ = (_of_member(),)

    attempt_id: Mapped[UUID] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    span: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Intervals merged into this row; 1 is an interval as the driver reported it, more are merged
    over all drivers and stand with member 0."""
    sequence: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Number of the (first) event of the member."""
    project_id: Mapped[UUID] = reference("projects")
    phase: Mapped[str] = mapped_column(Text)
    phase_index: Mapped[int]
    started_at: Mapped[datetime.datetime]
    duration_us: Mapped[int] = mapped_column(BigInteger)
    operations: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """`packing.PackedOperations`: counts, and where their histograms lie."""
    histograms: Mapped[bytes] = mapped_column(LargeBinary)
    """HdrHistograms in the compressed V2 form, one behind the other, as given."""
    lag: Mapped[list[Any] | None] = mapped_column(JSONB(none_as_null=True))
    """Where the histogram of the pacing lag lies: begin and length."""
    driver: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """`packing.DriverUse`."""


class LevelWindow(Base):
    """Neighbouring intervals of one phase of an attempt, merged: a step of a level.

    A level is all windows of one width. Every interval of an attempt that has levels is in at most
    one window of each, and in exactly one once the attempt is settled.
    """

    __tablename__ = "level_windows"
    __table_args__ = (Index("ix_level_windows_project_id", "project_id"),)

    attempt_id: Mapped[UUID] = reference("attempts", primary_key=True)
    width_seconds: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sequence: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Of the first interval in it: its event's; of several drivers, the step's number."""
    last_sequence: Mapped[int]
    """Of the last interval in it."""
    member: Mapped[int | None]
    """Whose intervals; none: those of several drivers, merged on common bounds."""
    project_id: Mapped[UUID] = reference("projects")
    phase: Mapped[str] = mapped_column(Text)
    phase_index: Mapped[int]
    phase_began_at: Mapped[datetime.datetime]
    slot: Mapped[int]
    """How many widths after the phase began, rounded down, its middle lies."""
    started_at: Mapped[datetime.datetime]
    duration_us: Mapped[int] = mapped_column(BigInteger)
    merged: Mapped[int]
    """Intervals as reported in it."""
    figures: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """What is drawn: `points.packed_points`."""
    heat: Mapped[list[Any]] = mapped_column(JSONB)
    operations: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """`packing.PackedOperations`."""
    histograms: Mapped[bytes] = mapped_column(LargeBinary)
    lag: Mapped[list[Any] | None] = mapped_column(JSONB(none_as_null=True))
    driver: Mapped[dict[str, Any]] = mapped_column(JSONB)


class LevelsWanted(Base):
    """An attempt from before levels were kept, whose levels are still to be built."""

    __tablename__ = "levels_wanted"

    attempt_id: Mapped[UUID] = reference("attempts", primary_key=True)
    project_id: Mapped[UUID] = reference("projects")


class FaultCost(Base):
    """What the faults of a settled attempt cost, worked out once."""

    __tablename__ = "fault_costs"
    __table_args__ = (Index("ix_fault_costs_project_id", "project_id"),)

    attempt_id: Mapped[UUID] = reference("attempts", primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    body: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """`fault_schemas.FaultsRead`."""


class ResourceSample(Base):
    """What system, driver and machine used over one sampling period."""

    __tablename__ = "resource_samples"
    __table_args__ = (_of_member(),)

    attempt_id: Mapped[UUID] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sequence: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    project_id: Mapped[UUID] = reference("projects")
    at: Mapped[datetime.datetime]
    cpu_percent: Mapped[float | None]
    """Of the system's processes; 100 = one core."""
    resident_bytes: Mapped[int | None] = mapped_column(BigInteger)
    disk_bytes: Mapped[int | None] = mapped_column(BigInteger)
    driver_cpu_percent: Mapped[float | None]
    driver_resident_bytes: Mapped[int | None] = mapped_column(BigInteger)
    machine_cpu_percent: Mapped[float | None]
    steal_percent: Mapped[float | None]
    metrics: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """The system's own metrics, by name."""


class SampleWindow(Base):
    """Neighbouring resource samples of a member, merged: a step of a level, `sample_levels`."""

    __tablename__ = "sample_windows"
    __table_args__ = (_of_member(), Index("ix_sample_windows_project_id", "project_id"))

    attempt_id: Mapped[UUID] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    width: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Samples in a window of this level."""
    slot: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """How many windows of the level lie before it."""
    project_id: Mapped[UUID] = reference("projects")
    last_sequence: Mapped[int]
    """Of the event of its last sample."""
    at: Mapped[datetime.datetime]
    """Of its first sample."""
    figures: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """`sample_levels.packed`, by column of a sample; of the system's own in `metrics`."""
    metrics: Mapped[dict[str, Any]] = mapped_column(JSONB)


class TimelineMark(Base):
    """Something happened at an instant: a phase began, or an event of system or plugin."""

    __tablename__ = "timeline_marks"
    __table_args__ = (_of_member(),)

    attempt_id: Mapped[UUID] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sequence: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    project_id: Mapped[UUID] = reference("projects")
    at: Mapped[datetime.datetime]
    kind: Mapped[str] = mapped_column(Text)
    label: Mapped[str] = mapped_column(Text)


class RunRecord(Base):
    """What one member told: what was set up, where, and what its driver said of its phases.

    `records.AttemptRecord` is what all members of an attempt told together.
    """

    __tablename__ = "run_records"
    __table_args__ = (_of_member(),)

    attempt_id: Mapped[UUID] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    project_id: Mapped[UUID] = reference("projects")
    version: Mapped[str | None] = mapped_column(Text)
    endpoints: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    effective_configuration: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """`weighhouse_protocol.report.Setting` each."""
    commands: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    facts: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """`weighhouse_protocol.facts.MachineFacts`."""
    fingerprint: Mapped[str | None] = mapped_column(Text)
    """The machine's kind, as `machine_kinds.kind_of`: another begins a segment of a series."""
    co_located: Mapped[bool | None]
    layout: Mapped[str | None] = mapped_column(Text)
    stream_hash: Mapped[str | None] = mapped_column(Text)
    threads: Mapped[int | None]
    """Driver threads; none where no load was made, or an older agent did not tell."""
    memory: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Moment → `schemas.MemoryRead`."""
    programs: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """`weighhouse_protocol.programs.ProgramRan` each."""
    counts: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Moment → `weighhouse_protocol.counts.NodeCounts` of each node that told."""
    phases: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """`schemas.PhaseRecord` each."""
    driver: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """`schemas.DriverRecord` over all drivers; written with member 0 when settled."""
    settled_at: Mapped[datetime.datetime | None]


class RunSummary(Base):
    """One operation over one phase of an attempt, out of merged histograms; `all` is their sum."""

    __tablename__ = "run_summaries"
    __table_args__ = (Index("ix_run_summaries_project_id", "project_id"),)

    attempt_id: Mapped[UUID] = reference("attempts", primary_key=True)
    phase: Mapped[str] = mapped_column(Text, primary_key=True)
    operation: Mapped[str] = mapped_column(Text, primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    duration_seconds: Mapped[float]
    ok: Mapped[int] = mapped_column(BigInteger)
    not_found: Mapped[int] = mapped_column(BigInteger)
    errors: Mapped[int] = mapped_column(BigInteger)
    verify_failed: Mapped[int] = mapped_column(BigInteger)
    never_sent: Mapped[int | None] = mapped_column(BigInteger)
    """Due in an open loop, and given up without having been sent; None: the driver did not tell."""
    answered_late: Mapped[int | None] = mapped_column(BigInteger)
    """Of what was sent in an open loop: came back after the phase had ended, in no rate; None: the
    driver did not tell.
    """
    overflow: Mapped[int] = mapped_column(BigInteger)
    """Values above the histogram's range, of drivers whose histograms ended somewhere."""
    errors_by_kind: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    throughput: Mapped[float]
    """Successes within the phase, a second."""
    mean_us: Mapped[float | None]
    p50_us: Mapped[float | None]
    p95_us: Mapped[float | None]
    p99_us: Mapped[float | None]
    p999_us: Mapped[float | None]
    p9999_us: Mapped[float | None]
    max_us: Mapped[float | None]
    histogram: Mapped[bytes] = mapped_column(LargeBinary, deferred=True, deferred_raiseload=True)
    """Merged, of the successes; left out of queries that do not ask for it."""
    service_histogram: Mapped[bytes | None] = mapped_column(
        LargeBinary, deferred=True, deferred_raiseload=True
    )
    """From sent to done; only in an open loop. Left out likewise."""
    asked: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """`schemas.AskedLatency`: failed and not found counted at the time they took. None: some were
    not timed, or the run is from before that was kept."""
    asked_histogram: Mapped[bytes | None] = mapped_column(
        LargeBinary, deferred=True, deferred_raiseload=True
    )
    """Its histogram, where anything but successes is in it; left out likewise."""


class RunLog(Base):
    """A piece of a log, as it was uploaded."""

    __tablename__ = "run_logs"
    __table_args__ = (_of_member(),)

    attempt_id: Mapped[UUID] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    stream: Mapped[str] = mapped_column(Text, primary_key=True)
    begin: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """Offset of the piece's first byte in its stream."""
    project_id: Mapped[UUID] = reference("projects")
    data: Mapped[bytes] = mapped_column(LargeBinary)


class Artifact(Base):
    """A file an attempt left; its content lies under its hash, once for a project."""

    __tablename__ = "artifacts"
    __table_args__ = (
        _of_member(),
        Index("ix_artifacts_project_id_sha256", "project_id", "sha256"),
    )

    attempt_id: Mapped[UUID] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sha256: Mapped[str] = mapped_column(Text, primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    name: Mapped[str] = mapped_column(Text)
    media_type: Mapped[str] = mapped_column(Text)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime.datetime]


class ThinnedAttempt(Base):
    """What was removed of an attempt when it was older than its project's rules keep it."""

    __tablename__ = "thinned_attempts"

    attempt_id: Mapped[UUID] = reference("attempts", primary_key=True)
    project_id: Mapped[UUID] = reference("projects", index=True)
    measured: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """Member → begin and end of what it measured, unix µs by its own clock; what only intervals
    told before. None: they are all there."""
    step_seconds: Mapped[int | None]
    """Width of the finest level that was kept; none: its intervals are all there."""
    intervals_at: Mapped[datetime.datetime | None]
    """When its intervals were looked at; so for the two below."""
    logs_at: Mapped[datetime.datetime | None]
    artifacts_at: Mapped[datetime.datetime | None]


class UnneededFile(Base):
    """A content that no attempt of its project has any more, and that still lies on the disk."""

    __tablename__ = "unneeded_files"

    project_id: Mapped[UUID] = reference("projects", primary_key=True)
    sha256: Mapped[str] = mapped_column(Text, primary_key=True)
