"""Bodies of the experiments' API."""

import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator

from weighhouse_backend.disclosure.schemas import DisclosureRead
from weighhouse_backend.experiments.models import Missed, Outcome, Overlap
from weighhouse_backend.kit.one_of import TEXT, exactly_one
from weighhouse_backend.kit.problems import FieldProblem
from weighhouse_backend.kit.schemas import Body


class DocumentSource(BaseModel):
    """An experiment as a document or as YAML text; exactly one of them."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            **exactly_one(document={"type": "object"}, yaml=TEXT),
            "examples": [
                {
                    "yaml": "slug: reads\nname: Reads\ntargets:\n  - {name: redis, system: redis}\n"
                    "workloads:\n  - {name: reads, operations: {read: 1.0}}\n"
                    "load_levels:\n  - {model: closed, clients: 4}\n"
                }
            ],
        },
    )

    document: dict[str, Any] | None = None
    yaml: Annotated[str | None, Field(max_length=1_000_000)] = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.document is None) == (self.yaml is None):
            message = "send either document or yaml"
            raise ValueError(message)
        return self


class ExperimentCreate(DocumentSource):
    """A new experiment."""

    project_id: UUID | None = None
    """Optional when the caller has exactly one project."""


class TargetOfSummary(BaseModel):
    """A target by name."""

    name: str
    system_id: str


class LastCampaign(BaseModel):
    """How the experiment's latest campaign stands."""

    id: UUID
    state: str
    """As the campaign's own: its status, or `paused`."""
    verdict: str | None
    finished_at: datetime.datetime | None

    status: Annotated[str, Field(deprecated="read `state`")]
    """The state, of a paused campaign `running`; for one release more."""


class ScheduleOfSummary(BaseModel):
    """The experiment's schedule, and when it comes next."""

    cron: str
    time_zone: str
    next_at: datetime.datetime | None
    """None while it is switched off or its project archived, and when it was set aside."""
    enabled: bool
    problem: str | None
    """Why its latest date did not start, or why it was set aside."""


class ExperimentSummary(BaseModel):
    """An experiment without its document."""

    id: UUID
    slug: str
    name: str
    description: str
    project_id: UUID
    owner_name: str
    current_revision: int
    created_at: datetime.datetime
    updated_at: datetime.datetime
    targets: list[TargetOfSummary]
    last_campaign: LastCampaign | None
    schedule: ScheduleOfSummary | None


class ExperimentRevisionRead(BaseModel):
    """A revision; never changes."""

    id: UUID
    number: int
    experiment_id: UUID
    created_at: datetime.datetime
    author_name: str
    document: dict[str, Any]
    """Complete, defaults filled in."""
    yaml: str
    """Canonical order, defaults left out; reads back to an equal document."""
    content_hash: str


class ChangeRead(BaseModel):
    """One difference between two revisions."""

    path: str
    before: Any
    after: Any


class RevisionDiff(BaseModel):
    """What changed from one revision to another, in document order."""

    changes: list[ChangeRead]


class EffectRead(BaseModel):
    """What a campaign does to a system that somebody else runs."""

    target: str
    endpoints: list[str]
    written: str
    """In words; `nothing`."""
    removed: str
    """The same."""


class PlanRead(BaseModel):
    """What a campaign of the document would be."""

    runs: int
    """With a rule of repetitions: the fewest."""
    most_runs: int
    cells: int
    estimated_seconds: float
    """Of the fewest runs on one agent; finished runs correct it."""
    most_estimated_seconds: float
    again_runs: int
    """Beyond those, where every cell seems worse than other campaigns: each is measured once more.
    0 where that is not done."""
    again_estimated_seconds: float
    loaded_bytes: int
    """Of values that the load phase writes, of the workload with the most; keys and what a system
    keeps beside them come to that."""
    driver_bytes: int
    """Of requests and replies that the load with the most has in memory at once."""
    external: list[EffectRead]
    """What is written to `external` targets, and what is removed from them."""


class ComparabilityRead(BaseModel):
    """An aspect in which targets differ besides their systems."""

    aspect: str
    message: str
    targets: list[str]


class TargetNamed(BaseModel):
    """What a target of a draft is called wherever it is shown."""

    name: str
    """Its own, in the document."""
    label: str
    """Of several targets of one system with what parts them."""
    twin_of: str | None
    """The name of an earlier target that is the same in all but name and label."""


class ValidationRead(BaseModel):
    """What the platform says of a document that is not saved yet."""

    valid: bool
    errors: list[FieldProblem]
    plan: PlanRead | None
    comparability: list[ComparabilityRead]
    targets: list[TargetNamed]
    """In the document's order, whatever else is wrong with it; none where one cannot be read."""
    document: dict[str, Any] | None
    yaml: str | None
    disclosure: DisclosureRead | None
    """How complete its disclosure is, and what its targets' terms say; None of what cannot be
    read."""


class ConfigurationFile(BaseModel):
    """A system's configuration file."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"file": "redis.conf", "text": "maxmemory 2gb\nappendonly yes\n"}]
        },
    )

    file: Annotated[str, Field(min_length=1, max_length=200)]
    """Its name, without directories; tells whose it is where `system` does not."""
    text: Annotated[str, Field(max_length=1_000_000)]
    system: Annotated[str | None, Field(max_length=63)] = None
    """The plugin, for example `redis`."""


class ScheduleWrite(BaseModel):
    """When an experiment is to start by itself."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"cron": "30 2 * * *", "time_zone": "Europe/Vienna", "overlap": "queue"}]
        },
    )

    cron: Annotated[str, Field(max_length=200)]
    """Minute, hour, day of month, month, day of week."""
    time_zone: Annotated[str, Field(max_length=64)]
    """IANA name."""
    enabled: StrictBool = True
    overlap: Overlap = Overlap.SKIP
    """When the last campaign it started is still under way: `skip` lets the date pass, `queue` has
    the latest date wait for the end, `replace` cancels the one under way."""
    missed: Missed = Missed.RUN_LATE
    """Dates that pass while the platform is down: `run_late` starts the latest of them, `report`
    records them only. While it is switched off, dates are recorded only, whatever stands here."""


class SchedulePreviewRequest(Body):
    """A schedule to try."""

    cron: Annotated[str, Field(max_length=200)]
    time_zone: Annotated[str, Field(max_length=64)]


class SchedulePreview(BaseModel):
    """The dates a schedule would have."""

    next: list[datetime.datetime]


class ScheduleRead(BaseModel):
    """A schedule with its next dates; none while it is disabled."""

    cron: str
    time_zone: str
    enabled: bool
    overlap: Overlap
    missed: Missed
    problem: str | None
    """Why its latest date did not start, or why it was set aside until somebody sets it again."""
    next: list[datetime.datetime]


class CampaignOfOccurrence(BaseModel):
    """A campaign by number."""

    id: UUID
    number: int


class OccurrenceRead(BaseModel):
    """A date of a schedule and what became of it, or a stretch of missed dates."""

    id: UUID
    first_at: datetime.datetime
    """Of a stretch the first date; else the date itself."""
    scheduled_for: datetime.datetime
    """The date; of a stretch the last."""
    dates_count: int
    """Dates of the stretch; 1,000 means that many or more."""
    outcome: Outcome
    reason: str
    """Why it did not start, or what was unusual; empty when all went as planned."""
    campaign: CampaignOfOccurrence | None
    """The campaign it started."""
    other_campaign: CampaignOfOccurrence | None
    """The campaign that was in the way, was replaced, or took its place."""
    noted_at: datetime.datetime


class TemplateRead(BaseModel):
    """A ready-made experiment to begin from."""

    slug: str
    name: str
    description: str
    yaml: str
    systems: list[str] = Field(description="What it measures, each system once.")
    runs: int = Field(description="Runs of one campaign, at the fewest.")
    most_runs: int
    estimated_seconds: float = Field(
        description="How long a campaign of the fewest runs takes, before any ran."
    )
    most_estimated_seconds: float
