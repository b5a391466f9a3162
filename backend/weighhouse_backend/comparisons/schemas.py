"""Comparisons as the API shows them."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, computed_field
from weighhouse_judging.verdicts.beside_medians import Basis, basis_of
from weighhouse_judging.verdicts.readings import Word, word_of

from weighhouse_backend.campaigns.schemas import CompletenessRead, FailureRead, LoadLevelRead
from weighhouse_backend.comparisons.answer_schemas import HeadlineRead, LeadRead, ReadingRead
from weighhouse_backend.comparisons.estimate_schemas import (
    EstimateRead,
    FigureRead,
    FormerCell,
    FormerRepeat,
)
from weighhouse_backend.comparisons.published_schemas import PublishedSideRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.schemas import DisclosureRead
from weighhouse_backend.experiments.fairness_schemas import AspectRead


class RateRead(BaseModel):
    """So many of so many, with Wilson's 95 % interval."""

    failed: int
    total: int
    low: float
    high: float


class DifferenceRead(BaseModel):
    """One side against its baseline in one metric. Relative figures: 0.05 = 5 %."""

    metric: str
    workload: str
    load_level: LoadLevelRead
    baseline_side: str
    side: str
    baseline_median: float
    median: float
    """Of the repeats that took part."""
    relative: float
    low: float
    high: float
    kind: Literal["interval", "range"]
    """`interval`: of 95 %; `range`: fewer than four repeats."""
    equality_low: float | None = None
    equality_high: float | None = None
    """The 90 % interval: inside ± the threshold, the sides are equivalent; None where there is a
    range, and of a gate's figures."""
    method: Literal["paired", "unpaired", "two_level"]
    """Paired by block; of two campaigns; of campaigns whose own differences are known."""
    baseline_repeats: int
    repeats: int
    left_out: int
    """Repeats without a partner in their block."""
    p_value: float | None
    """Two-sided; None where there is no interval."""
    p_holm: float | None
    """Adjusted over all differences shown."""
    verdict: Literal["changed", "equivalent", "inconclusive", "insufficient"]
    decided_by: Literal[
        "level",
        "family",
        "noise_floor",
        "threshold",
        "equality",
        "interval",
        "repeats",
        "campaigns",
    ]
    """What settled the verdict, or what kept the difference from being called changed."""
    better: bool | None
    significance: float
    """How many thresholds the difference exceeds beyond doubt; never raised by missing data."""
    threshold: float
    """The larger of what was asked and what the machine can tell."""
    floor: float | None
    """What the machine can tell; None when never measured."""
    resolution: float | None = None
    """What latencies are told to, µs: 0.001 are nanoseconds; None for other figures."""
    repeats_needed: int | None
    """Further repeats a side that would about settle it."""

    @computed_field  # type: ignore[prop-decorator]  # as Pydantic documents it
    @property
    def word(self) -> Word:
        """Where the other side's figure stands to the baseline's, as it may be said between
        products.
        """
        return word_of(self.verdict, self.relative)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def basis(self) -> Basis:
        """Of what `relative` is, written as a ratio (`÷1.11`): of the two medians beside it, as far
        as these are shown; else of blocks, pair by pair, or of whole campaigns.
        """
        return basis_of(self.method, self.relative, self.baseline_median, self.median)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def basis_in_percent(self) -> Basis:
        """The same of `relative` written as a percentage (`-10.0 %`), which has more digits."""
        return basis_of(
            self.method, self.relative, self.baseline_median, self.median, written="percent"
        )


class RankRead(EstimateRead):
    """One side among the others, with its level."""

    side: str
    best_rank: int
    worst_rank: int
    """1 is the best; equal to the other when the rank is certain. Sides that cannot be told apart
    share ranks."""
    among_best: bool
    """Is no side beyond doubt better?"""
    behind: list[str]
    """Keys of the sides that are beyond doubt better."""


class RankingRead(BaseModel):
    """Three sides or more by one figure of one cell, the best first.

    Rank intervals hold the true ranks of all of them together in 95 of 100.
    """

    metric: str
    workload: str
    load_level: LoadLevelRead
    told_apart: bool
    """Is any side beyond doubt better than another?"""
    repeats_wanted: int | None
    """Repeats of each side that telling them apart takes, where there are fewer."""
    ranks: list[RankRead]


class SideRead(BaseModel):
    """A side of a comparison: a target in a campaign."""

    key: str
    """`CAMPAIGN~TARGET`."""
    label: str
    campaign_id: UUID
    campaign_number: int
    target: str
    system_id: str
    colour: str
    mark: str
    hollow: bool
    """Is the mark drawn hollow: of two targets of one system, the second and later ones?"""
    version: str | None
    under_way: bool = False
    """May more come of it?"""
    runs_ended: int = 0
    """Of its own runs, as far as they were asked for."""
    runs_completed: int = 0
    """Of those: the others failed, or were cancelled."""
    runs: int = 0


class RepeatRead(FormerRepeat):
    """The figures of one repeat."""

    run_id: UUID
    repetition: int
    figures: dict[str, float]
    """By their names in the catalogue; those that it gave."""


class FailedRunRead(BaseModel):
    """A repeat that gave no figure."""

    run_id: UUID
    repetition: int
    status: str
    failure: FailureRead | None


class ComparedCellRead(FormerCell):
    """A cell of one side."""

    side: str
    workload: str
    load_level: LoadLevelRead
    status: Literal["completed", "partial", "failed", "pending"]
    repeats: list[RepeatRead]
    failed_runs: list[FailedRunRead]
    failed_repeats: RateRead | None
    """Of repeats that tell of the system; None when none ended."""
    failed_operations: RateRead | None
    figures: dict[str, FigureRead]
    """By their names in the catalogue; those that any repeat gave."""


class UnmatchedRead(BaseModel):
    """A cell that some side lacks."""

    workload: str
    load_level: LoadLevelRead
    side: str
    reason: Literal["not planned", "failed", "pending"]
    because: str = ""
    """Of a cell that the experiment excludes: why, if it says so."""


class ComparisonRead(BaseModel):
    """Sides, their cells, and what may be said of the differences."""

    completeness: CompletenessRead
    sides: list[SideRead]
    baseline: int
    workloads: list[str]
    load_levels: list[LoadLevelRead]
    cells: list[ComparedCellRead]
    headline: HeadlineRead
    """All of it in short."""
    leads: list[LeadRead]
    """Who leads: of cells under a closed loop, then of those under an open one."""
    readings: list[ReadingRead]
    """Of each side but the baseline: what may be said of it in one sentence."""
    caveats: list[CaveatRead]
    """All that must stand beside the numbers, each once, the gravest first."""
    differences: list[DifferenceRead]
    """Throughput first, then p99, memory last; within a figure the most significant first."""
    rankings: list[RankingRead]
    """Of three sides or more; none where each target is set against itself."""
    fairness: list[AspectRead]
    unmatched: list[UnmatchedRead]
    disclosure: DisclosureRead
    published: list[PublishedSideRead]
    """What others measured, beside it: in none of the above."""


class QuantileRead(BaseModel):
    """One percentile of a side, in µs, out of the histogram merged over its runs."""

    quantile: float
    """0.99 is p99."""
    value_us: float
    low_us: float | None
    high_us: float | None
    """Its pointwise 95 % band; None below four runs."""


class SideSpectrumRead(BaseModel):
    """The percentiles of one side."""

    side: str
    runs: int
    operations: int
    """Counted in all of its runs."""
    banded: bool
    """Are there runs enough for a band?"""
    points: list[QuantileRead]
    """Those with at least ten operations beyond them."""


class ShiftRead(BaseModel):
    """By how much one percentile of a side is slower than its baseline's; 0.05 = 5 %."""

    quantile: float
    relative: float
    low: float | None
    high: float | None
    """Its pointwise 95 % band; None below four blocks, or four runs a side."""


class ShiftCurveRead(BaseModel):
    """A side against its baseline, percentile by percentile."""

    baseline_side: str
    side: str
    method: Literal["paired", "unpaired"]
    baseline_runs: int
    runs: int
    """That took part; in pairs, both are their number."""
    left_out: int
    """Runs without a partner in their block."""
    banded: bool
    points: list[ShiftRead]


class DistributionsRead(BaseModel):
    """The whole distributions of sides at one cell and operation."""

    completeness: CompletenessRead
    workload: str
    load_level: LoadLevelRead
    operation: str
    operations: list[str]
    """That may be asked for; `all` is their sum."""
    fewest_for_a_band: int
    sides: list[SideSpectrumRead]
    shifts: list[ShiftCurveRead]
    caveats: list[CaveatRead]
    """Of this cell's runs, and of the sides."""
