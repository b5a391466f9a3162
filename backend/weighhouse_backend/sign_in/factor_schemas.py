"""What the API says of second factors."""

import datetime
import json
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from weighhouse_protocol.text import Named

from weighhouse_backend.kit.schemas import Body

MOST_OF_ANSWER = 40_000
"""Characters of a browser's answer."""


class PasskeyRead(BaseModel):
    """One of a person's passkeys."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    created_at: datetime.datetime
    last_used_at: datetime.datetime | None


class FactorRead(BaseModel):
    """What logins take besides the password, or in its stead."""

    enabled: bool
    """The password alone signs nobody in."""
    since: datetime.datetime | None
    authenticator: bool
    recovery_codes_left: int
    passkeys: list[PasskeyRead]
    passkeys_at: str | None
    """The address at which browsers make and show passkeys of this installation; none: nowhere."""


def _short_enough(answer: dict[str, Any]) -> dict[str, Any]:
    try:
        length = len(json.dumps(answer))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if length > MOST_OF_ANSWER:
        raise ValueError(f"longer than {MOST_OF_ANSWER} characters")
    return answer


PasskeyAnswer = Annotated[dict[str, Any], AfterValidator(_short_enough)]
"""What a browser answered, as its `toJSON` writes it: id, rawId, type, response, …"""


class PasskeyQuestion(BaseModel):
    """What a browser is asked."""

    public_key: dict[str, Any]
    """The `publicKey` of `navigator.credentials.get` or `create`, as its `parse…FromJSON` reads
    it.
    """


class PasskeyLogin(Body):
    """Somebody signs in by a passkey."""

    answer: PasskeyAnswer


class PasskeyAdd(Body):
    """A passkey that a browser made."""

    name: Annotated[str, Named(60)]
    """What its holder calls it."""
    answer: PasskeyAnswer


class PasskeyMade(BaseModel):
    """A passkey was taken in."""

    passkey: PasskeyRead
    recovery_codes: list[str]
    """Shown this once; none: there were some already, and they hold."""


class FactorBegun(BaseModel):
    """What an authenticator takes in; shown this once."""

    key: str
    """Base32."""
    uri: str
    """`otpauth://…`, as authenticators read it."""
    qr_code: str
    """The same as an SVG image, in a `data:` address."""


class FactorConfirm(Body):
    """A first code."""

    code: str = Field(max_length=40, examples=["123456"])


class FactorProof(Body):
    """It is they who ask: by password, and code where there is a second factor; or by a passkey."""

    current: str = Field(default="", max_length=1000)
    """One's own password."""
    code: str = Field(default="", max_length=40, examples=["123456"])
    """Of the authenticator, or a recovery code."""
    passkey: PasskeyAnswer | None = None
    """In the stead of both."""


class RecoveryCodesMade(BaseModel):
    """Recovery codes, shown this once."""

    recovery_codes: list[str]
    """None: there were some already, and they hold."""
