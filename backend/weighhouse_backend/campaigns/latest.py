"""The campaigns that an experiment had last; for features above, which check access."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import FINISHED_CAMPAIGNS, CampaignStatus

LOOKED_AT = 50
"""How many of the newest campaigns are looked through."""


@dataclass(frozen=True)
class Latest:
    """Of one experiment."""

    measured: Campaign | None
    """That went to its end, whether or not runs failed; never one that measures noise."""
    under_way: Campaign | None


@dataclass(frozen=True)
class LatestService:
    """Finds an experiment's newest campaigns."""

    repository: CampaignRepository

    def of(self, project_id: UUID, experiment_id: UUID) -> Latest:
        """The newest that was measured, and the newest that goes on."""
        query = self.repository.listed([project_id], experiment_id)
        newest = query.where(~Campaign.noise).order_by(Campaign.id.desc()).limit(LOOKED_AT)
        found: Sequence[Campaign] = self.repository.session.scalars(newest).all()
        ended = {CampaignStatus.COMPLETED, CampaignStatus.FAILED}
        return Latest(
            next((one for one in found if one.status in ended), None),
            next((one for one in found if one.status not in FINISHED_CAMPAIGNS), None),
        )
