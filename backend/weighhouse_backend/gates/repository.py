"""All queries of gates."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.models import Campaign, CampaignCommit
from weighhouse_backend.campaigns.states import BASE_VERDICTS, CampaignStatus
from weighhouse_backend.gates.models import CampaignVerdict


@dataclass(frozen=True)
class GateRepository:
    """Reads and writes verdicts."""

    session: Session

    def lock_settling(self, campaign_id: UUID) -> Campaign | None:
        """A campaign, read anew and locked: the first lock of settling it."""
        return self.session.scalar(
            select(Campaign)
            .where(Campaign.id == campaign_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        )

    def campaigns(self, campaign_ids: Collection[UUID]) -> Sequence[Campaign]:
        """Campaigns by id."""
        return self.session.scalars(
            select(Campaign).where(Campaign.id.in_(list(campaign_ids)))
        ).all()

    def usable_before(self, campaign: Campaign, most: int, branch: str | None) -> list[UUID]:
        """Earlier campaigns of the experiment that may be a base, latest first, down to the last
        whose changed level was accepted: what came before it was another level.

        :param branch: those of this branch alone; None: whatever their branch.
        """
        query = select(Campaign.id, Campaign.accepted_at).where(
            Campaign.experiment_id == campaign.experiment_id,
            Campaign.id < campaign.id,
            Campaign.status == CampaignStatus.COMPLETED,
            or_(Campaign.verdict.in_(list(BASE_VERDICTS)), Campaign.accepted_at.is_not(None)),
        )
        if branch is not None:
            query = query.join(CampaignCommit, CampaignCommit.campaign_id == Campaign.id).where(
                CampaignCommit.branch == branch
            )
        found = []
        for campaign_id, accepted_at in self.session.execute(
            query.order_by(Campaign.id.desc()).limit(most)
        ):
            found.append(campaign_id)
            if accepted_at is not None:
                break
        return found

    def of_release(self, experiment_id: UUID, name: str) -> Campaign | None:
        """The campaign that stands for a release."""
        return self.session.scalar(
            select(Campaign).where(
                Campaign.experiment_id == experiment_id, Campaign.release == name
            )
        )

    def anchor_before(self, campaign: Campaign, branch: str | None) -> UUID | None:
        """The last release before a campaign, or one after it whose changed level was accepted:
        what was accepted is not held against later campaigns again.

        :param branch: where acceptances count; None: on whatever branch.
        """
        anywhere = Campaign.accepted_at.is_not(None)
        accepted = anywhere if branch is None else anywhere & (CampaignCommit.branch == branch)
        return self.session.scalar(
            select(Campaign.id)
            .outerjoin(CampaignCommit, CampaignCommit.campaign_id == Campaign.id)
            .where(
                Campaign.experiment_id == campaign.experiment_id,
                or_(Campaign.release.is_not(None), accepted),
                Campaign.id < campaign.id,
            )
            .order_by(Campaign.id.desc())
            .limit(1)
        )

    def verdict(self, campaign_id: UUID) -> CampaignVerdict | None:
        """A campaign's verdict as it was settled."""
        return self.session.get(CampaignVerdict, campaign_id)

    def put_verdict(self, row: dict[str, Any]) -> None:
        """Write a campaign's verdict over an earlier one."""
        statement = insert(CampaignVerdict).values(row)
        updated = {key: value for key, value in row.items() if key != "campaign_id"}
        self.session.execute(
            statement.on_conflict_do_update(index_elements=["campaign_id"], set_=updated)
        )
