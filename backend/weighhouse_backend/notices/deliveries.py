"""Deliveries on their way: packed into parcels, begun, ended, tried again with growing waits.

A parcel is begun in one transaction and ended in another; what goes over the network goes between
them. A worker that is killed there leaves an attempt without an end, and the delivery comes back
when its time is up: a message may arrive twice, with the same id, and is never lost.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol import pages

from weighhouse_backend.identity.models import Project
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.membership.service import MembershipService
from weighhouse_backend.notices.kinds import AttemptOutcome, ChannelKind, DeliveryState, OpenTo
from weighhouse_backend.notices.messages import Message, message_of_test
from weighhouse_backend.notices.models import NoticeAttempt, NoticeChannel, NoticeDelivery
from weighhouse_backend.notices.recipients import ends_of_quiet
from weighhouse_backend.notices.repository import NoticeRepository
from weighhouse_backend.notices.results import Result

AT_ONCE = 200
LEASE = datetime.timedelta(minutes=4)
"""A parcel that was not ended for so long is lost; longer than the worker lets a task run."""
WAITS_SECONDS = (10, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 28800)
"""Before the second attempt, the third, …; a day in all. After the last it has failed."""


@dataclass(frozen=True)
class Parcel:
    """What goes out in one message, and where to; its secrets are still sealed."""

    id: UUID
    messages: Sequence[Message]
    kind: ChannelKind
    mailbox: str | None = None
    """Of a person."""
    sealed_address: str | None = None
    sealed_secret: str | None = None
    channel: str = ""
    """Its name, where it goes to one."""
    open_to: OpenTo = OpenTo.MEMBERS
    """Who is to be able to open what it links to."""


@dataclass(frozen=True)
class DeliveryService:
    """Keeps what becomes of deliveries."""

    repository: NoticeRepository
    people: MembershipService
    clock: Clock
    settings: Settings

    def pack(self) -> list[UUID]:
        """Make parcels of what is due: each delivery to a channel one, all to one person one.

        What came due in somebody's quiet hours, because it was tried before or the worker stood
        still, waits for their end. What was tried as often as it may be has failed, also when its
        last attempts never ended.
        """
        now = self.clock.now()
        of_people: dict[UUID, UUID] = {}
        parcels: list[UUID] = []
        rows = self.repository.due(now, AT_ONCE)
        chosen = self.repository.preferences({row.user_id for row in rows if row.user_id})
        for row in rows:
            if _is_over(row):
                row.state, row.ended_at, row.parcel_id = DeliveryState.FAILED, now, None
                continue
            preference = None if row.user_id is None else chosen.get(row.user_id)
            if preference is not None and (quiet := ends_of_quiet(preference, now)) > now:
                row.next_at, row.parcel_id = quiet, None
                continue
            known = None if row.user_id is None else of_people.get(row.user_id)
            row.parcel_id = known or new_id()
            row.next_at = now + LEASE
            if known is None:
                parcels.append(row.parcel_id)
            if row.user_id is not None:
                of_people[row.user_id] = row.parcel_id
        return parcels

    def begin(self, parcel_id: UUID) -> Parcel | None:
        """Begin an attempt; None when there is nothing to do: it was begun before, it is packed
        anew, or nobody is to get it any more.
        """
        packed = self.repository.parcel(parcel_id)
        # Asked when the rows are locked: another worker may have begun it meanwhile.
        if self.repository.attempts_of_parcel(parcel_id):
            return None
        rows = [row for row in packed if self._stands(row)]
        if not rows:
            return None
        now = self.clock.now()
        for row in rows:
            row.attempts_count += 1
            row.next_at = now + LEASE
            self.repository.add(
                NoticeAttempt(
                    id=new_id(), project_id=row.project_id, delivery_id=row.id,
                    parcel_id=parcel_id, begun_at=now, detail="",
                )
            )  # fmt: skip
        messages = self._messages(rows)
        if rows[0].channel_id is None:
            mailbox = self.people.user(rows[0].user_id or new_id()).email
            return Parcel(parcel_id, messages, ChannelKind.MAIL, mailbox=mailbox)
        channel = self._channel(rows[0])
        return Parcel(
            parcel_id,
            messages,
            ChannelKind(channel.kind),
            sealed_address=channel.sealed_address,
            sealed_secret=channel.sealed_secret,
            channel=channel.name,
            open_to=OpenTo(channel.open_to),
        )

    def end(self, parcel_id: UUID, result: Result) -> None:
        """Keep how an attempt ended. What was packed anew meanwhile is left to its new parcel."""
        now = self.clock.now()
        for attempt in self.repository.attempts_of_parcel(parcel_id):
            if attempt.ended_at is None:
                attempt.ended_at = now
                attempt.outcome = result.outcome
                attempt.status_code = result.status_code
                attempt.detail = result.detail
        for row in self.repository.parcel(parcel_id):
            row.parcel_id = None
            if result.outcome == AttemptOutcome.DELIVERED:
                row.state, row.ended_at = DeliveryState.DELIVERED, now
            elif result.for_good or _is_over(row):
                row.state, row.ended_at = DeliveryState.FAILED, now
            else:
                wait = WAITS_SECONDS[row.attempts_count - 1]
                row.next_at = now + datetime.timedelta(seconds=wait)

    def _stands(self, row: NoticeDelivery) -> bool:
        """Whether somebody is still to get it; else it is dropped."""
        if row.user_id is not None:
            stands = row.project_id in self.people.sees(row.user_id)
        else:
            stands = row.notice_id is None or self._channel(row).active
        if not stands:
            row.state, row.ended_at, row.parcel_id = DeliveryState.DROPPED, self.clock.now(), None
        return stands

    def _channel(self, row: NoticeDelivery) -> NoticeChannel:
        return self.repository.session.get_one(NoticeChannel, row.channel_id)

    def _messages(self, rows: Sequence[NoticeDelivery]) -> list[Message]:
        ids = {row.notice_id for row in rows if row.notice_id is not None}
        notices = self.repository.notices(ids)
        here = self.settings.public_url
        made = []
        for row in rows:
            project = self.repository.session.get_one(Project, row.project_id).name
            if row.notice_id is None:
                url = pages.at(here, pages.settings("notifications"))
                made.append(message_of_test(row.id, row.project_id, project, url, row.created_at))
                continue
            notice = notices[row.notice_id]
            path = pages.kept(notice.path)
            url = pages.at(here, pages.in_project(path, row.project_id))
            made.append(
                Message(
                    id=row.id, kind=notice.kind, title=notice.title, words=notice.words, url=url,
                    project_id=row.project_id, project=project, at=notice.at, path=path,
                )
            )  # fmt: skip
        return made


def _is_over(row: NoticeDelivery) -> bool:
    """Whether it was tried as often as it may be. Of a test somebody waits for the answer; nobody
    sends it again later.
    """
    most = 1 if row.notice_id is None else 1 + len(WAITS_SECONDS)
    return row.attempts_count >= most
