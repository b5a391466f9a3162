"""Published sources as the API takes and shows them."""

import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field
from weighhouse_judging.findings.published import PublishedFinding
from weighhouse_protocol.published.figures import ImportNote
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.published.source import PublishedSource
from weighhouse_protocol.text import Prose

from weighhouse_backend.kit.schemas import Body

MOST_TYPED = 500
Because = Annotated[str, Prose(2000)]


class PublishedPreviewRead(BaseModel):
    """What was understood of files; nothing of it is kept."""

    results: PublishedResults | None
    """None: nothing was understood."""
    notes: list[ImportNote]
    """What is unknown, doubtful or was refused: with the line, the reason, and how to mend it."""
    findings: list["PublishedFindingRead"]
    understood: bool
    """Whether it can be kept as it is, once its source has a title."""


class PublishedFindingRead(BaseModel):
    """What a check has to say of a published cell."""

    cell: int
    """Its place among the cells, from 0."""
    side: str
    """Name of the side."""
    id: str
    severity: Literal["info", "caution", "error"]
    title: str
    message: str
    formula: str
    source: str
    documentation: str


class PublishedSideSummary(BaseModel):
    """A side of a published source, in a list."""

    name: str
    label: str
    system: str
    version: str
    cells: int


class PublishedSourceSummary(BaseModel):
    """A published source, in a list."""

    id: UUID
    project_id: UUID
    version: int
    """The latest."""
    source: PublishedSource
    sides: list[PublishedSideSummary]
    cells: int
    kept_by: str
    """Name of the person or token."""
    kept_at: datetime.datetime
    changed_at: datetime.datetime


class PublishedVersionRead(BaseModel):
    """One version of a source's results; all are kept and may be looked at."""

    number: int
    because: str
    """Why the version before was corrected; empty of the first."""
    made_by: str
    made_at: datetime.datetime


class PublishedSourceRead(PublishedSourceSummary):
    """A published source with what it published."""

    shown: int
    """Which of the versions this is."""
    results: PublishedResults
    """Without intervals and histograms; `whole` names where these are."""
    findings: list[PublishedFindingRead]
    versions: list[PublishedVersionRead]
    """The latest first."""
    may_leave: bool
    """Whether what is shown to others may hold it."""
    mend: str
    """What is missing for that; empty: nothing."""
    no_verdict: str
    """Why nothing of it is called better or worse."""


class FigureTyped(Body):
    """A figure as somebody typed it."""

    figure: Annotated[str, Field(max_length=63)]
    """A name of the catalogue, or any percentile."""
    printed: Annotated[str, Field(max_length=300)]
    """Number and unit, as the text prints it: `0.687 ms`."""


class FiguresTyped(Body):
    """Figures to read."""

    figures: Annotated[list[FigureTyped], Field(max_length=MOST_TYPED)]


class FigureUnderstood(BaseModel):
    """What a typed figure stands for."""

    value: float | None
    """In the platform's unit; None: it cannot be read."""
    low: float | None
    high: float | None
    """Between these it was rounded from."""
    unit: str
    """The platform's."""
    problem: str
    """Why it cannot be read, with what would be right; empty: it can."""


class FiguresUnderstood(BaseModel):
    """What typed figures stand for, in their order."""

    figures: list[FigureUnderstood]


def finding_read(one: PublishedFinding) -> PublishedFindingRead:
    """A finding as it is shown."""
    found = one.finding
    return PublishedFindingRead(
        cell=one.cell,
        side=one.side,
        id=found.id,
        severity=found.severity,
        title=found.title,
        message=found.message,
        formula=found.formula,
        source=found.source,
        documentation=found.documentation,
    )
