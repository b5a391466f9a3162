"""What the API says of second factors."""

import datetime

from pydantic import BaseModel, ConfigDict, Field, StrictBool


class FactorRead(BaseModel):
    """Whether logins take a second factor."""

    enabled: bool
    since: datetime.datetime | None
    recovery_codes_left: int


class FactorBegin(BaseModel):
    """Somebody sets up an authenticator."""

    model_config = ConfigDict(extra="forbid")

    current: str = Field(max_length=1000)
    """One's own password."""


class FactorBegun(BaseModel):
    """What an authenticator takes in; shown this once."""

    key: str
    """Base32."""
    uri: str
    """`otpauth://…`, as authenticators read it."""
    qr_code: str
    """The same as an SVG image, in a `data:` address."""


class FactorConfirm(BaseModel):
    """A first code."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(max_length=40, examples=["123456"])


class FactorProof(BaseModel):
    """It is they who ask: by password and second factor."""

    model_config = ConfigDict(extra="forbid")

    current: str = Field(max_length=1000)
    """One's own password."""
    code: str = Field(max_length=40, examples=["123456"])
    """Of the authenticator, or a recovery code."""


class RecoveryCodesMade(BaseModel):
    """Recovery codes, shown this once."""

    recovery_codes: list[str]


class FactorPolicyRead(BaseModel):
    """Whether an organization requires a second factor."""

    required: bool
    since: datetime.datetime | None


class FactorPolicySet(BaseModel):
    """Whether an organization shall require a second factor."""

    model_config = ConfigDict(extra="forbid")

    required: StrictBool
