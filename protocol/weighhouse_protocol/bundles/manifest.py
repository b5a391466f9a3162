"""The list of a bundle's files, and the signature over it."""

import base64
import binascii
import hashlib
import json
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, ValidationError

from weighhouse_protocol.base import Bytes, Document, Few, Label, Order
from weighhouse_protocol.bundles.archive import MOST_FILES, MOST_NAME, BundleError

ENVELOPE = "weighhouse-bundle.dsse.json"
"""The last file of a bundle: the manifest, signed."""
Payload = Literal["application/vnd.weighhouse.bundle-manifest+json"]
PAYLOAD_TYPE: Payload = "application/vnd.weighhouse.bundle-manifest+json"
MOST_ENVELOPE_BYTES = 64 * 1024 * 1024

Sha256 = Annotated[str, StringConstraints(max_length=64, pattern=r"^[0-9a-f]{64}$")]


class BundledFile(Document):
    """A file of a bundle."""

    path: Annotated[str, Field(min_length=1, max_length=MOST_NAME)]
    bytes: Bytes
    sha256: Sha256


class Reproduces(Document):
    """What a bundle says that it measured again."""

    manifest_sha256: Sha256
    """Digest of the other bundle's manifest, which names each of its files."""
    key_sha256: Sha256
    """Of the key that signed it."""
    campaign_id: Label
    """Which campaign of that installation it is of."""


class BundleManifest(Document):
    """Every file of a bundle but the one that holds this, by its digest."""

    format: Literal["weighhouse-bundle"] = "weighhouse-bundle"
    version: Literal[1] = 1
    software: Label
    """What wrote it, and in which version."""
    title: Label
    campaign_id: Label
    campaign_number: Order
    experiment_sha256: Sha256
    """Of `experiment.json`: what was asked for."""
    public_key: Annotated[str, StringConstraints(max_length=44, pattern=r"^[A-Za-z0-9+/]{43}=$")]
    """The Ed25519 key that signed it, 32 bytes in base64."""
    reproduces: Reproduces | None = None
    stamp: Label = ""
    """`not for publication: …`, where the terms of a system in it do not allow it."""
    interim: Label = ""
    """That more may come, where it may."""
    files: Annotated[tuple[BundledFile, ...], Field(max_length=MOST_FILES)]

    @property
    def key_sha256(self) -> str:
        """By which a key is called."""
        return hashlib.sha256(base64.b64decode(self.public_key)).hexdigest()

    def encoded(self) -> bytes:
        """As it is signed."""
        return canonical(self.model_dump(mode="json"))


class Signature(Document):
    """One of an envelope."""

    keyid: Sha256
    sig: Annotated[str, StringConstraints(max_length=88, pattern=r"^[A-Za-z0-9+/]{86}==$")]


class Envelope(Document):
    """DSSE 1.0: what was signed, and by whom."""

    payloadType: Payload = PAYLOAD_TYPE  # noqa: N815 - so DSSE calls it
    payload: Annotated[str, Field(max_length=MOST_ENVELOPE_BYTES)]
    signatures: Few[Signature]

    @classmethod
    def read(cls, content: bytes) -> Self:
        """An envelope as it stands in a bundle.

        :raises BundleError: when it is none, or a byte of it is not as it would have been written.
        """
        try:
            found = cls.model_validate_json(content)
        except ValidationError as error:
            raise BundleError(f"{ENVELOPE}: it is no signed manifest") from error
        if found.encoded() != content or len(found.signatures) != 1:
            raise BundleError(f"{ENVELOPE}: it is not as a bundle has it")
        return found

    def encoded(self) -> bytes:
        """As it stands in a bundle."""
        return canonical(self.model_dump(mode="json"))

    def content(self) -> bytes:
        """What was signed.

        :raises BundleError: when it is not in base64.
        """
        try:
            found = base64.b64decode(self.payload, validate=True)
        except (binascii.Error, ValueError) as error:
            raise BundleError(f"{ENVELOPE}: the manifest in it is not in base64") from error
        if base64.b64encode(found).decode() != self.payload:
            raise BundleError(f"{ENVELOPE}: the manifest in it is not as base64 has it")
        return found

    def manifest(self) -> BundleManifest:
        """What was signed, read.

        :raises BundleError: when it is no manifest.
        """
        try:
            return BundleManifest.model_validate_json(self.content())
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise BundleError(f"{ENVELOPE}: the manifest in it: {where}: {first['msg']}") from error


def to_be_signed(payload: bytes) -> bytes:
    """What the signature is made of: DSSE's pre-authentication encoding, version 1."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def canonical(value: Any) -> bytes:
    """JSON in the one way that bundles have it: sorted keys, no spaces, UTF-8."""
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode()
