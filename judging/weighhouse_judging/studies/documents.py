"""What a folder of a study holds: `study.yaml` and `claims.yaml`, as typed documents."""

from math import inf
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from weighhouse_protocol.base import Document, Name
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.studies.printed import (
    RATIOS,
    Printed,
    PrintedRange,
    Units,
    bound,
    printed,
    printed_number,
    printed_range,
    units_of,
)

Words = Annotated[str, Field(min_length=1, max_length=2000)]
Scale = Literal["published", "small"]
"""At the study's own size; on a laptop, in minutes."""


def as_printed(given: object) -> object:
    """A number as the text of its digits; in quotes it keeps all of them (`"10.0"`)."""
    return repr(given) if isinstance(given, int | float) and not isinstance(given, bool) else given


AsPrinted = Annotated[str, BeforeValidator(as_printed), Field(min_length=1, max_length=100)]
"""A number as a text prints it: `10`, `"10.0"`, `30 %`, `1.2 million`, `10k`."""


def known_figure(name: str) -> None:
    """:raises ValueError: when a figure is none of the platform's."""
    CATALOGUE[name]


class Source(Document):
    """Where the study stands, who made it, who paid."""

    title: Words
    authors: Words
    published_in: Words
    sponsor: Words
    """Who paid or decided; `none stated` where nothing is said."""
    licence: Words
    """Of the text; of the raw data, where there are any."""
    quoted: Words
    """What is taken over from it, and what is not."""
    machines: Words
    tool: Words
    raw_data: Words
    disclaimer: Words
    """What the study itself, or its sponsor, makes a condition of reading its figures."""


class StudySide(Document):
    """A system of the study."""

    name: Name
    """The name of its target in the experiment files."""
    label: Words
    small: bool
    """Is it measured at small scale unless somebody asks otherwise?"""
    because: str = ""
    """Why it is not."""

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.small == bool(self.because):
            raise ValueError(
                f"because: {self.name} is "
                + ("measured at small scale; leave it out" if self.small else "not; say why")
            )
        return self


class Difference(Document):
    """Something that we do otherwise than the study."""

    what: Words
    why: Words


class PublishedFigure(Document):
    """A figure of the text, as it is printed."""

    side: Name
    workload: Words
    load: Words
    """Label of the load level: `32 clients`."""
    figure: str = "throughput"
    """A name of the platform's figures."""
    printed: Words
    """Number and unit: `436 ms`."""
    place: Words
    """Where in the text."""
    setting: str = ""
    """What sets it apart from another figure of the same cell: the machine."""

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        known_figure(self.figure)
        printed(self.printed, self.figure)
        return self

    @property
    def read(self) -> Printed:
        """Its value, and what it was rounded from."""
        return printed(self.printed, self.figure)


class Study(Document):
    """`study.yaml`: a published study as it can be run again."""

    version: Literal[1] = 1
    name: Name
    title: Words
    order: int = Field(ge=1, le=99)
    """Its place in lists."""
    asks: Words
    """The study's question, in our words."""
    answers: Words
    """What it claims, taken together; of a study of our own, what we expected. Whole sentences."""
    source: Source | None
    """None: a study of our own."""
    sides: tuple[StudySide, ...] = Field(min_length=1)
    otherwise: tuple[Difference, ...] = ()
    published: tuple[PublishedFigure, ...] = ()

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        sides = [side.name for side in self.sides]
        if twice := sorted({name for name in sides if sides.count(name) > 1}):
            raise ValueError(f"sides: {', '.join(twice)} stands twice; each system once")
        seen = set()
        for at, one in enumerate(self.published):
            if one.side not in sides:
                raise ValueError(
                    f"published[{at}].side: {one.side!r} is no side; those are {', '.join(sides)}"
                )
            key = (one.side, one.workload, one.load, one.figure, one.setting)
            if key in seen:
                raise ValueError(
                    f"published[{at}]: {one.figure} of {one.side}, {one.workload}, {one.load} "
                    "stands twice; give one of the two a `setting`"
                )
            seen.add(key)
        return self


class Cell(Document):
    """A figure of a cell; what is left out, a claim's `each` fills in."""

    side: Name | None = None
    workload: str | None = None
    load: str | None = None
    figure: str = "throughput"
    setting: str = ""

    @model_validator(mode="after")
    def _is_a_figure(self) -> Self:
        known_figure(self.figure)
        return self


class Ratio(Document):
    """The first over the second."""

    ratio: tuple[Cell, Cell]


class Spread(Document):
    """The greatest of several over the least of them."""

    spread: tuple[Cell, ...] = Field(min_length=2)


class Number(Document):
    """A number that the text gives outside of its figures."""

    number: AsPrinted
    what: Words
    """What it counts."""

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        printed_number(self.number, RATIOS)
        return self

    @property
    def read(self) -> Printed:
        """Its value, and what it was rounded from."""
        return printed_number(self.number, RATIOS)


class Sum(Document):
    """Several added up."""

    sum: tuple[Cell | Number, ...] = Field(min_length=2)


Term = Cell | Ratio | Spread | Sum | Number


class Range(Document):
    """Something lies within bounds."""

    kind: Literal["range"]
    of: Term
    printed: AsPrinted | None = None
    """What the text says that it amounts to: `10 to 11 times`, `about 2×`, `below 10 µs`."""
    at_least: AsPrinted | None = None
    at_most: AsPrinted | None = None
    """Ends of it, each of which may have been rounded: `10` is 9.5 to 10.5."""
    above: AsPrinted | None = None
    below: AsPrinted | None = None
    """Marks that nobody measured, which count exactly."""

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if not self._said:
            raise ValueError(
                "a range has no bound; say what is `printed`, or give at_least, at_most, above or "
                "below"
            )
        values = {
            kind: printed_number(text, self._units).value
            for kind, text in self._said.items()
            if kind != "printed"
        }
        lower = max((values[one] for one in ("at_least", "above") if one in values), default=-inf)
        upper = min((values[one] for one in ("at_most", "below") if one in values), default=inf)
        if lower > upper or self.bounds.low > self.bounds.high:
            raise ValueError(f"{self.words}: its lower end is above its upper one")
        return self

    @property
    def bounds(self) -> PrintedRange:
        """Between which values it lies, in the platform's own units, after rounding."""
        found = PrintedRange()
        for kind, text in self._said.items():
            one = (
                printed_range(text, self._units)
                if kind == "printed"
                else bound(kind, text, self._units)
            )
            found = found.both(one)
        return found

    @property
    def words(self) -> str:
        """What is asked, as it is printed: `10 to 11 times`, `at least 60 and at most 80`."""
        return " and ".join(
            text if kind == "printed" else f"{kind.replace('_', ' ')} {text}"
            for kind, text in self._said.items()
        )

    @property
    def _said(self) -> dict[str, str]:
        names = ("printed", "at_least", "at_most", "above", "below")
        return {name: text for name in names if (text := getattr(self, name)) is not None}

    @property
    def _units(self) -> Units:
        cells = self.of.sum if isinstance(self.of, Sum) else (self.of,)
        figures = [one.figure for one in cells if isinstance(one, Cell)]
        return units_of(figures[0]) if figures else RATIOS


class Order(Document):
    """Each is greater than the next."""

    kind: Literal["order"]
    of: tuple[Term, ...] = Field(min_length=2)


class Maximum(Document):
    """One is the greatest of several."""

    kind: Literal["maximum"]
    of: Term
    among: tuple[Term, ...] = Field(min_length=1)
    """The others."""


class NearLinear(Document):
    """Something grows nearly as its load does."""

    kind: Literal["near_linear"]
    of: Cell
    """At the higher load."""
    to: Cell
    """At the lower one."""
    times: float = Field(gt=1)
    """How many times the load."""
    within: float = Field(gt=0, lt=1)
    """The share of linear growth that may be missing and still be called near."""


class Equals(Document):
    """Two things are the same."""

    kind: Literal["equals"]
    of: Term
    to: Term
    within: float = Field(default=0.005, ge=0, lt=1)
    """The relative difference that may be left."""


class ClosedLoop(Document):
    """So many requests under way can make these two figures (Little's law)."""

    kind: Literal["closed_loop"]
    throughput: Cell = Cell()
    latency: Cell
    outstanding: float | None = Field(default=None, gt=0)
    """Clients × pipeline; default: as the load's label says."""


Test = Annotated[
    Range | Order | Maximum | NearLinear | Equals | ClosedLoop, Field(discriminator="kind")
]


class Each(Document):
    """What a claim is made of: every combination fills in what cells leave out."""

    side: tuple[Name, ...] = ()
    workload: tuple[str, ...] = ()
    load: tuple[str, ...] = ()


class Claim(Document):
    """Something that the text says, so that it can be checked."""

    id: Name
    says: Words
    """In our words."""
    place: Words
    scales: tuple[Scale, ...] = ("published", "small")
    """At which it can be asked: what hangs on the number of records or machines, at its own."""
    each: Each = Each()
    tests: tuple[Test, ...] = Field(min_length=1)
    """All have to hold."""


class Claims(Document):
    """`claims.yaml`."""

    version: Literal[1] = 1
    claims: tuple[Claim, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_are_once(self) -> Self:
        names = [claim.id for claim in self.claims]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"claims: {', '.join(twice)} stands twice; give each an id of its own")
        return self
