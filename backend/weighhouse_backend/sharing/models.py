"""Tables: shares, share_documents."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id

KINDS = ("campaign", "comparison", "series", "report")
VISIBILITIES = ("organization", "link", "public")


class Share(Base):
    """Lets people without a role in its project see one thing of it; the link is not kept."""

    __tablename__ = "shares"
    __table_args__ = (
        CheckConstraint(f"kind IN ({', '.join(map(repr, KINDS))})", name="kind"),
        CheckConstraint(f"visibility IN ({', '.join(map(repr, VISIBILITIES))})", name="visibility"),
        CheckConstraint(
            "(kind = 'series') = (series_id IS NOT NULL)"
            " AND (kind = 'campaign') = (campaign_id IS NOT NULL)"
            " AND (kind = 'comparison') = (question IS NOT NULL)"
            " AND (kind = 'report') = (report_id IS NOT NULL)",
            name="subject",
        ),
        CheckConstraint("visibility = 'public' OR expires_at IS NOT NULL", name="ends"),
        Index("ix_shares_project_id", "project_id"),
        Index("ix_shares_campaign_id", "campaign_id"),
        Index("ix_shares_series_id", "series_id"),
        Index("ix_shares_report_id", "report_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    kind: Mapped[str] = mapped_column(Text)
    campaign_id: Mapped[UUID | None] = reference("campaigns")
    series_id: Mapped[UUID | None] = reference("series")
    report_id: Mapped[UUID | None] = reference("reports")
    question: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """Of a comparison, as its address asks it: `side`, `campaign`, `base`, `baseline`, `cell`,
    `published`."""
    visibility: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    made_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    expires_at: Mapped[datetime.datetime | None]
    """None: until it is taken back."""
    revoked_at: Mapped[datetime.datetime | None]
    revoked_by: Mapped[str | None] = mapped_column(Text)
    stood_at: Mapped[datetime.datetime | None]
    """It shows what stood then; None: what stands now."""
    password_hash: Mapped[str | None] = mapped_column(Text)
    guesses: Mapped[int] = mapped_column(default=0)
    """Wrong passwords since `guesses_since`."""
    guesses_since: Mapped[datetime.datetime | None]
    seen_count: Mapped[int] = mapped_column(default=0)
    """How often its page or its embed was opened."""
    last_seen_at: Mapped[datetime.datetime | None]


class ShareDocument(Base):
    """A document of something shared, as it stood; nobody changes it."""

    __tablename__ = "share_documents"
    __table_args__ = (Index("ix_share_documents_project_id", "project_id"),)

    share_id: Mapped[UUID] = reference("shares", primary_key=True)
    name: Mapped[str] = mapped_column(Text, primary_key=True)
    """`comparison`, `answer`, `answer p99_us`, `scaling`, `scaling law`, `series`, `verdict`."""
    project_id: Mapped[UUID] = reference("projects")
    content: Mapped[bytes]
    """JSON, compressed (zlib)."""
