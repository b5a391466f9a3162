"""What the scenario of a run gave: stored at settlement, and as the API shows it."""

from typing import Literal

from pydantic import BaseModel
from weighhouse_protocol.scenarios import FillKind, Scenario


class SpreadRead(BaseModel):
    """A figure over the intervals of the measured phase."""

    least: float
    median: float
    greatest: float
    average: float | None
    """Of throughput, by time; null of percentiles, which are never averaged."""
    coefficient_of_variation: float
    peak_to_trough: float | None
    """Greatest over least; null when the least is 0."""
    intervals: int


class TenthRead(BaseModel):
    """The first or last tenth of what a run filled. Latencies in µs, of its merged histogram."""

    from_seconds: float
    until_seconds: float
    """From the measured phase's begin."""
    from_progress: float
    to_progress: float
    ok: int
    throughput: float
    p50_us: float | None
    p99_us: float | None
    p9999_us: float | None


class FillFigures(BaseModel):
    """What a fill gave; stored once, when the run is settled."""

    fills: FillKind
    target: float
    """Records or bytes; shares are bytes by then."""
    words: str
    """What was to be reached: `90 % of the memory limit`."""
    begun: float
    """Progress, 0 to 1, when the measured phase began."""
    reached: float
    ended: Literal["filled", "disk_nearly_full", "time_over"]
    sentence: str
    """Why it ended."""
    seconds: float
    """Of the measured phase."""
    first_tenth: TenthRead | None
    last_tenth: TenthRead | None
    throughput_change: float | None
    """Last tenth against the first: -0.5 = half as much."""
    throughput: SpreadRead | None
    p99_us: SpreadRead | None
    p9999_us: SpreadRead | None


class FillLineRead(BaseModel):
    """A fill by progress; lists of one length. Percentiles of merged histograms, µs."""

    progress: list[float]
    """At the end of each point's time, 0 to 1."""
    until_seconds: list[float]
    """From the measured phase's begin."""
    throughput: list[float]
    p99_us: list[float | None]
    p9999_us: list[float | None]


class FillMarkRead(BaseModel):
    """Something that happened while it filled: an eviction, a compaction, the end."""

    kind: str
    label: str
    progress: float
    at_seconds: float


class FillRead(BaseModel):
    """What happened while it filled."""

    figures: FillFigures
    line: FillLineRead
    marks: list[FillMarkRead]


class TrendRead(BaseModel):
    """How a figure changed over a soak."""

    figure: Literal["throughput", "p99_us", "memory_bytes", "disk_bytes", "open_files"]
    per_hour: float | None
    """Relative (-0.01 = 1 % less an hour) or in the figure's unit; null: too few values."""
    low: float | None
    high: float | None
    """With `low` a 95 % interval."""
    relative: bool
    clear: bool
    """Does the interval exclude 0?"""
    leak: bool
    """Does what a system holds on to clearly grow, though no records are added to it?"""
    sentence: str


class StallsRead(BaseModel):
    """Dips of throughput that come again and again."""

    period_seconds: float
    depth: float
    """Median share of throughput that is lost in one."""
    dips: int
    sentence: str


class SoakFigures(BaseModel):
    """Whether it stayed so; stored once, when the run is settled."""

    hours: float
    trends: list[TrendRead]
    stalls: StallsRead | None
    stalls_sentence: str


class ScenarioFigures(BaseModel):
    """What is stored of a run's scenario."""

    fill: FillFigures | None = None
    soak: SoakFigures | None = None


class RunScenarioRead(BaseModel):
    """What the scenario of a run gave, besides the figures that every run has."""

    scenario: Scenario
    fill: FillRead | None
    """Of `sustained`, once the run is settled."""
    soak: SoakFigures | None
    """Of `soak`, once the run is settled."""
