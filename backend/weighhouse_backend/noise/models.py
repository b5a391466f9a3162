"""Table: noise_measurements."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference


class NoiseMeasurement(Base):
    """The pairs of twins of one cell and figure that one A/A campaign measured."""

    __tablename__ = "noise_measurements"
    __table_args__ = (
        Index(
            "ix_noise_measurements_key",
            "project_id",
            "place",
            "cell_identity",
            "side_family",
            "metric",
            "measured_at",
        ),
    )

    campaign_id: Mapped[UUID] = reference("campaigns", primary_key=True)
    cell_id: Mapped[UUID] = reference("cells", primary_key=True)
    place: Mapped[str] = mapped_column(Text, primary_key=True)
    """Digest of the machines; pairs of a cell that moved are kept apart."""
    metric: Mapped[str] = mapped_column(Text, primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    cell_identity: Mapped[str] = mapped_column(Text)
    """Digest of what was measured."""
    side_family: Mapped[str] = mapped_column(Text)
    """Digest of the side, without its version and settings."""
    system_id: Mapped[str] = mapped_column(Text)
    target: Mapped[str] = mapped_column(Text)
    workload: Mapped[str] = mapped_column(Text)
    load_label: Mapped[str] = mapped_column(Text)
    agents: Mapped[list[Any]] = mapped_column(JSONB)
    """Ids of the agents that measured it, as text."""
    pairs: Mapped[list[Any]] = mapped_column(JSONB)
    """`[first twin, second twin]` each, in the metric's unit, above 0."""
    measured_at: Mapped[datetime.datetime]
