"""Writes a bundle: file after file, in the memory that one piece takes."""

import hashlib
import tempfile
from collections.abc import Callable
from typing import BinaryIO, cast

from weighhouse_protocol.bundles.archive import END, PIECE_BYTES, Sink, header, padding
from weighhouse_protocol.bundles.manifest import (
    ENVELOPE,
    BundledFile,
    BundleManifest,
    Reproduces,
    canonical,
)

from weighhouse_backend.bundles.contents import Contents
from weighhouse_backend.bundles.crate import CRATE, crate
from weighhouse_backend.bundles.keys import BundleKey

IN_MEMORY_BYTES = 1 << 20


class _Hashed:
    """A file whose length and digest are known once it is written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, piece: bytes, /) -> int:
        self._digest.update(piece)
        self.size += len(piece)
        return self._file.write(piece)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


def write_bundle(
    contents: Contents, key: BundleKey, licence: str, reproduces: Reproduces | None, sink: Sink
) -> None:
    """All of a campaign, signed; the same campaign comes to the same bytes.

    :param licence: under what its figures may be used, in words.
    :param reproduces: the bundle that it measured again.
    """
    files: list[BundledFile] = []
    experiment = ""
    for name, write in contents.files():
        files.append(_put(name, write, sink))
        if not experiment:
            experiment = files[0].sha256
    about = contents.about
    described = canonical(crate(about, licence, files, key.sha256)) + b"\n"
    files.append(_put(CRATE, lambda out: out.write(described), sink))
    manifest = BundleManifest(
        software=about.software,
        title=about.title[:300],
        campaign_id=str(contents.campaign.id),
        campaign_number=contents.campaign.number,
        experiment_sha256=experiment,
        public_key=key.public,
        reproduces=reproduces,
        stamp=(about.stamp or "")[:300],
        interim=about.interim[:300],
        files=tuple(files),
    )
    envelope = key.signed(manifest).encoded()
    _put(ENVELOPE, lambda out: out.write(envelope), sink)
    sink.write(END)


def _put(name: str, write: Callable[[Sink], object], sink: Sink) -> BundledFile:
    """A file goes to the disk first: its length stands before it."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as file:
        out = _Hashed(cast("BinaryIO", file))
        write(out)
        file.seek(0)
        sink.write(header(name, out.size))
        while piece := file.read(PIECE_BYTES):
            sink.write(piece)
        sink.write(padding(out.size))
    return BundledFile(path=name, bytes=out.size, sha256=out.sha256)
