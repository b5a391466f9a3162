"""Retention, as the API takes and shows it."""

import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StrictInt
from weighhouse_protocol.text import Prose

from weighhouse_backend.kit.schemas import Body

MOST_DAYS = 36_500
Days = Annotated[StrictInt | None, Field(ge=1, le=MOST_DAYS)]
Because = Annotated[str, Prose(500)]


class RetentionRules(Body):
    """How many days after its campaign ended what a project measured is kept; what is not set is
    kept for ever. Figures, verdicts, findings and what was sampled are kept in any case.
    """

    intervals_days: Days = None
    """Intervals of long runs in full, afterwards the steps that their charts draw. Runs that are
    drawn from their intervals (up to some 2,000) keep them."""
    logs_days: Days = None
    """Logs of systems, drivers and agents."""
    artifacts_days: Days = None
    """Files that runs left."""
    events_days: Days = None
    """What was told live while the campaign ran."""


class RetentionRead(BaseModel):
    """What a project keeps how long."""

    rules: RetentionRules
    version: int
    """0: none were saved."""
    updated_by: str | None
    updated_at: datetime.datetime | None
    may_change: bool


class RemovalRead(BaseModel):
    """How much of one kind the rules would remove now."""

    count: int
    """Of runs that would lose it; of events themselves."""
    bytes: int | None
    """About; null where it is not known."""


class HeldRead(BaseModel):
    """A campaign that the rules pass over."""

    campaign_id: UUID
    number: int
    because: str


class RetentionPreview(BaseModel):
    """What rules would remove, if they were carried out now."""

    intervals: RemovalRead
    logs: RemovalRead
    artifacts: RemovalRead
    events: RemovalRead
    held: list[HeldRead]
    """Campaigns old enough for it that are kept all the same; the newest hundred."""
    held_total: int


class KeepWrite(Body):
    """Keep a campaign whole, whatever the rules say."""

    because: Because
    """Why, for whoever looks at it later."""


class KeptRead(BaseModel):
    """Who keeps a campaign, and why."""

    because: str
    kept_by: str
    kept_at: datetime.datetime


class DeletionWrite(Body):
    """Delete a campaign with all it measured."""

    because: Because
    """Why; it stays on record."""


class DeletionRead(BaseModel):
    """A deletion that somebody asked for."""

    because: str
    deleted_by: str
    asked_at: datetime.datetime
    refused_because: str | None
    """Why the campaign is still there: something came to rest on it meanwhile."""


class CampaignKeepingRead(BaseModel):
    """Whether a campaign is kept, and may be deleted."""

    kept: KeptRead | None
    held_because: list[str]
    """Why it cannot be deleted, each with what would mend it; empty: it can."""
    passed_over_because: str | None
    """Why the rules remove nothing of it; null: they do, when it is old enough."""
    deletion: DeletionRead | None
    may_keep: bool
    may_delete: bool
    """Whether the caller's role allows it."""
