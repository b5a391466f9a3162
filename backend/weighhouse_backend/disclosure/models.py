"""Tables: publication_consents, publication_overrides, reply_links, vendor_replies, challenges."""

import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id

CHALLENGE_STATES = ("open", "answered", "upheld", "rejected", "withdrawn")
UNDECIDED = frozenset({"open", "answered"})
"""States in which it still may be upheld."""


class PublicationConsent(Base):
    """A vendor agreed that figures of its system may be shown."""

    __tablename__ = "publication_consents"
    __table_args__ = (Index("ix_publication_consents_project_id", "project_id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    system_id: Mapped[str] = mapped_column(Text)
    edition_id: Mapped[str | None] = mapped_column(Text)
    campaign_id: Mapped[UUID | None] = reference("campaigns", index=True)
    given_by: Mapped[str] = mapped_column(Text)
    covers: Mapped[str] = mapped_column(Text)
    given_on: Mapped[datetime.date]
    expires_on: Mapped[datetime.date | None]
    document_url: Mapped[str] = mapped_column(Text)
    recorded_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    withdrawn_at: Mapped[datetime.datetime | None]
    withdrawn_by: Mapped[str | None] = mapped_column(Text)


class PublicationOverride(Base):
    """An owner lets a campaign's figures of one system leave although the terms do not."""

    __tablename__ = "publication_overrides"
    __table_args__ = (
        CheckConstraint("audience IN ('others', 'public')", name="audience"),
        Index("ix_publication_overrides_campaign_id", "campaign_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    campaign_id: Mapped[UUID] = reference("campaigns")
    system_id: Mapped[str] = mapped_column(Text)
    audience: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    made_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    expires_at: Mapped[datetime.datetime]
    ended_at: Mapped[datetime.datetime | None]
    ended_by: Mapped[str | None] = mapped_column(Text)


class ReplyLink(Base):
    """Lets a vendor see one campaign's figures of its system, and answer; the link is not kept."""

    __tablename__ = "reply_links"
    __table_args__ = (Index("ix_reply_links_campaign_id", "campaign_id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    campaign_id: Mapped[UUID] = reference("campaigns")
    system_id: Mapped[str] = mapped_column(Text)
    for_whom: Mapped[str] = mapped_column(Text)
    made_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    expires_at: Mapped[datetime.datetime]
    revoked_at: Mapped[datetime.datetime | None]
    revoked_by: Mapped[str | None] = mapped_column(Text)
    last_used_at: Mapped[datetime.datetime | None]


class VendorReply(Base):
    """What a vendor says of a campaign's figures; a later version stands beside the earlier."""

    __tablename__ = "vendor_replies"
    __table_args__ = (UniqueConstraint("campaign_id", "system_id", "version"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    campaign_id: Mapped[UUID] = reference("campaigns")
    system_id: Mapped[str] = mapped_column(Text)
    link_id: Mapped[UUID | None] = reference("reply_links", ondelete="SET NULL", index=True)
    version: Mapped[int]
    """Counts the replies of a vendor to a campaign from 1."""
    name: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    withdrawn_at: Mapped[datetime.datetime | None]
    withdrawn_by: Mapped[str | None] = mapped_column(Text)
    withdrawn_because: Mapped[str | None] = mapped_column(Text)


class Challenge(Base):
    """Somebody says that a result is wrong."""

    __tablename__ = "challenges"
    __table_args__ = (
        CheckConstraint(
            f"state IN ({', '.join(repr(state) for state in CHALLENGE_STATES)})", name="state"
        ),
        Index("ix_challenges_campaign_id", "campaign_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    campaign_id: Mapped[UUID] = reference("campaigns")
    system_id: Mapped[str | None] = mapped_column(Text)
    """None: the campaign as a whole."""
    state: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    raised_by: Mapped[str] = mapped_column(Text)
    raised_by_id: Mapped[UUID]
    """Of the person or token, who alone may withdraw it."""
    created_at: Mapped[datetime.datetime]
    answer: Mapped[str | None] = mapped_column(Text)
    answered_by: Mapped[str | None] = mapped_column(Text)
    answered_at: Mapped[datetime.datetime | None]
    decision: Mapped[str | None] = mapped_column(Text)
    """Why it was upheld or rejected."""
    decided_by: Mapped[str | None] = mapped_column(Text)
    decided_at: Mapped[datetime.datetime | None]
