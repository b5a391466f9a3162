"""What an export is made of: tables of typed columns, and what must stand beside them. Pure."""

import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from weighhouse_protocol.text import in_one_line

from weighhouse_backend.disclosure.caveat_schemas import CaveatRead

Kind = Literal["text", "integer", "number", "instant", "flag"]
"""Of a column: text; a whole number; a double; an instant in UTC, to the microsecond; yes or no."""
Value: TypeAlias = str | int | float | bool | datetime.datetime | None
Row: TypeAlias = Sequence[Value]


@dataclass(frozen=True)
class Column:
    """A column of a table; its name carries its unit, as figures' names do."""

    name: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Table:
    """Rows of one kind, made as they are asked for: once."""

    name: str
    """Of its file: `intervals`."""
    columns: Sequence[Column]
    rows: Iterable[Row]
    """Of as many values as there are columns."""


@dataclass(frozen=True)
class About:
    """What travels with each file: what it is of, as of when, and what must stand beside it."""

    title: str
    as_of: datetime.datetime
    """The instant of the one snapshot that all tables of an export are read in."""
    view: str
    """Address of the page that shows it."""
    software: str
    interim: str = ""
    """`so far, 12 of 30 runs, at …`: more may come. Empty: it is all there will be."""
    stamp: str | None = None
    """`not for publication: REASON`, where the systems' terms do not allow it."""
    caveats: Sequence[CaveatRead] = ()
    """The one list of all that must stand beside the numbers, the gravest first."""
    notes: Sequence[str] = ()
    """What else is to be known to read the columns."""

    def lines(self) -> Iterator[str]:
        """All of it, each on one line, in the order it is to be read."""
        said = [
            self.interim[:1].upper() + self.interim[1:],
            self.stamp or "",
            self.title,
            *self.notes,
            "caveats: " + "; ".join(f"{one.chip} [{n}]" for n, one in enumerate(self.caveats, 1))
            if self.caveats
            else "",
            *(f"[{n}] {one.title}: {one.text}" for n, one in enumerate(self.caveats, 1)),
            f"as of: {written(self.as_of)}",
            f"software: {self.software}",
            f"view: {self.view}",
        ]
        yield from (in_one_line(one) for one in said if one)

    def facts(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "title": in_one_line(self.title),
            "as_of": written(self.as_of),
            "interim": self.interim or None,
            "stamp": self.stamp,
            "caveats": [
                {
                    "id": one.id, "severity": one.severity, "short": one.chip, "title": one.title,
                    "text": one.text,
                }
                for one in self.caveats
            ],
            "notes": list(self.notes),
            "software": self.software,
            "view": self.view,
        }  # fmt: skip


class Sink(Protocol):
    """Where bytes go."""

    def write(self, piece: bytes, /) -> int:
        """Take bytes; how many."""
        ...


@dataclass(frozen=True)
class Export:
    """Tables of one snapshot, with what travels with each of them."""

    name: str
    """Of its file, without an ending."""
    about: About
    tables: Sequence[Table] = field(default_factory=tuple)


def written(at: datetime.datetime) -> str:
    """An instant as every file has it: UTC, to the microsecond, always of one length."""
    return at.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
