"""All queries of retention."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.kit.db import insert_new
from weighhouse_backend.retention.models import KeptCampaign, RetentionRules
from weighhouse_backend.runs.models import (
    Attempt,
    Campaign,
    CampaignEvent,
    Run,
)
from weighhouse_backend.runs.states import FINISHED_CAMPAIGNS
from weighhouse_backend.runs.tombstones import DeletedCampaign


@dataclass(frozen=True)
class RetentionRepository:
    """Reads and writes rules, and what is kept or deleted."""

    session: Session

    def rules(self, project_id: UUID) -> RetentionRules | None:
        """What a project keeps how long."""
        return self.session.get(RetentionRules, project_id)

    def lock_rules(self, project_id: UUID) -> RetentionRules:
        """The same to be changed; made when there are none."""
        insert_new(self.session, RetentionRules, [{"project_id": project_id, "version": 0}])
        return self.session.get_one(
            RetentionRules, project_id, with_for_update=True, populate_existing=True
        )

    def projects(self) -> Sequence[UUID]:
        """Projects that have rules."""
        return self.session.scalars(
            select(RetentionRules.project_id).order_by(RetentionRules.project_id)
        ).all()

    def ended_before(
        self, project_id: UUID, before: datetime.datetime, without: Collection[UUID]
    ) -> Select[UUID]:
        """Campaigns of a project that ended before an instant.

        :param without: those are left out.
        """
        return select(Campaign.id).where(
            Campaign.project_id == project_id,
            Campaign.status.in_(FINISHED_CAMPAIGNS),
            func.coalesce(Campaign.finished_at, Campaign.changed_at) < before,
            Campaign.id.not_in(list(without)),
        )

    def numbers(self, campaigns: Select[UUID]) -> dict[UUID, int]:
        """Campaigns with their numbers, the newest first."""
        rows = self.session.execute(
            select(Campaign.id, Campaign.number)
            .where(Campaign.id.in_(campaigns))
            .order_by(Campaign.number.desc())
        )
        return {row.id: row.number for row in rows}

    def kept(self, project_id: UUID) -> dict[UUID, KeptCampaign]:
        """Campaigns of a project that somebody wants kept."""
        rows = self.session.scalars(
            select(KeptCampaign).where(KeptCampaign.project_id == project_id)
        )
        return {row.campaign_id: row for row in rows}

    def keeper(self, campaign_id: UUID) -> KeptCampaign | None:
        """Who wants a campaign kept."""
        return self.session.get(KeptCampaign, campaign_id, populate_existing=True)

    def keep(self, campaign: Campaign, because: str, who: str, now: datetime.datetime) -> None:
        """Keep a campaign, in the place of what was said before."""
        told = {"because": because, "kept_by": who, "kept_at": now}
        row = {"campaign_id": campaign.id, "project_id": campaign.project_id, **told}
        kept = insert(KeptCampaign).values(row)
        self.session.execute(
            kept.on_conflict_do_update(index_elements=[KeptCampaign.campaign_id], set_=told)
        )

    def deletion(self, campaign_id: UUID) -> DeletedCampaign | None:
        """What was asked for."""
        return self.session.get(DeletedCampaign, campaign_id, populate_existing=True)

    def open_deletions(self) -> Sequence[UUID]:
        """Campaigns that are still to be deleted."""
        return self.session.scalars(
            select(DeletedCampaign.campaign_id).where(
                DeletedCampaign.deleted_at.is_(None), DeletedCampaign.refused_because.is_(None)
            )
        ).all()

    def count_events(self, campaigns: Select[UUID]) -> int:
        """Events of campaigns."""
        counted = select(func.count()).where(CampaignEvent.campaign_id.in_(campaigns))
        return self.session.scalar(counted) or 0

    def remove_events(self, campaigns: Select[UUID], limit: int) -> int:
        """Remove events of campaigns; how many."""
        some = select(CampaignEvent.id).where(CampaignEvent.campaign_id.in_(campaigns)).limit(limit)
        gone = delete(CampaignEvent).where(CampaignEvent.id.in_(some)).returning(CampaignEvent.id)
        return len(self.session.scalars(gone).all())

    def attempts(self, campaign_id: UUID) -> Sequence[UUID]:
        """All attempts of a campaign's runs."""
        return self.session.scalars(
            select(Attempt.id)
            .join(Run, Run.id == Attempt.run_id)
            .where(Run.campaign_id == campaign_id)
        ).all()
