"""Where a series has no point although it could have one, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.experiments.models import ScheduleOccurrence
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import CampaignStatus
from weighhouse_backend.series.main_line import MainLineService
from weighhouse_backend.series.models import Series
from weighhouse_backend.series.schemas import GapRead
from weighhouse_backend.series.stored_points import StoredPoint

WHAT = {
    "skipped": "skipped: a campaign was under way",
    "missed": "missed: the platform was not up",
    "failed": "could not start",
}


@dataclass(frozen=True)
class GapService:
    """Tells gaps of series."""

    campaigns: CampaignService
    experiments: ExperimentService
    main_line: MainLineService

    def of(self, series: Series, points: Sequence[StoredPoint]) -> list[GapRead]:
        """Gaps of a series since its first point, oldest first; as many queries for all as for one.

        A campaign whose plan did not have the cell is none, nor is one apart from the main line.
        """
        if not points:
            return []
        since = min(point.at for point in points)
        known = {point.campaign_id for point in points}
        cell = (series.target, series.workload, series.load_label)
        empty = self.campaigns.that_planned(series.experiment_id, since, cell, known)
        apart = self.main_line.apart(series.experiment_id, [one.id for one in empty])
        silent = [without_result(campaign) for campaign in empty if campaign.id not in apart]
        lost = [
            not_started(date) for date in self.experiments.lost_dates(series.experiment_id, since)
        ]
        return sorted([*silent, *lost], key=lambda gap: gap.at)


def without_result(campaign: Campaign) -> GapRead:
    """A campaign that left no figure of a cell it had planned."""
    how = "was cancelled" if campaign.status == CampaignStatus.CANCELLED else "left no figure"
    return GapRead(
        kind="no_result",
        at=campaign.stands_at,
        until=campaign.stands_at,
        dates_count=1,
        reason=f"campaign {numbered(campaign.number)} {how}",
        campaign_id=campaign.id,
        campaign_number=campaign.number,
    )


def not_started(date: ScheduleOccurrence) -> GapRead:
    """A date of the schedule on which nothing was started."""
    return GapRead(
        kind="not_started",
        at=date.first_at,
        until=date.scheduled_for,
        dates_count=date.dates_count,
        reason=date.reason or WHAT.get(date.outcome, date.outcome),
        campaign_id=None,
        campaign_number=None,
    )
