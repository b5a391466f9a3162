"""A file that is offered: its name, its beginning and its lines, one after the other.

Nothing here holds more of a file than a line: files of hundreds of megabytes are read in the room
of one.
"""

import codecs
import hashlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import BinaryIO

from weighhouse_protocol.published.source import PublishedFile

from weighhouse_imports.refusals import Refused

HEAD_BYTES = 65_536
"""What an importer is shown to recognise a file by."""
MOST_LINE_BYTES = 1 << 20
"""Of one line; a histogram of five digits takes less."""
MOST_WHOLE_BYTES = 24 << 20
"""Of a document that is read as a whole, as JSON is."""
CHUNK_BYTES = 1 << 20
CONFLICT = ("<<<<<<< ", ">>>>>>> ", "||||||| ")
WIDE = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
"""As PowerShell writes what is sent to a file."""


@dataclass(frozen=True)
class ImportFile:
    """One file among those that are offered."""

    name: str
    """As it was given; inside an archive, the archive's name and its path with `!` between."""
    size: int
    """Bytes."""
    open: Callable[[], BinaryIO] = field(repr=False)
    """A new stream from its beginning, each time."""

    @property
    def folder(self) -> str:
        """What its name has before the last `/` or `!`."""
        return self.name[: -len(self.base)]

    @property
    def base(self) -> str:
        """The last part of its name."""
        return PurePosixPath(self.name.replace("\\", "/").replace("!", "/")).name

    @property
    def stem(self) -> str:
        """The last part of its name, without what stands after its last dot."""
        return PurePosixPath(self.base).stem or self.base

    @cached_property
    def head(self) -> bytes:
        """Its beginning, at most `HEAD_BYTES`, in UTF-8."""
        with self.open() as stream:
            raw = stream.read(HEAD_BYTES)
        for mark, encoding in WIDE:
            if raw.startswith(mark):
                return raw[len(mark) :].decode(encoding, "replace").encode()
        return raw.removeprefix(codecs.BOM_UTF8)

    @cached_property
    def sha256(self) -> str:
        """Its digest, hexadecimal."""
        found = hashlib.sha256()
        with self.open() as stream:
            while chunk := stream.read(CHUNK_BYTES):
                found.update(chunk)
        return found.hexdigest()

    def told(self, format_name: str) -> PublishedFile:
        """What is kept of it."""
        return PublishedFile(
            name=self.name[-4000:], bytes=self.size, sha256=self.sha256, format=format_name
        )

    def lines(self) -> Iterator[tuple[int, str]]:
        """Number, from 1, and text of each line, without its end. What is no UTF-8 is U+FFFD.

        :raises Refused: for a line that is longer than any tool writes, for a text with NULs, and
            where two branches were not merged.
        """
        with self.open() as raw:
            for number, line in enumerate(self._text_lines(raw), 1):
                if len(line) >= MOST_LINE_BYTES and not line.endswith("\n"):
                    reason = f"a line of more than {MOST_LINE_BYTES:,} bytes: no tool writes one"
                    raise Refused(reason, self.name, number)
                if "\0" in line:
                    raise Refused("a NUL in a text: the file is damaged", self.name, number)
                if line.startswith(CONFLICT):
                    reason = (
                        "marks of a merge that Git left unfinished; take one side and try again"
                    )
                    raise Refused(reason, self.name, number)
                yield number, line.rstrip("\r\n")

    def _text_lines(self, raw: BinaryIO) -> Iterator[str]:
        start = raw.read(2)
        raw.seek(0)
        encoding = next((name for mark, name in WIDE if start == mark), "utf-8-sig")
        text = io.TextIOWrapper(raw, encoding=encoding, errors="replace", newline="")
        try:
            for line in iter(lambda: text.readline(MOST_LINE_BYTES), ""):
                yield line.removeprefix("\ufeff")
        finally:
            text.detach()

    def whole(self, most: int = MOST_WHOLE_BYTES) -> str:
        """All of its text.

        :param most: bytes that it may have.
        :raises Refused: when it is too large to be read as a whole.
        """
        if self.size > most:
            reason = (
                f"has {self.size:,} bytes, and a document of its kind is read as a whole, "
                f"{most:,} at most"
            )
            raise Refused(reason, self.name)
        with self.open() as raw:
            data = raw.read(most + 1)
        for mark, encoding in WIDE:
            if data.startswith(mark):
                return data.decode(encoding, "replace").removeprefix("\ufeff")
        return data.decode("utf-8-sig", "replace")


def of_bytes(name: str, data: bytes) -> ImportFile:
    """A file that lies in memory."""
    return ImportFile(name, len(data), lambda: io.BytesIO(data))
