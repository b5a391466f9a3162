"""An authenticator in software: makes passkeys, and shows them as a browser would."""

import hashlib
import json
from typing import Any
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256, CoseKey
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

ORIGIN, HOST = "http://localhost:8480", "localhost"
PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40
ALL = PRESENT | VERIFIED


class Authenticator:
    """One passkey of one person."""

    def __init__(self) -> None:
        """Without a count of uses, as passkeys are that are on several devices."""
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = uuid4().bytes
        self.uses = 0
        self.handle = b""

    def make(
        self, question: dict[str, Any], *, flags: int = ALL, key: CoseKey | None = None, **told: Any
    ) -> dict[str, Any]:
        """What a browser answers when it is asked for a new passkey.

        :param key: tell of it instead of its own.
        """
        self.handle = websafe_decode(question["user"]["id"])
        kept = AttestedCredentialData.create(
            Aaguid(bytes(16)), self.id, key or ES256.from_cryptography_key(self.key.public_key())
        )
        data = AuthenticatorData.create(
            _hash(question["rp"]["id"]), flags | HAS_KEY, self.uses, bytes(kept)
        )
        client = _client("webauthn.create", question["challenge"], **told)
        return self._answer(
            clientDataJSON=client, attestationObject=AttestationObject.create("none", data, {})
        )

    def show(
        self, question: dict[str, Any], *, flags: int = ALL, host: str | None = None, **told: Any
    ) -> dict[str, Any]:
        """What a browser answers when it is asked to show a passkey."""
        data = AuthenticatorData.create(_hash(host or question["rpId"]), flags, self.uses)
        client = _client("webauthn.get", question["challenge"], **told)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._answer(
            clientDataJSON=client, authenticatorData=data, signature=signature,
            userHandle=self.handle,
        )  # fmt: skip

    def _answer(self, **response: bytes) -> dict[str, Any]:
        name = websafe_encode(self.id)
        return {
            "id": name, "rawId": name, "type": "public-key", "clientExtensionResults": {},
            "response": {key: websafe_encode(value) for key, value in response.items()},
        }  # fmt: skip


def _client(kind: str, asked: str, /, **told: Any) -> bytes:
    said = {"type": kind, "challenge": asked, "origin": ORIGIN, "crossOrigin": False, **told}
    return CollectedClientData(json.dumps(said).encode())


def _hash(host: str) -> bytes:
    return hashlib.sha256(host.encode()).digest()
