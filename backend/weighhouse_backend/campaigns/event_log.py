"""Queries of the outbox: what a stream reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.runs.models import CampaignEvent


@dataclass(frozen=True)
class EventLog:
    """Events of campaigns, in the order of their ids."""

    session: Session

    def after(self, campaign_id: UUID, event_id: int, limit: int) -> Sequence[CampaignEvent]:
        """Events of a campaign after one of them."""
        return self.session.scalars(
            select(CampaignEvent)
            .where(CampaignEvent.campaign_id == campaign_id, CampaignEvent.id > event_id)
            .order_by(CampaignEvent.id)
            .limit(limit)
        ).all()

    def latest_of_runs(self, campaign_id: UUID, until: int, limit: int) -> Sequence[CampaignEvent]:
        """The latest events of a campaign's runs up to one of them, the oldest first."""
        latest = self.session.scalars(
            select(CampaignEvent)
            .where(
                CampaignEvent.campaign_id == campaign_id,
                CampaignEvent.id <= until,
                CampaignEvent.kind == "run",
            )
            .order_by(CampaignEvent.id.desc())
            .limit(limit)
        ).all()
        return latest[::-1]

    def last_id(self, campaign_id: UUID) -> int:
        """The newest event of a campaign; 0 before the first."""
        return (
            self.session.scalar(
                select(func.max(CampaignEvent.id)).where(CampaignEvent.campaign_id == campaign_id)
            )
            or 0
        )
