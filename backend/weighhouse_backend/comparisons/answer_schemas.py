"""What may be said of sides in words, as the API shows it: headlines, leads, readings."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel
from weighhouse_judging.verdicts.headlines import Tone
from weighhouse_judging.verdicts.lead_words import LeadKind

from weighhouse_backend.campaigns.schemas import CompletenessRead


class ReadingRangeRead(BaseModel):
    """Cells of one workload with one word, and the ratios of medians that they lie between."""

    workload: str
    word: Literal["more", "less"]
    cells: int
    low_ratio: float
    high_ratio: float


class ReadingRead(BaseModel):
    """A side against its baseline over the cells of one figure, in numbers and in a sentence."""

    side: str
    baseline_side: str
    load_kind: Literal["closed", "open"]
    metric: str
    """`throughput`; of cells under an open loop, where it is given, `p99_us`."""
    cells: int
    more: int
    less: int
    as_much: int
    cannot_tell: int
    too_few: int
    missing: int
    """Cells that one of the two gave no figure of."""
    ranges: list[ReadingRangeRead]
    sentence: str
    """Without its subject: `does more operations than Redis in 6 of 6 cells: ×2.4 to ×4.0 …`."""
    short: str
    """Beside others that are set against the same baseline: `more in 8 of 12, ×1.6 to ×2.4; …`."""


class StandingRead(BaseModel):
    """Where one side stands among the others, over all cells of one figure."""

    side: str
    first: int
    """Cells that it leads."""
    best_rank: int | None
    worst_rank: int | None
    """What its rank can be at best and at worst, over its cells; 1 is the best. None without a
    figure."""
    cells: int
    """That it has a figure in."""
    words: str
    """`1st in 8 of 12 cells`, `2nd to 4th`."""


class LeadRead(BaseModel):
    """Who leads, where, and how sure that is: over the cells of one figure and kind of load."""

    metric: str
    load_kind: Literal["closed", "open"]
    kind: LeadKind
    """`by_load`, `by_workload`: the lead changes with them; `nobody`: no side leads; `by_target`:
    each target is set against itself; `too_few`: repeats; `nothing`: there are no two sides with
    figures of one cell."""
    leaders: list[str]
    """Who the sentence says leads anywhere, most cells first."""
    cells: int
    decided: int
    """Cells that one side leads: better than every other one beyond doubt, and by more than the
    practical threshold."""
    level: int
    """Cells whose foremost sides differ by less than the threshold."""
    undecided: int
    too_few: int
    missing: int
    """Cells with a figure of one side or none."""
    fewest_repeats: int
    most_repeats: int
    """A side, over the cells that are compared."""
    sentence: str
    """`Dragonfly leads: most throughput in 16 of 18 cells, behind Redis at 1 client.`"""
    sure: str
    """`beyond doubt in 16 of 18 cells (2 are open), from 5 repeats a side; by ×1.1 to ×1.3 over the
    next`; empty where there is nothing to compare."""
    barred_by: list[str]
    """What bars the figures from use, of how many runs."""
    standings: list[StandingRead]
    """Of every side: those that lead first, then those that are ahead of more of the others."""


class HeadlineRead(BaseModel):
    """What was measured came to, and how much failed; in the same words wherever it is told."""

    badge: str
    """A few words: `Redis leads`, `Half failed: 15 of 30 runs`, `So far: nobody leads`."""
    tone: Tone
    """`told`: something can be said; `open`: nobody can say; `caution`: much is missing; `bad`:
    half or more failed, or the figures must not be relied on."""
    so_far: bool
    """Is more of it to come?"""
    failed: str
    """`3 of 30 runs failed`; empty where nothing did."""
    sentence: str
    """Who leads, in whole sentences: one a kind of load."""
    sure: str
    """How sure that is, without a full stop; empty where there is nothing to compare."""


class CampaignHeadlineRead(HeadlineRead):
    """What a campaign came to."""

    campaign_id: UUID


class AnswerRead(BaseModel):
    """What may be said in sentences: who leads, and of each side against its baseline."""

    completeness: CompletenessRead
    leads: list[LeadRead]
    """Of cells under a closed loop, then of those under an open one."""
    readings: list[ReadingRead]
