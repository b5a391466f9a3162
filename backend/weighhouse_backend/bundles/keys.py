"""The installation's key, by which its bundles are signed.

Ed25519 (RFC 8032), out of the installation's secret with HKDF-SHA-256 (RFC 5869), apart from what
seals and what signs links: it is there as soon as there is a secret, the same for every process,
and stands nowhere. Another secret is another key.
"""

import base64
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from weighhouse_protocol.bundles.archive import BundleError
from weighhouse_protocol.bundles.manifest import (
    ENVELOPE,
    BundleManifest,
    Envelope,
    Signature,
    to_be_signed,
)

from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import secrets_of

PURPOSE = b"weighhouse: key that signs bundles, 1"
KEY_BYTES = 32


@dataclass(frozen=True)
class BundleKey:
    """A key that signs."""

    private: Ed25519PrivateKey

    @classmethod
    def of(cls, secret: bytes) -> "BundleKey":
        """The key of a secret."""
        seed = HKDF(SHA256(), KEY_BYTES, None, PURPOSE).derive(secret)
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def raw(self) -> bytes:
        """Its public half, 32 bytes."""
        return self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @property
    def public(self) -> str:
        """The same, as manifests have it."""
        return base64.b64encode(self.raw).decode()

    @property
    def pem(self) -> str:
        """The same as a file (SubjectPublicKeyInfo)."""
        found = self.private.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )
        return found.decode()

    @property
    def sha256(self) -> str:
        """By which it is called."""
        return hashlib.sha256(self.raw).hexdigest()

    def signed(self, manifest: BundleManifest) -> Envelope:
        """A manifest, signed."""
        payload = manifest.encoded()
        sig = base64.b64encode(self.private.sign(to_be_signed(payload))).decode()
        return Envelope(
            payload=base64.b64encode(payload).decode(),
            signatures=(Signature(keyid=self.sha256, sig=sig),),
        )


def keys_of(settings: Settings) -> list[BundleKey]:
    """The installation's key, and those that it had before, newest first.

    :raises NoSecretKey: when it has no secret.
    """
    return [BundleKey.of(secret) for secret in secrets_of(settings)]


def require_signed(envelope: Envelope, manifest: BundleManifest) -> None:
    """Let pass what the key in the manifest signed.

    :raises BundleError: for anything else.
    """
    (signature,) = envelope.signatures
    if signature.keyid != manifest.key_sha256:
        raise BundleError(f"{ENVELOPE}: it is signed by another key than the manifest names")
    raw = base64.b64decode(manifest.public_key)
    try:
        key = Ed25519PublicKey.from_public_bytes(raw)
        key.verify(base64.b64decode(signature.sig), to_be_signed(envelope.content()))
    except (InvalidSignature, ValueError) as error:
        raise BundleError(
            f"{ENVELOPE}: the signature is not that of the key that the manifest names"
        ) from error
