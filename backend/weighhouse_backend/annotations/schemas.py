"""Annotations as the API takes and shows them."""

import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field
from weighhouse_protocol.text import Prose

from weighhouse_backend.kit.schemas import Body

Text = Annotated[str, Prose(2000)]


class RunSubject(Body):
    """A run."""

    kind: Literal["run"]
    run_id: UUID


class SeriesSubject(Body):
    """A whole series, or an instant of it (`at`)."""

    kind: Literal["series"]
    series_id: UUID


class PointSubject(Body):
    """A campaign's point of a series."""

    kind: Literal["point"]
    series_id: UUID
    campaign_id: UUID


Subject = Annotated[RunSubject | SeriesSubject | PointSubject, Field(discriminator="kind")]


class AnnotationCreate(Body):
    """An annotation to write."""

    subject: Subject
    text: Text
    at: AwareDatetime | None = None
    """Where on the axis of time it stands; null: it is of the whole, or of its point."""


class AnnotationUpdate(Body):
    """What is written instead; what is left out stays."""

    text: Text | None = None
    at: AwareDatetime | None = None


class AnnotationRead(BaseModel):
    """What somebody wrote."""

    id: UUID
    subject: Subject
    text: str
    at: datetime.datetime | None
    author: str
    """Name of the person or token."""
    mine: bool
    """The caller wrote it."""
    version: int
    created_at: datetime.datetime
    edited_at: datetime.datetime | None
