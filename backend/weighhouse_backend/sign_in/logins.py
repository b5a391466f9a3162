"""Signing in, and how often it may be tried: strangers cannot lock a person out.

Every attempt is noted as refused before the password is looked at, and taken back when it was
right. So attempts at the same time count too, and what is over a limit costs no hashing.
"""

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from weighhouse_backend.identity.errors import TooManyLogins
from weighhouse_backend.identity.login_repository import LoginRepository
from weighhouse_backend.identity.models import LoginDevice, LoginFailure, LoginSession, User
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.secrets import new_token, token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id

WINDOW = datetime.timedelta(minutes=10)
PAIR_ALLOWED = 8
"""Refused logins for one person from one address in the window."""
DEVICE_ALLOWED = 10
"""Refused logins for one person from one of their own devices in the window."""
ADDRESS_ALLOWED = 60
"""Refused logins from one address, whomever they name, in the window."""
LONG_WINDOW = datetime.timedelta(hours=1)
STRANGERS_ALLOWED = 100
"""Refused logins for one person from addresses they never signed in from, in the long window …"""
STRANGERS_PAUSE = datetime.timedelta(seconds=10)
"""… past which strangers may try once in so long, all together."""
ADDRESS_KNOWN_FOR = datetime.timedelta(days=30)
DEVICE_KNOWN_FOR = datetime.timedelta(days=180)
MOST_DEVICES = 50
USER_AGENT = 300
"""Characters kept of what a browser calls itself."""
HASHED_AT_ONCE = 2
"""Passwords of each kind: hashing takes tens of megabytes and a processor each."""
HASHING_WAIT_SECONDS = {True: 20.0, False: 0.25}
"""How long a known device, and a stranger, waits for a turn."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a login comes from."""

    address: str
    device_token: str | None
    """The cookie that a login from this browser left; None: there was none."""
    user_agent: str | None = None
    """What the browser calls itself."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A login that may be tried."""

    id: UUID
    email: str
    origin: Origin
    user_id: UUID | None
    password_hash: str | None
    device_id: UUID | None
    """The person's own device that it comes from."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """What a login gives."""

    user: User
    session_token: str
    device_token: str


class Turns:
    """Lets few passwords be hashed at once; strangers never take the turns of known devices."""

    def __init__(self) -> None:
        self._free = {known: BoundedSemaphore(HASHED_AT_ONCE) for known in (True, False)}

    @contextmanager
    def one(self, *, known: bool) -> Iterator[bool]:
        """Wait for a turn.

        :returns: whether there was one in time.
        """
        free = self._free[known]
        taken = free.acquire(timeout=HASHING_WAIT_SECONDS[known])
        try:
            yield taken
        finally:
            if taken:
                free.release()


@dataclass(frozen=True)
class LoginService:
    """Logins of people with a password."""

    session: Session
    clock: Clock

    @property
    def _logins(self) -> LoginRepository:
        return LoginRepository(self.session)

    def begin(self, email: str, origin: Origin) -> Attempt:
        """Note an attempt, as refused until it is known to be right; the caller commits.

        :raises TooManyLogins: when it may not be tried now; it does not count then.
        """
        now, name = self.clock.now(), email.lower()
        user = IdentityRepository(self.session).user_by_email(name)
        self._logins.take_turn(f"address:{origin.address}", f"person:{name}")
        self._logins.forget_failures(now - LONG_WINDOW)
        device = self._device(user, origin, now)
        known_address = user is not None and self._logins.signed_in_from(
            user, origin.address, now - ADDRESS_KNOWN_FOR
        )
        if device is not None:
            self._within(now, DEVICE_ALLOWED, LoginFailure.device_id == device.id)
        else:
            stranger = LoginFailure.device_id.is_(None)
            here = LoginFailure.address == origin.address
            self._within(now, PAIR_ALLOWED, here, LoginFailure.email == name, stranger)
            self._within(now, ADDRESS_ALLOWED, here, stranger)
            if not known_address:
                self._slowly(now, name)
        row = LoginFailure(
            id=new_id(), email=name, address=origin.address, at=now,
            device_id=device.id if device else None,
            known_address=known_address,
        )  # fmt: skip
        self.session.add(row)
        return Attempt(
            id=row.id,
            email=name,
            origin=origin,
            user_id=user.id if user else None,
            password_hash=user.password_hash if user else None,
            device_id=row.device_id,
        )

    def certain(self, user: User, origin: Origin) -> Attempt:
        """An attempt that is no guess, for what was shown cannot be guessed: nothing is counted."""
        device = self._device(user, origin, self.clock.now())
        return Attempt(
            id=new_id(), email=user.email.lower(), origin=origin, user_id=user.id,
            password_hash=None, device_id=device.id if device else None,
        )  # fmt: skip

    def log_out(self, cookie: str) -> str | None:
        """End a login. Repeatable.

        :returns: where one signs out of the provider, sealed; None: none vouched.
        """
        return IdentityRepository(self.session).end_session(token_hash(cookie))

    def may_use_password(self, user_id: UUID) -> bool:
        """Whether a password opens anything to a person who is in an organization."""
        repository = IdentityRepository(self.session)
        return repository.belongs_somewhere(
            user_id, LoginSession(user_id=user_id)
        ) or not repository.belongs_somewhere(user_id)

    def withdraw(self, attempt: Attempt) -> None:
        """Forget an attempt whose password nobody looked at."""
        self._logins.forget_failure(attempt.id)

    def succeed(
        self,
        attempt: Attempt,
        user_id: UUID,
        session_hours: float,
        provider_id: UUID | None = None,
        sign_out_sealed: str | None = None,
    ) -> SignedIn:
        """Sign in whose password was right; the address and the browser are known from now on.

        :param session_hours: how long a login lasts without use; older ones are forgotten.
        :param provider_id: the provider that vouched instead of a password.
        :param sign_out_sealed: where they sign out of it.
        """
        now, origin = self.clock.now(), attempt.origin
        identity = IdentityRepository(self.session)
        user = self.session.get_one(User, user_id)
        if attempt.device_id is not None:
            self._logins.forgive(LoginFailure.device_id == attempt.device_id)
        else:
            self._logins.forgive(
                LoginFailure.email == attempt.email,
                LoginFailure.address == origin.address,
                LoginFailure.device_id.is_(None),
            )
        identity.forget_sessions(user_id, now - datetime.timedelta(hours=session_hours))
        token = new_token("s")
        self.session.add(
            LoginSession(
                user_id=user_id, token_hash=token_hash(token), address=origin.address,
                user_agent=origin.user_agent and origin.user_agent[:USER_AGENT], created_at=now,
                last_used_at=now, provider_id=provider_id, sign_out_sealed=sign_out_sealed,
            )
        )  # fmt: skip
        return SignedIn(user, token, self._remember(attempt, user_id, now))

    def _remember(self, attempt: Attempt, user_id: UUID, now: datetime.datetime) -> str:
        """The device's new cookie: a copy of the old one is worth nothing any more."""
        device_token = new_token("d")
        device = attempt.device_id and self.session.get(LoginDevice, attempt.device_id)
        if not device:
            device = LoginDevice(id=new_id(), user_id=user_id, created_at=now)
            self.session.add(device)
        device.token_hash = token_hash(device_token)
        device.address = attempt.origin.address
        device.last_login_at = now
        self.session.flush()
        self._logins.forget_devices(user_id, now - DEVICE_KNOWN_FOR, MOST_DEVICES)
        return device_token

    def _device(
        self, user: User | None, origin: Origin, now: datetime.datetime
    ) -> LoginDevice | None:
        if user is None or not origin.device_token:
            return None
        found = self._logins.device(token_hash(origin.device_token), user)
        return found if found and found.last_login_at >= now - DEVICE_KNOWN_FOR else None

    def _within(self, now: datetime.datetime, allowed: int, *of: ColumnElement[bool]) -> None:
        latest = self._logins.latest_failures(now - WINDOW, allowed, *of)
        if len(latest) == allowed:
            raise _later(latest[-1] + WINDOW - now)

    def _slowly(self, now: datetime.datetime, name: str) -> None:
        latest = self._logins.latest_failures(
            now - LONG_WINDOW,
            STRANGERS_ALLOWED,
            LoginFailure.email == name,
            LoginFailure.device_id.is_(None),
            LoginFailure.known_address.is_(False),
        )
        if len(latest) == STRANGERS_ALLOWED and now - latest[0] < STRANGERS_PAUSE:
            raise _later(latest[0] + STRANGERS_PAUSE - now)


def _later(wait: datetime.timedelta) -> TooManyLogins:
    seconds = max(1, int(wait.total_seconds()) + 1)
    return TooManyLogins(
        f"too many were refused; try again in {seconds} s, or from a browser or network that you "
        "signed in from before",
        headers={"Retry-After": str(seconds)},
    )
