"""Table: findings."""

from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference


class Finding(Base):
    """What a check has to say of a run."""

    __tablename__ = "findings"
    __table_args__ = (
        CheckConstraint("severity IN ('info', 'caution', 'error')", name="severity"),
        Index("ix_findings_campaign_id", "campaign_id"),
    )

    run_id: Mapped[UUID] = reference("runs", primary_key=True)
    check_id: Mapped[str] = mapped_column(Text, primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    campaign_id: Mapped[UUID] = reference("campaigns")
    severity: Mapped[str] = mapped_column(Text)
    body: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """`schemas.FindingRead`."""
