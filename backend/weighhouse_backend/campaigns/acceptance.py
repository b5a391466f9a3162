"""What people say of ended campaigns: their regression was expected, they stand for a release."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from pydantic import Field
from sqlalchemy.orm import Session
from weighhouse_protocol.bases import RELEASE
from weighhouse_protocol.text import Prose, numbered

from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.schemas import Body
from weighhouse_backend.runs.errors import CampaignNotFound, NothingToAccept, ReleaseTaken
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import (
    NOTHING_TO_ACCEPT,
    CampaignStatus,
    Verdict,
)


class AcceptanceWrite(Body):
    """Why a verdict was expected."""

    note: Annotated[str, Prose(2000)]


class ReleaseWrite(Body):
    """The release that a campaign stands for."""

    name: Annotated[str, Field(pattern=f"^{RELEASE}$")]
    """Unique in the experiment."""


@dataclass(frozen=True)
class StandingService:
    """Keeps acceptances and releases, each with who said so in the audit log."""

    session: Session
    repository: CampaignRepository
    campaigns: CampaignService
    transitions: Transitions
    clock: Clock

    def accept(self, caller: Caller, campaign_id: UUID, note: str) -> Campaign:
        """Its verdict was expected: from now on it may be a base. Repeatable; the note is renewed.

        :raises CampaignNotFound: when there is none the caller sees.
        :raises NothingToAccept: when it has not completed, or nothing in its verdict stands
            against it.
        """
        campaign = self._locked(caller, campaign_id)
        if campaign.status != CampaignStatus.COMPLETED or campaign.verdict is None:
            raise NothingToAccept(f"campaign {numbered(campaign.number)} is {campaign.status}")
        if Verdict(campaign.verdict) in NOTHING_TO_ACCEPT:
            raise NothingToAccept(
                f"campaign {numbered(campaign.number)} is {campaign.verdict}: it is a base as it "
                "stands"
            )
        campaign.accepted_by = caller.name
        campaign.accepted_note = note
        campaign.accepted_at = self.clock.now()
        self._audit(caller, campaign, "campaign.accepted", note=note)
        self.transitions.tell(campaign)
        return campaign

    def withdraw(self, caller: Caller, campaign_id: UUID) -> Campaign:
        """Take an acceptance back: it is nobody's base any more. Repeatable."""
        campaign = self._locked(caller, campaign_id)
        if campaign.accepted_at is not None:
            campaign.accepted_by = campaign.accepted_note = campaign.accepted_at = None
            self._audit(caller, campaign, "campaign.acceptance_withdrawn")
            self.transitions.tell(campaign)
        return campaign

    def release(self, caller: Caller, campaign_id: UUID, name: str) -> Campaign:
        """Let a campaign stand for a release. Repeatable.

        :raises CampaignNotFound: when there is none the caller sees.
        :raises ReleaseTaken: when another campaign of the experiment stands for it.
        """
        campaign = self._locked(caller, campaign_id)
        taken = self.repository.of_release(campaign.experiment_id, name)
        if taken is not None and taken.id != campaign.id:
            raise ReleaseTaken(f"campaign {numbered(taken.number)} stands for the release {name}")
        if campaign.release != name:
            campaign.release = name
            self._audit(caller, campaign, "campaign.released", release=name)
        return campaign

    def _locked(self, caller: Caller, campaign_id: UUID) -> Campaign:
        self.campaigns.find(caller, campaign_id, Role.MEMBER)
        campaign = self.repository.lock_campaign(campaign_id)
        if campaign is None:
            raise CampaignNotFound
        return campaign

    def _audit(self, caller: Caller, campaign: Campaign, action: str, **details: str) -> None:
        audit.record(
            self.session,
            self.clock,
            actor=caller.name,
            action=action,
            subject=f"campaign {numbered(campaign.number)}",
            project_id=campaign.project_id,
            campaign_id=str(campaign.id),
            **details,
        )
