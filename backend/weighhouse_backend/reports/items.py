"""What references are resolved to: values that can be kept as JSON, and drawn without a question.

They hold what is read, not how it is drawn, so that an edition is drawn as the page is.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from weighhouse_judging.studies.claims import ClaimVerdict


class _Item(BaseModel):
    model_config = ConfigDict(frozen=True)

    notes: tuple[str, ...] = ()
    """Ids of what must stand beside it."""


class Words(_Item):
    """A figure with its unit, or a sentence."""

    kind: Literal["words"] = "words"
    words: str


class Table(_Item):
    """Rows of texts; the first column names the row."""

    kind: Literal["table"] = "table"
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Point(BaseModel):
    """One value of a line, with its interval."""

    model_config = ConfigDict(frozen=True)

    at: int
    """Place on the axis."""
    value: float
    low: float
    high: float
    words: str


class Line(BaseModel):
    """What is drawn in one colour."""

    model_config = ConfigDict(frozen=True)

    label: str
    colour: str
    mark: str
    hollow: bool = False
    points: tuple[Point, ...]


class Panel(BaseModel):
    """One plot."""

    model_config = ConfigDict(frozen=True)

    title: str
    lines: tuple[Line, ...]


class Chart(_Item):
    """Plots over the same places."""

    kind: Literal["chart"] = "chart"
    caption: str
    unit: str
    places: tuple[str, ...]
    """Names of the places on the axis, in order."""
    panels: tuple[Panel, ...]


class Texts(_Item):
    """Paragraphs, each with a title that may be empty."""

    kind: Literal["texts"] = "texts"
    texts: tuple[tuple[str, str], ...]


class Claimed(_Item):
    """What somebody says of figures, and what may be said of that."""

    kind: Literal["claim"] = "claim"
    says: str
    """As it was written, its cells in words."""
    verdict: ClaimVerdict
    words: str
    """`holds here`."""
    why: str
    """With the figures, complete with its full stop."""


class Withdrawn(_Item):
    """Nothing may be, or can be, shown."""

    kind: Literal["withdrawn"] = "withdrawn"
    reason: str


Item = Annotated[Words | Table | Chart | Texts | Claimed | Withdrawn, Field(discriminator="kind")]


class Note(BaseModel):
    """What must stand beside figures."""

    model_config = ConfigDict(frozen=True)

    title: str
    text: str
    severity: Literal["bar", "caution", "note"]


class Resolved(BaseModel):
    """What all references of a text came to."""

    model_config = ConfigDict(frozen=True)

    items: dict[str, Item]
    """By reference, as it stands between the braces."""
    notes: dict[str, Note]
    """All that must stand beside the figures of the sources, by id."""
    stamps: tuple[str, ...] = ()
    """`not for publication: …`, `so far, 3 of 6 runs …`: of the whole."""


READ = TypeAdapter(Resolved)


class Content(BaseModel):
    """All that a page, a print and an edition are made of."""

    model_config = ConfigDict(frozen=True)

    title: str
    text: str
    about: tuple[str, ...]
    """Whose it is, of when, by whom: lines below the title."""
    resolved: Resolved
