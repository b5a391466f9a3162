"""What is found, as the API shows it."""

import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

Kind = Literal[
    "experiment", "campaign", "commit", "series", "system", "parameter", "study", "report",
    "source", "note", "help",
]  # fmt: skip
"""What is found, in the order in which it is shown."""


class PieceRead(BaseModel):
    """A stretch of an excerpt."""

    text: str
    is_match: bool
    """Is it what was searched for?"""


class NightsRead(BaseModel):
    """The latest campaigns of an experiment by one figure."""

    figure: str
    series: str
    """Target, workload and load that it is of."""
    values: list[float]
    """Medians, from the oldest on; 30 at most."""


class HitRead(BaseModel):
    """One thing that was found."""

    kind: Kind
    title: str
    path: str
    """Of its page, from the platform's own address on."""
    of: str | None
    """What it belongs to: an experiment with the campaign's number, a system, a page of help."""
    excerpt: list[PieceRead]
    """Where its text has what was searched for; empty: its title has."""
    at: datetime.datetime | None
    """When it was made or changed; null where it goes on."""
    project_id: UUID | None
    """Null: it is of no project."""
    nights: NightsRead | None = None
    """Of an experiment that was measured."""


class GroupRead(BaseModel):
    """What was found of one kind."""

    kind: Kind
    items: list[HitRead]
    more_cursor: str | None
    """For more of this kind; null: these are all that were looked at."""
    is_cut: bool
    """More may have these words than are looked at: a further word narrows them."""


class FoundRead(BaseModel):
    """What was found; kinds of which there is nothing are left out."""

    groups: list[GroupRead]
