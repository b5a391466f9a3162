"""What of a campaign may leave as a bundle, and what must stand beside it."""

from dataclasses import replace
from uuid import UUID

from weighhouse_protocol import pages

from weighhouse_backend.bundles.contents import Contents
from weighhouse_backend.bundles.terms import FOR_WHOM
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.comparisons.disclosure import leaving as leaving_of
from weighhouse_backend.comparisons.service import ComparisonService, comparison_read
from weighhouse_backend.comparisons.sides import Question
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.exports import comparison_tables
from weighhouse_backend.exports.abouts import Leave
from weighhouse_backend.exports.snapshots import Snapshot
from weighhouse_backend.identity.access import Caller


def contents_of(
    snapshot: Snapshot, caller: Caller, campaign_id: UUID, audience: Audience
) -> tuple[Contents, str]:
    """A campaign's files, and under what they may be used.

    :raises CampaignNotFound: when it is not the caller's to see.
    :raises PublicationRefused: naming each system that may not be shown to the audience.
    """
    campaign = snapshot.get(CampaignService).find(caller, campaign_id)
    comparison = snapshot.get(ComparisonService).chosen(caller, Question(campaign_id=campaign_id))
    leave, leaving = Leave(snapshot, audience), leaving_of(comparison.choice.sides)
    leave.require(leaving)
    shown = comparison_read(comparison)
    about = leave.about(
        " · ".join(side.label for side in shown.sides),
        pages.campaign(campaign_id),
        leaving,
        shown.caveats,
        shown.completeness.words,
        comparison_tables.BOUNDS,
    )
    if not about.interim and campaign.finished_at is not None:
        # What has ended comes to the same file whenever it is asked for.
        about = replace(about, as_of=campaign.finished_at)
    stamp = "" if about.stamp is None else f"; {about.stamp}"
    return Contents(snapshot, caller, campaign, comparison, shown, about), (
        f"{FOR_WHOM[audience]}; the terms of the systems in it stand in disclosure.json{stamp}"
    )
