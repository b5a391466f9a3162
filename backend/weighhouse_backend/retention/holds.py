"""What holds campaigns: why the rules pass over one, and why one cannot be deleted."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.text import numbered

from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.disclosure.publication import PublicationService
from weighhouse_backend.gates.verdicts import VerdictService
from weighhouse_backend.noise.service import NoiseService
from weighhouse_backend.reports.service import ReportService
from weighhouse_backend.retention.models import KeptCampaign
from weighhouse_backend.retention.repository import RetentionRepository
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import FINISHED_CAMPAIGNS
from weighhouse_backend.sharing.service import ShareService

NAMED = 5
"""Campaigns that are named one by one."""


@dataclass(frozen=True)
class HoldingService:
    """Asks whoever may stand on a campaign."""

    repository: RetentionRepository
    publication: PublicationService
    verdicts: VerdictService
    watching: WatchService
    noise: NoiseService
    shares: ShareService
    reports: ReportService

    def passed_over(self, project_id: UUID) -> dict[UUID, str]:
        """Campaigns of a project of which the rules remove nothing, and why."""
        kept = {one: _kept(row) for one, row in self.repository.kept(project_id).items()}
        return (
            self.publication.seen_by_others(project_id)
            | self.shares.seen_by_others(project_id)
            | kept
        )

    def held(self, campaign: Campaign) -> list[str]:
        """Why a campaign cannot be deleted, each with what would mend it."""
        found = []
        if campaign.status not in FINISHED_CAMPAIGNS:
            found.append("it has not ended: wait, or cancel it")
        if (keeper := self.repository.keeper(campaign.id)) is not None:
            found.append(f"{_kept(keeper)}: release it first")
        seen = self.publication.seen_by_others(campaign.project_id).get(campaign.id)
        if seen is not None:
            found.append(f"{seen}: end that first, under Disclosure")
        shared = self.shares.seen_by_others(campaign.project_id).get(campaign.id)
        if shared is not None:
            found.append(f"{shared}: take that back first, under Settings, Shared")
        editions = self.reports.shown_in_editions(campaign.project_id)
        if (edition := editions.get(campaign.id)) is not None:
            found.append(f"{edition}, and editions stay")
        if campaign.release is not None:
            found.append(f"it stands for release {campaign.release}: take that from it first")
        if resting := self.verdicts.resting_on(campaign.id):
            found.append(f"the verdict of {_named(resting)} rests on it")
        if self.watching.begins_with(campaign.id):
            found.append("an alert tells of a change that begins with it")
        if self.noise.learned_from(campaign.id):
            found.append("what machines cannot tell was learned from it")
        return found


def _kept(row: KeptCampaign) -> str:
    return f"{row.kept_by} keeps it ({row.because})"


def _named(numbers: list[int]) -> str:
    shown = ", ".join(numbered(number) for number in numbers[:NAMED])
    if len(numbers) > NAMED:
        return f"campaigns {shown} and {len(numbers) - NAMED} others"
    return f"campaign{'s' if len(numbers) > 1 else ''} {shown}"
