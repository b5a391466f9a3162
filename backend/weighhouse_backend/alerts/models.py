"""Table: change_points."""

import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.ids import new_id


class ChangePoint(Base):
    """Where a series shifted: a candidate, or confirmed."""

    __tablename__ = "change_points"
    __table_args__ = (
        UniqueConstraint("series_id", "campaign_id"),
        CheckConstraint("status IN ('candidate', 'confirmed')", name="status"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    series_id: Mapped[UUID] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    campaign_id: Mapped[UUID] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"))
    """The first campaign of the new level."""
    at: Mapped[datetime.datetime]
    before: Mapped[float]
    after: Mapped[float]
    relative: Mapped[float]
    p_value: Mapped[float]
    profile: Mapped[str | None] = mapped_column(Text)
    """The strictest profile that confirms it."""
    autocorrelation: Mapped[float]
    status: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text, default="untriaged")
    found_at: Mapped[datetime.datetime]
