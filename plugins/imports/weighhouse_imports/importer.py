"""The kind of plugin that reads what others measured: what its author writes.

An importer is found by the entry-point group `weighhouse.importers`; it says what it is, whether a
file is of its kind, and what files of its kind hold. It is given streams, keeps no more of them
than it returns, writes nothing and asks nobody.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field
from weighhouse_protocol.base import Document, Few, Label, Name, Sentence
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.opened import ImportFile

API = 1
"""The version of this interface; an importer says the one that it was written for."""


class ImporterManifest(Document):
    """What an importer says of itself."""

    name: Name
    """The identifier of its format, as `--format` takes it and the entry point has it."""
    title: Label
    """As people know it: `YCSB, text`."""
    api: int = Field(default=API, ge=1, le=1000)
    reads: Few[Sentence] = ()
    """Which outputs of which versions."""
    known_errors: Few[Sentence] = ()
    """What its tool is known to get wrong, and what becomes of it here."""
    takes_along: Few[Name] = ()
    """Formats whose files are read with its own where they lie in one folder."""


@dataclass(frozen=True)
class Recognition:
    """How sure an importer is that a file is of its kind."""

    certainty: float
    """0 to 1; from 0.5 on it may be read, and the greatest wins."""
    reason: str
    """What it was recognised by: `[OVERALL], RunTime(ms)`."""


@dataclass(frozen=True)
class Told:
    """What whoever imports knows and no file says; None: not told."""

    unit_us: float | None = None
    """What one of the values is, µs, where the files do not say it."""
    one_run: bool | None = None
    """Are files of one format in one folder clients of one run? Not told: where they say so
    themselves."""
    system: str = ""
    version: str = ""
    title: str = ""


NOTHING_TOLD = Told()


class Importer(ABC):
    """One format. Instances have no state: one is used for all imports, at once."""

    manifest: ClassVar[ImporterManifest]

    @property
    def name(self) -> str:
        """The manifest's."""
        return self.manifest.name

    @abstractmethod
    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """Whether a file is of this kind, by its content.

        :param head: its first bytes, in UTF-8 where it is a text; at most 64 KiB.
        :param name: as it was given; a hint, where content leaves it open.
        :returns: None: it is not. Never raises.
        """

    @abstractmethod
    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """What files of this kind hold: those of one folder, in the order of their names, with
        those of formats that the manifest takes along.

        :raises Refused: when one of them cannot be read, or must not be; nothing of them is kept.
        """
