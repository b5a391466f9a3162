"""Passwords: strong enough, changed by their owner, set anew over a link that came by mail."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import person_audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import CurrentPasswordWrong, LinkInvalid
from weighhouse_backend.identity.links import RESET, row_of
from weighhouse_backend.identity.models import LoginSession, PasswordReset, User
from weighhouse_backend.identity.password_strength import insist_on_strength
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.secrets import hash_password, password_fits
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.mail import NoMail, mail_is_set_up
from weighhouse_backend.kit.problems import FieldProblem
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import secret_of

RESET_LASTS = datetime.timedelta(hours=1)
RESETS_AN_HOUR = 3


@dataclass(frozen=True)
class PasswordService:
    """People's own passwords; nobody sets another one's."""

    session: Session
    clock: Clock
    settings: Settings
    jobs: Jobs

    @property
    def _repository(self) -> IdentityRepository:
        return IdentityRepository(self.session)

    def address_of(self, caller: Caller) -> str:
        """The caller's mail address."""
        return self.session.get_one(User, caller.id).email

    def change(self, caller: Caller, current: str, wanted: str, keep_digest: str) -> None:
        """Change the caller's password; their other browsers are signed out.

        :param keep_digest: hash of the cookie that stays valid.
        :raises CurrentPasswordWrong: when the present one does not fit.
        :raises WeakPassword: when the new one is soon guessed.
        """
        user = self._repository.user(caller.id)
        if user is None or not password_fits(user.password_hash, current):
            raise CurrentPasswordWrong(
                errors=[FieldProblem(path="current", message="does not fit")]
            )
        insist_on_strength(wanted, user.name, user.email)
        self._set(user, wanted, keep_digest)
        person_audit.record(self.session, self.clock, user, "password.changed")

    def ask_reset(self, email: str) -> None:
        """Have a link sent by which a password is set anew; says nothing of whether there is such a
        person.

        :raises NoMail: when the installation sends no mail.
        """
        if not mail_is_set_up(self.settings):
            raise NoMail("ask whoever keeps this installation; it has no WEIGHHOUSE_SMTP_HOST")
        user = self._repository.user_by_email(email)
        if user is None:
            return
        now = self.clock.now()
        lately = select(func.count()).where(
            PasswordReset.user_id == user.id,
            PasswordReset.created_at > now - datetime.timedelta(hours=1),
        )
        if (self.session.scalar(lately) or 0) >= RESETS_AN_HOUR:
            return
        row = PasswordReset(user_id=user.id, created_at=now, expires_at=now + RESET_LASTS)
        self._repository.add(row)
        asking = person_audit.ANYBODY
        person_audit.record(self.session, self.clock, user, "password.reset_asked", asking)
        self.jobs.send("identity.mail_reset", reset_id=str(row.id))

    def whose(self, token: str) -> User:
        """Whose password a link sets.

        :raises LinkInvalid: when it was not signed here, has ended, or was used.
        """
        return self._open(token)[1]

    def reset(self, token: str, wanted: str) -> User:
        """Set a password over a link, once; all browsers are signed out.

        :raises LinkInvalid: when it was not signed here, has ended, or was used.
        :raises WeakPassword: when the new one is soon guessed.
        """
        row, user = self._open(token)
        insist_on_strength(wanted, user.name, user.email)
        row.used_at = self.clock.now()
        self._set(user, wanted, "")
        person_audit.record(self.session, self.clock, user, "password.reset")
        return user

    def _open(self, token: str) -> tuple[PasswordReset, User]:
        now = self.clock.now()
        reset_id = row_of(RESET, self.settings, token, now)
        row = self.session.get(PasswordReset, reset_id, with_for_update=True)
        user = None if row is None else self._repository.user(row.user_id)
        if row is None or user is None:
            raise LinkInvalid("it is of nobody who is here")
        if row.used_at is not None:
            raise LinkInvalid("it was used already; ask for another")
        return row, user

    def _set(self, user: User, wanted: str, keep_digest: str) -> None:
        user.password_hash = hash_password(wanted)
        for row in self.session.scalars(
            select(LoginSession).where(LoginSession.user_id == user.id)
        ):
            if row.token_hash != keep_digest:
                self.session.delete(row)


def reset_link(settings: Settings, row_id: UUID, expires_at: datetime.datetime) -> str:
    """The page at which a password is set anew; what signs it never reaches a server's log."""
    token = RESET.signed(secret_of(settings), row_id, expires_at)
    return RESET.address(settings, token)
