"""Verdicts as the API shows them."""

import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel
from weighhouse_judging.verdicts.gate_verdict import GateVerdict

from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.comparisons.schemas import DifferenceRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead


class GateFigureRead(BaseModel):
    """A cell's difference to base or anchor, relative: 0.05 = 5 %."""

    relative: float
    low: float
    high: float
    """The 95 % interval; the range of ratios where it is not known how much campaigns differ."""
    repeats: int


class GateCellRead(BaseModel):
    """What the gate holds of one cell."""

    target: str
    workload: str
    load_level: LoadLevelRead
    metric: str
    outcome: Literal[
        "better",
        "equivalent",
        "not_worse",
        "worse",
        "unclear",
        "failed",
        "missing",
        "not_comparable",
    ]
    p_worse: float | None
    """One-sided, adjusted by Holm over the gate's cells."""
    stopped_by: Literal["base", "anchor", "failures"] | None
    """What made it worse or failed."""
    p_failures: float | None
    """One-sided p of more failures than before, adjusted likewise."""
    between_known: bool | None
    """Is what whole campaigns differ by part of the interval? None without one."""
    elsewhere: bool = False
    """Was the base measured on other machines, and nothing tells by how much they differ?"""
    hopeless: bool | None = None
    """Would even endless repeats leave that interval wider than the threshold, because whole
    campaigns differ by as much? None without one, or from before it was kept."""
    first: GateFigureRead | None = None
    """Of a cell that seemed worse and was measured again: what it was at first."""
    again: GateFigureRead | None = None
    """And what the second measurement said."""
    taken_back: bool = False
    """It was not worse again: the outcome is unclear."""


class SubjectChangeRead(BaseModel):
    """Something in which the campaign's side is not what the base's was."""

    what: str
    before: str
    after: str
    confounder: bool
    """It could explain a difference by itself: topology, limits, deployment."""


class MismatchRead(BaseModel):
    """A field in which a cell is not the measurement that the base has under its name."""

    target: str
    workload: str
    load_level: LoadLevelRead
    field: str
    """For example `workload.record_count`."""
    base: str
    candidate: str


class GateDetails(BaseModel):
    """What a verdict rests on; kept with it."""

    comparisons: list[DifferenceRead]
    cells: list[GateCellRead]
    subject: list[SubjectChangeRead]
    """What differs between the sides: what the verdict is about."""
    mismatches: list[MismatchRead]
    """Why cells are not comparable."""
    anchor_threshold_percent: float | None = None
    """Of the cumulative loss against the anchor, throughput; null of verdicts from before it was
    kept: then it was that against the base."""


class GateAnswer(GateDetails):
    """A verdict with what it rests on."""

    verdict: GateVerdict
    exit_code: int
    """0 passed or equivalent, 1 regression, 2 inconclusive or no base, 3 infrastructure,
    4 not comparable."""
    message: str
    threshold_percent: float
    """Of a loss against the base, throughput; twice that for p99."""
    base_campaign_id: UUID | None
    """The latest of its bases."""
    base_campaign_ids: list[UUID]
    """All campaigns that it was compared with, the latest first."""
    anchor_campaign_id: UUID | None
    """The last release, or a later campaign that was accepted, or where the level began."""
    judged_at: datetime.datetime | None
    """When the verdict that is kept was made; null: worked out for this answer alone."""
    rules_version: int
    """By which rules."""
    rules_version_now: int
    """By which rules it would be judged now; a verdict by earlier ones is kept until somebody asks
    for it to be judged again."""
    details_kept: bool
    """False of a verdict from before cells and differences were kept with it: there are none here
    then, and none is worked out by other rules than the verdict's."""


class SupersededVerdictRead(BaseModel):
    """A verdict that held before."""

    number: int
    """Counts a campaign's verdicts from 1."""
    verdict: GateVerdict
    message: str
    threshold_percent: float
    """Of a loss against the base, throughput; twice that for p99."""
    base_campaign_ids: list[UUID]
    rules_version: int
    judged_at: datetime.datetime
    superseded_at: datetime.datetime | None
    """Null while the campaign is measured further, or was cancelled at that: nothing holds."""
    superseded_because: str | None


class BesideProposal(BaseModel):
    """That the base be measured again beside the build, which cells that are unclear would need."""

    reason: Literal["unknown", "large", "elsewhere"]
    """How much whole campaigns differ here: not known, or more than the threshold; or the base was
    measured on another machine, and it is not known how the two differ."""
    base: str
    """What to ask for as `base`."""
    minutes: float
    """Of the machine, for base and build: by what the runs of this campaign took."""


class TrackRecordRead(BaseModel):
    """What a project's verdicts and alerts came to: how often they were wrong, as far as known."""

    verdicts: int
    """That compared, and hold."""
    regressions: int
    taken_back: int
    """Verdicts in which a cell seemed worse, and not when it was measured again."""
    alerts: int
    alerts_noise: int
    """Those that people closed as noise."""
    equals: int
    """Cells that A/A campaigns measured against themselves, throughput; the latest ones."""
    equals_changed: int
    """Those of them that would be called changed: all of them are mistakes."""
    message: str
    """In one line."""


class GateRead(GateAnswer):
    """May the build pass?"""

    campaign_id: UUID
    link: str
    superseded: list[SupersededVerdictRead]
    """Verdicts that held before, the latest first."""
    proposal: BesideProposal | None
    """What would tell, where campaigns differ too much by themselves; else null."""
    caveats: list[CaveatRead]
    """Of the campaign: the list that its comparison has."""
