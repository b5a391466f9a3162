"""What may be said of two samples of repeats: changed, equivalent, inconclusive, insufficient.

The rule. *Changed* only if the bootstrap interval of the relative difference of medians excludes 0
**and** the difference exceeds the practical threshold **and** |Cliff's δ| ≥ 0.33. *Equivalent* if
the interval lies inside ± the threshold. Else *inconclusive*, with an estimate of how many more
repeats would settle it. Fewer than five repeats on a side: *insufficient*, whatever the figures.

The p-value of the rank test, and Holm's adjustment over all differences shown, are reported beside
the verdict and do not decide it. Five against five repeats cannot give a p below 0.0079, so over a
table of more than six differences no adjusted p could ever fall below 0.05, however large the
change; a rule that needs it would call every table unchanged. The interval, the threshold and δ
together keep false alarms rare instead (the A/A tests measure how rare).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.verdicts.metrics import METRIC, METRICS, Metric

__all__ = ["METRIC", "METRICS", "Judgement", "Metric", "judge", "with_holm"]

Verdict = Literal["changed", "equivalent", "inconclusive", "insufficient"]

REPEATS_FOR_A_CLAIM = 5
"""Repeats a side needs before anything is claimed."""

DELTA_THRESHOLD = 0.33
"""|Cliff's δ| from which a difference is more than small."""

MOST_REPEATS_NEEDED = 1000
"""An estimate of more repeats than this is given as this: the sides will hardly be told apart."""


@dataclass(frozen=True)
class Judgement:
    """One difference: figures, uncertainty, verdict. Relative figures: 0.05 = 5 %."""

    metric: str
    baseline_median: float
    median: float
    relative: float
    low: float
    high: float
    p_value: float
    cliffs_delta: float
    verdict: Verdict
    better: bool | None
    """Is the other side better; None unless it changed."""
    significance: float
    """|relative| over the interval's half-width: above 1 the interval (nearly) excludes 0."""
    threshold: float
    repeats_needed: int | None
    """Further repeats a side that would about settle it; None when nothing is missing."""
    p_holm: float | None = None


def judge(
    metric: Metric,
    baseline: Sequence[float],
    other: Sequence[float],
    *,
    threshold: float | None = None,
) -> Judgement | None:
    """Judge `other` against `baseline`, one figure a repeat, in the metric's unit.

    `threshold` replaces the metric's own (relative). Returns None when a side is empty or the
    baseline is 0, where no relative difference exists.
    """
    if not baseline or not other:
        return None
    difference = statistics.relative_difference(baseline, other)
    if difference is None:
        return None
    limit = metric.threshold if threshold is None else threshold
    delta = statistics.cliffs_delta(baseline, other)
    verdict = _verdict(difference, delta, limit, min(len(baseline), len(other)))
    better = None
    if verdict == "changed":
        better = (difference.relative > 0) == metric.higher_is_better
    half_width = (difference.high - difference.low) / 2
    return Judgement(
        metric=metric.name,
        baseline_median=statistics.median(baseline),
        median=statistics.median(other),
        relative=difference.relative,
        low=difference.low,
        high=difference.high,
        p_value=statistics.mann_whitney(baseline, other),
        cliffs_delta=delta,
        verdict=verdict,
        better=better,
        significance=abs(difference.relative) / max(half_width, 1e-3),
        threshold=limit,
        repeats_needed=_repeats_needed(difference, limit, verdict, len(baseline), len(other)),
    )


def with_holm(judgements: Sequence[Judgement]) -> list[Judgement]:
    """The same judgements with p-values adjusted over all of them, in the same order."""
    adjusted = statistics.holm([judgement.p_value for judgement in judgements])
    return [replace(judgement, p_holm=p) for judgement, p in zip(judgements, adjusted, strict=True)]


def _verdict(
    difference: statistics.RelativeDifference, delta: float, threshold: float, repeats: int
) -> Verdict:
    if repeats < REPEATS_FOR_A_CLAIM:
        return "insufficient"
    excludes_zero = difference.low > 0 or difference.high < 0
    if excludes_zero and abs(difference.relative) > threshold and abs(delta) >= DELTA_THRESHOLD:
        return "changed"
    if -threshold <= difference.low and difference.high <= threshold:
        return "equivalent"
    return "inconclusive"


def _repeats_needed(
    difference: statistics.RelativeDifference,
    threshold: float,
    verdict: Verdict,
    baseline_repeats: int,
    repeats: int,
) -> int | None:
    """Further repeats a side, by the interval's width shrinking with the root of their number.

    Two ways end an inconclusive comparison: the interval leaves 0 behind, or it fits between the
    thresholds; whichever is nearer counts.
    """
    fewest = min(baseline_repeats, repeats)
    if verdict == "insufficient":
        return REPEATS_FOR_A_CLAIM - fewest
    if verdict != "inconclusive":
        return None
    size = abs(difference.relative)
    to_inside = max(difference.high - difference.relative, difference.relative - difference.low)
    to_zero = size - difference.low if difference.relative > 0 else size + difference.high
    ways = []
    if size > threshold:
        ways.append(to_zero / size)
    elif size < threshold:
        ways.append(to_inside / (threshold - size))
    factor = min(ways, default=math.inf)
    if not math.isfinite(factor):
        return MOST_REPEATS_NEEDED
    wanted = math.ceil(fewest * max(1.0, factor) ** 2)
    return min(MOST_REPEATS_NEEDED, max(1, wanted - fewest))
