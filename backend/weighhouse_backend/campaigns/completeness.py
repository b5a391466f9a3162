"""Whether figures are all there will be: what stands beside those that are not.

A campaign is complete when it stands still. Until then more may come of it, also while it is
paused, settled, or measured once more: whatever shows its figures says *so far* by the words from
here.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weighhouse_backend.campaigns.schemas import CompletenessRead, UnderWayRead
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.progress import RunCounts, count_runs
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import (
    FINISHED_CAMPAIGNS,
    FINISHED_RUNS,
    CampaignState,
    state_of,
)

SO_FAR = "so far"


@dataclass(frozen=True)
class Counted:
    """A campaign with its runs by where they stand."""

    campaign: Campaign
    runs: RunCounts


def completeness(campaigns: Iterable[Counted], at: datetime.datetime) -> CompletenessRead:
    """Whether the figures of campaigns are all there will be."""
    going = [_under_way(one) for one in campaigns if is_under_way(one.campaign)]
    ended, runs = sum(one.runs_ended for one in going), sum(one.runs for one in going)
    return CompletenessRead(
        complete=not going,
        words=_words(going, ended, runs, at),
        runs_ended=ended,
        runs=runs,
        under_way=going,
        at=at if going else None,
    )


def of_run(status: str, at: datetime.datetime) -> CompletenessRead:
    """Whether the figures of one run are all there will be."""
    complete = status in FINISHED_RUNS
    return CompletenessRead(
        complete=complete,
        words="" if complete else f"{SO_FAR}, the run is not over, at {moment(at)}",
        runs_ended=int(complete),
        runs=1,
        under_way=[],
        at=None if complete else at,
    )


@dataclass(frozen=True)
class CompletenessService:
    """Tells it of campaigns, for features above, which check access."""

    repository: CampaignRepository
    clock: Clock

    def of(self, campaigns: Iterable[Campaign]) -> CompletenessRead:
        """Whether the figures of campaigns are all there will be; one query, none of those that
        stand still.
        """
        each = {one.id: one for one in campaigns}
        going = [one.id for one in each.values() if is_under_way(one)]
        counts = self.repository.counts(going) if going else {}
        return completeness(
            [Counted(one, count_runs(counts.get(one.id, {}))) for one in each.values()],
            self.clock.now(),
        )


def is_under_way(campaign: Campaign) -> bool:
    """May more come of a campaign?"""
    return campaign.status not in FINISHED_CAMPAIGNS


def moment(at: datetime.datetime) -> str:
    """An instant as files name it, to the minute."""
    return at.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def _under_way(one: Counted) -> UnderWayRead:
    runs, campaign = one.runs, one.campaign
    return UnderWayRead(
        campaign_id=campaign.id,
        campaign_number=campaign.number,
        runs_ended=runs.completed + runs.failed + runs.cancelled,
        runs=runs.total,
        paused=state_of(campaign.status, paused=campaign.paused) is CampaignState.PAUSED,
    )


def _words(going: Sequence[UnderWayRead], ended: int, runs: int, at: datetime.datetime) -> str:
    if not going:
        return ""
    parts = [SO_FAR, f"{ended} of {runs} run{'' if runs == 1 else 's'}"]
    if all(one.paused for one in going):
        parts.append("paused")
    elif ended == runs:
        parts.append("not settled yet")
    return f"{', '.join(parts)}, at {moment(at)}"
