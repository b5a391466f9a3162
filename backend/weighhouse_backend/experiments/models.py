"""Tables: experiments, experiment_revisions, schedules."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.ids import new_id


class Experiment(Base):
    """A definition that goes on under one slug; its content stands in its revisions."""

    __tablename__ = "experiments"
    __table_args__ = (
        UniqueConstraint("project_id", "slug"),
        Index("ix_experiments_project_id_updated_at_id", "project_id", "updated_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
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
    last_campaign_status: Mapped[str | None] = mapped_column(Text)
    last_campaign_verdict: Mapped[str | None] = mapped_column(Text)
    last_campaign_finished_at: Mapped[datetime.datetime | None]


class ExperimentRevision(Base):
    """A saved state of an experiment; never changed."""

    __tablename__ = "experiment_revisions"
    __table_args__ = (UniqueConstraint("experiment_id", "number"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    experiment_id: Mapped[UUID] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"))
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
    __table_args__ = (Index("ix_schedules_due", "next_at", postgresql_where=text("enabled")),)

    experiment_id: Mapped[UUID] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True
    )
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    cron: Mapped[str] = mapped_column(Text)
    time_zone: Mapped[str] = mapped_column(Text)
    """IANA name, for example `Europe/Vienna`."""
    enabled: Mapped[bool] = mapped_column(default=True)
    next_at: Mapped[datetime.datetime | None]
    created_by: Mapped[str] = mapped_column(Text)
    updated_at: Mapped[datetime.datetime]
