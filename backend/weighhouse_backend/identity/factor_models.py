"""Tables of second factors: second_factors, recovery_codes, factor_letters."""

import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.sealing import SEALED


class SecondFactor(Base):
    """A person's authenticator."""

    __tablename__ = "second_factors"

    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    key_sealed: Mapped[str] = mapped_column(Text, info=SEALED)
    """What the authenticator shares with the platform, sealed."""
    created_at: Mapped[datetime.datetime]
    confirmed_at: Mapped[datetime.datetime | None]
    """None: no code came from it yet, and logins do not ask for one."""
    last_step: Mapped[int] = mapped_column(BigInteger, default=0)
    """The time step of the last code that was taken; it and earlier ones are taken no more."""
    wrong_codes: Mapped[int] = mapped_column(default=0)
    """From strangers' browsers that knew the password, since `wrong_since`."""
    wrong_since: Mapped[datetime.datetime | None]


class RecoveryCode(Base):
    """Stands for a code of the authenticator, once."""

    __tablename__ = "recovery_codes"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("second_factors.user_id", ondelete="CASCADE"), index=True
    )
    code_hash: Mapped[str] = mapped_column(Text)
    used_at: Mapped[datetime.datetime | None]


class FactorLetter(Base):
    """Somebody is to be told what became of their second factor; gone once the letter is sent."""

    __tablename__ = "factor_letters"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(Text)
    """What happened, as the audit log calls it: `second_factor.` and this."""
    at: Mapped[datetime.datetime]
