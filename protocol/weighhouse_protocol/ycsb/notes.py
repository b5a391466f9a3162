"""What is told of YCSB's properties: notes, and why some cannot be carried out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Severity = Literal["note", "caution"]


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody should know of one property; its value is not repeated, it may be secret."""

    property: str
    severity: Severity
    message: str
    file: str = ""
    """Where it stands; empty: it was given beside the files, or stands nowhere."""
    line: int | None = None


class Problem(NamedTuple):
    """Why a property cannot be carried out, and what would be right."""

    property: str
    """Empty: it is the file."""
    message: str
    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = self.file + (f":{self.line}" if self.line else "")
        return ": ".join(part for part in (where, self.property, self.message) if part)


class YcsbError(ValueError):
    """Files that cannot be carried out."""

    def __init__(self, problems: Sequence[Problem], notes: Sequence[Note] = ()) -> None:
        """:param problems: at least one.
        :param notes: what else is to be told of the same files.
        """
        self.problems = tuple(problems)
        self.notes = tuple(notes)
        super().__init__("; ".join(map(str, problems)))
