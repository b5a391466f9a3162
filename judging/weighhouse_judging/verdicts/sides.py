"""What may be said of two sides: changed, equivalent, inconclusive, insufficient. Pure.

**The unit is the run**: a server and a driver of its own; never an interval or a timing inside it.

**Paired by block** wherever the sides share blocks: Student's t on the logarithms of the ratios of
pairs. What a block did to both cancels; repeats without a partner are counted as left out and take
no part. **Unpaired** (between campaigns): whole campaigns differ as well as repeats in them, so
interval and p come from the two-level model, with the variance between campaigns; the p takes in
what machines usually do (`verdicts/campaigns.py`). Where nothing is known of it, nothing is claimed
and no interval drawn, however many repeats there are: two campaigns of the same thing that differ
by 2 % are called changed in 17 to 30 % of cases by what their repeats alone say, and the "95 %"
interval holds the truth in 77 to 34 %.

**Drawn and decided are two things.** Drawn is the 95 % interval. *Changed* says more, and needs
all of: the drawn interval excludes 0; the difference exceeds the practical threshold (the larger of
what was asked and what the machine can tell); its p is at most 0.9 %; and, over all differences of
one table, Holm's adjustment of that p is at most 5 %. *Equivalent*: the **90 %** interval lies
inside ± the threshold, which is two one-sided tests of 5 % (Schuirmann 1987, Journal of
Pharmacokinetics and Biopharmaceutics 15): sides that differ by exactly the threshold are called so
in 5 %. Else *inconclusive*. Below five pairs (or five a side): *insufficient*. Below four there is
no interval at all, but a range.

A noise floor of this machine and cell, where there is one, lends the p what it knows.

Latencies that were told in coarse steps (whole µs of 10) are judged by what that leaves unknown
(`arithmetic/rounding.py`).

Figures that were looked at while they grew (sequential repetitions, added repeats) are judged by
p-values and intervals that hold at every look: `looked_at=True`.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from scipy import special
from weighhouse_protocol.figures import Figure

from weighhouse_judging.arithmetic.families import holm
from weighhouse_judging.arithmetic.intervals import (
    FEWEST_FOR_AN_INTERVAL,
    Between,
    LogDifference,
)
from weighhouse_judging.verdicts.figures import Figures, Method, Repeats, by_campaigns, by_pairs
from weighhouse_judging.verdicts.noise import Floor
from weighhouse_judging.verdicts.uncertainty import half_widths, medians_of, p_values

Verdict = Literal["changed", "equivalent", "inconclusive", "insufficient"]
DecidedBy = Literal[
    "level", "family", "noise_floor", "threshold", "equality", "interval", "repeats", "campaigns"
]
"""What settled a verdict, or what kept a difference from being called changed."""

REPEATS_FOR_A_CLAIM = 5
"""Pairs, or repeats a side, before anything is claimed."""

LEVEL = 0.009
"""Largest p of a difference that is called changed, looked at alone: with room for what a t-test
adds on real noise, less than one false "changed" in a hundred equal sides."""

FAMILY_LEVEL = 0.05
"""Chance of any false "changed" among all differences of one table."""

MOST_REPEATS_NEEDED = 1000
"""An estimate of more repeats than this is given as this: the sides will hardly be told apart."""


@dataclass(frozen=True)
class Judgement:
    """One difference: figures, uncertainty, verdict. Relative figures: 0.05 = 5 %."""

    metric: str
    method: Method
    baseline_median: float
    median: float
    """Of the repeats that took part."""
    relative: float
    low: float | None
    high: float | None
    """The drawn 95 % interval; None below four repeats."""
    equality_low: float | None
    equality_high: float | None
    """The 90 % interval: inside ± the threshold, the sides are equivalent; None below four
    repeats."""
    range_low: float
    range_high: float
    """From the least to the greatest ratio there was, of pairs or of any two repeats."""
    baseline_repeats: int
    repeats: int
    """That took part; for pairs both are their number."""
    left_out: int
    """Repeats without a partner in their block."""
    error: float | None
    freedom: float | None
    """Standard error of the logarithm of the ratio, and its degrees of freedom; None where there is
    no interval."""
    p_value: float | None
    """Two-sided; None where there is no interval."""
    p_family: float | None
    """The same after Holm's adjustment over the table; None before `with_family`."""
    verdict: Verdict
    decided_by: DecidedBy
    better: bool | None
    """Is the other side better; None unless it changed."""
    significance: float
    """How many practical thresholds the difference exceeds beyond doubt (by the nearer end of the
    drawn interval); 0 when the interval holds 0 or there is none. Missing data never raise it."""
    threshold: float
    """The practical threshold in force: the larger of asked and floor."""
    asked_threshold: float
    floor: float | None
    """What this machine can tell apart with so many repeats; None when never measured."""
    resolution: float | None
    """What latencies are told to, in their unit: 0.001 are nanoseconds. What it leaves unknown is
    in error, interval and p. None for other figures."""
    looked_at: bool
    repeats_needed: int | None
    """Further repeats a side that would about settle it; None when nothing is missing."""


@dataclass(frozen=True)
class Opposed:
    """Two sides in one figure of one cell, and what is known of it."""

    metric: Figure
    baseline: Repeats
    other: Repeats
    threshold: float | None = None
    """Replaces the metric's own; relative."""
    floor: Floor | None = None
    """What A/A runs said of this machine, cell and figure."""
    between: Between | None = None
    """The variance between campaigns, for sides of two campaigns; default: the floor's."""

    @property
    def has_ratio(self) -> bool:
        """Has each side figures, all above 0? Else no ratio exists."""
        sides = self.baseline.values(), self.other.values()
        return all(len(side) and min(side) > 0 for side in sides)


def judge(
    metric: Figure,
    baseline: Repeats,
    other: Repeats,
    *,
    threshold: float | None = None,
    floor: Floor | None = None,
    between: Between | None = None,
    looked_at: bool = False,
) -> Judgement | None:
    """Judge `other` against `baseline`; arguments as the fields of `Opposed`.

    Returns None when no ratio exists. Alone, `p_family` is the p itself; a table goes through
    `judge_each` and `with_family`.
    """
    opposed = Opposed(metric, baseline, other, threshold, floor, between)
    return judge_each([opposed], looked_at=looked_at)[0]


def judge_each(opposed: Sequence[Opposed], *, looked_at: bool = False) -> list[Judgement | None]:
    """Judge many, each as if alone, in the same order; None where no ratio exists. Those of as many
    pairs are worked out at once.
    """
    found: list[Judgement | None] = [None] * len(opposed)
    alike: dict[tuple[int, bool], list[tuple[int, list[Hashable]]]] = {}
    for place, one in enumerate(opposed):
        if not one.has_ratio:
            continue
        rounded = one.metric.unit == "µs"
        shared = [block for block in one.baseline if block in one.other]
        if shared:
            alike.setdefault((len(shared), rounded), []).append((place, shared))
        else:
            between = one.between or (one.floor.between if one.floor else None)
            figures = by_campaigns(one.baseline, one.other, between, rounded=rounded)
            found[place] = _judged([one], figures, looked_at=looked_at)[0]
    for (_, rounded), group in alike.items():
        together = [opposed[place] for place, _ in group]
        figures = by_pairs(
            [(one.baseline, one.other) for one in together],
            [shared for _, shared in group],
            [one.floor for one in together],
            rounded=rounded,
        )
        judged = _judged(together, figures, looked_at=looked_at)
        for (place, _), judgement in zip(group, judged, strict=True):
            found[place] = judgement
    return found


def with_family(judgements: Sequence[Judgement]) -> list[Judgement]:
    """The same judgements, corrected together; in the same order.

    A *changed* that does not withstand the look at all becomes inconclusive, by `family`.
    """
    tested = [index for index, item in enumerate(judgements) if item.p_value is not None]
    adjusted = holm([judgements[index].p_value or 0.0 for index in tested])
    corrected = list(judgements)
    for index, p_family in zip(tested, adjusted, strict=True):
        item = corrected[index]
        said: dict[str, Any] = {"p_family": p_family}
        if item.verdict == "changed":
            if p_family > FAMILY_LEVEL:
                said |= {
                    "verdict": "inconclusive",
                    "decided_by": "family",
                    "better": None,
                    "repeats_needed": _needed_for(item, FAMILY_LEVEL / len(tested)),
                }
            elif len(tested) * LEVEL > FAMILY_LEVEL and item.decided_by == "level":
                said["decided_by"] = "family"
        corrected[index] = replace(item, **said)
    return corrected


def _judged(opposed: Sequence[Opposed], figures: Figures, *, looked_at: bool) -> list[Judgement]:
    repeats = figures.baseline.shape[-1], figures.other.shape[-1]
    fewest = min(repeats)
    medians = [medians_of(side) for side in (figures.baseline, figures.other)]
    estimates, halves, halves_of_equality = half_widths(
        figures, medians, fewest, looked_at=looked_at
    )
    tested = (
        p_values(figures, LEVEL, looked_at=looked_at) if fewest >= FEWEST_FOR_AN_INTERVAL else None
    )
    least, greatest = (ends.tolist() for ends in (figures.ratios.min(-1), figures.ratios.max(-1)))
    drawn = [None] * len(opposed) if figures.drawn is None else figures.drawn.each()
    steps = None if figures.step is None else figures.step.tolist()
    found = []
    for place, one in enumerate(opposed):
        half = None if halves is None else halves[place]
        shown = drawn[place] if half is not None else None
        p_value, borrowed = (None, False) if tested is None else tested[place]
        asked = one.metric.threshold if one.threshold is None else one.threshold
        floor = figures.floor[place]
        threshold = max(asked, floor or 0.0)
        estimate = estimates[place]
        relative = math.expm1(estimate)
        bounds = _around(estimate, half)
        equality = _around(
            estimate, None if halves_of_equality is None else halves_of_equality[place]
        )
        verdict, decided_by = _verdict(
            relative, bounds, equality, p_value, threshold, fewest, borrowed
        )
        if figures.method == "unpaired" and fewest >= REPEATS_FOR_A_CLAIM:
            verdict, decided_by = "inconclusive", "campaigns"
        found.append(
            Judgement(
                metric=one.metric.name,
                method=figures.method,
                baseline_median=medians[0][place],
                median=medians[1][place],
                relative=relative,
                low=None if bounds is None else bounds[0],
                high=None if bounds is None else bounds[1],
                equality_low=None if equality is None else equality[0],
                equality_high=None if equality is None else equality[1],
                range_low=math.expm1(least[place]),
                range_high=math.expm1(greatest[place]),
                baseline_repeats=repeats[0],
                repeats=repeats[1],
                left_out=figures.left_out[place],
                error=None if shown is None else float(shown.error),
                freedom=None if shown is None else float(shown.freedom),
                p_value=p_value,
                p_family=p_value,
                verdict=verdict,
                decided_by=decided_by,
                better=(relative > 0) == one.metric.higher_is_better
                if verdict == "changed"
                else None,
                significance=0.0 if bounds is None else max(0.0, bounds[0], -bounds[1]) / threshold,
                threshold=threshold,
                asked_threshold=asked,
                floor=floor,
                resolution=None if steps is None else steps[place],
                looked_at=looked_at,
                repeats_needed=_repeats_needed(
                    shown, relative, bounds, equality, threshold, verdict, fewest
                ),
            )
        )
    return found


def _around(estimate: float, half: float | None) -> tuple[float, float] | None:
    if half is None:
        return None
    return math.expm1(estimate - half), math.expm1(estimate + half)


def _verdict(
    relative: float,
    bounds: tuple[float, float] | None,
    equality: tuple[float, float] | None,
    p_value: float | None,
    threshold: float,
    fewest: int,
    borrowed: bool,
) -> tuple[Verdict, DecidedBy]:
    if fewest < REPEATS_FOR_A_CLAIM or bounds is None or equality is None or p_value is None:
        return "insufficient", "repeats"
    excludes_zero = bounds[0] > 0 or bounds[1] < 0
    exceeds = abs(relative) > threshold
    if excludes_zero and exceeds and p_value <= LEVEL:
        return "changed", "noise_floor" if borrowed else "level"
    if -threshold <= equality[0] and equality[1] <= threshold:
        return "equivalent", "equality"
    if not excludes_zero:
        return "inconclusive", "interval"
    return "inconclusive", "level" if exceeds else "threshold"


def _needed_for(item: Judgement, level: float) -> int:
    """Further repeats a side until the p of a difference as large as now falls to `level`."""
    now = -float(special.ndtri((item.p_value or 0.0) / 2))
    wanted = -float(special.ndtri(level / 2))
    fewest = min(item.baseline_repeats, item.repeats)
    return min(MOST_REPEATS_NEEDED, max(1, math.ceil(fewest * ((wanted / now) ** 2 - 1))))


def _repeats_needed(
    drawn: LogDifference | None,
    relative: float,
    bounds: tuple[float, float] | None,
    equality: tuple[float, float] | None,
    threshold: float,
    verdict: Verdict,
    fewest: int,
) -> int | None:
    """Further repeats a side, by the interval's width shrinking with the root of their number.

    Two ends are open to an inconclusive difference: it is told from 0 at LEVEL, or it fits between
    the thresholds; the nearer counts.
    """
    if verdict == "insufficient":
        return max(REPEATS_FOR_A_CLAIM - fewest, 1)
    if verdict != "inconclusive" or bounds is None or equality is None or drawn is None:
        return None
    size = abs(relative)
    if size > threshold:
        half = max(bounds[1] - relative, relative - bounds[0])
        widened = float(drawn.half_width(1 - LEVEL) / drawn.half_width())
        factor = half * widened / size
    elif size < threshold:
        half = max(equality[1] - relative, relative - equality[0])
        factor = half / (threshold - size)
    else:
        return MOST_REPEATS_NEEDED
    wanted = math.ceil(fewest * max(1.0, factor) ** 2)
    return min(MOST_REPEATS_NEEDED, max(1, wanted - fewest))
