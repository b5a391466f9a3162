"""Keeps what campaigns said: the verdict that holds, and those before it."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.rules import RULES_VERSION

from weighhouse_backend.gates.answers import Decided, details_of
from weighhouse_backend.gates.models import CampaignVerdict
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.runs.models import Campaign


@dataclass(frozen=True)
class VerdictService:
    """Writes verdicts; none is ever written over."""

    repository: GateRepository
    clock: Clock

    def keep(self, campaign: Campaign, decided: Decided, because: str) -> None:
        """Keep a verdict as the one that holds; the campaign's own is for the caller to set.

        :param campaign: locked.
        :param because: why an earlier verdict, if there is one, does not hold any more.
        """
        now = self.clock.now()
        campaign.base_campaign_id = decided.base_campaign_id
        row = CampaignVerdict(
            campaign_id=campaign.id,
            project_id=campaign.project_id,
            base_campaign_id=decided.base_campaign_id,
            bases=[str(one) for one in decided.bases.campaigns],
            anchor_campaign_id=decided.bases.anchor,
            verdict=decided.result.verdict,
            threshold=decided.limits.base_percent / 100,
            message=decided.result.message,
            rules_version=RULES_VERSION,
            details=decided.details().model_dump(mode="json"),
            judged_at=now,
        )
        self.repository.add_verdict(row, now, because)

    def resting_on(self, campaign_id: UUID) -> list[int]:
        """Numbers of other campaigns whose verdict rests on a campaign; for features above."""
        return self.repository.rests_on(campaign_id)


def says_the_same(kept: CampaignVerdict, decided: Decided) -> bool:
    """Is a verdict that is kept the one that would be made now? By the same rules, with the same
    words, and of each cell the same.
    """
    if kept.rules_version != RULES_VERSION:
        return False
    if (kept.verdict, kept.message) != (decided.result.verdict, decided.result.message):
        return False
    details = details_of(kept)
    return details is not None and [cell.outcome for cell in details.cells] == [
        cell.outcome for cell in decided.result.cells
    ]
