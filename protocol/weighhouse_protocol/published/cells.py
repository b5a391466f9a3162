"""Sides and cells of published results: what was measured, under which load, and what came out."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from weighhouse_protocol.base import (
    MOST_COUNT,
    Count,
    Document,
    Few,
    FewBy,
    Label,
    Name,
    Page,
    Seconds,
    Sentence,
    Words,
)
from weighhouse_protocol.published.figures import (
    PublishedColumn,
    PublishedFigure,
    PublishedInterval,
)
from weighhouse_protocol.published.source import PublishedFile

MOST_FIGURES = 5_000
MOST_INTERVALS = 50_000
"""A run of twelve hours, a line a second; what has more is kept in longer intervals."""

ReturnCode = Annotated[str, StringConstraints(max_length=300)]
"""What a tool calls an outcome: `OK`, `NOT_FOUND`, `0`, `-1`."""


class PublishedSide(Document):
    """One of those that were compared: a system in one configuration."""

    name: Name
    label: Label = ""
    system: Label = ""
    """A plugin's identifier where it is one, else in free words; empty: not told."""
    version: Label = ""
    sponsor: bool | None = None
    """Whether who sells it paid for the study; none: not told."""


class PublishedLoad(Document):
    """How a cell was loaded, as far as it is told."""

    clients: Annotated[int, Field(ge=1, le=MOST_COUNT)] | None = None
    """Connections or threads that each wait for their answer, all together."""
    pipeline: Annotated[int, Field(ge=1, le=MOST_COUNT)] | None = None
    """Requests on the way on one connection; none: not told, which is not one."""
    rate: Annotated[float, Field(gt=0, le=1e12)] | None = None
    """Operations a second that were asked for."""
    loop: Literal["closed", "open", "unknown"] = "unknown"
    """`closed`: a client asks when it was answered; `open`: requests begin when they are due, and
    latency counts from then."""
    label: Label = ""
    """As it is printed."""

    @property
    def operations_in_flight(self) -> int | None:
        """Clients × pipeline; none where either is not told."""
        return self.clients * self.pipeline if self.clients and self.pipeline else None


class PublishedCell(Document):
    """What one side came to under one workload and load, in one run or several that were merged."""

    side: Name
    workload: Label = ""
    run: Label = ""
    """Which of several runs of the same: `warm-up`, `run 2`."""
    load: PublishedLoad = PublishedLoad()
    seconds: Seconds | None = None
    """How long it was measured."""
    machines: Sentence = ""
    notes: Sentence = ""
    figures: Annotated[
        tuple[PublishedFigure, ...], Field(max_length=MOST_FIGURES, fail_fast=True)
    ] = ()
    outcomes: FewBy[FewBy[Count]] = Field(default_factory=dict)
    """Operation → return code as the tool names it → how often. Under `all` only where the tool
    does not tell operations apart."""
    columns: Few[PublishedColumn] = ()
    intervals: Annotated[
        tuple[PublishedInterval, ...], Field(max_length=MOST_INTERVALS, fail_fast=True)
    ] = ()
    """In the order of time; several may have one end."""
    histograms: FewBy[Page] = Field(default_factory=dict)
    """Operation → HdrHistogram V2, deflated, base64, of the whole run."""
    histogram_unit_us: Annotated[float, Field(gt=0, le=1e9)] | None = None
    """What one of their values is, µs (0.001: they count nanoseconds); none: not known."""
    command: Words = ""
    """That made the load, as it is quoted; secrets are masked."""
    files: Few[PublishedFile] = ()

    @model_validator(mode="after")
    def _columns_hold_all(self) -> Self:
        most = max((len(one.values) for one in self.intervals), default=0)
        if most > len(self.columns):
            message = f"intervals: {most} values in {len(self.columns)} columns"
            raise ValueError(message)
        return self

    def figure(self, name: str, operation: str = "all") -> PublishedFigure | None:
        """The first figure of a name and an operation; none where there is none."""
        return next(
            (one for one in self.figures if (one.figure, one.operation) == (name, operation)), None
        )
