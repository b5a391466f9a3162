"""Tables: campaigns, cells, runs, attempts, attempt_members, campaign_events,
campaign_looks.

Locks are always taken in one order, so that no two transactions can wait for each other: schedule,
agents by id, campaign, run, attempt, member, experiment (`repository.py`, `attempt_repository.py`
do it). The campaign's lock also makes the ids of its events visible in the order they were given.
"""

import datetime
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.runs.states import (
    LIVE_ATTEMPTS,
    LIVE_MEMBERS,
    AttemptStatus,
    CampaignStatus,
    CancelMode,
    LookDecision,
    MemberStatus,
    RunStatus,
    Trigger,
    Verdict,
)

WHOLE_MACHINE = "machine"
"""The slot of an agent that has one."""


def _one_of(column: str, values: Iterable[str]) -> str:
    return f"{column} IN ({', '.join(repr(str(value)) for value in values)})"


NARROWED_BY = ("status", "verdict", "requested_by", "release")
_BY = ("project_id",), *(("project_id", by) for by in NARROWED_BY), ("experiment_id",)


class Campaign(Base):
    """One execution of one revision of an experiment."""

    __tablename__ = "campaigns"
    __table_args__ = (
        UniqueConstraint("project_id", "number"),
        UniqueConstraint("experiment_id", "scheduled_for"),
        UniqueConstraint("experiment_id", "release"),
        CheckConstraint(_one_of("status", CampaignStatus), name="status"),
        CheckConstraint(_one_of("trigger", Trigger), name="trigger"),
        CheckConstraint(_one_of("verdict", Verdict), name="verdict"),
        *(Index(f"ix_campaigns_{'_'.join(by)}_listed", *by, "created_at", "id") for by in _BY),
        Index("ix_campaigns_experiment_id_stands_at", "experiment_id", "stands_at", "id"),
        Index(
            "ix_campaigns_open",
            "status",
            "changed_at",
            postgresql_where=text("status IN ('queued', 'running', 'settling')"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    number: Mapped[int]
    """Counts a project's campaigns from 1."""
    experiment_id: Mapped[UUID] = reference("experiments")
    revision_id: Mapped[UUID] = mapped_column(ForeignKey("experiment_revisions.id"))
    revision_number: Mapped[int]
    status: Mapped[str] = mapped_column(Text, default=CampaignStatus.QUEUED)
    paused: Mapped[bool] = mapped_column(default=False)
    verdict: Mapped[str | None] = mapped_column(Text)
    trigger: Mapped[str] = mapped_column(Text)
    priority: Mapped[int] = mapped_column(default=0)
    """Higher goes first."""
    seed: Mapped[int] = mapped_column(BigInteger)
    """Of the order of runs and, with workload, level and repetition, of their operations."""
    repetitions: Mapped[int]
    """That every cell gets; with a rule of repetitions, the fewest."""
    noise: Mapped[bool] = mapped_column(default=False)
    """Measured as A/A: every target twice in a block, to learn what the machine cannot tell."""
    chosen_levels: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """Load levels that were chosen while it was measured, in that order, each as `{"of": the file's
    level it varies, "load": the level}`; cells count them behind those of the revision's document.
    """
    labels: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Labels an agent must carry."""
    environment: Mapped[str | None] = mapped_column(Text)
    """Kind of the first machine used; the others have to be alike while it lives."""
    base_campaign_id: Mapped[UUID | None] = reference("campaigns", ondelete="SET NULL")
    """The base that was asked for by name, or the latest of those it was judged by."""
    base: Mapped[str] = mapped_column(Text, default="pooled")
    """How it is chosen, `bases.BaseChoice` in words; `pinned`: from before there was a choice."""
    beside: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """Targets of the base that are measured again, each as `{"campaign": the base, "of": name of
    the campaign's target, "name": that it goes by beside it, "target": as it is measured}`; cells
    count them behind those of the revision's document."""
    release: Mapped[str | None] = mapped_column(Text)
    """The release it stands for: an anchor of later verdicts."""
    accepted_by: Mapped[str | None] = mapped_column(Text)
    accepted_note: Mapped[str | None] = mapped_column(Text)
    """Why its regression was expected."""
    accepted_at: Mapped[datetime.datetime | None]
    """When it was accepted; until then a regressed campaign is nobody's base."""
    requested_by: Mapped[str | None] = mapped_column(Text)
    """Name of the person or token that asked."""
    scheduled_for: Mapped[datetime.datetime | None]
    """The date of the schedule it stands for; one campaign a date."""
    created_at: Mapped[datetime.datetime]
    stands_at: Mapped[datetime.datetime]
    """Where it stands in the history of its experiment: after its commit's ancestors, by the time
    of its commit; where it has none, when it was asked for."""
    changed_at: Mapped[datetime.datetime]
    """Of the status."""
    started_at: Mapped[datetime.datetime | None]
    finished_at: Mapped[datetime.datetime | None]
    cancel_requested_at: Mapped[datetime.datetime | None]
    waiting_for: Mapped[str | None] = mapped_column(Text)
    """Whom its next run waits for; none while there is nobody to wait for."""
    set_aside: Mapped[str | None] = mapped_column(Text)
    """Why the allocator passes it over: what it asks for cannot be read."""


class Cell(Base):
    """A point of the matrix: target, workload, load level."""

    __tablename__ = "cells"
    __table_args__ = (
        UniqueConstraint("campaign_id", "target_index", "workload_index", "load_index"),
        CheckConstraint("load_kind IN ('closed', 'open')", name="load_kind"),
        Index(
            "ix_cells_project_id_system_id_last_finished_at",
            "project_id",
            "system_id",
            "last_finished_at",
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    campaign_id: Mapped[UUID] = reference("campaigns")
    target_index: Mapped[int]
    """Position in the campaign's document; so for the two below."""
    workload_index: Mapped[int]
    load_index: Mapped[int]
    target: Mapped[str] = mapped_column(Text)
    system_id: Mapped[str] = mapped_column(Text)
    workload: Mapped[str] = mapped_column(Text)
    load_kind: Mapped[str] = mapped_column(Text)
    load_value: Mapped[float]
    load_label: Mapped[str] = mapped_column(Text)
    manifest_digest: Mapped[str | None] = mapped_column(Text)
    """Of the system's manifest that the campaign was planned with."""
    beside: Mapped[bool] = mapped_column(default=False)
    """The base, measured again: in no comparison or series, and nobody's base."""
    version: Mapped[str | None] = mapped_column(Text)
    """What its latest run that counts said it was; written when settled."""
    last_finished_at: Mapped[datetime.datetime | None]
    """When a run of it ended last."""


class Run(Base):
    """One measured repetition of a cell."""

    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("cell_id", "repetition", "twin"),
        CheckConstraint("twin IN (0, 1, 2)", name="twin"),
        UniqueConstraint("campaign_id", "position"),
        CheckConstraint(_one_of("status", RunStatus), name="status"),
        Index(
            "ix_runs_open",
            "status",
            "changed_at",
            postgresql_where=text("status IN ('queued', 'allocated', 'running', 'settling')"),
        ),
        Index("ix_runs_project_id_id", "project_id", "id"),
        Index("ix_runs_leader_id", "leader_id", postgresql_where=text("leader_id IS NOT NULL")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    campaign_id: Mapped[UUID] = reference("campaigns")
    leader_id: Mapped[UUID | None] = reference("runs")
    """The first run of its chain, whose attempt measures it too; none: it is given to agents."""
    cell_id: Mapped[UUID] = reference("cells")
    repetition: Mapped[int]
    """From 1."""
    twin: Mapped[int] = mapped_column(default=0)
    """Which of the two runs of its cell in a block of an A/A campaign; 2: it measures again a cell
    that seemed worse; else 0."""
    position: Mapped[int]
    """Place in the campaign's order, from 0."""
    block: Mapped[int]
    """Number, from 0, of the runs that are measured on the same machines: all targets at one
    repetition of a workload and load level."""
    seed: Mapped[int] = mapped_column(BigInteger)
    """Of the operations; the same for all targets at one workload, level and repetition."""
    estimated_seconds: Mapped[float]
    status: Mapped[str] = mapped_column(Text, default=RunStatus.QUEUED)
    phase: Mapped[str | None] = mapped_column(Text)
    failure: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """A `weighhouse_protocol.report.Failure`."""
    attempts_count: Mapped[int] = mapped_column(default=0)
    """Number, and fence, of the latest attempt."""
    infrastructure_failures: Mapped[int] = mapped_column(default=0)
    result_attempt_id: Mapped[UUID | None]
    """The attempt whose measurement is the run's result; no key, as attempts point here."""
    throughput: Mapped[float | None]
    """Of the measured phase, all operations, per second; written when settled."""
    p99_us: Mapped[float | None]
    created_at: Mapped[datetime.datetime]
    changed_at: Mapped[datetime.datetime]
    started_at: Mapped[datetime.datetime | None]
    finished_at: Mapped[datetime.datetime | None]


class Attempt(Base):
    """One try at a run, by a gang of agents: unit of fence, limit and outcome."""

    __tablename__ = "attempts"
    __table_args__ = (
        UniqueConstraint("run_id", "number"),
        CheckConstraint(_one_of("status", AttemptStatus), name="status"),
        Index(
            "ix_attempts_live",
            "run_id",
            postgresql_where=text(_one_of("status", LIVE_ATTEMPTS)),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    run_id: Mapped[UUID] = reference("runs")
    number: Mapped[int]
    """Counts the run's attempts from 1; the fence."""
    status: Mapped[str] = mapped_column(Text, default=AttemptStatus.PREPARING)
    members_count: Mapped[int] = mapped_column(default=1)
    """Agents it needs; an attempt has all its members from the beginning."""
    limit_seconds: Mapped[float]
    failure: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    offered_at: Mapped[datetime.datetime]
    started_at: Mapped[datetime.datetime | None]
    """When the first member began."""
    start_at: Mapped[datetime.datetime | None]
    """When the gang's first phase begins, by the server's clock; none for an agent alone."""
    releases: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Barrier → `{at_us, begins_at_us}` of its release, by the server's clock."""
    measured_at: Mapped[datetime.datetime | None]
    """When the gang's last phase was over on all drivers."""
    finished_at: Mapped[datetime.datetime | None]
    set_aside: Mapped[str | None] = mapped_column(Text)
    """Why a result that was complete is out of the figures: its block was measured again."""


class AttemptMember(Base):
    """One agent's part in an attempt."""

    __tablename__ = "attempt_members"
    __table_args__ = (
        UniqueConstraint("agent_id", "claim_id"),
        CheckConstraint(_one_of("status", MemberStatus), name="status"),
        CheckConstraint(_one_of("cancel", CancelMode), name="cancel"),
        Index(
            "uq_attempt_members_agent_id_slot_live",
            "agent_id",
            "slot",
            unique=True,
            postgresql_where=text(_one_of("status", LIVE_MEMBERS)),
        ),
        Index("ix_attempt_members_token_hash", "token_hash"),
        Index("ix_attempt_members_offered_at", "offered_at"),
        Index("ix_attempt_members_project_id_offered_at", "project_id", "offered_at"),
    )

    attempt_id: Mapped[UUID] = reference("attempts", primary_key=True)
    index: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """From 0."""
    project_id: Mapped[UUID] = reference("projects")
    agent_id: Mapped[UUID] = mapped_column(ForeignKey("agents.id"))
    agent_name: Mapped[str] = mapped_column(Text)
    slot: Mapped[str] = mapped_column(Text, default=WHOLE_MACHINE)
    roles: Mapped[list[Any]] = mapped_column(JSONB)
    """`server`, `driver`, or both."""
    nodes: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """Numbers of the system's nodes on its machine, from 1."""
    share: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """A `weighhouse_protocol.load.Share`; none: it makes no load."""
    address: Mapped[str] = mapped_column(Text, default="127.0.0.1")
    """Where its peers reach it, as its policy said when the attempt was made."""
    machine_id: Mapped[str | None] = mapped_column(Text)
    """Which machine, and of what kind, when the attempt was made."""
    fingerprint: Mapped[str | None] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text, default=MemberStatus.OFFERED)
    claim_id: Mapped[UUID | None]
    token_hash: Mapped[str | None] = mapped_column(Text)
    cancel: Mapped[str] = mapped_column(Text, default=CancelMode.NONE)
    phase: Mapped[str | None] = mapped_column(Text)
    progress: Mapped[float] = mapped_column(default=0.0)
    failure: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    events_stored: Mapped[int] = mapped_column(default=0)
    """High-water mark: every event with a lower sequence is stored. Moved by
    `IntakeService.advance`, in the transaction that stores them."""
    log_offsets: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Stream → bytes stored; moved by `IntakeService.advance_log`."""
    arrivals: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Barrier → `{at_us, payload}` of this member's arrival, by the server's clock."""
    clock_offset_us: Mapped[int | None] = mapped_column(BigInteger)
    """The server's clock less the agent's, by its latest word."""
    clock_error_us: Mapped[int | None] = mapped_column(BigInteger)
    """The offset is right within this."""
    offered_at: Mapped[datetime.datetime]
    claimed_at: Mapped[datetime.datetime | None]
    started_at: Mapped[datetime.datetime | None]
    finished_at: Mapped[datetime.datetime | None]
    heartbeat_at: Mapped[datetime.datetime | None]
    """Last sign of life, claim and start included."""


class CampaignEvent(Base):
    """Outbox of what people watch; server-sent events are read from here."""

    __tablename__ = "campaign_events"
    __table_args__ = (Index("ix_campaign_events_campaign_id_id", "campaign_id", "id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    campaign_id: Mapped[UUID] = reference("campaigns")
    kind: Mapped[str] = mapped_column(Text)
    """`campaign`, `run` or `progress`."""
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)
    created_at: Mapped[datetime.datetime]


class CampaignLook(Base):
    """A look at a campaign whose planned runs had ended, and what was decided; or repeats that
    somebody asked for. Never changed.
    """

    __tablename__ = "campaign_looks"
    __table_args__ = (CheckConstraint(_one_of("decision", LookDecision), name="decision"),)

    campaign_id: Mapped[UUID] = reference("campaigns", primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """From 1."""
    project_id: Mapped[UUID] = reference("projects")
    decision: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    """In a sentence."""
    asked_by: Mapped[str | None] = mapped_column(Text)
    """Name of the person or token that asked for repeats."""
    cells: Mapped[list[Any]] = mapped_column(JSONB)
    """A `campaigns.courses.CellState` each; of repeats asked for, the cells that get them."""
    steps: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """Where loads are chosen: a `campaigns.courses.SearchStep` each; else none."""
    runs_planned: Mapped[int]
    looked_at: Mapped[datetime.datetime]
