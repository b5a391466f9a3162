"""The language of claims: what a text says, as typed expressions over figures.

Terms are what something is worth (a figure, a ratio, a spread, a property of a quoted command);
tests are what is said of terms. `claims.yaml` holds claims; `terms` and `outcomes` work them out.
"""

from math import inf
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from weighhouse_protocol.base import Document, Name
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.published.figures import ALL, PUBLISHED_STATISTICS

from weighhouse_judging.studies.printed import (
    RATIOS,
    Printed,
    PrintedRange,
    Units,
    bound,
    finer,
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


class Cell(Document):
    """A figure of a cell; what is left out, a claim's `each` fills in."""

    side: Name | None = None
    workload: str | None = None
    load: str | None = None
    figure: str = "throughput"
    setting: str = ""
    operation: str = Field(default=ALL, max_length=300)
    """As the text names it: `READ`; of a study that runs here, `all`."""
    statistic: str = ""
    """`highest_of_intervals`, `averaged`: how it came about, where a text prints several."""

    @model_validator(mode="after")
    def _is_a_figure(self) -> Self:
        known_figure(self.figure)
        if self.statistic not in {"", *PUBLISHED_STATISTICS}:
            raise ValueError(
                f"statistic: {self.statistic!r} is none; one of {', '.join(PUBLISHED_STATISTICS)}"
            )
        return self


Property = Literal[
    "clients", "pipeline", "outstanding", "operations", "seconds", "value_bytes", "rate",
    "read_share", "write_share",
]  # fmt: skip
"""What a command line asks for: connections that wait for their answers, all together; requests
under way on each; both multiplied; operations in all; how long; bytes of a value; operations a
second; shares of reads and writes, 0 to 1."""


class Quoted(Document):
    """A property of the command line that a text quotes for a cell."""

    quoted: Property
    side: Name | None = None
    workload: str | None = None
    load: str | None = None
    setting: str = ""


class Ratio(Document):
    """The first over the second."""

    ratio: tuple[Cell, Cell]


class Spread(Document):
    """The greatest of several over the least of them."""

    spread: tuple[Cell, ...] = Field(min_length=2)


class Difference(Document):
    """The first less the second."""

    difference: tuple[Cell, Cell]


class MaxOf(Document):
    """The greatest of several."""

    max_of: tuple[Cell, ...] = Field(min_length=2, max_length=100)


class MinOf(Document):
    """The least of several."""

    min_of: tuple[Cell, ...] = Field(min_length=2, max_length=100)


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


Term = Cell | Ratio | Spread | Sum | Number | Difference | MaxOf | MinOf | Quoted


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
    def finer(self) -> "Range":
        """The same with a printed range a digit finer, where its ends lie but a step apart."""
        text = self.printed and finer(self.printed, self._units)
        return self.model_copy(update={"printed": text})

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
        cells = _parts_of(self.of)
        figures = [one.figure for one in cells if isinstance(one, Cell)]
        return units_of(figures[0]) if figures else RATIOS


def _parts_of(term: Term) -> tuple[object, ...]:
    """What a term is made of that has its unit."""
    match term:
        case Sum():
            return term.sum
        case Difference():
            return term.difference
        case MaxOf():
            return term.max_of
        case MinOf():
            return term.min_of
        case _:
            return (term,)


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


class Monotone(Document):
    """A figure never turns back while the load rises."""

    kind: Literal["monotone"]
    of: Cell
    """Without its load."""
    along: Literal["clients"] = "clients"
    direction: Literal["rises", "falls"] = "rises"
    loads: tuple[str, ...] = Field(default=(), max_length=100)
    """Labels of the loads, rising; default: all that there are figures of, by their clients."""


class RawData(Document):
    """The text says that the raw data of a cell can be had."""

    kind: Literal["raw_data"]
    of: Cell


Test = Annotated[
    Range | Order | Maximum | NearLinear | Equals | ClosedLoop | Monotone | RawData,
    Field(discriminator="kind"),
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


class RawFile(Document):
    """Which of a text's cells a file of raw data was measured for."""

    file: str = Field(min_length=1, max_length=1000)
    """The end of its path: `aerospike-production/0_run.txt`."""
    side: Name
    workload: str = ""
    """Empty: every workload that the text prints of this side and load."""
    load: str = ""


class Claims(Document):
    """`claims.yaml`, and every other file of claims."""

    version: Literal[1] = 1
    claims: tuple[Claim, ...] = Field(min_length=1, max_length=1000)
    raw: tuple[RawFile, ...] = Field(default=(), max_length=1000)
    """What files of raw data are of, where they do not say it in the text's words."""

    @model_validator(mode="after")
    def _names_are_once(self) -> Self:
        names = [claim.id for claim in self.claims]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"claims: {', '.join(twice)} stands twice; give each an id of its own")
        return self
