"""Passkeys: each signs its holder in by itself, without the password."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import PasskeyExists, PasskeyRefused
from weighhouse_backend.identity.factor_models import Passkey
from weighhouse_backend.identity.models import User
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.late import late
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.sign_in.factor_schemas import FactorProof, PasskeyMade, PasskeyRead
from weighhouse_backend.sign_in.factors import FactorService
from weighhouse_backend.sign_in.passkey_use import take
from weighhouse_backend.sign_in.single_use import spend

if TYPE_CHECKING:
    from weighhouse_backend.sign_in import webauthn
else:
    webauthn = late("weighhouse_backend.sign_in.webauthn")

MOST = 20
"""Passkeys of a person."""


@dataclass(frozen=True)
class PasskeyService:
    """People's own passkeys."""

    session: Session
    clock: Clock
    settings: Settings

    @property
    def _factors(self) -> FactorService:
        return FactorService(self.session, self.clock, self.settings)

    def ask(self) -> dict[str, Any]:
        """What a browser is asked to show a passkey.

        :raises PasskeysNotHere: when there are none at the platform's address.
        """
        return webauthn.question_to_prove(self.settings, self.clock.now())

    def holder(self, answer: Mapping[str, Any]) -> User:
        """Who shows a passkey.

        :raises PasskeyRefused: when its answer does not hold.
        """
        row = take(self.session, self.clock, self.settings, answer)
        return self.session.get_one(User, row.user_id)

    def begin(self, caller: Caller, proof: FactorProof) -> dict[str, Any]:
        """What a browser is asked to make a passkey for the caller.

        :raises CurrentPasswordWrong: when the present password does not fit.
        :raises WrongCode: when there is a second factor, and the code does not.
        :raises PasskeyRefused: when a passkey was shown in their stead, and its answer does not
            hold; or the caller has as many as one may.
        """
        user = self._factors.proven(caller, proof)
        known = self._known(user.id)
        return webauthn.question_to_add(
            self.settings, self.clock.now(), user.id, user.email, user.name, known
        )

    def add(
        self, caller: Caller, name: str, answer: Mapping[str, Any], keep_digest: str
    ) -> PasskeyMade:
        """Have a passkey that a browser made sign the caller in. With the first second factor of
        theirs other browsers are signed out.

        :param keep_digest: hash of the cookie that stays valid.
        :raises PasskeyRefused: when the answer does not hold, was given to another question, or to
            one that was answered already; or the caller has as many as one may.
        :raises PasskeyExists: when it is known.
        """
        now, factors = self.clock.now(), self._factors
        made = webauthn.passkey_in(self.settings, now, caller.id, answer)
        factors.locked(caller.id)
        credential = made.credential
        same = select(Passkey.id).where(Passkey.credential_id == credential.credential_id)
        if self.session.scalar(same) is not None:
            raise PasskeyExists("it signs in already")
        self._known(caller.id)
        asked = token_hash(f"a passkey to add\n{made.question}")
        if not spend(self.session, asked, now + webauthn.HELD, now):
            raise PasskeyRefused("what was asked was answered already; begin again")
        codes = factors.begin_to_ask(caller.id, "passkey_added", keep_digest)
        row = Passkey(
            user_id=caller.id, name=name.strip(), credential_id=credential.credential_id,
            credential=bytes(credential), uses=made.uses, created_at=now,
        )  # fmt: skip
        self.session.add(row)
        self.session.flush()
        return PasskeyMade(passkey=PasskeyRead.model_validate(row), recovery_codes=codes)

    def remove(self, caller: Caller, passkey_id: UUID, proof: FactorProof) -> None:
        """Have a passkey sign nobody in any more. With the last of all factors the password alone
        signs in. Raises as `begin` does.

        :raises NotFound: when it is none of the caller's.
        """
        self._factors.proven(caller, proof)
        row = self.session.get(Passkey, passkey_id)
        if row is None or row.user_id != caller.id:
            raise NotFound
        self.session.delete(row)
        self.session.flush()
        self._factors.cease_to_ask(caller.id, "passkey_removed")

    def _known(self, user_id: UUID) -> list[bytes]:
        """Ids of the passkeys that a person has, who may have one more."""
        known = [one.credential_id for one in self._factors.passkeys(user_id)]
        if len(known) >= MOST:
            raise PasskeyRefused(f"you have {MOST} already; remove one first")
        return known
