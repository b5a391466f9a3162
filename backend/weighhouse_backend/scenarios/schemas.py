"""Searches as the API shows them."""

import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel
from weighhouse_protocol.scenarios import Searching

from weighhouse_backend.campaigns.schemas import CompletenessRead, LoadLevelRead


class PointEstimateRead(BaseModel):
    """A figure of a point: the median of its repeats."""

    median: float
    low: float
    high: float
    is_interval: bool
    """Are low and high a 95 % interval? Else they are the least and the greatest repeat."""
    repeats: int


class SearchPointRead(BaseModel):
    """What was measured at one load."""

    load_level: LoadLevelRead
    value: float
    """What the search varies: clients, operations a second, or requests in flight a client."""
    throughput: PointEstimateRead | None
    """Successes a second; None when nothing could be measured."""
    latency_us: PointEstimateRead | None
    """Of the search's percentile."""
    mean_us: PointEstimateRead | None
    efficiency: float | None
    """Of clients: throughput over what that of the first point would be, were it to grow with them
    (1 = it does)."""
    efficiency_low: float | None = None
    efficiency_high: float | None = None
    efficiency_is_interval: bool = False
    """Do they hold it with 95 %? Else they are the least and the greatest that a repeat of the
    first point and one of this give; null where each has one."""
    throughput_times: float | None
    """Of a pipeline's depth: how much as much it does as the first (3 = thrice)."""
    latency_times: float | None
    """Of a pipeline's depth: how much as long it takes as the first."""
    failures: list[str]
    runs: list[UUID]


class SearchStepRead(BaseModel):
    """What was decided after a look."""

    look: int
    """Number of the campaign's look."""
    value: float | None
    """The load that was measured next; None: the search ended."""
    reason: str
    decided_at: datetime.datetime


class ParameterRead(BaseModel):
    """A fitted parameter with its 95 % interval; `high` null: nothing bounds it from above."""

    value: float
    low: float
    high: float | None


class LawPointRead(BaseModel):
    """What the fitted law says of so many clients."""

    clients: float
    throughput: float
    efficiency: float
    """Over what the fewest clients that were measured do by the law, were it to grow with them."""


class ScalabilityRead(BaseModel):
    """The Universal Scalability Law, fitted: X(n) = λ n / (1 + σ (n − 1) + κ n (n − 1))."""

    throughput_of_one: float
    """λ, operations a second."""
    contention: ParameterRead
    """σ"""
    coherency: ParameterRead
    """κ"""
    r_squared: float
    peak_clients: ParameterRead | None
    """Where throughput is greatest by the law; null: nowhere within twice the measured range."""
    note: str
    """Why no peak is told; empty when one is."""
    line: list[LawPointRead]
    """The law over what was measured, evenly by logarithm; nothing beyond."""


class OperatingPointRead(BaseModel):
    """The most load inside the envelope."""

    value: float
    low: float
    high: float
    """With `low` a 95 % interval of the most load that stays inside."""
    confirmed_by: int
    """Runs at this load."""
    latency_us: float | None
    """The median of those."""
    throughput: float | None


class SearchRead(BaseModel):
    """One target under one workload, from a load level of the file on."""

    target: str
    workload: str
    load_level: LoadLevelRead
    """Where it began."""
    axis: Literal["clients", "rate", "depth"]
    """What it varies."""
    latency: str
    """The figure that `latency_us` of its points is."""
    envelope_us: float | None
    """Where the sweep stops, or what the calibration keeps within, µs."""
    over: bool
    outcome: str | None
    """How it ended; null while it goes on."""
    sentence: str
    """What came out; or what is measured next, and why."""
    points: list[SearchPointRead]
    """By rising load."""
    steps: list[SearchStepRead]
    knee: float | None
    """The load at which throughput over response time is greatest; null of fewer than three."""
    knee_inside: bool
    """Was there a lower and a higher load? Else the knee may lie outside of what was measured."""
    saturation: float | None
    """The least load that reaches the most throughput but for 5 %."""
    scalability: ScalabilityRead | None
    scalability_note: str
    """Why no law is told; empty when it is."""
    operating_point: OperatingPointRead | None
    """Of a calibration that found one."""
    best: float | None
    """Of a ladder: the depth of the greatest throughput."""


class NotFoundRead(BaseModel):
    """A search that ended without an operating point, or has not ended."""

    target: str
    workload: str
    load_level: LoadLevelRead
    """Where it began."""
    reason: str


class OperatingPointsRead(BaseModel):
    """What a calibration found, as the experiment that measures it."""

    completeness: CompletenessRead
    yaml: str | None
    """The calibration's experiment with each target at its operating point, as a file; null when
    none was found."""
    missing: list[NotFoundRead]


class SearchesRead(BaseModel):
    """The searches of a campaign whose loads are chosen while it is measured."""

    completeness: CompletenessRead
    scenario: Searching
    asks: str
    """The question, in a sentence."""
    searches: list[SearchRead]
