"""Second factors: codes of an authenticator (TOTP, RFC 6238), passkeys, and recovery codes in
their stead.

A code is taken once: the time step of the last one is kept, under a lock of the row, so that of two
logins with one code at the same time one is refused.
"""

import datetime
import hmac
import secrets
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import pyotp
import segno
from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.identity import person_audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import (
    CurrentPasswordWrong,
    FactorExists,
    TooManyLogins,
    WrongCode,
)
from weighhouse_backend.identity.factor_models import (
    FactorLetter,
    Passkey,
    RecoveryCode,
    SecondFactor,
)
from weighhouse_backend.identity.models import LoginSession, User
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.secrets import password_fits, token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import FieldProblem, NotFound
from weighhouse_backend.kit.seals import seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.sign_in.factor_schemas import (
    FactorBegun,
    FactorProof,
    FactorRead,
    PasskeyRead,
)
from weighhouse_backend.sign_in.passkey_places import place_of
from weighhouse_backend.sign_in.passkey_use import take

ISSUER = "Weighhouse"
STEP_SECONDS = 30
STEPS_ASIDE = 1
"""Clocks may differ by so many steps."""
CODES = 10
CODE_BYTES = 10
"""80 random bits, so that a fast hash is enough."""
CONFIRMED_WITHIN = datetime.timedelta(minutes=15)
WRONG_ALLOWED = 20
"""Wrong codes after the right password, from browsers that are not the person's own, in …"""
WRONG_WINDOW = datetime.timedelta(hours=1)


@dataclass(frozen=True)
class FactorService:
    """People's own second factors."""

    session: Session
    clock: Clock
    settings: Settings

    def read(self, user_id: UUID) -> FactorRead:
        """What a person's logins take."""
        factor, place = self._factor(user_id), place_of(self.settings)
        on = factor is not None and factor.confirmed_at is not None
        left = select(func.count()).where(
            RecoveryCode.user_id == user_id, RecoveryCode.used_at.is_(None)
        )
        return FactorRead(
            enabled=on,
            since=factor.confirmed_at if factor is not None else None,
            authenticator=factor is not None and factor.authenticator_at is not None,
            recovery_codes_left=self.session.scalar(left) or 0 if on else 0,
            passkeys=[PasskeyRead.model_validate(one) for one in self.passkeys(user_id)],
            passkeys_at=place.origin if place is not None else None,
        )

    def passkeys(self, user_id: UUID) -> Sequence[Passkey]:
        """A person's passkeys, the oldest first."""
        found = select(Passkey).where(Passkey.user_id == user_id)
        return self.session.scalars(found.order_by(Passkey.id)).all()

    def begin(self, caller: Caller, proof: FactorProof) -> FactorBegun:
        """A new key for the caller's authenticator; it counts once a code of it was confirmed.

        :raises CurrentPasswordWrong: when the present password does not fit.
        :raises WrongCode: when there is a second factor, and the code does not.
        :raises PasskeyRefused: when a passkey was shown in their stead, and its answer does not
            hold.
        :raises FactorExists: when there is an authenticator already.
        """
        if self.has_authenticator(caller.id):
            raise FactorExists("take it off first; that takes a code of it")
        user = self.proven(caller, proof)
        factor = self.locked(user.id)
        if factor.authenticator_at is not None:
            raise FactorExists("it was confirmed meanwhile")
        key = pyotp.random_base32()
        factor.key_sealed, factor.created_at = seal_of(self.settings).close(key), self.clock.now()
        factor.last_step = 0  # of the former key
        uri = pyotp.TOTP(key).provisioning_uri(name=user.email, issuer_name=ISSUER)
        image = segno.make(uri, error="m", micro=False)
        return FactorBegun(
            key=key, uri=uri, qr_code=image.svg_data_uri(scale=5, border=4, light="#fff")
        )

    def confirm(self, caller: Caller, code: str, keep_digest: str) -> list[str]:
        """Have the caller's logins take the authenticator from now on. With the first second factor
        of theirs other browsers are signed out.

        :param keep_digest: hash of the cookie that stays valid.
        :returns: recovery codes; none: there were some already.
        :raises NotFound: when none was begun lately.
        :raises FactorExists: when it was confirmed already.
        :raises WrongCode: when the code is none of the new key's.
        """
        factor, now = self._factor(caller.id), self.clock.now()
        if factor is not None and factor.authenticator_at is not None:
            raise FactorExists("it was confirmed already")
        if (
            factor is None
            or factor.key_sealed is None
            or factor.created_at < now - CONFIRMED_WITHIN
        ):
            raise NotFound("nothing was begun in the last quarter of an hour; begin again")
        if not self._of_authenticator(factor, _plain(code)):
            raise wrong_code()
        factor.authenticator_at = now
        return self.begin_to_ask(caller.id, "set_up", keep_digest)

    def begin_to_ask(self, user_id: UUID, kind: str, keep_digest: str) -> list[str]:
        """A person has one factor more. With the first, the password alone signs in no more, and
        browsers are signed out that it alone had signed in.

        :param kind: what happened, for the audit log.
        :param keep_digest: hash of the cookie that stays valid.
        :returns: recovery codes; none: there were some already.
        """
        user = self.session.get_one(User, user_id)
        factor = self.locked(user_id)
        self._note(user, kind)
        if factor.confirmed_at is not None:
            return []
        factor.confirmed_at = self.clock.now()
        self.session.execute(
            delete(LoginSession).where(
                LoginSession.user_id == user_id, LoginSession.token_hash != keep_digest
            )
        )
        return self._new_codes(user_id)

    def cease_to_ask(self, user_id: UUID, kind: str) -> None:
        """A person has one factor less; with the last the password alone signs in.

        :param kind: what happened, for the audit log, where another one is left.
        """
        factor, user = self._factor(user_id), self.session.get_one(User, user_id)
        if factor is None or factor.authenticator_at is not None or self.passkeys(user_id):
            self._note(user, kind)
            return
        self.session.delete(factor)
        self._note(user, "removed")

    def renew_codes(self, caller: Caller, proof: FactorProof) -> list[str]:
        """New recovery codes; the former ones end. Raises as `begin` does.

        :raises NotFound: when there is no second factor.
        """
        user = self.proven(caller, proof)
        if not self.asked_of(user.id):
            raise NotFound("there is no second factor")
        self._note(user, "recovery_codes_made")
        return self._new_codes(user.id)

    def remove(self, caller: Caller, proof: FactorProof) -> None:
        """Have the caller's logins take no codes of an authenticator. Raises as `begin` does.

        :raises NotFound: when there is none.
        """
        user = self.proven(caller, proof)
        factor = self._factor(user.id)
        if factor is None or factor.authenticator_at is None:
            raise NotFound("there is no authenticator")
        factor.key_sealed = factor.authenticator_at = None
        self.session.flush()
        self.cease_to_ask(user.id, "authenticator_removed")

    def reset_on_machine(self, email: str) -> None:
        """Have somebody's logins take the password alone, and end them all: for whoever keeps the
        installation, on its own machine.

        :raises NotFound: when nobody has that address, or they have no second factor.
        """
        user = IdentityRepository(self.session).user_by_email(email)
        if user is None:
            raise NotFound(f"nobody here has the address {email}")
        factor = self._factor(user.id)
        if factor is None or factor.confirmed_at is None:
            raise NotFound(f"{user.email} has no second factor")
        self.session.delete(factor)
        self.session.execute(delete(LoginSession).where(LoginSession.user_id == user.id))
        self._note(user, "reset", actor=person_audit.INSTALLATION)

    def asked_of(self, user_id: UUID) -> bool:
        """Whether a person's password alone signs nobody in."""
        return (
            self.session.scalar(
                select(SecondFactor.confirmed_at).where(SecondFactor.user_id == user_id)
            )
            is not None
        )

    def has_authenticator(self, user_id: UUID) -> bool:
        """Whether a person's login may take codes of an authenticator."""
        at = select(SecondFactor.authenticator_at).where(SecondFactor.user_id == user_id)
        return self.session.scalar(at) is not None

    def takes(self, user_id: UUID, code: str, *, own_device: bool) -> bool:
        """Whether a code is right, which then is used up. A wrong one is counted: the caller
        commits.

        :param own_device: it comes from a browser that the person signed in from.
        :raises TooManyLogins: when others tried too many after the right password.
        """
        factor = self._factor(user_id)
        if factor is None or factor.confirmed_at is None:
            return True
        now = self.clock.now()
        if factor.wrong_since is None or factor.wrong_since < now - WRONG_WINDOW:
            factor.wrong_since, factor.wrong_codes = now, 0
        if not own_device and factor.wrong_codes >= WRONG_ALLOWED:
            ends = factor.wrong_since + WRONG_WINDOW - now
            seconds = max(1, int(ends.total_seconds()))
            raise TooManyLogins(
                "too many wrong codes; a browser that you signed in from before is not held up",
                headers={"Retry-After": str(seconds)},
            )
        if self._fits(factor, code):
            return True
        if not own_device:
            factor.wrong_codes += 1
        return False

    def proven(self, caller: Caller, proof: FactorProof) -> User:
        """It is the caller who asks, not somebody who found a browser open. Raises as `begin`
        does.
        """
        if proof.passkey is not None:
            # First, as by all who change factors: passkeys that prove each other's removal would
            # wait for each other.
            self._factor(caller.id)
            take(self.session, self.clock, self.settings, proof.passkey, of=caller.id)
            return self.session.get_one(User, caller.id)
        user = IdentityRepository(self.session).user(caller.id)
        if user is None or not password_fits(user.password_hash, proof.current):
            raise CurrentPasswordWrong(
                errors=[FieldProblem(path="current", message="does not fit")]
            )
        factor = self._factor(user.id)
        asked = factor is not None and factor.confirmed_at is not None
        if factor is not None and asked and not self._fits(factor, proof.code):
            raise wrong_code()
        return user

    def locked(self, user_id: UUID) -> SecondFactor:
        """A person's row, made where there is none, locked until the transaction ends: before any
        other of theirs. Of two requests at once the second waits for the first.
        """
        made = insert(SecondFactor).values(
            user_id=user_id, created_at=self.clock.now(), last_step=0, wrong_codes=0
        )
        self.session.execute(made.on_conflict_do_nothing())
        return self.session.get_one(
            SecondFactor, user_id, with_for_update=True, populate_existing=True
        )

    def _factor(self, user_id: UUID) -> SecondFactor | None:
        """Locked until the transaction ends: a code is looked at by one request at a time."""
        return self.session.get(SecondFactor, user_id, with_for_update=True, populate_existing=True)

    def _fits(self, factor: SecondFactor, code: str) -> bool:
        plain = _plain(code)
        confirmed = factor.authenticator_at is not None
        if confirmed and self._of_authenticator(factor, plain):
            return True
        return self._of_recovery(factor, plain)

    def _of_authenticator(self, factor: SecondFactor, plain: str) -> bool:
        if factor.key_sealed is None:
            return False
        totp = pyotp.TOTP(seal_of(self.settings).open(factor.key_sealed), interval=STEP_SECONDS)
        step = int(self.clock.now().timestamp()) // STEP_SECONDS
        for one in range(step - STEPS_ASIDE, step + STEPS_ASIDE + 1):
            same = hmac.compare_digest(totp.generate_otp(one).encode(), plain.encode())
            if same and one > factor.last_step:
                factor.last_step = one
                return True
        return False

    def _of_recovery(self, factor: SecondFactor, plain: str) -> bool:
        found = self.session.scalar(
            select(RecoveryCode).where(
                RecoveryCode.user_id == factor.user_id,
                RecoveryCode.code_hash == token_hash(plain),
                RecoveryCode.used_at.is_(None),
            )
        )
        if found is None:
            return False
        found.used_at = self.clock.now()
        user = self.session.get_one(User, factor.user_id)
        self._note(user, "recovery_code_used")
        return True

    def _new_codes(self, user_id: UUID) -> list[str]:
        self.session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
        made = [b32encode(secrets.token_bytes(CODE_BYTES)).decode().lower() for _ in range(CODES)]
        self.session.add_all(
            RecoveryCode(user_id=user_id, code_hash=token_hash(one)) for one in made
        )
        return ["-".join(one[at : at + 4] for at in range(0, len(one), 4)) for one in made]

    def _note(self, user: User, kind: str, actor: str | None = None) -> None:
        """In the audit logs of the person's organizations, at the oldest project of each, and in a
        letter to the person.
        """
        person_audit.record(self.session, self.clock, user, f"second_factor.{kind}", actor=actor)
        self.session.add(FactorLetter(user_id=user.id, kind=kind, at=self.clock.now()))


def _plain(code: str) -> str:
    """A code as it is compared: people type spaces and hyphens."""
    return "".join(code.split()).replace("-", "").lower()


def wrong_code() -> WrongCode:
    """With what may be the reason."""
    return WrongCode(
        "it does not fit: is the clock of the authenticator right? Each code is taken once, for "
        "about a minute",
        errors=[FieldProblem(path="code", message="does not fit")],
    )
