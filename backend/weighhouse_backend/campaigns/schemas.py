"""Bodies of the campaigns' API."""

import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from weighhouse_backend.campaigns.states import CampaignStatus, RunStatus, Trigger, Verdict
from weighhouse_backend.disclosure.schemas import DisclosureRead


class CampaignCreate(BaseModel):
    """Which experiment to carry out."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"experiment": "quickstart"}]},
    )

    experiment_id: UUID | None = None
    experiment: Annotated[str | None, Field(max_length=63)] = None
    """Slug, instead of the id."""
    revision: Annotated[int | None, Field(ge=1)] = None
    """Default: the current one."""
    base_campaign_id: UUID | Literal["previous"] | None = "previous"
    """What the verdict compares with; default: the experiment's last completed campaign."""
    project_id: UUID | None = None
    """Where to look for the slug; optional when the caller has exactly one project."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.experiment_id is None) == (self.experiment is None):
            message = "send either experiment_id or experiment"
            raise ValueError(message)
        return self


class ExperimentOfCampaign(BaseModel):
    """The experiment by name."""

    id: UUID
    slug: str
    name: str


class RunCountsRead(BaseModel):
    """Runs by where they stand."""

    total: int
    queued: int
    running: int
    """Allocated, measuring, or being settled."""
    completed: int
    failed: int
    cancelled: int


class CampaignSummary(BaseModel):
    """A campaign without its matrix."""

    id: UUID
    number: int
    project_id: UUID
    experiment: ExperimentOfCampaign
    revision: int
    status: CampaignStatus
    paused: bool
    verdict: Verdict | None
    trigger: Trigger
    created_at: datetime.datetime
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    runs: RunCountsRead
    requested_by: str | None
    waiting_for: str | None = None
    """Whom its next run waits for; none while there is nobody to wait for."""
    set_aside: str | None = None
    """Why no runs of it are given out: what it asks for cannot be read. Resuming tries again."""


class TargetOfCampaign(BaseModel):
    """A side of the campaign's comparison."""

    name: str
    label: str
    system_id: str
    colour: str


class LoadLevelRead(BaseModel):
    """A load level; `value` is the place on a chart's x axis."""

    kind: Literal["closed", "open"]
    value: float
    label: str


class FailureRead(BaseModel):
    """Why a run failed."""

    kind: str
    message: str
    hint: str = ""
    log_lines: list[str] = []


class CellRun(BaseModel):
    """A repetition, as the matrix shows it."""

    id: UUID
    repetition: int
    status: RunStatus
    throughput: float | None
    p99_us: float | None
    failure: FailureRead | None


class CellRead(BaseModel):
    """A point of the matrix with its repetitions."""

    id: UUID
    target: str
    workload: str
    load_level: LoadLevelRead
    runs: list[CellRun]


class AgentOfCampaign(BaseModel):
    """An agent that took part in the campaign, or takes part now."""

    id: UUID
    name: str


class CampaignLinks(BaseModel):
    """Where to go from here."""

    self: str
    events: str
    comparison: str
    gate: str


class CampaignRead(CampaignSummary):
    """A campaign with its matrix."""

    seed: int
    targets: list[TargetOfCampaign]
    workloads: list[str]
    load_levels: list[LoadLevelRead]
    repetitions: int
    cells: list[CellRead]
    seconds_left: float | None
    """None when it has ended, is paused, or waits for its first agent."""
    agents: list[AgentOfCampaign]
    base_campaign_id: UUID | None
    disclosure: DisclosureRead
    links: CampaignLinks


class RunEvent(BaseModel):
    """Data of the event `run`."""

    run_id: UUID
    cell_id: UUID
    status: RunStatus
    phase: str | None
    failure: FailureRead | None


class ProgressEvent(BaseModel):
    """Data of the event `progress`."""

    runs: RunCountsRead
    seconds_left: float | None
