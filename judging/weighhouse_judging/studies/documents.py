"""What a folder of a study holds: `study.yaml` and `claims.yaml`, as typed documents."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from weighhouse_protocol.base import Document, Name

from weighhouse_judging.studies.printed import Printed, printed
from weighhouse_judging.verdicts.metrics import FIGURE

Words = Annotated[str, Field(min_length=1, max_length=2000)]
Scale = Literal["published", "small"]
"""At the study's own size; on a laptop, in minutes."""


def known_figure(name: str) -> None:
    """:raises ValueError: when a figure is none of the platform's."""
    if name not in FIGURE:
        raise ValueError(f"figure {name!r} is not known; one of {', '.join(FIGURE)}")


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

    number: float
    what: Words
    """What it counts."""


class Sum(Document):
    """Several added up."""

    sum: tuple[Cell | Number, ...] = Field(min_length=2)


Term = Cell | Ratio | Spread | Sum | Number


class Range(Document):
    """Something lies within bounds."""

    kind: Literal["range"]
    of: Term
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a range has no bound; give at_least, at_most, or both")
        if None not in {self.at_least, self.at_most} and (self.at_least or 0) > (self.at_most or 0):
            raise ValueError(f"at_least {self.at_least:g} is above at_most {self.at_most:g}")
        return self


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
