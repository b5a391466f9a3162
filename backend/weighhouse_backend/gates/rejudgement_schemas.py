"""Rejudgements as the API takes and shows them."""

import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator
from weighhouse_judging.verdicts.gate_verdict import GateVerdict

from weighhouse_backend.campaigns.schemas import ExperimentOfCampaign
from weighhouse_backend.kit.one_of import TEXT, exactly_one

MOST_NAMED = 1000
"""Campaigns that one request may name."""


class RejudgementCreate(BaseModel):
    """Which campaigns are to be judged again; one of three ways to say it."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra=exactly_one(
            campaigns={"type": "array", "minItems": 1},
            experiment=TEXT,
            all_campaigns={"const": True},
        ),
    )

    campaigns: Annotated[list[UUID], Field(max_length=MOST_NAMED)] = []
    """These, all of one project."""
    experiment: Annotated[str | None, Field(max_length=200)] = None
    """All that have ended of an experiment, by id or slug."""
    all_campaigns: StrictBool = False
    """All that have ended of the project."""
    project_id: UUID | None = None
    """Where to look; default: the caller's only project."""
    dry_run: StrictBool = False
    """Only work out what would change."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = [bool(self.campaigns), self.experiment is not None, self.all_campaigns]
        if sum(ways) != 1:
            raise ValueError("name campaigns, or an experiment, or set all_campaigns")
        return self


class RejudgementProgress(BaseModel):
    """How many campaigns of a rejudgement came to what."""

    total: int
    waiting: int
    judged: int
    """They have a new verdict: by other rules, or with another outcome."""
    changed: int
    """Of those, how many say something else than they did."""
    unchanged: int
    no_verdict: int
    failed: int


class RejudgementRead(BaseModel):
    """Campaigns that are judged again, one after the other, the oldest first."""

    id: UUID
    project_id: UUID
    dry_run: bool
    rules_version: int
    requested_by: str
    created_at: datetime.datetime
    finished_at: datetime.datetime | None
    campaigns: RejudgementProgress


class RejudgedCampaignRead(BaseModel):
    """What became of one campaign of a rejudgement."""

    campaign_id: UUID
    campaign_number: int
    experiment: ExperimentOfCampaign
    outcome: Literal["judged", "unchanged", "no_verdict", "failed"] | None
    """Null: it waits for its turn."""
    reason: str | None
    """Why it has no verdict, or what failed."""
    verdict_before: GateVerdict | None
    rules_before: int | None
    verdict_now: GateVerdict | None
    """In a dry run: what it would be."""
    message: str | None
    findings_new: int
    """Findings of its runs that were not there, or said something else."""
    findings_gone: int
