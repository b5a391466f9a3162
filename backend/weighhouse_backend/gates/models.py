"""Table: campaign_verdicts."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base


class CampaignVerdict(Base):
    """What a campaign said against its base when it was settled."""

    __tablename__ = "campaign_verdicts"

    campaign_id: Mapped[UUID] = mapped_column(
        ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True
    )
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    base_campaign_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="SET NULL")
    )
    """The latest of its bases."""
    bases: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """Identifiers of all campaigns it was judged by, latest first."""
    anchor_campaign_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="SET NULL")
    )
    verdict: Mapped[str] = mapped_column(Text)
    threshold: Mapped[float]
    """Practical threshold for throughput, relative."""
    message: Mapped[str] = mapped_column(Text)
    settled_at: Mapped[datetime.datetime]
