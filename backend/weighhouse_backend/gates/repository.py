"""All queries of gates."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.models import Campaign
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

    def put_verdict(self, row: dict[str, Any]) -> None:
        """Write a campaign's verdict over an earlier one."""
        statement = insert(CampaignVerdict).values(row)
        updated = {key: value for key, value in row.items() if key != "campaign_id"}
        self.session.execute(
            statement.on_conflict_do_update(index_elements=["campaign_id"], set_=updated)
        )
