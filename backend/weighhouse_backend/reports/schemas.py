"""Reports as the API takes and shows them."""

import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints
from weighhouse_protocol.text import Named, Prose

from weighhouse_backend.comparisons.questions import QuestionWrite
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.kit.schemas import Body

Template = Literal["comparison", "study", "regression", "monthly", "release"]
MOST_SOURCES = 24
MOST_TEXT = 200_000
"""Characters of a report; a book of a hundred pages."""

Title = Annotated[str, Named(160)]
Text = Annotated[str, Prose(MOST_TEXT, least=0, trimmed=False)]


class SourceWrite(Body):
    """What references are to. One of `campaign_id`, `series_id`, `comparison`, `study`,
    `published_id`.
    """

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
    """How the text calls it."""
    campaign_id: UUID | None = None
    """All targets of a campaign beside each other."""
    comparison: QuestionWrite | None = None
    series_id: UUID | None = None
    study: Annotated[str | None, Field(max_length=200)] = None
    """A published study by its name, as far as it was measured in the project."""
    published_id: UUID | None = None
    """What others published and the project keeps, in its latest version."""


Sources = Annotated[list[SourceWrite], Field(max_length=MOST_SOURCES)]


class ReportCreate(Body):
    """A report to begin, out of a template."""

    project_id: UUID
    title: Title
    template: Template = "comparison"
    sources: Annotated[list[SourceWrite], Field(min_length=1, max_length=MOST_SOURCES)]
    """What it is of; each gets its part of the template."""
    audience: Audience = "internal"


class ReportWrite(Body):
    """A report as somebody wants it saved."""

    title: Title
    text: Text
    sources: Sources
    audience: Audience
    """For whom it is: figures that may not be shown to them are withdrawn, with the reason."""


class DraftWrite(Body):
    """A text that is not saved, to be looked at."""

    title: Title
    text: Text
    sources: Sources
    audience: Audience


class SourceRead(SourceWrite):
    """A source, with what it is called."""

    label: str
    withdrawn: str | None
    """Why nothing of it can be shown."""


class OfferRead(BaseModel):
    """Something that a text can refer to."""

    reference: str
    """As it stands in the text, braces included."""
    source: str
    kind: Literal["words", "table", "chart", "texts", "claim"]
    label: str
    """What it is, in words."""
    shows: str
    """Of a figure or a claim: what it shows now."""


class DrawnRead(BaseModel):
    """A document as a tree: of each node its text, or `[tag, attributes, children]`."""

    nodes: list[Any]
    withdrawn: list[str]
    """What is withdrawn in it, with the reason."""


class DraftRead(BaseModel):
    """A draft as it would look, and what else it may refer to."""

    document: DrawnRead
    sources: list[SourceRead]
    offers: list[OfferRead]


class EditionSummary(BaseModel):
    """An edition in a list."""

    number: int
    revision: int
    digest: str
    made_by: str
    created_at: datetime.datetime


class ReportSummary(BaseModel):
    """A report in a list."""

    id: UUID
    project_id: UUID
    title: str
    template: str
    revision: int
    made_by: str
    created_at: datetime.datetime
    changed_by: str
    changed_at: datetime.datetime
    editions: int
    """How many there are."""


class RevisionRead(BaseModel):
    """A report as somebody saved it."""

    number: int
    title: str
    text: str
    audience: Audience
    author: str
    created_at: datetime.datetime


class ReportRead(BaseModel):
    """A report: its text, and how it looks with what stands now."""

    id: UUID
    project_id: UUID
    title: str
    template: str
    text: str
    audience: Audience
    revision: int
    """With If-Match on what is saved next."""
    authors: list[str]
    """Everybody who saved a revision, the first first."""
    created_at: datetime.datetime
    changed_by: str
    changed_at: datetime.datetime
    sources: list[SourceRead]
    document: DrawnRead
    editions: list[EditionSummary]


class EditionChangeRead(BaseModel):
    """What is another now than in an edition."""

    what: str
    before: str
    now: str


class EditionRead(EditionSummary):
    """An edition: what it says, which stays, and what changed since."""

    report_id: UUID
    title: str
    document: DrawnRead
    changes: list[EditionChangeRead]
    """Empty: the report would say the same today."""


class SharedReportRead(BaseModel):
    """A report as people without an account are shown it."""

    title: str
    document: DrawnRead
