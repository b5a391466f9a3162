"""Alerts as the API takes and shows them."""

import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StrictInt
from weighhouse_protocol.links import Link
from weighhouse_protocol.text import Prose

from weighhouse_backend.alerts.states import AlertKind, AlertState, EventKind
from weighhouse_backend.campaigns.commits import GitRead
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.kit.schemas import Body
from weighhouse_backend.series.schemas import ExperimentOfSeries

Note = Annotated[str, Prose(4000, least=0)]


class PersonRead(BaseModel):
    """A person."""

    id: UUID
    name: str


class AgentOfAlert(BaseModel):
    """The agent that is silent."""

    id: UUID
    name: str


class AlertMemberRead(BaseModel):
    """A change that has the cause of an alert."""

    change_point_id: UUID
    series_id: UUID
    metric: str
    workload: str
    load_level: LoadLevelRead
    campaign_id: UUID
    campaign_number: int
    before: float
    """Levels; of a change of spread, standard deviations relative to the level."""
    after: float
    relative: float
    better: bool | None
    """It is an improvement; null: it is neither, or nothing in the figures says."""
    p_value: float


class AlertChangeRead(BaseModel):
    """One cause: the change that leads, and those downstream of it, over figures and cells."""

    kind: Literal["step", "drift", "spread", "moved"]
    at: datetime.datetime
    campaign_id: UUID
    """The first campaign of what is new; of a drift, the last before it."""
    campaign_number: int
    target: str
    target_name: str
    """What it is called beside the others of its campaign, as in the title."""
    system_id: str
    profile: Literal["watch", "strict"] | None
    better: bool | None
    """The change that leads is an improvement; null: neither, or nothing in the figures says."""
    lead: AlertMemberRead
    downstream: list[AlertMemberRead]
    earlier: list[AlertMemberRead]
    """What led before later campaigns contradicted what was said of it."""


class MissedRead(BaseModel):
    """What did not take place."""

    times: int
    """Dates or campaigns since it was raised; of an agent 1."""
    first_at: datetime.datetime | None
    last_at: datetime.datetime | None
    reason: str
    """Of the last one."""
    campaign_id: UUID | None = None
    """The last campaign without a result."""
    campaign_number: int | None = None


class AlertRead(BaseModel):
    """Something that somebody should look at."""

    id: UUID
    kind: AlertKind
    title: str
    state: AlertState
    downstream_of_id: UUID | None
    version: int
    """Also its entity tag."""
    raised_at: datetime.datetime
    state_at: datetime.datetime
    """When it came into its state."""
    ended_at: datetime.datetime | None
    """Of what goes on until it is over: when it was over."""
    assignee: PersonRead | None
    due_on: datetime.date | None
    note: str
    link: str | None
    experiment: ExperimentOfSeries | None
    agent: AgentOfAlert | None
    change: AlertChangeRead | None
    """Of kind `change`."""
    missed: MissedRead | None
    """Of the other kinds."""


class EndOfRangeRead(BaseModel):
    """A campaign at one end of a range."""

    campaign_id: UUID
    campaign_number: int
    at: datetime.datetime
    value: float
    version: str | None
    git: GitRead | None


class RangeRead(BaseModel):
    """Between which campaigns it changed, and so between which commits and versions."""

    before: EndOfRangeRead | None
    """The last campaign before; null: it is gone."""
    first: EndOfRangeRead | None
    """The first campaign after."""
    commits_url: str | None
    """The page of the commits between; null where it is not known."""


class AlertEventRead(BaseModel):
    """A line of an alert's history."""

    kind: EventKind
    at: datetime.datetime
    actor: str | None
    """Null: the platform."""
    changes: dict[str, list[Any]]
    """Field → `[before, after]`."""
    reason: str


class AlertDetailRead(AlertRead):
    """An alert with where it came from and what became of it."""

    range: RangeRead | None
    """Of kind `change`."""
    history: list[AlertEventRead]
    """The newest first."""


class AlertUpdate(Body):
    """What is said of an alert; what is left out stays."""

    state: AlertState | None = None
    downstream_of_id: UUID | None = None
    """The alert that explains it; with state `downstream`, and only with it."""
    assignee_id: UUID | None = None
    """A member of the organization; null: nobody."""
    due_on: datetime.date | None = None
    note: Note | None = None
    link: Annotated[str, Link()] | None = None
    """Of a commit or a ticket: http or https."""


class AlertToTriage(Body):
    """An alert of several."""

    id: UUID
    version: Annotated[StrictInt, Field(ge=0, le=2**31 - 1)] | None = None
    """As it was seen; null: whatever is current."""


class TriageRequest(Body):
    """What is said of several alerts at once: of all or of none."""

    alerts: Annotated[list[AlertToTriage], Field(min_length=1, max_length=200)]
    change: AlertUpdate


class AlertCounts(BaseModel):
    """How many alerts there are, by state."""

    states: dict[AlertState, int]
    mine: int
    """Open ones that are the caller's to look after."""
