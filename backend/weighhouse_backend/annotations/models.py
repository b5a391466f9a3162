"""Table: annotations."""

import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id


class Annotation(Base):
    """What somebody wrote beside a run, a series or one of its points. It goes where that goes."""

    __tablename__ = "annotations"
    __table_args__ = (
        CheckConstraint(
            "CASE subject_kind"
            " WHEN 'run' THEN run_id IS NOT NULL AND series_id IS NULL AND campaign_id IS NULL"
            " WHEN 'series' THEN series_id IS NOT NULL AND run_id IS NULL AND campaign_id IS NULL"
            " WHEN 'point' THEN series_id IS NOT NULL AND campaign_id IS NOT NULL"
            " AND run_id IS NULL ELSE false END",
            name="subject",
        ),
        CheckConstraint("(removed_at IS NULL) = (removed_by IS NULL)", name="removed"),
        ForeignKeyConstraint(
            ["series_id", "campaign_id"],
            ["series_points.series_id", "series_points.campaign_id"],
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        Index("ix_annotations_series_id_campaign_id", "series_id", "campaign_id"),
        Index("ix_annotations_run_id", "run_id"),
        Index("ix_annotations_project_id_id", "project_id", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    subject_kind: Mapped[str] = mapped_column(Text)
    run_id: Mapped[UUID | None] = reference("runs")
    series_id: Mapped[UUID | None] = reference("series")
    campaign_id: Mapped[UUID | None] = reference("campaigns")
    """Of a point: its campaign."""
    at: Mapped[datetime.datetime | None]
    """Where on the axis of time it stands; none: it is of the whole, or of its point."""
    text: Mapped[str] = mapped_column(Text)
    author_id: Mapped[UUID | None] = reference("users", ondelete="SET NULL")
    """None: a token wrote it, or the person is gone."""
    author: Mapped[str] = mapped_column(Text)
    """Name of the person or token."""
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime.datetime]
    edited_at: Mapped[datetime.datetime | None]
    removed_at: Mapped[datetime.datetime | None]
    removed_by: Mapped[str | None] = mapped_column(Text)
