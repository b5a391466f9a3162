"""All queries of rejudgements."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, func, insert, literal, select
from sqlalchemy.orm import Session

from weighhouse_backend.gates.models import Outcome, RejudgedCampaign, Rejudgement
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import CampaignStatus


@dataclass(frozen=True)
class RejudgementRepository:
    """Reads and writes rejudgements and their campaigns."""

    session: Session

    def add(self, rejudgement: Rejudgement, campaigns: Select[UUID]) -> int:
        """Write a rejudgement of the campaigns that a query selects; how many there are."""
        self.session.add(rejudgement)
        self.session.flush()
        chosen = campaigns.subquery()
        made = self.session.execute(
            insert(RejudgedCampaign).from_select(
                ["rejudgement_id", "campaign_id", "project_id", "tries", "findings_new",
                 "findings_gone"],
                select(
                    literal(rejudgement.id), chosen.c.id, literal(rejudgement.project_id),
                    literal(0), literal(0), literal(0),
                ),
            ).returning(RejudgedCampaign.campaign_id)
        )  # fmt: skip
        return len(made.all())

    def named(self, campaign_ids: Collection[UUID]) -> Select[UUID]:
        """Campaigns by id."""
        return select(Campaign.id).where(Campaign.id.in_(list(campaign_ids)))

    def judged(self, project_id: UUID, experiment_id: UUID | None = None) -> Select[UUID]:
        """The campaigns of a project that have ended by themselves, or those of one experiment."""
        query = select(Campaign.id).where(
            Campaign.project_id == project_id,
            Campaign.status.in_([CampaignStatus.COMPLETED, CampaignStatus.FAILED]),
        )
        return (
            query if experiment_id is None else query.where(Campaign.experiment_id == experiment_id)
        )

    def get(self, rejudgement_id: UUID) -> Rejudgement | None:
        """A rejudgement."""
        return self.session.get(Rejudgement, rejudgement_id)

    def take(self, rejudgement_id: UUID) -> Rejudgement | None:
        """A rejudgement, locked for this transaction; None: it is done, or another worker's."""
        return self.session.scalar(
            select(Rejudgement)
            .where(Rejudgement.id == rejudgement_id, Rejudgement.finished_at.is_(None))
            .with_for_update(key_share=True, skip_locked=True)
            .execution_options(populate_existing=True)
        )

    def open_before(self, before: datetime.datetime) -> Sequence[UUID]:
        """Rejudgements that were asked for earlier than an instant, and have not ended."""
        return self.session.scalars(
            select(Rejudgement.id).where(
                Rejudgement.finished_at.is_(None), Rejudgement.created_at < before
            )
        ).all()

    def next_open(self, rejudgement_id: UUID) -> RejudgedCampaign | None:
        """The oldest campaign whose turn has not come."""
        return self.session.scalar(
            select(RejudgedCampaign)
            .where(
                RejudgedCampaign.rejudgement_id == rejudgement_id,
                RejudgedCampaign.outcome.is_(None),
            )
            .order_by(RejudgedCampaign.campaign_id)
            .limit(1)
        )

    def campaign(self, rejudgement_id: UUID, campaign_id: UUID) -> RejudgedCampaign | None:
        """One campaign of a rejudgement."""
        return self.session.get(RejudgedCampaign, (rejudgement_id, campaign_id))

    def campaigns(self, rejudgement_id: UUID, outcome: Outcome | None) -> Select[RejudgedCampaign]:
        """The campaigns of a rejudgement, or those with one outcome."""
        query = select(RejudgedCampaign).where(RejudgedCampaign.rejudgement_id == rejudgement_id)
        return query if outcome is None else query.where(RejudgedCampaign.outcome == outcome)

    def campaigns_by_id(self, campaign_ids: Collection[UUID]) -> dict[UUID, Campaign]:
        """Campaigns themselves, by id."""
        found = self.session.scalars(select(Campaign).where(Campaign.id.in_(list(campaign_ids))))
        return {campaign.id: campaign for campaign in found}

    def counts(self, rejudgement_id: UUID) -> dict[str | None, int]:
        """How many campaigns of a rejudgement have which outcome; None: they wait."""
        rows = self.session.execute(
            select(RejudgedCampaign.outcome, func.count())
            .where(RejudgedCampaign.rejudgement_id == rejudgement_id)
            .group_by(RejudgedCampaign.outcome)
        )
        return {outcome: int(count) for outcome, count in rows}

    def changed_count(self, rejudgement_id: UUID) -> int:
        """How many campaigns got another verdict than they had."""
        return (
            self.session.scalar(
                select(func.count()).where(
                    RejudgedCampaign.rejudgement_id == rejudgement_id,
                    RejudgedCampaign.outcome == Outcome.JUDGED,
                    RejudgedCampaign.verdict_before.is_distinct_from(RejudgedCampaign.verdict_now),
                )
            )
            or 0
        )
