"""Tables joining_domains, domain_askings, joining_asks."""

import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.identity.models import MEMBER_ROLE
from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id


class JoiningDomain(Base):
    """Whoever has an address of a domain may join an organization, once it is shown to be its own.

    The link that shows it is signed, not stored.
    """

    __tablename__ = "joining_domains"
    __table_args__ = (
        CheckConstraint(MEMBER_ROLE, name="role"),
        UniqueConstraint("organization_id", "domain"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    organization_id: Mapped[UUID] = reference("organizations", index=True)
    domain: Mapped[str] = mapped_column(Text, index=True)
    """In small letters, as DNS knows it."""
    role: Mapped[str] = mapped_column(Text)
    """What they join as."""
    mailbox: Mapped[str] = mapped_column(Text)
    """Before the `@`: who is asked whether the domain is the organization's."""
    asking_id: Mapped[UUID] = mapped_column(unique=True, default=new_id)
    """Of the last time they were asked: its link alone holds."""
    created_at: Mapped[datetime.datetime]
    expires_at: Mapped[datetime.datetime]
    """Until when that may be answered."""
    mailed_at: Mapped[datetime.datetime | None]
    verified_at: Mapped[datetime.datetime | None]
    """When it was answered; None: nobody joins by it yet."""


class DomainAsking(Base):
    """A domain's keepers were asked; kept while it counts, whatever becomes of the domain."""

    __tablename__ = "domain_askings"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    organization_id: Mapped[UUID] = reference("organizations", index=True)
    domain: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime.datetime] = mapped_column(index=True)


class JoiningAsk(Base):
    """Somebody asked to join by an address, whether or not there is anything to join; kept for as
    long as it counts.
    """

    __tablename__ = "joining_asks"
    __table_args__ = (Index("ix_joining_asks_address_at", "address", "at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    email: Mapped[str] = mapped_column(Text)
    address: Mapped[str] = mapped_column(Text)
    """Whence; of IPv6 the network."""
    at: Mapped[datetime.datetime] = mapped_column(index=True)
    answered_at: Mapped[datetime.datetime | None]
    """When it was looked for what they may join; None: that is still to be done."""
