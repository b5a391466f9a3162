"""Who gets a notice: worked out by the worker, in the transaction that says that it was."""

import datetime
from dataclasses import dataclass, replace

from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.mail import mail_is_set_up
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.membership.service import MembershipService
from weighhouse_backend.notices.kinds import Digest, NoticeKind
from weighhouse_backend.notices.models import Notice, NoticePreference
from weighhouse_backend.notices.quiet_hours import Hours, goes_out_at
from weighhouse_backend.notices.repository import NoticeRepository

AT_ONCE = 100
KEPT = datetime.timedelta(days=90)
"""Older notices are forgotten."""


@dataclass(frozen=True)
class SpreadingService:
    """Puts notices under bells and on their way."""

    repository: NoticeRepository
    people: MembershipService
    clock: Clock
    settings: Settings

    def spread(self) -> int:
        """Spread what waits, AT_ONCE at most; returns how many. Idempotent."""
        waiting = self.repository.unspread(AT_ONCE)
        for notice in waiting:
            self._to_people(notice)
            self._to_channels(notice)
            notice.spread_at = self.clock.now()
        return len(waiting)

    def tidy(self) -> None:
        """Forget what is old, and what is of people who have left. Idempotent."""
        now = self.clock.now()
        self.repository.forget_before(now - KEPT)
        kept = self.repository.personal()
        for user_id in {user_id for user_id, _ in kept}:
            seen = self.people.sees(user_id)
            for other, project_id in kept:
                if other == user_id and project_id not in seen:
                    self.repository.forget_person(user_id, project_id, now)

    def _to_people(self, notice: Notice) -> None:
        now = self.clock.now()
        watchers = [user.id for user in self.people.watchers(notice.project_id)]
        chosen = self.repository.preferences(watchers)
        self.repository.ring(
            notice, [one for one in watchers if rings(chosen.get(one), notice.kind)]
        )
        if not mail_is_set_up(self.settings):
            return
        for user_id, preference in chosen.items():
            if notice.kind in preference.mail_kinds:
                at = goes_out_at(now, hours_of(preference))
                self.repository.deliver(notice, now, at, user_id=user_id)

    def _to_channels(self, notice: Notice) -> None:
        now = self.clock.now()
        for channel in self.repository.channels(notice.project_id):
            if channel.active and notice.kind in channel.kinds:
                self.repository.deliver(notice, now, now, channel_id=channel.id)


def rings(preference: NoticePreference | None, kind: NoticeKind | str) -> bool:
    """Whether somebody wants a kind under their bell."""
    return preference is None or kind in preference.bell_kinds


def ends_of_quiet(preference: NoticePreference, now: datetime.datetime) -> datetime.datetime:
    """When somebody's quiet hours are over; now, when there are none at present."""
    return goes_out_at(now, replace(hours_of(preference), digest_at=None))


def hours_of(preference: NoticePreference) -> Hours:
    """When somebody wants mail."""
    return Hours(
        time_zone=preference.time_zone,
        quiet_from=preference.quiet_from,
        quiet_until=preference.quiet_until,
        digest_at=preference.digest_at if preference.digest == Digest.DAILY else None,
    )
