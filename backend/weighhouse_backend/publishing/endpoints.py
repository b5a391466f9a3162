"""Disclosures, consents, overrides, vendors' replies, challenges."""

from uuid import UUID

from fastapi import APIRouter

from weighhouse_backend.disclosure.challenges import (
    ChallengeAnswer,
    ChallengeDecision,
    ChallengeRead,
    ChallengeWrite,
)
from weighhouse_backend.disclosure.consents import ConsentWrite, OverrideWrite
from weighhouse_backend.disclosure.replies import (
    ReplyLinkMade,
    ReplyLinkRead,
    ReplyLinkWrite,
    ReplyWrite,
    VendorReplyRead,
    Withdrawal,
)
from weighhouse_backend.disclosure.schemas import ConsentRead, OverrideRead
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.publishing.dependencies import PublishingServiceDep, ReplyLinkDep
from weighhouse_backend.publishing.schemas import CampaignDisclosureRead, ReplyPageRead

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["publishing"])


@router.get("/campaigns/{campaign_id}/disclosure")
def publishing_read_disclosure(
    campaign_id: UUID, caller: CallerDep, publishing: PublishingServiceDep
) -> CampaignDisclosureRead:
    """What is disclosed of a campaign, how complete that is, whether its figures may be published,
    and what vendors and others said of it.
    """
    return publishing.read(caller, campaign_id)


@router.post("/campaigns/{campaign_id}/consents", status_code=201)
def publishing_record_consent(
    campaign_id: UUID, body: ConsentWrite, caller: CallerDep, publishing: PublishingServiceDep
) -> ConsentRead:
    """Record that a vendor agreed; takes a maintainer, and stands in the audit log."""
    campaign = publishing.find(caller, campaign_id, body.system_id)
    return publishing.records.consent(caller, campaign.project_id, campaign.id, body)


@router.post("/consents/{consent_id}/withdraw")
def publishing_withdraw_consent(
    consent_id: UUID, caller: CallerDep, publishing: PublishingServiceDep
) -> ConsentRead:
    """A consent holds no more; takes a maintainer. The record stays."""
    return publishing.records.withdraw_consent(caller, consent_id)


@router.post("/campaigns/{campaign_id}/overrides", status_code=201)
def publishing_override(
    campaign_id: UUID, body: OverrideWrite, caller: CallerDep, publishing: PublishingServiceDep
) -> OverrideRead:
    """Let a campaign's figures of one system leave although the terms do not; takes an owner.

    It stands beside the result and in the audit log, and ends by itself.
    """
    campaign = publishing.find(caller, campaign_id, body.system_id)
    return publishing.records.override(caller, campaign.project_id, campaign.id, body)


@router.post("/overrides/{override_id}/end")
def publishing_end_override(
    override_id: UUID, caller: CallerDep, publishing: PublishingServiceDep
) -> OverrideRead:
    """An override holds no more; takes an owner. The record stays."""
    return publishing.records.end_override(caller, override_id)


@router.post("/campaigns/{campaign_id}/reply-links", status_code=201)
def publishing_invite_reply(
    campaign_id: UUID, body: ReplyLinkWrite, caller: CallerDep, publishing: PublishingServiceDep
) -> ReplyLinkMade:
    """Make a link by which a vendor sees its system's figures of this campaign, and replies.

    Takes a maintainer. The link is shown this once.
    """
    campaign = publishing.find(caller, campaign_id, body.system_id)
    return publishing.answers.invite(caller, campaign.project_id, campaign.id, body)


@router.post("/reply-links/{link_id}/revoke")
def publishing_revoke_link(
    link_id: UUID, caller: CallerDep, publishing: PublishingServiceDep
) -> ReplyLinkRead:
    """A link opens nothing any more; takes a maintainer. What was said over it stays."""
    return publishing.answers.revoke(caller, link_id)


@router.post("/vendor-replies/{reply_id}/withdraw")
def publishing_withdraw_reply(
    reply_id: UUID, body: Withdrawal, caller: CallerDep, publishing: PublishingServiceDep
) -> VendorReplyRead:
    """Show a reply no more; takes a maintainer. That and why stays beside the result."""
    return publishing.answers.withdraw(caller, reply_id, body.reason)


@router.get("/reply")
def publishing_read_reply_page(
    link: ReplyLinkDep, publishing: PublishingServiceDep
) -> ReplyPageRead:
    """What a vendor sees over its link, which is the bearer's token: no login."""
    return publishing.page(link)


@router.post("/reply", status_code=201)
def publishing_reply(
    body: ReplyWrite, link: ReplyLinkDep, publishing: PublishingServiceDep
) -> VendorReplyRead:
    """Say something to the figures, as a version that takes the earlier one's place beside them."""
    return publishing.answers.reply(link, body)


@router.post("/campaigns/{campaign_id}/challenges", status_code=201)
def publishing_challenge(
    campaign_id: UUID, body: ChallengeWrite, caller: CallerDep, publishing: PublishingServiceDep
) -> ChallengeRead:
    """Say that a result is wrong; whoever sees it may. It is shown beside the result at once."""
    campaign = publishing.find(caller, campaign_id, body.system_id)
    return publishing.challenges.raise_(caller, campaign.project_id, campaign.id, body)


@router.post("/challenges/{challenge_id}/answer")
def publishing_answer_challenge(
    challenge_id: UUID, body: ChallengeAnswer, caller: CallerDep, publishing: PublishingServiceDep
) -> ChallengeRead:
    """Answer a challenge; takes a member."""
    return publishing.challenges.answer(caller, challenge_id, body.answer)


@router.post("/challenges/{challenge_id}/decide")
def publishing_decide_challenge(
    challenge_id: UUID, body: ChallengeDecision, caller: CallerDep, publishing: PublishingServiceDep
) -> ChallengeRead:
    """Uphold it, which marks the result wherever it is shown, or reject it; takes a maintainer."""
    return publishing.challenges.decide(caller, challenge_id, body)


@router.post("/challenges/{challenge_id}/withdraw")
def publishing_withdraw_challenge(
    challenge_id: UUID, caller: CallerDep, publishing: PublishingServiceDep
) -> ChallengeRead:
    """Take a challenge back; only whoever raised it may."""
    return publishing.challenges.withdraw(caller, challenge_id)
