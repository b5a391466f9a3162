"""A bundle as it is read: every byte held against what it should be before anything of it is used.

Nothing is unpacked and nothing inflated; what is read into memory is bounded, file by file.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from weighhouse_protocol.bundles.archive import BundleError, Entry, entries
from weighhouse_protocol.bundles.manifest import (
    ENVELOPE,
    MOST_ENVELOPE_BYTES,
    BundleManifest,
    Envelope,
)

from weighhouse_backend.bundles.keys import require_signed

MEBIBYTE = 1 << 20
MOST_JSON_BYTES = 256 * MEBIBYTE
MOST_LINE_BYTES = 16 * MEBIBYTE
NAMED = 20
"""Differences that are named; the others are counted."""


@dataclass(frozen=True)
class Opened:
    """A bundle whose files are what its manifest says."""

    file: BinaryIO
    manifest: BundleManifest
    manifest_sha256: str
    """By which the bundle is called."""
    places: Mapping[str, Entry]

    @property
    def key_sha256(self) -> str:
        """Of the key that signed it."""
        return self.manifest.key_sha256

    def json(self, name: str) -> Any:
        """What a file of JSON holds.

        :raises BundleError: when it is not there, too large, or no JSON.
        """
        place = self._place(name)
        if place.size > MOST_JSON_BYTES:
            raise BundleError(f"{name}: {place.size:,} bytes are more than are read at once")
        self.file.seek(place.begin)
        return _parsed(name, self.file.read(place.size))

    def lines(self, name: str) -> Iterator[Any]:
        """What a file of JSON lines holds, line by line.

        :raises BundleError: likewise, and when a line is too long.
        """
        place = self._place(name)
        read = 0
        while read < place.size:
            self.file.seek(place.begin + read)
            line = self.file.readline(min(MOST_LINE_BYTES, place.size - read))
            if not line.endswith(b"\n"):
                raise BundleError(f"{name}: at byte {read:,} there is no line that ends")
            read += len(line)
            yield _parsed(name, line)

    def _place(self, name: str) -> Entry:
        found = self.places.get(name)
        if found is None:
            raise BundleError(f"{name} is missing")
        return found


def opened(file: BinaryIO) -> Opened:
    """Hold every byte of a bundle against its manifest, and the manifest against its signature.

    :param file: at its begin; it is read once from end to end, and stays the caller's.
    :raises BundleError: naming what is not as it was signed.
    """
    found: dict[str, Entry] = {}
    last = ""
    for entry in entries(file):
        if entry.name in found:
            raise BundleError(f"{entry.name} stands in it twice")
        found[entry.name] = entry
        last = entry.name
    if last != ENVELOPE:
        raise BundleError(f"its last file is {last or 'missing'}, and not {ENVELOPE}")
    place = found.pop(ENVELOPE)
    if place.size > MOST_ENVELOPE_BYTES:
        raise BundleError(f"{ENVELOPE}: {place.size:,} bytes are too many for a manifest")
    file.seek(place.begin)
    envelope = Envelope.read(file.read(place.size))
    manifest = envelope.manifest()
    require_signed(envelope, manifest)
    _require_same(manifest, found)
    return Opened(file, manifest, manifest_sha256(envelope), found)


def manifest_sha256(envelope: Envelope) -> str:
    """By which a bundle is called."""
    return hashlib.sha256(envelope.content()).hexdigest()


def _require_same(manifest: BundleManifest, found: Mapping[str, Entry]) -> None:
    listed = {one.path: one for one in manifest.files}
    wrong = [
        *(f"{one} is missing" for one in listed if one not in found),
        *(f"{one} is in no manifest" for one in found if one not in listed),
        *(
            f"{name}: its sha-256 is not the one that was signed"
            for name, one in found.items()
            if name in listed and one.sha256 != listed[name].sha256
        ),
    ]
    if len(listed) != len(manifest.files):
        wrong.append("the manifest names a file twice")
    if wrong:
        more = f"; and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
        raise BundleError("; ".join(wrong[:NAMED]) + more)


def _parsed(name: str, text: bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{name}: it is no JSON: {error}") from error


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")
