"""What the API says of domains whose people may join."""

import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field

from weighhouse_backend.identity.roles import MemberRole
from weighhouse_backend.kit.mail import MailAddress
from weighhouse_backend.kit.schemas import Body


class Mailbox(StrEnum):
    """Mailboxes that a domain's keepers read. Source: RFC 2142; CA/Browser Forum, Baseline
    Requirements, 3.2.2.4.4.
    """

    ADMIN = "admin"
    ADMINISTRATOR = "administrator"
    HOSTMASTER = "hostmaster"
    POSTMASTER = "postmaster"
    WEBMASTER = "webmaster"


class JoiningRole(StrEnum):
    """What people join as by their address alone; more is given by an owner."""

    GUEST = "guest"
    VIEWER = "viewer"
    MEMBER = "member"


LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
DOMAIN = rf"^({LABEL}\.)+[A-Za-z]([A-Za-z0-9-]{{0,61}}[A-Za-z0-9])$"
Domain = Annotated[
    str, Field(max_length=253, pattern=DOMAIN, examples=["example.com"]), AfterValidator(str.lower)
]


class DomainCreate(Body):
    """A domain whose people shall be able to join."""

    domain: Domain
    role: JoiningRole = JoiningRole.VIEWER
    mailbox: Mailbox = Mailbox.POSTMASTER
    """Who at the domain is asked, by mail, whether it is the organization's."""


class DomainRead(BaseModel):
    """A domain whose people may join, once it is verified."""

    id: UUID
    domain: str
    role: MemberRole
    mailbox: Mailbox
    created_at: datetime.datetime
    expires_at: datetime.datetime
    """Until when the link in the mail holds."""
    mailed_at: datetime.datetime | None
    """None: the mail is still on its way; no server has taken it yet."""
    verified_at: datetime.datetime | None
    letters_today: int
    """Invitations that people of it got by asking within the last 24 hours."""
    letters_at_most: int
    """How many those may be; who asks beyond them gets none until there are fewer."""


class DomainOpened(BaseModel):
    """What a link asks."""

    domain: str
    organization: str
    role: MemberRole
    verified: bool


class JoiningAsk(Body):
    """Somebody would like to join by their address."""

    email: MailAddress
