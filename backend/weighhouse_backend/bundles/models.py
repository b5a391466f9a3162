"""Table: reproductions."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference

OUTCOMES = ("reproduced", "did_not_reproduce", "cannot_tell")


class KeptReproduction(Base):
    """A bundle that measured a campaign again: what it came to. The bundle itself is not kept."""

    __tablename__ = "reproductions"
    __table_args__ = (
        CheckConstraint(f"outcome IN ({', '.join(map(repr, OUTCOMES))})", name="outcome"),
        Index("ix_reproductions_campaign_id", "campaign_id"),
    )

    project_id: Mapped[UUID] = reference("projects", primary_key=True)
    manifest_sha256: Mapped[str] = mapped_column(Text, primary_key=True)
    """By which the bundle is called."""
    campaign_id: Mapped[UUID] = reference("campaigns")
    """The one that was measured again."""
    reproduces_sha256: Mapped[str] = mapped_column(Text)
    """The bundle of it that whoever measured again had."""
    key_sha256: Mapped[str] = mapped_column(Text)
    """Of the key that signed it."""
    outcome: Mapped[str] = mapped_column(Text)
    body: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """`schemas.ReproducedRead`."""
    added_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
