"""Tables: notices, notice_entries, notice_channels, notice_preferences, notice_deliveries, …"""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.seals import SEALED
from weighhouse_backend.notices.kinds import (
    AttemptOutcome,
    ChannelKind,
    DeliveryState,
    Digest,
    NoticeKind,
    OpenTo,
)


def _one_of(column: str, values: type[Any]) -> str:
    return f"{column} IN ({', '.join(repr(one.value) for one in values)})"


class Notice(Base):
    """Something that happened, told once for each cause. Written with its cause, in one
    transaction.
    """

    __tablename__ = "notices"
    __table_args__ = (
        CheckConstraint(_one_of("kind", NoticeKind), name="kind"),
        UniqueConstraint("project_id", "cause"),
        Index("ix_notices_waiting", "id", postgresql_where=text("spread_at IS NULL")),
        Index("ix_notices_at", "at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    kind: Mapped[str] = mapped_column(Text)
    cause: Mapped[str] = mapped_column(Text)
    """What it is of, for example `alert:ID`; a project hears of one cause once."""
    title: Mapped[str] = mapped_column(Text)
    words: Mapped[str] = mapped_column(Text)
    """What else there is to say; may be empty."""
    path: Mapped[str] = mapped_column(Text)
    """The page that shows it, for example `/alerts/ID`."""
    at: Mapped[datetime.datetime]
    spread_at: Mapped[datetime.datetime | None]
    """When it was worked out who gets it; none: not yet."""


class NoticeEntry(Base):
    """A notice under one person's bell."""

    __tablename__ = "notice_entries"
    __table_args__ = (
        UniqueConstraint("user_id", "notice_id"),
        Index(
            "ix_notice_entries_unread", "user_id", "project_id",
            postgresql_where=text("read_at IS NULL"),
        ),
    )  # fmt: skip

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects", index=True)
    notice_id: Mapped[UUID] = reference("notices", index=True)
    user_id: Mapped[UUID] = reference("users")
    read_at: Mapped[datetime.datetime | None]


class NoticeChannel(Base):
    """Where a project is told of things: an address with rules by kind."""

    __tablename__ = "notice_channels"
    __table_args__ = (
        CheckConstraint(_one_of("kind", ChannelKind), name="kind"),
        CheckConstraint(_one_of("open_to", OpenTo), name="open_to"),
        UniqueConstraint("project_id", "name"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    kind: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    place: Mapped[str] = mapped_column(Text)
    """Its address without what is secret of it, to be shown."""
    sealed_address: Mapped[str] = mapped_column(Text, deferred=True, info=SEALED)
    sealed_secret: Mapped[str | None] = mapped_column(Text, deferred=True, info=SEALED)
    """What a webhook's bodies are signed with."""
    kinds: Mapped[list[Any]]
    """Of which kinds of notices it is told."""
    open_to: Mapped[str] = mapped_column(Text, default=OpenTo.MEMBERS)
    """Who can open what its messages link to."""
    active: Mapped[bool]
    made_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]


class NoticePreference(Base):
    """What one person wants to hear of, how and when; none: everything under the bell, no mail."""

    __tablename__ = "notice_preferences"
    __table_args__ = (CheckConstraint(_one_of("digest", Digest), name="digest"),)

    user_id: Mapped[UUID] = reference("users", primary_key=True)
    bell_kinds: Mapped[list[Any]]
    mail_kinds: Mapped[list[Any]]
    time_zone: Mapped[str] = mapped_column(Text)
    quiet_from: Mapped[datetime.time | None]
    """No mail from here on, by the clock on the wall."""
    quiet_until: Mapped[datetime.time | None]
    digest: Mapped[str] = mapped_column(Text)
    digest_at: Mapped[datetime.time]


class NoticeDelivery(Base):
    """A notice on its way to one channel or one person's mailbox; without a notice it is a test."""

    __tablename__ = "notice_deliveries"
    __table_args__ = (
        CheckConstraint(_one_of("state", DeliveryState), name="state"),
        CheckConstraint("(channel_id IS NULL) != (user_id IS NULL)", name="somebody"),
        UniqueConstraint("notice_id", "channel_id"),
        UniqueConstraint("notice_id", "user_id"),
        Index("ix_notice_deliveries_due", "next_at", postgresql_where=text("state = 'pending'")),
        Index("ix_notice_deliveries_channel_id_id", "channel_id", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects", index=True)
    notice_id: Mapped[UUID | None] = reference("notices")
    channel_id: Mapped[UUID | None] = reference("notice_channels")
    user_id: Mapped[UUID | None] = reference("users", index=True)
    state: Mapped[str] = mapped_column(Text)
    attempts_count: Mapped[int]
    next_at: Mapped[datetime.datetime]
    """When it is tried; while it is being tried, when it is taken for lost and tried again."""
    parcel_id: Mapped[UUID | None] = mapped_column(index=True)
    """What goes out in one message has one; none: nobody is at it."""
    created_at: Mapped[datetime.datetime]
    ended_at: Mapped[datetime.datetime | None]


class NoticeAttempt(Base):
    """One try to deliver; without an end the worker was killed at it."""

    __tablename__ = "notice_attempts"
    __table_args__ = (
        CheckConstraint(_one_of("outcome", AttemptOutcome), name="outcome"),
        UniqueConstraint("delivery_id", "parcel_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects", index=True)
    delivery_id: Mapped[UUID] = reference("notice_deliveries")
    parcel_id: Mapped[UUID]
    begun_at: Mapped[datetime.datetime]
    ended_at: Mapped[datetime.datetime | None]
    outcome: Mapped[str | None] = mapped_column(Text)
    status_code: Mapped[int | None]
    """Of HTTP, where there was an answer."""
    detail: Mapped[str] = mapped_column(Text)
    """Why it was not taken; never an address's secret."""
