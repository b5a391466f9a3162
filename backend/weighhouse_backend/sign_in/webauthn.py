"""Passkeys as browsers speak of them: what they are asked, and what their answers are worth.

Web Authentication, https://www.w3.org/TR/webauthn-3/; the library fido2 reads and verifies. A
question carries in its challenge when it was asked and for what, signed, so that nothing is kept of
those that nobody answers. Pure but for reading the secret.
"""

import datetime
import json
import struct
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from fido2.cose import CoseKey
from fido2.server import Fido2Server
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialDescriptor,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialType,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from weighhouse_backend.identity.errors import PasskeyRefused
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import (
    LinkEnded,
    LinkKind,
    LinkUnknown,
    secret_of,
    secrets_of,
)
from weighhouse_backend.sign_in.passkey_places import Place, insist_on_place

NAME = "Weighhouse"
HELD = datetime.timedelta(minutes=5)
"""How long a question may be answered."""
TO_PROVE = b"weighhouse: who has a passkey, 1"
TO_ADD = b"weighhouse: a new passkey, 1:"
LONGEST_ID = 1023
"""Bytes. Source: Web Authentication, 4, Credential ID."""
PREFIX = "whk_"
BROKEN = (
    ValueError, TypeError, LookupError, AttributeError, AssertionError, OverflowError,
    RecursionError, NotImplementedError, struct.error, UnsupportedAlgorithm,
)  # fmt: skip
"""What reading an answer ends with that no browser gave."""


@dataclass(frozen=True)
class Made:
    """What a browser made, once it is known to be made for who was asked."""

    question: UUID
    """Which was answered."""
    credential: AttestedCredentialData
    uses: int
    """How often it was used, by its own count; 0: it does not count."""


@dataclass(frozen=True)
class Shown:
    """What a passkey's answer says, once it is known to be the passkey's."""

    question: UUID
    """Which was answered; later ones are greater."""
    uses: int
    """How often it was used, by its own count; 0: it does not count."""


def question_to_prove(settings: Settings, now: datetime.datetime) -> dict[str, Any]:
    """What a browser is asked to show any passkey of the installation: the `publicKey` of
    `navigator.credentials.get`, as JSON.
    """
    server = _server(insist_on_place(settings))
    options, _ = server.authenticate_begin(
        user_verification=UserVerificationRequirement.REQUIRED,
        challenge=_challenge(settings, TO_PROVE, now),
    )
    return _as_json(dict(options))


def question_to_add(
    settings: Settings, now: datetime.datetime, user_id: UUID, email: str, name: str,
    known: Collection[bytes],
) -> dict[str, Any]:  # fmt: skip
    """What a browser is asked to make a passkey for somebody: the `publicKey` of
    `navigator.credentials.create`, as JSON.

    :param known: ids of the passkeys that they have; their holders make no second one.
    """
    server = _server(insist_on_place(settings))
    options, _ = server.register_begin(
        PublicKeyCredentialUserEntity(id=user_id.bytes, name=email, display_name=name),
        credentials=[
            PublicKeyCredentialDescriptor(type=PublicKeyCredentialType.PUBLIC_KEY, id=one)
            for one in known
        ],
        resident_key_requirement=ResidentKeyRequirement.REQUIRED,
        user_verification=UserVerificationRequirement.REQUIRED,
        challenge=_challenge(settings, TO_ADD + user_id.bytes, now),
    )
    return _as_json(dict(options))


def passkey_in(
    settings: Settings, now: datetime.datetime, user_id: UUID, answer: Mapping[str, Any]
) -> Made:
    """The passkey that a browser made for somebody.

    :raises PasskeyRefused: when the answer does not hold, or the passkey could not be used.
    """
    server = _server(insist_on_place(settings))
    with _reading():
        read = RegistrationResponse.from_dict(answer)
        asked = read.response.client_data
        question = _question(settings, TO_ADD + user_id.bytes, asked.challenge, now)
        _insist_on_top(asked.cross_origin)
        told = server.register_complete(_state(asked.challenge), read)
        made = told.credential_data
        if made is None or made.credential_id != read.raw_id:
            raise ValueError("it is about another passkey")
        if len(made.credential_id) > LONGEST_ID:
            raise ValueError("its id is longer than the standard has it")
        _insist_on_usable(made.public_key)
        return Made(question, made, told.counter)


def id_in(answer: Mapping[str, Any]) -> bytes:
    """Which passkey an answer is of, by its own word.

    :raises PasskeyRefused: when it does not say.
    """
    with _reading():
        return AuthenticationResponse.from_dict(answer).raw_id


def shown_by(
    settings: Settings, now: datetime.datetime, user_id: UUID, credential: bytes,
    answer: Mapping[str, Any],
) -> Shown:  # fmt: skip
    """What a browser showed.

    :param user_id: whose the passkey is.
    :param credential: the passkey, as it was kept.
    :raises PasskeyRefused: when the answer does not hold.
    """
    server = _server(insist_on_place(settings))
    with _reading():
        read = AuthenticationResponse.from_dict(answer)
        asked, handle = read.response.client_data, read.response.user_handle
        question = _question(settings, TO_PROVE, asked.challenge, now)
        _insist_on_top(asked.cross_origin)
        if handle is not None and handle != user_id.bytes:
            raise ValueError("it names somebody else")
        server.authenticate_complete(
            _state(asked.challenge), [AttestedCredentialData(credential)], read
        )
        return Shown(question, read.response.authenticator_data.counter)


def _server(place: Place) -> Fido2Server:
    return Fido2Server(
        PublicKeyCredentialRpEntity(name=NAME, id=place.host),
        verify_origin=lambda origin: origin == place.origin,
    )


def _challenge(settings: Settings, purpose: bytes, now: datetime.datetime) -> bytes:
    return LinkKind(PREFIX, purpose).signed(secret_of(settings), new_id(), now + HELD).encode()


def _question(settings: Settings, purpose: bytes, challenge: bytes, now: datetime.datetime) -> UUID:
    """Which question a challenge was."""
    try:
        return LinkKind(PREFIX, purpose).read(secrets_of(settings), challenge.decode(), now)
    except LinkEnded as error:
        raise PasskeyRefused("it was asked for more than five minutes ago; try again") from error
    except LinkUnknown as error:
        raise ValueError("it answers nothing that was asked here") from error


def _state(challenge: bytes) -> dict[str, Any]:
    """What the library keeps of a question; the challenge is known to be ours."""
    return {
        "challenge": websafe_encode(challenge),
        "user_verification": UserVerificationRequirement.REQUIRED,
    }


def _insist_on_top(cross_origin: bool) -> None:
    if cross_origin:
        raise ValueError("it was asked for inside another site's page")


def _insist_on_usable(key: CoseKey) -> None:
    """A kind of key that was asked for, and one that can tell a signature."""
    if key.ALGORITHM not in CoseKey.supported_algorithms():
        raise ValueError("its kind of key was not asked for")
    with suppress(InvalidSignature):
        key.verify(b"", b"")


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        raise PasskeyRefused("its answer does not hold here; try again") from error


def _as_json(options: dict[str, Any]) -> dict[str, Any]:
    asked: dict[str, Any] = json.loads(json.dumps(options))["publicKey"]
    return asked
