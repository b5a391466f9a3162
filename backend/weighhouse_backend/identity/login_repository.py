"""All queries of logging in: refused attempts, and the devices that people signed in from."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, func, select
from sqlalchemy.orm import Session

from weighhouse_backend.identity.models import LoginDevice, LoginFailure, User


@dataclass(frozen=True)
class LoginRepository:
    """Reads and writes attempts and devices."""

    session: Session

    def take_turn(self, *names: str) -> None:
        """Let nobody else count the same until the transaction ends; always in the same order."""
        for name in names:
            key = func.hashtextextended(f"login:{name}", 0)
            self.session.execute(select(func.pg_advisory_xact_lock(key)))

    def forget_failures(self, before: datetime.datetime) -> None:
        """Remove what no counter looks at any more."""
        self.session.execute(delete(LoginFailure).where(LoginFailure.at < before))

    def latest_failures(
        self, since: datetime.datetime, count: int, *of: ColumnElement[bool]
    ) -> list[datetime.datetime]:
        """When attempts were refused, the newest first, at most so many."""
        return list(
            self.session.scalars(
                select(LoginFailure.at)
                .where(LoginFailure.at >= since, *of)
                .order_by(LoginFailure.at.desc())
                .limit(count)
            )
        )

    def forget_failure(self, failure_id: UUID) -> None:
        """Remove one attempt, which was none of the refused ones."""
        self.session.execute(delete(LoginFailure).where(LoginFailure.id == failure_id))

    def forgive(self, *of: ColumnElement[bool]) -> None:
        """Remove attempts of whom signed in at last."""
        self.session.execute(delete(LoginFailure).where(*of))

    def device(self, digest: str, user: User) -> LoginDevice | None:
        """A person's device by the hash of its cookie."""
        return self.session.scalar(
            select(LoginDevice).where(
                LoginDevice.token_hash == digest, LoginDevice.user_id == user.id
            )
        )

    def signed_in_from(self, user: User, address: str, since: datetime.datetime) -> bool:
        """Whether a person signed in from an address since an instant."""
        return bool(
            self.session.scalar(
                select(
                    exists().where(
                        LoginDevice.user_id == user.id,
                        LoginDevice.address == address,
                        LoginDevice.last_login_at >= since,
                    )
                )
            )
        )

    def forget_devices(self, user_id: UUID, before: datetime.datetime, most: int) -> None:
        """Remove a person's devices that were not used for long, and the oldest of too many."""
        kept = (
            select(LoginDevice.id)
            .where(LoginDevice.user_id == user_id, LoginDevice.last_login_at >= before)
            .order_by(LoginDevice.last_login_at.desc())
            .limit(most)
        )
        self.session.execute(
            delete(LoginDevice).where(
                LoginDevice.user_id == user_id, LoginDevice.id.not_in(kept.scalar_subquery())
            )
        )
