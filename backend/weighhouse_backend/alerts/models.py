"""Tables: alerts, alert_events, alert_rules, change_points."""

import datetime
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.alerts.states import AlertKind, AlertState, EventKind
from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id


def _one_of(column: str, values: Iterable[str]) -> str:
    return f"{column} IN ({', '.join(repr(str(value)) for value in values)})"


class Alert(Base):
    """Something that somebody should look at, once for each cause: a shift of series, a run that
    did not take place, an agent nobody hears of. What people say of it stands here, whatever later
    looks at the series find.
    """

    __tablename__ = "alerts"
    __table_args__ = (
        CheckConstraint(_one_of("kind", AlertKind), name="kind"),
        CheckConstraint(_one_of("state", AlertState), name="state"),
        CheckConstraint("(kind = 'silent_agent') = (agent_id IS NOT NULL)", name="agent"),
        CheckConstraint("(kind = 'silent_agent') = (experiment_id IS NULL)", name="experiment"),
        Index("ix_alerts_project_id_state_id", "project_id", "state", "id"),
        Index("ix_alerts_experiment_id", "experiment_id"),
        # What goes on is told once: the next one joins it until it is over.
        Index(
            "uq_alerts_kind_experiment_id_going_on",
            "kind",
            "experiment_id",
            unique=True,
            postgresql_where=text("ended_at IS NULL AND kind IN ('missed_run', 'no_result')"),
        ),
        Index(
            "uq_alerts_agent_id_going_on",
            "agent_id",
            unique=True,
            postgresql_where=text("ended_at IS NULL AND agent_id IS NOT NULL"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    kind: Mapped[str] = mapped_column(Text)
    experiment_id: Mapped[UUID | None] = reference("experiments")
    agent_id: Mapped[UUID | None] = reference("agents")
    details: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Of what did not take place, `schemas.MissedRead`; of a change nothing: its change points say
    it."""
    state: Mapped[str] = mapped_column(Text, default=AlertState.UNTRIAGED)
    downstream_of_id: Mapped[UUID | None] = reference("alerts", ondelete="SET NULL")
    """Of state `downstream`: the alert that explains this one."""
    assignee_id: Mapped[UUID | None] = reference("users", ondelete="SET NULL")
    due_on: Mapped[datetime.date | None]
    note: Mapped[str] = mapped_column(Text, default="")
    link: Mapped[str | None] = mapped_column(Text)
    """Of a commit or a ticket."""
    version: Mapped[int] = mapped_column(default=1)
    """Counts what was said of it, so that two people do not write over each other."""
    raised_at: Mapped[datetime.datetime]
    state_at: Mapped[datetime.datetime]
    """When it came into its state."""
    ended_at: Mapped[datetime.datetime | None]
    """Of what goes on until it is over: when it was over."""


class AlertEvent(Base):
    """What became of an alert: one line of its history."""

    __tablename__ = "alert_events"
    __table_args__ = (
        CheckConstraint(_one_of("kind", EventKind), name="kind"),
        Index("ix_alert_events_alert_id_id", "alert_id", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    alert_id: Mapped[UUID] = reference("alerts")
    kind: Mapped[str] = mapped_column(Text)
    actor: Mapped[str | None] = mapped_column(Text)
    """Name of the person or token; none: the platform."""
    changes: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Field → `[before, after]`, in words that outlive what they name."""
    reason: Mapped[str] = mapped_column(Text, default="")
    at: Mapped[datetime.datetime]


class AlertRule(Base):
    """Which changes become alerts of a project, from the day it was saved. None: every one."""

    __tablename__ = "alert_rules"
    __table_args__ = (
        CheckConstraint("profile IN ('watch', 'strict')", name="profile"),
        CheckConstraint("direction IN ('any', 'worse')", name="direction"),
    )

    project_id: Mapped[UUID] = reference("projects", primary_key=True)
    profile: Mapped[str] = mapped_column(Text)
    smallest_shift: Mapped[float]
    """Relative; 0.05 = 5 %."""
    direction: Mapped[str] = mapped_column(Text)
    metrics: Mapped[list[Any] | None] = mapped_column(JSONB(none_as_null=True))
    """None: all."""
    systems: Mapped[list[Any] | None] = mapped_column(JSONB(none_as_null=True))
    """None: all."""
    quiet_states: Mapped[list[Any]] = mapped_column(JSONB)
    """States that stay as they are, whatever contradicts."""
    version: Mapped[int] = mapped_column(default=1)
    updated_by: Mapped[str] = mapped_column(Text)
    updated_at: Mapped[datetime.datetime]


class ChangePoint(Base):
    """Where a series stepped or began to drift: a candidate, or confirmed. It goes where its point
    goes.
    """

    __tablename__ = "change_points"
    __table_args__ = (
        # Deferred: two that move by a campaign may pass over each other's place.
        UniqueConstraint("series_id", "campaign_id", "kind", deferrable=True, initially="DEFERRED"),
        ForeignKeyConstraint(
            ["series_id", "campaign_id"],
            ["series_points.series_id", "series_points.campaign_id"],
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        CheckConstraint("status IN ('candidate', 'confirmed')", name="status"),
        CheckConstraint("kind IN ('step', 'drift', 'spread', 'moved')", name="kind"),
        Index("ix_change_points_downstream_of_id", "downstream_of_id"),
        Index("ix_change_points_alert_id", "alert_id"),
        Index("ix_change_points_project_id_id", "project_id", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    series_id: Mapped[UUID] = reference("series")
    campaign_id: Mapped[UUID] = reference("campaigns")
    """The first campaign of what is new; of a drift, the last before it."""
    kind: Mapped[str] = mapped_column(Text, default="step")
    ended_by_id: Mapped[UUID | None] = reference("campaigns", ondelete="SET NULL")
    """Of a drift that is over: the first campaign of the lasting level."""
    downstream_of_id: Mapped[UUID | None] = reference("change_points", ondelete="SET NULL")
    """The change that explains this one; none: it leads."""
    alert_id: Mapped[UUID | None] = reference("alerts", ondelete="SET NULL")
    """The alert that tells of it; none: it is a candidate, or the project's rule keeps it quiet."""
    at: Mapped[datetime.datetime]
    before: Mapped[float]
    after: Mapped[float]
    relative: Mapped[float]
    p_value: Mapped[float]
    profile: Mapped[str | None] = mapped_column(Text)
    """The strictest profile that confirms it."""
    autocorrelation: Mapped[float]
    effective_points: Mapped[float | None]
    """How many independent points its segment was worth; not known of what was found before."""
    status: Mapped[str] = mapped_column(Text)
    found_at: Mapped[datetime.datetime]
    confirmed_at: Mapped[datetime.datetime | None]
    """None: it is a candidate."""
