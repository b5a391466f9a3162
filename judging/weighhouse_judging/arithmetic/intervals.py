"""Intervals that cover: of one side's level, and of the ratio of two. Pure, and for whole arrays.

All works on natural logarithms, because the noise of throughput, latency and memory multiplies: a
difference of logarithms is the logarithm of a ratio, and `expm1` of it a relative difference
(0.05 = 5 %). Every function takes arrays whose *last* axis is the repeats, so that the bench judges
a hundred thousand trials with the very code that judges one.

Measured cover of each interval: docs/verdicts.md, by `make bench-statistics`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import special

from weighhouse_judging.arithmetic.memory import inflation

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95
"""Confidence of the intervals that are drawn."""

FEWEST_FOR_AN_INTERVAL = 4
"""Repeats (pairs, for pairs) below which there is a range and no interval."""

RESOLUTION = 1e-9
"""Standard errors below this are rounding, not steadiness: no figure is exacter."""

STRETCH = {4: 0.25, 5: 0.05}
"""By how much of itself the range of so few repeats is stretched at each end.

The range of n values covers the median with 1 - 2/2ⁿ whatever the distribution: 87.5 % for 4,
93.75 % for 5. Stretched by these shares of its width it covers about 95 % for normal, skewed and
outlier-ridden noise alike (simulated in the bench); an order statistic alone cannot.
"""

UNSEEN = 0.15
"""Share by which a variance between campaigns that is seen as 0 is uncertain (simulated)."""

TRIMMED = 0.1
"""Share of pairs at either end that takes no part in their mean; none below ten pairs."""


@dataclass(frozen=True)
class Bounds:
    """The two ends of an interval, low ≤ high."""

    low: float
    high: float


@dataclass(frozen=True)
class LogDifference:
    """Differences of logarithms with their standard errors and degrees of freedom, as arrays.

    `estimate`, `error` and `freedom` share one shape (or broadcast to it). The ratio of what they
    differ in to its standard error is taken for Student's t.
    """

    estimate: Floats
    error: Floats
    freedom: Floats

    def each(self) -> list["LogDifference"]:
        """One by one, along the only axis."""
        parts = np.broadcast_arrays(self.estimate, self.error, self.freedom)
        return [LogDifference(*one) for one in zip(*parts, strict=True)]

    def half_width(self, confidence: float = CONFIDENCE) -> Floats:
        """Half the width of the two-sided interval, in logarithms."""
        return np.asarray(
            special.stdtrit(self.freedom, 0.5 + confidence / 2) * self.error, dtype=np.float64
        )

    def p_two_sided(self) -> Floats:
        """Two-sided p of no difference."""
        return np.asarray(2 * special.stdtr(self.freedom, -np.abs(self._t(0.0))), dtype=np.float64)

    def p_below(self, null: float = 0.0) -> Floats:
        """One-sided p of "at or above `null`": small when the difference lies below it."""
        return np.asarray(special.stdtr(self.freedom, self._t(null)), dtype=np.float64)

    def p_above(self, null: float = 0.0) -> Floats:
        """One-sided p of "at or below `null`": small when the difference lies above it."""
        return np.asarray(special.stdtr(self.freedom, -self._t(null)), dtype=np.float64)

    def p_above_with_tails(self, usual: float, tail_freedom: float) -> Floats:
        """`p_above()` as far as `usual`; beyond, that of a t of `tail_freedom` degrees which is as
        large there: for tails of which nobody has seen enough to know them.
        """
        p_value = self.p_above()
        stretch = special.stdtrit(tail_freedom, usual) / special.stdtrit(self.freedom, usual)
        beyond = special.stdtr(tail_freedom, -self._t(0.0) * np.maximum(stretch, 1.0))
        return np.asarray(np.where(p_value < usual, beyond, p_value), dtype=np.float64)

    def with_tails(self, most_freedom: float) -> "LogDifference":
        """The same, taken for a t of no more degrees of freedom than these: for heavier tails."""
        return LogDifference(self.estimate, self.error, np.minimum(self.freedom, most_freedom))

    def mirrored(self) -> "LogDifference":
        """The same with the sides exchanged."""
        return LogDifference(-self.estimate, self.error, self.freedom)

    def _t(self, null: float) -> Floats:
        return np.asarray((self.estimate - null) / self.error, dtype=np.float64)


@dataclass(frozen=True)
class Spread:
    """A variance of logarithms and how well it is known; arrays, or one of each."""

    variance: Floats
    freedom: Floats
    memory: Floats = field(default_factory=lambda: np.asarray(0.0))
    """By how much neighbouring repeats are alike (`memory.told_memory`), 0 to 1; 0: not evident."""


@dataclass(frozen=True)
class Between:
    """How much the means of campaigns differ; logarithms, arrays or one of each."""

    variance: Floats
    """Of campaign means: what lies between campaigns, and what their repeats leave in a mean."""
    freedom: Floats
    share: Floats
    """How much of the variance inside campaigns is in it: the mean of 1/repeats."""
    tied: bool = False
    """Was it gained as a multiple of the variance inside campaigns, so that both err together?"""
    within: Spread | None = None
    """Of repeats inside the campaigns that it was gained from; None: as inside those judged by it.
    """

    def at(self, share: npt.ArrayLike, within: Spread) -> "Between":
        """The same for means of another number of repeats."""
        wanted = np.asarray(share, dtype=np.float64)
        variance = np.maximum(self.variance + (wanted - self.share) * within.variance, 0.0)
        return replace(self, variance=np.asarray(variance), share=wanted)

    def with_more(self, other: "Between", within: Spread) -> "Between":
        """Both together, weighted by their freedom."""
        added = other.at(self.share, within)
        freedom = self.freedom + added.freedom
        variance = (self.freedom * self.variance + added.freedom * added.variance) / freedom
        return replace(self, variance=np.asarray(variance), freedom=np.asarray(freedom))


def level(values: npt.ArrayLike) -> tuple[Floats, Floats] | None:
    """95 % interval of the median of one side's repeats; None for fewer than 4.

    Interpolated order statistics, which need no shape of the noise: Hettmansperger & Sheather
    (1986), Statistics & Probability Letters 4; their cover for skewed noise, Nyblom (1992), ibid.
    14. With 4 or 5 repeats no two order statistics reach 95 %; there the range is stretched
    (`STRETCH`). Worked on logarithms where all values are positive. A percentile bootstrap of the
    median, which stood here before, covered 75 to 87 % at 3 to 7 repeats.
    """
    data = np.sort(np.asarray(values, dtype=np.float64), axis=-1)
    size = data.shape[-1]
    if size < FEWEST_FOR_AN_INTERVAL:
        return None
    positive = bool(data.min() > 0)
    scale = np.log(data) if positive else data
    low, high = _stretched(scale) if size in STRETCH else _interpolated(scale)
    return (np.exp(low), np.exp(high)) if positive else (low, high)


def levels(rows: Sequence[Sequence[float]]) -> list[Bounds | None]:
    """`level` of many sides, of those with as many repeats at once; in the same order."""
    alike: dict[tuple[int, bool], list[int]] = {}
    for place, row in enumerate(rows):
        if len(row) >= FEWEST_FOR_AN_INTERVAL:
            alike.setdefault((len(row), min(row) > 0), []).append(place)
    found: list[Bounds | None] = [None] * len(rows)
    for places in alike.values():
        ends = level([rows[place] for place in places])
        if ends is not None:
            for place, low, high in zip(places, *(end.tolist() for end in ends), strict=True):
                found[place] = Bounds(low, high)
    return found


def level_or_range(values: npt.ArrayLike) -> Bounds:
    """The interval of one side's median or, below 4 repeats, from the least to the greatest."""
    data = np.asarray(values, dtype=np.float64)
    ends = level(data)
    if ends is None:
        return Bounds(float(data.min()), float(data.max()))
    return Bounds(float(ends[0]), float(ends[1]))


def paired(log_ratios: npt.ArrayLike) -> LogDifference:
    """Student's t on the logarithms of the ratios of pairs (2 or more on the last axis); from ten
    pairs on, without the tenth of them at either end.

    What a block does to both of its sides cancels. A pair that was disturbed starves Student's t:
    one outlier of ten widens its interval threefold. Without the ends the mean is of what is left,
    its error of all with the ends drawn in, and the freedom that of what is left. Of normal noise
    that costs some 5 % of width (docs/verdicts.md). Source: Student (1908), Biometrika 6; Tukey &
    McLaughlin (1963), Sankhyā A 25; Yuen (1974), Biometrika 61. On logarithms the estimate is a
    geometric mean of ratios.
    """
    data = np.asarray(log_ratios, dtype=np.float64)
    size = data.shape[-1]
    freedom = np.asarray(freedom_of_pairs(size))
    ends = int(TRIMMED * size)
    if not ends:
        error = data.std(axis=-1, ddof=1) / math.sqrt(size)
        return _difference(data.mean(axis=-1), error, freedom)
    ordered = np.sort(data, axis=-1)
    left = size - 2 * ends
    drawn_in = np.clip(ordered, ordered[..., ends, None], ordered[..., -1 - ends, None])
    squares = np.square(drawn_in - drawn_in.mean(axis=-1, keepdims=True)).sum(axis=-1)
    error = np.sqrt(squares / (left * (left - 1)))
    return _difference(ordered[..., ends : size - ends].mean(axis=-1), error, freedom)


def freedom_of_pairs(size: int) -> float:
    """Degrees of freedom of `paired` by so many pairs.

    Those of what is left, less half a degree for each pair of ends: of normal noise p-values of 5
    to 0.06 % are then right within a tenth; by those of what is left alone, at ten pairs 0.9 % are
    1.0 and 0.06 % are 0.075 (simulated).
    """
    ends = int(TRIMMED * size)
    return size - 2 * ends - 1 - ends / 2


def two_level(
    estimate: npt.ArrayLike,
    campaigns: int,
    inside: npt.ArrayLike,
    within: Spread,
    between: Between,
) -> LogDifference:
    """A campaign against others, where whole campaigns differ as well as repeats in them.

    `estimate` is the campaign's mean logarithm less the mean of the means of `campaigns` others;
    `inside` how much of the variance inside campaigns is in it (1/n for n repeats of the one, and
    mean(1/m)/K for m repeats in each of the K others); `within` that variance; `between` how much
    campaign means differ, from those K or from others of the same cell and machine.

    Random effects, one-way, by unweighted means: Var = σ_b² (1 + 1/K) + σ_w² (1/n + 1/(Km)). σ_b²
    comes by analysis of variance, not below 0, and the freedom of the sum by Satterthwaite (1946),
    Biometrics Bulletin 2. When n = m that is exactly Student's prediction interval of one more
    campaign mean. Where a long campaign meets short ones, splitting the variance costs more freedom
    than the repeats are worth; the interval is then the narrower of the split one and of campaign
    means taken whole, which is never too narrow.
    """
    centre = np.asarray(estimate, dtype=np.float64)
    repeats = np.asarray(inside, dtype=np.float64)
    factor = 1.0 + 1.0 / campaigns
    variance = (
        factor * np.maximum(between.variance - between.share * within.variance, 0.0)
        + repeats * within.variance
    )
    moving = repeats * within.variance - factor * between.share * within.variance
    whole_freedom = between.freedom
    if between.tied:
        moving = variance
        whole_freedom = 1 / (1 / between.freedom + 1 / within.freedom)
    uncertain = (
        np.square(moving) / within.freedom + np.square(factor * between.variance) / between.freedom
    )
    freedom = np.square(variance) / np.maximum(uncertain, 1e-300)
    freedom = np.clip(freedom, 1.0, within.freedom + between.freedom)
    more = np.maximum(repeats - factor * between.share, 0.0) * within.variance
    whole = factor * between.variance + more
    return _narrower(
        _difference(centre, np.sqrt(variance), freedom),
        _difference(centre, np.sqrt(whole), np.broadcast_to(whole_freedom, whole.shape)),
    )


def two_campaigns(a: Floats, b: Floats, between: Between) -> LogDifference:
    """Campaign `b` against campaign `a` (logarithms of repeats, two or more a side), where repeats
    of the two may scatter differently, and otherwise than in the campaigns that told how much
    campaigns differ: repeats of another target, or on a restless day.

    `two_level`, each with a variance of its own: Var = 2 σ_b² + s_a²/n_a + s_b²/n_b (Welch 1947,
    Biometrika 34), σ_b² by the variance inside the campaigns that it was gained from. Campaign
    means taken whole have what these repeats add to what is in them already. Where neighbouring
    repeats were alike in those campaigns, means scatter by more than independent repeats tell.
    """
    memory = np.asarray(0.0) if between.within is None else between.within.memory
    parts = [
        one.var(axis=-1, ddof=1) / one.shape[-1] * inflation(memory, 1 / one.shape[-1])
        for one in (a, b)
    ]
    repeats = parts[0] + parts[1]
    freedoms = [one.shape[-1] - 1 for one in (a, b)]
    inside = between.within or Spread(
        (parts[0] * a.shape[-1] * freedoms[0] + parts[1] * b.shape[-1] * freedoms[1])
        / sum(freedoms),
        np.asarray(float(sum(freedoms))),
    )
    whole = 2.0 * between.variance
    known = 2.0 * between.share * inside.variance * inflation(memory, between.share)
    own = np.square(parts[0]) / freedoms[0] + np.square(parts[1]) / freedoms[1]
    of_whole, of_known = np.square(whole) / between.freedom, np.square(known) / inside.freedom
    seen = np.where(whole > known, 1.0, UNSEEN)
    centre = np.asarray(b.mean(axis=-1) - a.mean(axis=-1), dtype=np.float64)

    def told(variance: Floats, uncertain: Floats) -> LogDifference:
        freedom = np.square(variance) / np.maximum(uncertain, 1e-300)
        most = inside.freedom + between.freedom
        return _difference(centre, np.sqrt(variance), np.clip(freedom, 1.0, most))

    more = np.maximum(repeats - known, 0.0)
    return _narrower(
        told(np.maximum(whole - known, 0.0) + repeats, own + seen * (of_known + of_whole)),
        told(whole + more, np.where(more > 0, own + of_known, 0.0) + of_whole),
    )


def _difference(estimate: Floats, error: Floats, freedom: Floats) -> LogDifference:
    return LogDifference(
        np.asarray(estimate), np.maximum(error, RESOLUTION), np.asarray(freedom, dtype=np.float64)
    )


def _narrower(one: LogDifference, other: LogDifference) -> LogDifference:
    near = [
        item.error * _quantile(np.asarray(np.maximum(item.freedom, 1.0))) for item in (one, other)
    ]
    first = near[0] <= near[1]
    return LogDifference(
        one.estimate,
        np.where(first, one.error, other.error),
        np.where(first, one.freedom, other.freedom),
    )


def _quantile(freedom: Floats) -> Floats:
    """Student's 97.5 % quantile, near enough to choose by (within 0.1 % from 3 degrees on).

    Source: Cornish & Fisher (1937), Revue de l'Institut International de Statistique 5. Exact
    quantiles cost a search each, and the choice needs an order alone.
    """
    z = 1.959963984540054
    return np.asarray(
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


def _stretched(ordered: Floats) -> tuple[Floats, Floats]:
    more = STRETCH[ordered.shape[-1]] * (ordered[..., -1] - ordered[..., 0])
    return ordered[..., 0] - more, ordered[..., -1] + more


def _interpolated(ordered: Floats) -> tuple[Floats, Floats]:
    outer, share = _order_statistics(ordered.shape[-1])
    low = (1 - share) * ordered[..., outer - 1] + share * ordered[..., outer]
    high = (1 - share) * ordered[..., -outer] + share * ordered[..., -outer - 1]
    return low, high


@lru_cache(maxsize=1024)
def _order_statistics(size: int) -> tuple[int, float]:
    """The outer order statistic (from 1), and how far towards the next inner one."""
    outer = 1
    while 1 - 2 * special.bdtr(outer, size, 0.5) >= CONFIDENCE:
        outer += 1
    wide = 1 - 2 * special.bdtr(outer - 1, size, 0.5)
    narrow = 1 - 2 * special.bdtr(outer, size, 0.5)
    way = (wide - CONFIDENCE) / (wide - narrow)
    return outer, float((size - outer) * way / (outer + (size - 2 * outer) * way))
