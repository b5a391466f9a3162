"""A project's channels: made, changed, tried; their addresses sealed and never shown again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import may_give
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.scopes import Scope
from weighhouse_backend.kit.addresses import AddressForbidden, look_at, split
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.late import late
from weighhouse_backend.kit.mail import NoMail, is_mailbox, mail_is_set_up
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.seals import seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.notices import webhooks
from weighhouse_backend.notices.deliveries import LEASE
from weighhouse_backend.notices.errors import (
    ChannelNameTaken,
    ChannelNotFound,
    TooManyChannels,
    invalid,
)
from weighhouse_backend.notices.kinds import ChannelKind, DeliveryState, OpenTo
from weighhouse_backend.notices.models import NoticeChannel, NoticeDelivery
from weighhouse_backend.notices.repository import NoticeRepository
from weighhouse_backend.notices.schemas import (
    AttemptRead,
    ChannelCreate,
    ChannelMade,
    ChannelRead,
    ChannelUpdate,
    DeliveryRead,
    SigningSecret,
)

if TYPE_CHECKING:
    from weighhouse_backend.notices import chats
else:
    chats = late("weighhouse_backend.notices.chats")

MOST_CHANNELS = 50


@dataclass(frozen=True)
class ChannelService:
    """Keeps channels; takes a maintainer throughout, and each step stands in the audit log."""

    repository: NoticeRepository
    clock: Clock
    settings: Settings
    jobs: Jobs

    def listed(self, caller: Caller, project_id: UUID | None) -> list[ChannelRead]:
        """Channels of a project, by name."""
        project = caller.project_or_only(project_id)
        caller.require(project, Role.MAINTAINER)
        return [_read(row) for row in self.repository.channels(project)]

    def make(self, caller: Caller, wanted: ChannelCreate) -> ChannelMade:
        """Make a channel.

        :raises Invalid: when nothing may be sent to its address.
        :raises Forbidden: when its links are to open for others, and the caller may not share.
        :raises ChannelNameTaken: when the project has one of this name.
        :raises TooManyChannels: when it has MOST_CHANNELS.
        :raises NoSecretKey: when addresses cannot be sealed.
        :raises NoMail: when it is a mailbox, and no mail is sent.
        """
        caller.require(wanted.project_id, Role.MAINTAINER)
        _insist_on_sharing(caller, wanted.project_id, wanted.open_to)
        place = self._place(wanted.kind, wanted.address)
        self.repository.hold(wanted.project_id)
        known = self.repository.channels(wanted.project_id)
        if len(known) >= MOST_CHANNELS:
            raise TooManyChannels(f"at most {MOST_CHANNELS}; remove one that is not used")
        self._insist_on_name(wanted.project_id, wanted.name, None)
        seal = seal_of(self.settings)
        secret = webhooks.new_secret() if wanted.kind == ChannelKind.WEBHOOK else None
        row = NoticeChannel(
            id=new_id(),
            project_id=wanted.project_id,
            kind=wanted.kind,
            name=wanted.name,
            place=place,
            sealed_address=seal.close(wanted.address.strip()),
            sealed_secret=None if secret is None else seal.close(secret),
            kinds=list(dict.fromkeys(map(str, wanted.kinds))),
            open_to=wanted.open_to,
            active=True,
            made_by=caller.name,
            created_at=self.clock.now(),
        )
        self.repository.add(row)
        self._audit(caller, row, "notice_channel.made", after=_plain(row))
        return ChannelMade(**_read(row).model_dump(), signing_secret=secret)

    def change(self, caller: Caller, channel_id: UUID, wanted: ChannelUpdate) -> ChannelRead:
        """Change a channel; for what is not delivered yet, too.

        :raises Invalid: when nothing may be sent to its new address.
        :raises Forbidden: when its links are to open for others, and the caller may not share.
        :raises ChannelNameTaken: when the project has another one of this name.
        """
        row = self._own(caller, channel_id)
        before = _plain(row)
        if wanted.name is not None:
            self.repository.hold(row.project_id)
            self._insist_on_name(row.project_id, wanted.name, row.id)
            row.name = wanted.name
        if wanted.address is not None:
            row.place = self._place(ChannelKind(row.kind), wanted.address)
            row.sealed_address = seal_of(self.settings).close(wanted.address.strip())
        if wanted.kinds is not None:
            row.kinds = list(dict.fromkeys(map(str, wanted.kinds)))
        if wanted.open_to is not None:
            _insist_on_sharing(caller, row.project_id, wanted.open_to)
            row.open_to = wanted.open_to
        if wanted.active is not None:
            row.active = wanted.active
        self._audit(caller, row, "notice_channel.changed", before=before, after=_plain(row))
        return _read(row)

    def remove(self, caller: Caller, channel_id: UUID) -> None:
        """Remove a channel with the log of its deliveries."""
        row = self._own(caller, channel_id)
        self._audit(caller, row, "notice_channel.removed", before=_plain(row))
        self.repository.session.delete(row)

    def sign_anew(self, caller: Caller, channel_id: UUID) -> SigningSecret:
        """Sign a webhook's bodies with another secret from now on.

        :raises Invalid: when it is no webhook.
        """
        row = self._own(caller, channel_id)
        if row.kind != ChannelKind.WEBHOOK:
            raise invalid("channel_id", f"{row.kind} signs nothing", "a webhook")
        secret = webhooks.new_secret()
        row.sealed_secret = seal_of(self.settings).close(secret)
        self._audit(caller, row, "notice_channel.signed_anew")
        return SigningSecret(signing_secret=secret)

    def try_out(self, caller: Caller, channel_id: UUID) -> DeliveryRead:
        """Send a test, once; what becomes of it stands in the log. While one is under way, it is
        that one.
        """
        row = self._own(caller, channel_id)
        under_way = self.repository.pending_test(row.id)
        if under_way is not None:
            return self._deliveries([under_way])[0]
        now = self.clock.now()
        test = NoticeDelivery(
            id=new_id(), project_id=row.project_id, channel_id=row.id,
            state=DeliveryState.PENDING, attempts_count=0, next_at=now + LEASE,
            parcel_id=new_id(), created_at=now,
        )  # fmt: skip
        self.repository.add(test)
        self._audit(caller, row, "notice_channel.tested")
        self.jobs.send("notices.deliver", parcel_id=str(test.parcel_id))
        return self._deliveries([test])[0]

    def deliveries(self, caller: Caller, channel_id: UUID, query: PageQuery) -> Page[DeliveryRead]:
        """What was sent to a channel, and each attempt, newest first."""
        row = self._own(caller, channel_id)
        page: Page[NoticeDelivery] = page_of(
            self.repository.session, self.repository.deliveries_of(row.id), NoticeDelivery.id,
            query, lambda one: one,
        )  # fmt: skip
        return page.of(self._deliveries(page.items))

    def _deliveries(self, rows: list[NoticeDelivery]) -> list[DeliveryRead]:
        notices = self.repository.notices({row.notice_id for row in rows if row.notice_id})
        attempts = self.repository.attempts({row.id for row in rows})
        made = []
        for row in rows:
            notice = notices[row.notice_id] if row.notice_id else None
            facts: dict[str, Any] = {
                "id": row.id,
                "kind": notice.kind if notice else None,
                "title": notice.title if notice else "A test of this channel",
                "state": row.state,
                "next_at": row.next_at if row.state == DeliveryState.PENDING else None,
                "created_at": row.created_at,
                "ended_at": row.ended_at,
                "attempts": [
                    AttemptRead.model_validate(one, from_attributes=True)
                    for one in attempts
                    if one.delivery_id == row.id
                ],
            }
            made.append(DeliveryRead.model_validate(facts))
        return made

    def _own(self, caller: Caller, channel_id: UUID) -> NoticeChannel:
        row = self.repository.channel(channel_id)
        if row is None or row.project_id not in caller.project_ids:
            raise ChannelNotFound
        caller.require(row.project_id, Role.MAINTAINER)
        return row

    def _place(self, kind: ChannelKind, address: str) -> str:
        """As much of an address as may be shown.

        :raises Invalid: when it is none for this kind.
        """
        if kind == ChannelKind.MAIL:
            if not mail_is_set_up(self.settings):
                raise NoMail("set WEIGHHOUSE_SMTP_HOST and start the platform again")
            if not is_mailbox(address.strip()):
                raise invalid("address", "it is no mail address", "for example team@example.com")
            return address.strip()
        try:
            if kind == ChannelKind.WEBHOOK:
                look_at(address, own_networks=self.settings.notices_to_own_networks)
            else:
                chats.require(kind, address.strip())
            parts = split(address)
        except AddressForbidden as error:
            raise invalid("address", str(error), "the address of a webhook") from error
        return f"{parts.scheme}://{parts.netloc}/…"

    def _insist_on_name(self, project_id: UUID, name: str, own_id: UUID | None) -> None:
        taken = [row for row in self.repository.channels(project_id) if row.name == name]
        if any(row.id != own_id for row in taken):
            raise ChannelNameTaken(f"{name!r}; give another one")

    def _audit(self, caller: Caller, row: NoticeChannel, action: str, **details: Any) -> None:
        audit.record(
            self.repository.session, self.clock, actor=caller.name, action=action,
            subject=row.name, project_id=row.project_id, **details, id=str(row.id),
        )  # fmt: skip


def _insist_on_sharing(caller: Caller, project_id: UUID, open_to: OpenTo) -> None:
    """Who lets a channel show things to its readers has to be somebody who may share them."""
    if open_to == OpenTo.READERS:
        shows = [Scope.PUBLISHING_WRITE, Scope.RESULTS_READ]
        may_give(caller, Role.VIEWER, shows, project_id=project_id)


def _read(row: NoticeChannel) -> ChannelRead:
    return ChannelRead.model_validate(
        {name: getattr(row, name) for name in ChannelRead.model_fields}
    )


def _plain(row: NoticeChannel) -> dict[str, Any]:
    """What of a channel may stand in the audit log."""
    told = ("kind", "name", "place", "kinds", "open_to", "active")
    return {name: getattr(row, name) for name in told}
