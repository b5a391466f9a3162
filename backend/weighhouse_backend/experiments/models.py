"""Tables: experiments, experiment_revisions, schedules, schedule_occurrences."""

import datetime
from collections.abc import Iterable
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id


class Overlap(StrEnum):
    """What becomes of a date while the schedule's last campaign is still under way."""

    SKIP = "skip"
    """The date passes."""
    QUEUE = "queue"
    """It waits for the end; one date waits at most, the latest."""
    REPLACE = "replace"
    """The campaign under way is cancelled, in good order, and the new one started."""


class Missed(StrEnum):
    """What becomes of dates that passed while the platform was down."""

    RUN_LATE = "run_late"
    """The latest of them is started, once."""
    REPORT = "report"
    """They are recorded, and none is started."""


class Outcome(StrEnum):
    """What became of a date."""

    STARTED = "started"
    WAITING = "waiting"
    SKIPPED = "skipped"
    MISSED = "missed"
    REPLACED = "replaced"
    FAILED = "failed"


ARCHIVED = "the project was archived"
"""Why a date started nothing that passed meanwhile."""
STANDS_STILL = "the project is archived: the schedule stands still until it is brought back"


def _one_of(column: str, values: Iterable[str]) -> str:
    return f"{column} IN ({', '.join(repr(str(value)) for value in values)})"


class Experiment(Base):
    """A definition that goes on under one slug; its content stands in its revisions."""

    __tablename__ = "experiments"
    __table_args__ = (
        UniqueConstraint("project_id", "slug"),
        Index("ix_experiments_project_id_updated_at_id", "project_id", "updated_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    slug: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text, default="")
    owner_name: Mapped[str] = mapped_column(Text)
    current_revision: Mapped[int] = mapped_column(default=1)
    targets: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    """Of the current revision: `[{"name", "system_id"}]`, so that a list needs no documents."""
    created_at: Mapped[datetime.datetime]
    updated_at: Mapped[datetime.datetime]
    last_campaign_id: Mapped[UUID | None]
    """This and the three below are written by campaigns, through `ExperimentService`."""
    last_campaign_state: Mapped[str | None] = mapped_column("last_campaign_status", Text)
    last_campaign_verdict: Mapped[str | None] = mapped_column(Text)
    last_campaign_finished_at: Mapped[datetime.datetime | None]


class ExperimentRevision(Base):
    """A saved state of an experiment; never changed."""

    __tablename__ = "experiment_revisions"
    __table_args__ = (UniqueConstraint("experiment_id", "number"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    experiment_id: Mapped[UUID] = reference("experiments")
    number: Mapped[int]
    """From 1."""
    document: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """A `weighhouse_protocol.experiment.Experiment`, complete."""
    content_hash: Mapped[str] = mapped_column(Text)
    author_name: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]


class Schedule(Base):
    """When an experiment starts by itself."""

    __tablename__ = "schedules"
    __table_args__ = (
        CheckConstraint(_one_of("overlap", Overlap), name="overlap"),
        CheckConstraint(_one_of("missed", Missed), name="missed"),
        Index("ix_schedules_due", "next_at", postgresql_where=text("enabled")),
    )

    experiment_id: Mapped[UUID] = reference("experiments", primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    cron: Mapped[str] = mapped_column(Text)
    time_zone: Mapped[str] = mapped_column(Text)
    """IANA name, for example `Europe/Vienna`."""
    enabled: Mapped[bool] = mapped_column(default=True)
    overlap: Mapped[str] = mapped_column(Text, default=Overlap.SKIP)
    missed: Mapped[str] = mapped_column(Text, default=Missed.RUN_LATE)
    next_at: Mapped[datetime.datetime | None]
    """The first date of which nothing has become yet, while switched off too; None when the
    schedule was set aside."""
    problem: Mapped[str | None] = mapped_column(Text)
    """Why the latest date did not start, or why the schedule was set aside."""
    created_by: Mapped[str] = mapped_column(Text)
    updated_at: Mapped[datetime.datetime]


class ScheduleOccurrence(Base):
    """A date of a schedule, and what became of it; or a stretch of missed dates."""

    __tablename__ = "schedule_occurrences"
    __table_args__ = (
        CheckConstraint(_one_of("outcome", Outcome), name="outcome"),
        Index("ix_schedule_occurrences_experiment_id_id", "experiment_id", "id"),
        Index(
            "uq_schedule_occurrences_waiting",
            "experiment_id",
            unique=True,
            postgresql_where=text("outcome = 'waiting'"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    experiment_id: Mapped[UUID] = reference("experiments")
    """It outlives the schedule: what happened stays."""
    first_at: Mapped[datetime.datetime]
    """Of a stretch of dates; else the date itself."""
    scheduled_for: Mapped[datetime.datetime]
    """The date; of a stretch the last."""
    dates_count: Mapped[int] = mapped_column(default=1)
    """Of a stretch: at most 1,000, which means that many or more."""
    outcome: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text, default="")
    """Why it did not start, or what it took the place of; empty when all went as planned."""
    campaign_id: Mapped[UUID | None]
    """The campaign it started; no key, as campaigns stand on a higher floor."""
    campaign_number: Mapped[int | None]
    other_campaign_id: Mapped[UUID | None]
    """The campaign that was in the way, was replaced, or took its place."""
    other_campaign_number: Mapped[int | None]
    noted_at: Mapped[datetime.datetime]
    """Of the outcome."""
