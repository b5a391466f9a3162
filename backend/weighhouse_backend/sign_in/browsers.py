"""A person's browsers that are signed in."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.models import LoginSession
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound


@dataclass(frozen=True)
class BrowserService:
    """Shows people where they are signed in, and signs them out there."""

    session: Session
    clock: Clock

    def of_caller(self, caller: Caller) -> Sequence[LoginSession]:
        """The caller's logins, the latest used first; to whom a provider vouched for, those by it
        alone.
        """
        found = select(LoginSession).where(LoginSession.user_id == caller.id)
        if caller.provider_id is not None:
            found = found.where(LoginSession.provider_id == caller.provider_id)
        return self.session.scalars(found.order_by(LoginSession.last_used_at.desc())).all()

    def end(self, caller: Caller, login_id: UUID) -> None:
        """Sign one of the caller's browsers out."""
        row = self.session.get(LoginSession, login_id)
        if row is None or row.user_id != caller.id:
            raise NotFound
        if caller.provider_id is not None and row.provider_id != caller.provider_id:
            raise NotFound
        self.session.delete(row)
        audit.record(
            self.session, self.clock, actor=caller.name, action="login.ended", subject=caller.name
        )

    def end_others(self, caller: Caller, keep_digest: str) -> int:
        """Sign all of the caller's browsers out but one; how many there were.

        :param keep_digest: hash of the cookie that stays valid.
        """
        others = [one for one in self.of_caller(caller) if one.token_hash != keep_digest]
        for one in others:
            self.session.delete(one)
        if others:
            audit.record(
                self.session, self.clock, actor=caller.name, action="login.others_ended",
                subject=caller.name, count=len(others),
            )  # fmt: skip
        return len(others)
