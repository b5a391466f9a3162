"""Why something is not read."""

from weighhouse_protocol.published.figures import ImportNote


class Refused(ValueError):
    """A file cannot be read, or must not be; says where, and how to mend it."""

    def __init__(self, reason: str, file: str = "", line: int | None = None) -> None:
        """:param line: from 1."""
        super().__init__(reason)
        self.reason, self.file, self.line = reason, file, line

    def note(self) -> ImportNote:
        """The same for a document."""
        return ImportNote(
            level="refused", reason=self.reason[:4000], file=self.file[:4000], line=self.line
        )
