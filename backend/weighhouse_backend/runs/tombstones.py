"""Campaigns that were deleted: what is left of them."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Text, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column
from weighhouse_protocol.text import numbered

from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.runs.errors import CampaignNotFound


class DeletedCampaign(Base):
    """A campaign that somebody wanted deleted: what is left of it, so that its number is never
    given again and its links say what became of it.
    """

    __tablename__ = "deleted_campaigns"

    campaign_id: Mapped[UUID] = mapped_column(primary_key=True)
    project_id: Mapped[UUID] = reference("projects", index=True)
    number: Mapped[int]
    experiment: Mapped[str] = mapped_column(Text)
    """What its experiment was called."""
    because: Mapped[str] = mapped_column(Text)
    deleted_by: Mapped[str] = mapped_column(Text)
    asked_at: Mapped[datetime.datetime]
    deleted_at: Mapped[datetime.datetime | None]
    """None: the worker has not come to it yet."""
    refused_because: Mapped[str | None] = mapped_column(Text)
    """Why it was not deleted after all: something came to stand on it meanwhile."""


@dataclass(frozen=True)
class Tombstones:
    """Queries of deleted campaigns."""

    session: Session

    def highest(self, project_id: UUID) -> int:
        """The highest number of a project that is not given again; 0 when there is none."""
        highest = self.session.scalar(
            select(func.max(DeletedCampaign.number)).where(DeletedCampaign.project_id == project_id)
        )
        return highest or 0

    def not_found(self, caller: Caller, campaign_id: UUID) -> CampaignNotFound:
        """Says of a deleted campaign of the caller's who wanted that; of others nothing."""
        row = self.session.get(DeletedCampaign, campaign_id)
        if row is None or row.deleted_at is None or row.project_id not in caller.project_ids:
            return CampaignNotFound()
        what = f"campaign {numbered(row.number)} of {row.experiment}"
        when = f"{row.deleted_at:%Y-%m-%d}"
        return CampaignNotFound(f"{what} was deleted on {when} by {row.deleted_by}: {row.because}")
