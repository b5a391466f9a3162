"""Bodies of the notices' API."""

import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator
from weighhouse_protocol.text import Named

from weighhouse_backend.kit.schemas import Body
from weighhouse_backend.notices.kinds import (
    AttemptOutcome,
    ChannelKind,
    DeliveryState,
    Digest,
    NoticeKind,
    OpenTo,
)

Time = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["22:00"])]
"""By the clock on the wall."""
ChannelName = Annotated[str, Named(80)]
Address = Annotated[str, Field(min_length=3, max_length=2000)]
Kinds = Annotated[list[NoticeKind], Field(max_length=len(NoticeKind))]


class NoticeRead(BaseModel):
    """Something that happened, as it stands under somebody's bell."""

    id: UUID
    kind: NoticeKind
    title: str
    words: str
    path: str
    """The page that shows it."""
    project_id: UUID
    at: datetime.datetime
    read_at: datetime.datetime | None


class NoticeCount(BaseModel):
    """How much is new."""

    unread_count: int


class NoticesSeen(Body):
    """What was read."""

    ids: Annotated[list[UUID], Field(max_length=200)] | None = None
    """None: all there is."""


class PreferencesWrite(BaseModel):
    """What one wants to hear of, how and when."""

    model_config = ConfigDict(extra="forbid")

    bell_kinds: Kinds = list(NoticeKind)
    mail_kinds: Kinds = []
    time_zone: Annotated[str, Field(max_length=64)] = "UTC"
    """IANA name, for example `Europe/Vienna`."""
    quiet_from: Time | None = None
    """No mail from here on; None: at no time."""
    quiet_until: Time | None = None
    digest: Digest = Digest.NOW
    digest_at: Time = "08:00"

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if (self.quiet_from is None) != (self.quiet_until is None):
            raise ValueError("quiet hours take quiet_from and quiet_until, or neither")
        return self


class PreferencesRead(BaseModel):
    """What one chose, and where mail goes."""

    bell_kinds: list[NoticeKind]
    mail_kinds: list[NoticeKind]
    time_zone: str
    quiet_from: str | None
    quiet_until: str | None
    digest: Digest
    digest_at: str
    email: str
    sends_mail: bool
    """Whether this installation sends mail at all."""


class ChannelCreate(BaseModel):
    """A new channel."""

    model_config = ConfigDict(extra="forbid")

    project_id: UUID
    kind: ChannelKind
    name: ChannelName
    address: Address
    """Of a webhook, or of a mailbox; kept sealed and never shown again."""
    kinds: Kinds = list(NoticeKind)
    open_to: OpenTo = OpenTo.MEMBERS
    """Who can open the pages that its messages link to; `readers`: whoever reads it, over a link of
    30 days to the campaign or series alone."""


class ChannelUpdate(Body):
    """What is to be otherwise of a channel; what is left out stays."""

    name: ChannelName | None = None
    address: Address | None = None
    kinds: Kinds | None = None
    open_to: OpenTo | None = None
    active: StrictBool | None = None


class ChannelRead(BaseModel):
    """A channel, without what is secret of it."""

    id: UUID
    project_id: UUID
    kind: ChannelKind
    name: str
    place: str
    """As much of the address as may be shown."""
    kinds: list[NoticeKind]
    open_to: OpenTo
    active: bool
    made_by: str
    created_at: datetime.datetime


class ChannelMade(ChannelRead):
    """A new channel."""

    signing_secret: str | None
    """What a webhook's bodies are signed with; shown this once."""


class SigningSecret(BaseModel):
    """A webhook's new secret; shown this once."""

    signing_secret: str


class AttemptRead(BaseModel):
    """One try to deliver."""

    begun_at: datetime.datetime
    ended_at: datetime.datetime | None
    """None: it is under way, or the worker was ended at it."""
    outcome: AttemptOutcome | None
    status_code: int | None
    """Of HTTP, where there was an answer."""
    detail: str


class DeliveryRead(BaseModel):
    """A notice on its way to a channel, and each attempt."""

    id: UUID
    kind: NoticeKind | None
    """None: a test."""
    title: str
    state: DeliveryState
    next_at: datetime.datetime | None
    """When it is tried again; None: it is over."""
    created_at: datetime.datetime
    ended_at: datetime.datetime | None
    attempts: list[AttemptRead]
