"""Tables: retention_rules, kept_campaigns."""

import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Text
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference


class RetentionRules(Base):
    """How many days after its campaign ended what a project measured is kept; none: for ever."""

    __tablename__ = "retention_rules"
    __table_args__ = (
        CheckConstraint("intervals_days >= 1", name="intervals_days"),
        CheckConstraint("logs_days >= 1", name="logs_days"),
        CheckConstraint("artifacts_days >= 1", name="artifacts_days"),
        CheckConstraint("events_days >= 1", name="events_days"),
    )

    project_id: Mapped[UUID] = reference("projects", primary_key=True)
    intervals_days: Mapped[int | None]
    logs_days: Mapped[int | None]
    artifacts_days: Mapped[int | None]
    events_days: Mapped[int | None]
    version: Mapped[int] = mapped_column(default=0)
    """Counts savings. 0: none yet."""
    updated_by: Mapped[str | None] = mapped_column(Text)
    updated_at: Mapped[datetime.datetime | None]


class KeptCampaign(Base):
    """Somebody wants a campaign kept whole, whatever the rules say."""

    __tablename__ = "kept_campaigns"

    campaign_id: Mapped[UUID] = reference("campaigns", primary_key=True)
    project_id: Mapped[UUID] = reference("projects", index=True)
    because: Mapped[str] = mapped_column(Text)
    kept_by: Mapped[str] = mapped_column(Text)
    kept_at: Mapped[datetime.datetime]
