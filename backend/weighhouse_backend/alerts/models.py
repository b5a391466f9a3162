"""Table: change_points."""

import datetime
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.ids import new_id


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
        CheckConstraint("kind IN ('step', 'drift')", name="kind"),
        Index("ix_change_points_downstream_of_id", "downstream_of_id"),
        Index("ix_change_points_project_id_id", "project_id", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    series_id: Mapped[UUID] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    campaign_id: Mapped[UUID] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"))
    """Of a step, the first campaign of the new level; of a drift, the last before it."""
    kind: Mapped[str] = mapped_column(Text, default="step")
    ended_by_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="SET NULL")
    )
    """Of a drift that is over: the first campaign of the lasting level."""
    downstream_of_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("change_points.id", ondelete="SET NULL")
    )
    """The change that explains this one; none: it stands for itself, an alert once confirmed."""
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
    state: Mapped[str] = mapped_column(Text, default="untriaged")
    found_at: Mapped[datetime.datetime]
