"""Tables of second factors: second_factors, passkeys, recovery_codes, factor_letters."""

import datetime
from uuid import UUID

from sqlalchemy import BigInteger, LargeBinary, Text
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.seals import SEALED


class SecondFactor(Base):
    """A person's second factor: an authenticator, passkeys, or both."""

    __tablename__ = "second_factors"

    user_id: Mapped[UUID] = reference("users", primary_key=True)
    key_sealed: Mapped[str | None] = mapped_column(Text, info=SEALED)
    """What the authenticator shares with the platform, sealed; None: there is none."""
    created_at: Mapped[datetime.datetime]
    """When it was begun; of an authenticator, the latest one."""
    authenticator_at: Mapped[datetime.datetime | None]
    """None: no code came from an authenticator yet."""
    confirmed_at: Mapped[datetime.datetime | None]
    """Since when the password alone signs nobody in; None: it does."""
    last_step: Mapped[int] = mapped_column(BigInteger, default=0)
    """The time step of the last code that was taken; it and earlier ones are taken no more."""
    wrong_codes: Mapped[int] = mapped_column(default=0)
    """From strangers' browsers that knew the password, since `wrong_since`."""
    wrong_since: Mapped[datetime.datetime | None]


class Passkey(Base):
    """Signs its holder in by itself: a key that the holder alone has, behind a PIN or finger."""

    __tablename__ = "passkeys"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[UUID] = reference("second_factors.user_id", index=True)
    name: Mapped[str] = mapped_column(Text)
    """What its holder calls it."""
    credential_id: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    credential: Mapped[bytes] = mapped_column(LargeBinary)
    """Attested credential data, as WebAuthn lays it out: kind, id, public key."""
    uses: Mapped[int] = mapped_column(BigInteger)
    """By its own count, when it was used last; 0: it does not count."""
    last_question: Mapped[UUID | None]
    """The last question that it answered; it and earlier ones are taken no more."""
    created_at: Mapped[datetime.datetime]
    last_used_at: Mapped[datetime.datetime | None]


class RecoveryCode(Base):
    """Stands for the second factor, once."""

    __tablename__ = "recovery_codes"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[UUID] = reference("second_factors.user_id", index=True)
    code_hash: Mapped[str] = mapped_column(Text)
    used_at: Mapped[datetime.datetime | None]


class FactorLetter(Base):
    """Somebody is to be told what became of their second factor; gone once the letter is sent."""

    __tablename__ = "factor_letters"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[UUID] = reference("users", index=True)
    kind: Mapped[str] = mapped_column(Text)
    """What happened, as the audit log calls it: `second_factor.` and this."""
    at: Mapped[datetime.datetime]
