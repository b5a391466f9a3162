"""Queries of consents, overrides, replies and challenges."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from weighhouse_backend.disclosure.models import (
    UNDECIDED,
    Challenge,
    PublicationConsent,
    PublicationOverride,
    ReplyLink,
    VendorReply,
)
from weighhouse_backend.kit.db import among


@dataclass(frozen=True)
class DisclosureRepository:
    """The feature's queries."""

    session: Session

    def consents(
        self, project_ids: Collection[UUID], campaign_ids: Collection[UUID] = ()
    ) -> Sequence[PublicationConsent]:
        """Those of projects that concern one of some campaigns, or each of their project, oldest
        first.
        """
        ours = or_(
            PublicationConsent.campaign_id.is_(None),
            among(PublicationConsent.campaign_id, campaign_ids),
        )
        query = select(PublicationConsent).where(
            PublicationConsent.project_id.in_(project_ids), ours
        )
        return self.session.scalars(query.order_by(PublicationConsent.id)).all()

    def consent(self, consent_id: UUID) -> PublicationConsent | None:
        """One of them, locked."""
        return self.session.get(PublicationConsent, consent_id, with_for_update=True)

    def overrides(self, campaign_ids: Collection[UUID]) -> Sequence[PublicationOverride]:
        """Of campaigns, oldest first."""
        query = select(PublicationOverride).where(
            among(PublicationOverride.campaign_id, campaign_ids)
        )
        return self.session.scalars(query.order_by(PublicationOverride.id)).all()

    def override(self, override_id: UUID) -> PublicationOverride | None:
        """One of them, locked."""
        return self.session.get(PublicationOverride, override_id, with_for_update=True)

    def links(self, campaign_id: UUID) -> Sequence[ReplyLink]:
        """Of a campaign, oldest first."""
        query = select(ReplyLink).where(ReplyLink.campaign_id == campaign_id)
        return self.session.scalars(query.order_by(ReplyLink.id)).all()

    def link(self, link_id: UUID, *, locked: bool = True) -> ReplyLink | None:
        """One of them."""
        return self.session.get(ReplyLink, link_id, with_for_update=locked)

    def replies(self, campaign_id: UUID) -> Sequence[VendorReply]:
        """Of a campaign, by system and version."""
        query = select(VendorReply).where(VendorReply.campaign_id == campaign_id)
        return self.session.scalars(
            query.order_by(VendorReply.system_id, VendorReply.version)
        ).all()

    def reply(self, reply_id: UUID) -> VendorReply | None:
        """One of them, locked."""
        return self.session.get(VendorReply, reply_id, with_for_update=True)

    def replies_since(self, link_id: UUID, since: datetime.datetime) -> int:
        """How many came over a link."""
        query = (
            select(func.count())
            .select_from(VendorReply)
            .where(VendorReply.link_id == link_id, VendorReply.created_at >= since)
        )
        return self.session.execute(query).scalar_one()

    def challenges(self, campaign_id: UUID) -> Sequence[Challenge]:
        """Of a campaign, oldest first."""
        query = select(Challenge).where(Challenge.campaign_id == campaign_id)
        return self.session.scalars(query.order_by(Challenge.id)).all()

    def challenge(self, challenge_id: UUID) -> Challenge | None:
        """One of them, locked."""
        return self.session.get(Challenge, challenge_id, with_for_update=True)

    def seen_by_others(self, project_id: UUID, now: datetime.datetime) -> dict[UUID, str]:
        """Campaigns that somebody outside may look into or has spoken of, and why in words."""
        found: dict[UUID, str] = {}
        for words, query in (
            ("a vendor has a link to it", select(ReplyLink.campaign_id).where(
                ReplyLink.project_id == project_id, ReplyLink.revoked_at.is_(None),
                ReplyLink.expires_at > now,
            )),
            ("a vendor agreed that it is shown", select(PublicationConsent.campaign_id).where(
                PublicationConsent.project_id == project_id,
                PublicationConsent.campaign_id.is_not(None),
                PublicationConsent.withdrawn_at.is_(None),
            )),
            ("an owner lets it leave", select(PublicationOverride.campaign_id).where(
                PublicationOverride.project_id == project_id,
                PublicationOverride.ended_at.is_(None), PublicationOverride.expires_at > now,
            )),
            ("a vendor replied to it", select(VendorReply.campaign_id).where(
                VendorReply.project_id == project_id, VendorReply.withdrawn_at.is_(None),
            )),
            ("it is challenged", select(Challenge.campaign_id).where(
                Challenge.project_id == project_id, Challenge.state.in_(UNDECIDED),
            )),
        ):  # fmt: skip
            for campaign_id in self.session.scalars(query.distinct()):
                if campaign_id is not None:
                    found.setdefault(campaign_id, words)
        return found
