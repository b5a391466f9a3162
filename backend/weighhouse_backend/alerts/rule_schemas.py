"""Rules of alerts, and what they would have raised, as the API takes and shows them."""

import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from weighhouse_judging.series.changes import RULE
from weighhouse_protocol.text import Named

from weighhouse_backend.alerts.states import AlertState
from weighhouse_backend.kit.schemas import Body
from weighhouse_backend.series.schemas import ExperimentOfSeries

QuietState = Literal[
    AlertState.NOISE,
    AlertState.INFRASTRUCTURE,
    AlertState.EXPECTED,
    AlertState.WONT_FIX,
    AlertState.FIXED,
]
Name = Annotated[str, Named(63)]


class AlertRuleWrite(BaseModel):
    """Which confirmed changes become alerts. It narrows what the detector confirms."""

    model_config = ConfigDict(extra="forbid")

    profile: Literal["watch", "strict"] = "watch"
    """How much evidence a change needs: `strict` is p < 0.001."""
    smallest_shift: Annotated[float, Field(ge=RULE.smallest_shift, le=1, strict=True)] = (
        RULE.smallest_shift
    )
    """Relative; 0.05 = 5 %. Nothing smaller than the default is ever confirmed."""
    direction: Literal["any", "worse"] = "any"
    metrics: Annotated[list[Name], Field(min_length=1)] | None = None
    """Null: all."""
    systems: Annotated[list[Name], Field(min_length=1)] | None = None
    """Null: all."""
    quiet_states: list[QuietState] = []
    """States that stay as they are, whatever contradicts."""


class AlertRuleRead(AlertRuleWrite):
    """A project's rule."""

    version: int
    """0: none was saved, and every confirmed change becomes an alert."""
    updated_by: str | None
    updated_at: datetime.datetime | None


class TrialRequest(Body):
    """A rule to try on what is stored."""

    project_id: UUID | None = None
    rule: AlertRuleWrite


class TrialAlert(BaseModel):
    """An alert that the rule would have raised, or kept quiet."""

    title: str
    alert_id: UUID | None
    """The alert that there is of it."""
    series_id: UUID
    experiment: ExperimentOfSeries
    at: datetime.datetime
    campaign_id: UUID
    campaign_number: int
    better: bool | None
    others: int
    """Changes of the same cause."""
    raised: bool
    """The rule raises it."""
    confirmed_number: int | None
    """The campaign after which it was known, looked at alone; null: not worked out."""
    campaigns_late: int | None
    """Campaigns measured from the shift until it was known, the first one among them."""


class TrialRead(BaseModel):
    """What a rule would have raised."""

    causes_count: int
    """Of the project's confirmed changes."""
    raised_count: int
    alerts: list[TrialAlert]
    """The latest first, 100 at most; those that are kept quiet among them."""
