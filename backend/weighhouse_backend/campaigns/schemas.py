"""Bodies of the campaigns' API."""

import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, model_validator
from weighhouse_protocol.bases import POOLED, BaseChoice, BaseText
from weighhouse_protocol.git import GitContext
from weighhouse_protocol.scenarios import Scenario

from weighhouse_backend.campaigns.commits import GitRead
from weighhouse_backend.disclosure.schemas import DisclosureRead
from weighhouse_backend.kit.one_of import TEXT, exactly_one
from weighhouse_backend.kit.schemas import Body
from weighhouse_backend.runs.states import (
    CampaignState,
    CampaignStatus,
    CellCourse,
    LookDecision,
    RunStatus,
    Trigger,
    Verdict,
)


class CampaignCreate(BaseModel):
    """Which experiment to carry out."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            **exactly_one(experiment_id=TEXT, experiment=TEXT),
            "examples": [
                {
                    "experiment": "quickstart",
                    "git": {
                        "commit": "9f2c1e7b0a4d5c6e8f90123456789abcdef01234",
                        "repository": "https://git.example/team/store",
                        "branch": "faster-reads",
                        "pull_request": 7,
                    },
                }
            ],
        },
    )

    experiment_id: UUID | None = None
    experiment: Annotated[str | None, Field(max_length=63)] = None
    """Slug, instead of the id."""
    revision: Annotated[StrictInt | None, Field(ge=1, le=2**31 - 1)] = None
    """Default: the current one."""
    base: BaseText | None = None
    """What the verdict compares with: `pooled` (up to ten of the latest campaigns of the same
    branch that did not regress, since the last confirmed change), `branch:NAME` (those of
    another branch), `release:NAME`, `campaign:ID`, `beside` (the latest of these, measured again in
    the same campaign; `beside:branch:NAME` and so on), or `none`. Default: the experiment's
    `gate.base`."""
    base_campaign_id: UUID | Literal["previous"] | None = "previous"
    """The same as `campaign:ID`, `pooled` or `none` in `base`; kept for pipelines from before."""
    priority: Annotated[StrictInt, Field(ge=-100, le=100)] = 0
    """Higher comes first among the project's campaigns that wait; between projects machines are
    shared by what each used lately."""
    project_id: UUID | None = None
    """Where to look for the slug; optional when the caller has exactly one project."""
    noise: StrictBool = False
    """Measure every target twice in each block, to learn what the machine cannot tell; no verdict
    follows. Of an experiment with `scenario: noise` every campaign does."""
    git: GitContext | None = None
    """The commit it is started for; shown with the campaign and in the history."""

    @property
    def choice(self) -> BaseChoice | None:
        """What the verdict compares with; None: what the experiment says."""
        if self.base is not None:
            return BaseChoice.parse(self.base)
        if "base_campaign_id" not in self.model_fields_set:
            return None
        if self.base_campaign_id is None:
            return BaseChoice("none")
        if isinstance(self.base_campaign_id, UUID):
            return BaseChoice("campaign", str(self.base_campaign_id))
        return POOLED

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.experiment_id is None) == (self.experiment is None):
            message = "send either experiment_id or experiment"
            raise ValueError(message)
        return self


class RepeatsWanted(Body):
    """More repeats of a campaign that has ended."""

    count: Annotated[StrictInt, Field(ge=1, le=100)]
    """Blocks that each of the cells gets."""
    only_undecided: StrictBool = False
    """Leave out cells that are decided."""


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


class UnderWayRead(BaseModel):
    """A campaign of which more may come."""

    campaign_id: UUID
    campaign_number: int
    runs_ended: int
    """Completed, failed or cancelled."""
    runs: int
    """That are planned by now; a campaign may grow."""
    paused: bool


class CompletenessRead(BaseModel):
    """Whether figures are all there will be."""

    complete: bool
    words: str
    """`so far, 12 of 30 runs, at 2026-11-26 19:40 UTC`: stands beside the figures wherever they are
    shown or kept; empty where they are complete."""
    runs_ended: int
    """Of the campaigns that are under way."""
    runs: int
    under_way: list[UnderWayRead]
    at: datetime.datetime | None
    """When this was so; of what is complete it does not matter, and the answer stays the same."""


class Acceptance(BaseModel):
    """Somebody said that a campaign's verdict was expected."""

    by: str
    note: str
    at: datetime.datetime


class CampaignSummary(BaseModel):
    """A campaign without its matrix."""

    id: UUID
    number: int
    project_id: UUID
    experiment: ExperimentOfCampaign
    revision: int
    status: CampaignStatus
    paused: bool
    state: CampaignState
    """Where it stands as people are told: its status, and `paused` where it could go on."""
    priority: int
    verdict: Verdict | None
    trigger: Trigger
    created_at: datetime.datetime
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    runs: RunCountsRead
    completeness: CompletenessRead
    """Whether its figures are all there will be."""
    requested_by: str | None
    scheduled_for: datetime.datetime | None
    """The date of the schedule it stands for."""
    git: GitRead | None
    """The commit it was started for."""
    noise: bool
    """Measured as A/A: every target twice in a block."""
    accepted: Acceptance | None
    """Who expected its verdict; until then one that regressed is nobody's base."""
    release: str | None
    """The release it stands for."""
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
    mark: str
    hollow: bool
    """Is the mark drawn hollow: of two targets of one system, the second and later ones?"""
    beside: bool
    """Is it the base, measured again for the verdict alone?"""


class LoadLevelRead(BaseModel):
    """A load level; `value` is the place on a chart's x axis.

    Of a cell it is the cell's own load, under the name of its level.
    """

    kind: Literal["closed", "open"]
    value: float
    label: str
    own: bool = False
    """Among a matrix's levels: another load for each side, its operating point; then the level has
    no place on an axis, and `value` is 0."""


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
    twin: int
    """Which of the two runs of a block of an A/A campaign; 2: it is no repeat, but measures again a
    cell that seemed worse; else 0."""
    status: RunStatus
    throughput: float | None
    p99_us: float | None
    failure: FailureRead | None


class CellRead(BaseModel):
    """A point of the matrix with its repetitions."""

    id: UUID
    target: str
    beside: bool
    """Is it the base, measured again for the verdict alone?"""
    workload: str
    load_level: LoadLevelRead
    runs: list[CellRun]
    course: CellCourse | None
    """Where it stood at the latest look; None before the first."""
    course_reason: str | None


class LookRead(BaseModel):
    """A look at a campaign that grows, or repeats somebody asked for."""

    number: int
    decision: LookDecision
    reason: str
    cells_undecided: int
    runs_planned: int
    looked_at: datetime.datetime


class SequentialRead(BaseModel):
    """The rule by which undecided cells get more blocks, and how far that is."""

    at_least: int
    at_most: int
    half_width_percent: float | None
    """Until the 95 % interval is this narrow; None: until decided."""
    cells_decided: int
    """Cells that get no more blocks, for whatever reason."""
    blocks_saved: int
    """Blocks of those cells that `at_most` fixed repetitions would have measured besides."""


class AgentOfCampaign(BaseModel):
    """An agent that took part in the campaign, or takes part now."""

    id: UUID
    name: str


class AheadRead(BaseModel):
    """What stands before a campaign in the queue of its project."""

    campaigns: int
    """That come first, by priority, then by age, and can go on."""
    runs: int
    """Of theirs that wait for machines, or have them now."""


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
    scenario: Scenario
    """What was asked of each target; of `sweep` and `calibrate` there are searches."""
    load_levels: list[LoadLevelRead]
    repetitions: int
    """That every cell gets."""
    sequential: SequentialRead | None
    """None: the number of repetitions was fixed."""
    looks: list[LookRead]
    cells: list[CellRead]
    seconds_left: float | None
    """None when it has ended, is paused, or waits for its first agent."""
    ahead: AheadRead | None
    """None unless it waits for its first agent. Where machines are lent to several projects, the
    one that used them least lately comes first, whatever stands here."""
    agents: list[AgentOfCampaign]
    provisioned: bool
    """Machines are made for it: `/campaigns/{campaign_id}/provision`."""
    base: str
    """What the verdict compares with, as it was asked for."""
    base_campaign_id: UUID | None
    """The campaign asked for; else the latest of those it was judged by."""
    disclosure: DisclosureRead
    """What people were asked; with what the platform knows of its runs:
    `/campaigns/{campaign_id}/disclosure`."""
    links: CampaignLinks


class RunEvent(BaseModel):
    """Data of the event `run`."""

    run_id: UUID
    cell_id: UUID
    status: RunStatus
    phase: str | None
    failure: FailureRead | None


class LoggedRead(BaseModel):
    """What became of a run, and when."""

    id: int
    """Of the event that told it."""
    at: datetime.datetime
    run: RunEvent


class LogEvent(BaseModel):
    """Data of the event `log`: what was told before a stream began."""

    until: int
    """Id of the last event in it, and of the stream's opening."""
    logged: list[LoggedRead]
    """The oldest first; the latest ones, where there are many."""


class ProgressEvent(BaseModel):
    """Data of the event `progress`."""

    runs: RunCountsRead
    completeness: CompletenessRead
    seconds_left: float | None
