"""A vendor's right of reply: signed links, replies in versions, withdrawals that leave a mark."""

import datetime
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StrictInt
from weighhouse_protocol import pages
from weighhouse_protocol.base import Name
from weighhouse_protocol.text import Prose

from weighhouse_backend.disclosure import links
from weighhouse_backend.disclosure.consents import Line, Reason
from weighhouse_backend.disclosure.errors import ReplyLinkInvalid, StateRefused, TooManyReplies
from weighhouse_backend.disclosure.models import ReplyLink, VendorReply
from weighhouse_backend.disclosure.repository import DisclosureRepository
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import may_give
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.scopes import Scope
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.schemas import Body
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import secret_of, secrets_of
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.kinds import NoticeKind

MOST_REPLIES = 5
"""Over one link within REPLIES_WITHIN."""
REPLIES_WITHIN = datetime.timedelta(hours=1)
MOST_SIGNS = 8000
LONGEST_LINK_DAYS = 180


class ReplyLinkWrite(Body):
    """Whom to ask for a reply."""

    system_id: Name
    for_whom: Line
    """To whom it is sent; stands in the audit log."""
    days: Annotated[StrictInt, Field(ge=1, le=LONGEST_LINK_DAYS)] = 30


class ReplyLinkRead(BaseModel):
    """A link that was made; the link itself is shown once."""

    id: UUID
    system_id: str
    for_whom: str
    made_by: str
    created_at: datetime.datetime
    expires_at: datetime.datetime
    revoked_at: datetime.datetime | None
    revoked_by: str | None
    last_used_at: datetime.datetime | None


class ReplyLinkMade(ReplyLinkRead):
    """A new link."""

    url: str
    """Whoever has it sees the campaign's figures of this system, and may reply."""


class ReplyWrite(Body):
    """What a vendor says."""

    name: Line
    role: Line
    text: Annotated[str, Prose(MOST_SIGNS, least=10)]
    """Plain text or Markdown; HTML is shown as text."""


class VendorReplyRead(BaseModel):
    """A version of a vendor's reply; of one that was withdrawn the mark alone."""

    id: UUID
    system_id: str
    version: int
    name: str
    role: str
    text: str | None
    created_at: datetime.datetime
    withdrawn_at: datetime.datetime | None
    withdrawn_by: str | None
    withdrawn_because: str | None


class Withdrawal(Body):
    """Why a reply is shown no more."""

    reason: Reason


@dataclass(frozen=True)
class ReplyService:
    """Lets vendors answer."""

    repository: DisclosureRepository
    clock: Clock
    settings: Settings

    def links(self, campaign_id: UUID) -> list[ReplyLinkRead]:
        """Of a campaign, without what makes them open."""
        return [
            ReplyLinkRead.model_validate(row, from_attributes=True)
            for row in self.repository.links(campaign_id)
        ]

    def replies(self, campaign_id: UUID) -> list[VendorReplyRead]:
        """Of a campaign, every version."""
        return [_read(row) for row in self.repository.replies(campaign_id)]

    def invite(
        self, caller: Caller, project_id: UUID, campaign_id: UUID, wanted: ReplyLinkWrite
    ) -> ReplyLinkMade:
        """Make a link for one campaign and one system; takes a maintainer.

        :raises NoSecretKey: when links cannot be signed.
        """
        caller.require(project_id, Role.MAINTAINER)
        # Its page shows the disclosure to whoever has the link.
        shows = [Scope.PUBLISHING_WRITE, Scope.RESULTS_EXPORT]
        grant = may_give(caller, Role.MAINTAINER, shows, project_id=project_id)
        secret = secret_of(self.settings)
        now = self.clock.now()
        row = grant.row(
            ReplyLink,
            campaign_id=campaign_id,
            system_id=wanted.system_id,
            for_whom=wanted.for_whom,
            made_by=caller.name,
            created_at=now,
            expires_at=(now + datetime.timedelta(days=wanted.days)).replace(microsecond=0),
        )
        self.repository.session.add(row)
        self.repository.session.flush()
        self._audit(caller.name, row, "reply_link.made", for_whom=row.for_whom, days=wanted.days)
        token = links.REPLY.signed(secret, row.id, row.expires_at)
        shown = ReplyLinkRead.model_validate(row, from_attributes=True)
        return ReplyLinkMade(**shown.model_dump(), url=links.REPLY.address(self.settings, token))

    def revoke(self, caller: Caller, link_id: UUID) -> ReplyLinkRead:
        """A link opens nothing any more; takes a maintainer. Repeatable."""
        row = self.repository.link(link_id)
        if row is None:
            raise NotFound("there is no such link")
        caller.require(row.project_id, Role.MAINTAINER)
        if row.revoked_at is None:
            row.revoked_at, row.revoked_by = self.clock.now(), caller.name
            self._audit(caller.name, row, "reply_link.revoked")
        return ReplyLinkRead.model_validate(row, from_attributes=True)

    def open(self, token: str) -> ReplyLink:
        """The link of a token; the transaction sees its project alone from here on.

        :raises ReplyLinkInvalid: when it was not signed here, has ended, or was revoked.
        """
        now = self.clock.now()
        link_id = links.read(secrets_of(self.settings), token, now)
        row = self.repository.link(link_id)
        if row is None or row.revoked_at is not None or row.expires_at <= now:
            raise ReplyLinkInvalid("it was revoked; ask whoever sent it for another")
        confine(self.repository.session, [row.project_id])
        row.last_used_at = now
        return row

    def reply(self, link: ReplyLink, said: ReplyWrite) -> VendorReplyRead:
        """Keep what a vendor says, as the next version.

        :param link: opened, so that its row is locked: versions do not collide.
        :raises TooManyReplies: when there were MOST_REPLIES within an hour.
        """
        now = self.clock.now()
        if self.repository.replies_since(link.id, now - REPLIES_WITHIN) >= MOST_REPLIES:
            raise TooManyReplies(f"at most {MOST_REPLIES} an hour; the latest one stands")
        earlier = [
            row.version
            for row in self.repository.replies(link.campaign_id)
            if row.system_id == link.system_id
        ]
        row = VendorReply(
            project_id=link.project_id,
            campaign_id=link.campaign_id,
            system_id=link.system_id,
            link_id=link.id,
            version=max(earlier, default=0) + 1,
            created_at=now,
            **said.model_dump(),
        )
        self.repository.session.add(row)
        self.repository.session.flush()
        self._audit(f"{said.name} ({link.system_id})", row, "vendor_reply.given")
        notify(
            self.repository.session,
            self.clock,
            project_id=row.project_id,
            kind=NoticeKind.REPLY,
            cause=f"reply:{row.id}",
            title=f"{said.name} replied for {row.system_id}",
            words=said.text,
            path=pages.campaign(row.campaign_id),
        )
        return _read(row)

    def withdraw(self, caller: Caller, reply_id: UUID, reason: str) -> VendorReplyRead:
        """Show a reply no more; takes a maintainer. A mark with the reason stays in its place.

        :raises StateRefused: when it was withdrawn before.
        """
        row = self.repository.reply(reply_id)
        if row is None:
            raise NotFound("there is no such reply")
        caller.require(row.project_id, Role.MAINTAINER)
        if row.withdrawn_at is not None:
            raise StateRefused(f"it was withdrawn by {row.withdrawn_by} before")
        row.withdrawn_at, row.withdrawn_by = self.clock.now(), caller.name
        row.withdrawn_because = reason
        self._audit(caller.name, row, "vendor_reply.withdrawn", reason=reason)
        return _read(row)

    def _audit(
        self, actor: str, row: ReplyLink | VendorReply, action: str, **details: object
    ) -> None:
        version = {"version": row.version} if isinstance(row, VendorReply) else {}
        audit.record(
            self.repository.session,
            self.clock,
            actor=actor,
            action=action,
            subject=row.system_id,
            project_id=row.project_id,
            **{**details, **version, "id": str(row.id), "campaign_id": str(row.campaign_id)},
        )


def _read(row: VendorReply) -> VendorReplyRead:
    shown = VendorReplyRead.model_validate(row, from_attributes=True)
    return shown if row.withdrawn_at is None else shown.model_copy(update={"text": None})
