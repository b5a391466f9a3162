"""Figures that others published: what was printed, what it is taken for, and what it is made of."""

from typing import Annotated, Final, Literal, get_args

from pydantic import BeforeValidator, StringConstraints

from weighhouse_protocol.base import Count, Document, Few, Label, Measure, Seconds, Sentence
from weighhouse_protocol.figures import CATALOGUE, Figure

PublishedStatistic = Literal[
    "counted",
    "merged",
    "read",
    "sampled",
    "one_connection",
    "averaged",
    "highest_of_intervals",
    "lowest_of_intervals",
    "range_of_intervals",
    "unknown",
]
"""How a published value came about. `counted`, `merged`, `read` and `sampled` are those of the
catalogue; `one_connection`: of one thread or connection among several; `averaged`: the mean of
values that themselves are statistics, as of percentiles; `highest_of_intervals` and
`lowest_of_intervals`: the greatest and the least of what intervals had; `range_of_intervals`: the
one less the other, from peak to trough; `unknown`: its tool or text does not say."""
PUBLISHED_STATISTICS: Final[tuple[PublishedStatistic, ...]] = get_args(PublishedStatistic)

ALL = "all"
"""The operation of figures that concern all operations together."""
NOT_TOLD = "not told"
"""The return code of operations whose tool counts them without one."""


def _current(name: object) -> object:
    found = CATALOGUE.find(name) if isinstance(name, str) else None
    return found.name if found else name


FigureName = Annotated[
    str,
    BeforeValidator(_current),
    StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", min_length=1, max_length=63),
]
"""A figure of the catalogue or any percentile, by today's name (`throughput`, `p999_us`). Another
name (`min_us`, `speedup`) is kept and shown, and compared with nothing."""


class PublishedFigure(Document):
    """One figure of a cell."""

    figure: FigureName
    operation: Label = ALL
    """As its tool names it: `all`, `READ`, `UPDATE`."""
    value: Measure | None = None
    """In the platform's unit (that of the catalogue, µs for whatever ends in `_us`); none: it was
    printed, and cannot be known as a number."""
    low: Measure | None = None
    high: Measure | None = None
    """What the printed value may have been rounded from, in the same unit."""
    printed: Label = ""
    """As it stands, with its unit."""
    unit: Label = ""
    """Of a figure that is not in the catalogue; the catalogue's is never written here."""
    statistic: PublishedStatistic = "unknown"
    place: Label = ""
    """Where it stands: `0_run.txt:9`, `Table 4`, `section 3.1`."""
    recomputed: Measure | None = None
    """What the same source's other numbers make of it, in the same unit."""
    recomputed_how: Label = ""
    """`31,218,751 operations ÷ 1,800.05 s`."""
    setting: Label = ""
    """What else it was measured under, where a cell's figures differ in it."""

    @property
    def known(self) -> Figure | None:
        """The catalogue's figure, or percentile, of its name; none where it has no place."""
        return CATALOGUE.find(self.figure)


class PublishedColumn(Document):
    """What a column of a cell's intervals holds: told once for all of them."""

    figure: FigureName
    operation: Label = ALL
    statistic: PublishedStatistic = "unknown"


class PublishedInterval(Document):
    """A stretch of a run, as its tool reported it while it ran."""

    at_seconds: Seconds
    """Its end, since the run began."""
    seconds: Seconds | None = None
    """How long it is; none: not told."""
    operations: Count | None = None
    throughput: Measure | None = None
    """Operations a second."""
    values: Few[Measure | None] = ()
    """In the order of the cell's columns; none: nothing was measured, or nothing that can be."""


class ImportNote(Document):
    """What an importer has to say of what it read."""

    level: Literal["refused", "unknown", "doubtful"]
    """`refused`: left out; `unknown`: kept, and something of it cannot be known; `doubtful`: kept,
    and something contradicts it."""
    reason: Sentence
    """With how to mend it, where somebody can."""
    file: Sentence = ""
    line: Count | None = None
    """From 1."""
