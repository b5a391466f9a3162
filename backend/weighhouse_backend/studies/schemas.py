"""Studies as the API shows them."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field
from weighhouse_judging.studies.claims import ClaimVerdict
from weighhouse_judging.studies.documents import Difference, Source
from weighhouse_judging.studies.language import Scale
from weighhouse_judging.studies.outcomes import Truth

from weighhouse_backend.comparisons.estimate_schemas import EstimateRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead


class VerdictCountRead(BaseModel):
    """How many claims have a verdict."""

    verdict: ClaimVerdict
    words: str
    claims: int


class StudySummary(BaseModel):
    """A study in the list."""

    name: str
    title: str
    asks: str
    sponsor: str
    """Who paid; `ours`: a study of our own."""
    sides: list[str]
    scale: Scale
    """That the verdicts are of: the one measured last."""
    measured: bool
    """Has any of its experiments been measured at that scale?"""
    verdicts: list[VerdictCountRead]


class StudyList(BaseModel):
    """All studies, in their order."""

    items: list[StudySummary]


class StudySideRead(BaseModel):
    """A system of a study."""

    name: str
    label: str
    system_id: str
    colour: str
    mark: str
    hollow: bool = False
    measured: bool
    because: str
    """Why there are no figures of it; empty when there are."""


class StudyCampaignRead(BaseModel):
    """What measured a study's experiment last."""

    experiment: str
    """Its slug."""
    name: str
    campaign_id: UUID | None
    """None: it was never measured to its end."""
    campaign_number: int | None
    status: str | None
    changed: bool
    """Was it measured by a file other than the shipped one (targets that were left out aside)?"""
    under_way: UUID | None
    """A campaign of it that goes on."""
    caveats: list[CaveatRead]
    """All that must stand beside its figures."""


class OutcomeRead(BaseModel):
    """What came out of one test of a claim."""

    truth: Truth
    where: str
    words: str


class ClaimRead(BaseModel):
    """A claim of a study, and what may be said of it."""

    id: str
    says: str
    place: str
    verdict: ClaimVerdict
    words: str
    """The verdict in words: `cannot be true as printed`."""
    sentence: str
    """Why."""
    measured: str
    """Of a claim that cannot be true as printed: what was measured here all the same."""
    printed: list[OutcomeRead]
    """Over the figures of the text; empty where it prints none that the claim speaks of."""
    here: list[OutcomeRead]
    """Over ours."""


class StudyFigureRead(BaseModel):
    """A figure of a cell: as it is printed, and as it was measured here."""

    side: str
    workload: str
    load: str
    load_value: float | None
    figure: str
    printed: str | None
    """As the text has it; None: it has none."""
    value: float | None
    """The printed one in operations a second, µs or bytes."""
    setting: str
    place: str
    ours: EstimateRead | None


class StudyRead(BaseModel):
    """A study beside what was measured here."""

    name: str
    title: str
    asks: str
    answer: str
    """What it claims, and how many of how many claims hold here; whole sentences."""
    source: Source | None
    """None: a study of our own."""
    otherwise: list[Difference]
    scale: Scale
    sides: list[StudySideRead]
    campaigns: list[StudyCampaignRead]
    verdicts: list[VerdictCountRead]
    claims: list[ClaimRead]
    figures: list[StudyFigureRead]


class StudyRunWanted(BaseModel):
    """What somebody wants measured of a study."""

    scale: Scale = "small"
    sides: list[Annotated[str, Field(max_length=200)]] = Field(default_factory=list, max_length=50)
    """By name; none named: those that the scale has by itself."""
    project_id: UUID | None = None


class StudyStartedRead(BaseModel):
    """A campaign that was started."""

    experiment: str
    campaign_id: UUID
    campaign_number: int
    runs: int


class LeftOutRead(BaseModel):
    """A side that is not measured."""

    side: str
    label: str
    because: str


class StudyRunRead(BaseModel):
    """What was started."""

    study: str
    scale: Literal["published", "small"]
    campaigns: list[StudyStartedRead]
    not_measured: list[LeftOutRead]
