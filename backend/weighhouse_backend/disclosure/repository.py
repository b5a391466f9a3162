"""Queries of consents, overrides, replies and challenges."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from weighhouse_backend.disclosure.models import (
    Challenge,
    PublicationConsent,
    PublicationOverride,
    ReplyLink,
    VendorReply,
)


@dataclass(frozen=True)
class DisclosureRepository:
    """The feature's queries."""

    session: Session

    def consents(
        self, project_ids: Collection[UUID], campaign_id: UUID | None = None
    ) -> Sequence[PublicationConsent]:
        """Those of projects that concern a campaign, oldest first.

        :param campaign_id: None: those for every campaign of their project alone.
        """
        ours: ColumnElement[bool] = PublicationConsent.campaign_id.is_(None)
        if campaign_id is not None:
            ours = or_(ours, PublicationConsent.campaign_id == campaign_id)
        query = select(PublicationConsent).where(
            PublicationConsent.project_id.in_(project_ids), ours
        )
        return self.session.scalars(query.order_by(PublicationConsent.id)).all()

    def consent(self, consent_id: UUID) -> PublicationConsent | None:
        """One of them, locked."""
        return self.session.get(PublicationConsent, consent_id, with_for_update=True)

    def overrides(self, campaign_id: UUID) -> Sequence[PublicationOverride]:
        """Of a campaign, oldest first."""
        query = select(PublicationOverride).where(PublicationOverride.campaign_id == campaign_id)
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
