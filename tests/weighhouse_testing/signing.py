"""Bundles as another installation would have signed them."""

import io

from weighhouse_backend.bundles.keys import BundleKey
from weighhouse_backend.bundles.opened import opened
from weighhouse_protocol.bundles.archive import END, entries, header, padding
from weighhouse_protocol.bundles.manifest import ENVELOPE, BundleManifest


def signed_by(bundle: bytes, secret: str) -> bytes:
    """The same files, signed by the key of another secret."""
    whole = io.BytesIO(bundle)
    manifest = opened(whole).manifest
    key = BundleKey.of(secret.encode())
    anew = BundleManifest(**{**manifest.model_dump(), "public_key": key.public})
    envelope = key.signed(anew).encoded()
    whole.seek(0)
    out = io.BytesIO()
    for one in entries(whole):
        if one.name == ENVELOPE:
            continue
        content = bundle[one.begin : one.begin + one.size]
        out.write(header(one.name, one.size) + content + padding(one.size))
    out.write(header(ENVELOPE, len(envelope)) + envelope + padding(len(envelope)) + END)
    return out.getvalue()


def changed(bundle: bytes, name: str) -> bytes:
    """A bundle of which one bit in the middle of a file is another."""
    (place,) = (one for one in entries(io.BytesIO(bundle)) if one.name == name)
    told = bytearray(bundle)
    told[place.begin + place.size // 2] ^= 1
    return bytes(told)
