"""Bundles of other installations: checked to the byte and worked out again before they are read.

What checks them is the platform's own code, which is not part of this package: whoever has it
installed names it by the entry point below. It is loaded when the first bundle comes, since it is
much more than reading other files takes.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import ClassVar

from weighhouse_protocol.bundles.archive import begins_bundle
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

GROUP = "weighhouse.bundle-readers"
"""Entry-point group: value = a `Reader`."""
Reader = Callable[[ImportFile, Told], PublishedResults]
"""Checks a bundle and says what it holds; raises Refused when it is not as it was signed, or tells
what its histograms do not."""


class Bundle(Importer):
    """A campaign with all that its figures follow from."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="bundle",
        title="Weighhouse bundle",
        reads=("campaigns as `weighhouse bundle` makes them, packed by gzip or not",),
        known_errors=(
            "its signature says that nobody changed it since, not who signed it",
            "figures are medians over repeats, percentiles of each out of its merged histogram",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By the header of its first file."""
        del name
        return Recognition(1.0, "the header of its first file") if begins_bundle(head) else None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """What one bundle holds.

        :raises Refused: likewise for several at once, which are several sources.
        """
        if len(files) > 1:
            reason = f"{len(files)} bundles are as many sources; import one at a time"
            raise Refused(reason, files[1].name)
        readers = list(entry_points(group=GROUP))
        if not readers:
            raise Refused(
                "a bundle is checked by the platform's own code, which is not installed here: "
                "install weighhouse-backend",
                files[0].name,
            )
        read: Reader = readers[0].load()
        return read(files[0], told)


IMPORTER = Bundle()
