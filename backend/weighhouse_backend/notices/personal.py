"""One's own: what is under the bell, and what one wants to hear of."""

import datetime
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.mail import mail_is_set_up
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.problems import Forbidden
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.membership.service import MembershipService
from weighhouse_backend.notices.errors import invalid
from weighhouse_backend.notices.models import Notice, NoticeEntry, NoticePreference
from weighhouse_backend.notices.quiet_hours import is_time_zone
from weighhouse_backend.notices.repository import NoticeRepository
from weighhouse_backend.notices.schemas import NoticeRead, PreferencesRead, PreferencesWrite


@dataclass(frozen=True)
class BellService:
    """Shows a person what happened in the projects they see."""

    repository: NoticeRepository
    clock: Clock

    def listed(self, caller: Caller, query: PageQuery, *, unread: bool) -> Page[NoticeRead]:
        """What is under the caller's bell, newest first."""
        statement = self.repository.entries(_person(caller), caller.project_ids, unread=unread)
        page: Page[NoticeEntry] = page_of(
            self.repository.session, statement, NoticeEntry.id, query, lambda row: row
        )
        notices = self.repository.notices({row.notice_id for row in page.items})
        return page.of(_read(row, notices[row.notice_id]) for row in page.items)

    def unread_count(self, caller: Caller) -> int:
        """How much of it was not read."""
        return self.repository.unread_count(_person(caller), caller.project_ids)

    def read(self, caller: Caller, entry_ids: Collection[UUID] | None) -> None:
        """Mark as read; None: all. What is not the caller's is left as it is. Repeatable."""
        now = self.clock.now()
        self.repository.read(_person(caller), caller.project_ids, entry_ids, now)


@dataclass(frozen=True)
class PreferenceService:
    """Keeps what people want to hear of."""

    repository: NoticeRepository
    people: MembershipService
    settings: Settings

    def read(self, caller: Caller) -> PreferencesRead:
        """What the caller chose; everything under the bell and no mail, when they chose nothing."""
        row = self.repository.preferences([caller.id]).get(caller.id)
        chosen = PreferencesWrite() if row is None else _chosen(row)
        return PreferencesRead(
            **chosen.model_dump(),
            email=self.people.user(caller.id).email,
            sends_mail=mail_is_set_up(self.settings),
        )

    def save(self, caller: Caller, wanted: PreferencesWrite) -> PreferencesRead:
        """Follow what the caller chose, for notices from now on.

        :raises Invalid: when there is no such time zone.
        """
        if not is_time_zone(wanted.time_zone):
            said = f"{wanted.time_zone!r} is no time zone"
            raise invalid("time_zone", said, "an IANA name, e.g. 'Europe/Vienna'")
        self.repository.hold(caller.id)
        row = self.repository.preferences([caller.id]).get(caller.id)
        if row is None:
            row = NoticePreference(user_id=caller.id)
        row.bell_kinds = _each_once(wanted.bell_kinds)
        row.mail_kinds = _each_once(wanted.mail_kinds)
        row.time_zone = wanted.time_zone
        row.quiet_from, row.quiet_until = _time(wanted.quiet_from), _time(wanted.quiet_until)
        row.digest = wanted.digest
        row.digest_at = datetime.time.fromisoformat(wanted.digest_at)
        self.repository.add(row)
        return self.read(caller)


def _person(caller: Caller) -> UUID:
    """:raises Forbidden: when it is a token: it has no bell."""
    if caller.kind != "user":
        raise Forbidden("an API token has no bell; sign in")
    return caller.id


def _read(entry: NoticeEntry, notice: Notice) -> NoticeRead:
    return NoticeRead.model_validate(
        {
            **{
                name: getattr(notice, name)
                for name in ("kind", "title", "words", "path", "project_id", "at")
            },
            "id": entry.id,
            "read_at": entry.read_at,
        }
    )


def _chosen(row: NoticePreference) -> PreferencesWrite:
    return read_of(
        PreferencesWrite,
        row,
        quiet_from=_shown(row.quiet_from),
        quiet_until=_shown(row.quiet_until),
        digest_at=f"{row.digest_at:%H:%M}",
    )


def _each_once(kinds: Collection[str]) -> list[str]:
    return list(dict.fromkeys(str(one) for one in kinds))


def _time(text: str | None) -> datetime.time | None:
    return None if text is None else datetime.time.fromisoformat(text)


def _shown(time: datetime.time | None) -> str | None:
    return None if time is None else f"{time:%H:%M}"
