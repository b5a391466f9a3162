"""Tables: provisions, provisioner_offers."""

import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id

State = Literal["wanted", "making", "made", "ending", "ended", "failed"]
"""`failed`: what was made of it is gone, and its campaign has no machines."""
LIVE = ("wanted", "making", "made", "ending")
"""Of which something may be there."""


class Provision(Base):
    """The machines of a campaign."""

    __tablename__ = "provisions"
    __table_args__ = (
        CheckConstraint(
            "state IN ('wanted', 'making', 'made', 'ending', 'ended', 'failed')", name="state"
        ),
        Index(
            "ix_provisions_live",
            "state",
            postgresql_where=text("state NOT IN ('ended', 'failed')"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects", index=True)
    campaign_id: Mapped[UUID | None] = reference("campaigns", ondelete="SET NULL", index=True)
    """Null once that was deleted: what was made for it is ended."""
    state: Mapped[str] = mapped_column(Text, default="wanted")
    machine: Mapped[str] = mapped_column(Text)
    """The kind, as the provisioner names it."""
    machines: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """Labels of each."""
    hourly: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    """An `HourlyPrice` of one machine when it was asked for."""
    requested_by: Mapped[str | None] = mapped_column(Text)
    wanted_at: Mapped[datetime.datetime]
    ends_at: Mapped[datetime.datetime]
    """When it is ended, whatever is under way."""
    begun_at: Mapped[datetime.datetime | None]
    """Of the last try to make it."""
    made_at: Mapped[datetime.datetime | None]
    ended_at: Mapped[datetime.datetime | None]
    problem: Mapped[str | None] = mapped_column(Text)
    """What the provisioner said when it could not, in its words."""


class ProvisionerOffer(Base):
    """What this installation's provisioner says that it makes; one row, or none."""

    __tablename__ = "provisioner_offers"

    id: Mapped[int] = mapped_column(primary_key=True, default=1)
    kinds: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """Each a `MachineKind`."""
    problem: Mapped[str | None] = mapped_column(Text)
    told_at: Mapped[datetime.datetime]
