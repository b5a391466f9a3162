"""What a machine cannot tell: the noise floor, from sides that are equal by construction. Pure.

An A/A campaign (`scenario: noise`) runs every target twice in each block. Both runs of a pair
measured the same thing, so all they differ in is noise: of one run to the next inside a block, and
of one campaign to another.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from weighhouse_judging.arithmetic.intervals import (
    Between,
    Floats,
    LogDifference,
    Spread,
    two_level,
)
from weighhouse_judging.arithmetic.memory import told_memory

FEWEST_PAIRS = 10
"""Pairs of equal sides before a floor is believed."""

FEWEST_CAMPAIGNS = 4
"""Campaigns before the variance between them counts as known."""

FEWEST_FOR_A_SPREAD = 2
"""Repeats of a campaign that tell how much they scatter."""

FLOOR_CONFIDENCE = 0.95
"""Share of equal comparisons whose difference stays under the floor."""

TOO_NOISY = 0.001
"""A comparison whose own scatter is beyond the floor's with a chance below this is not the machine
that the floor was measured on: the floor lends it nothing."""

LENT_FREEDOM = 2.0
LENT_VARIANCE = 2.5
"""What a floor lends: as much as so many degrees of freedom, at so many times its variance. A
machine may be noisier today than it was (up to twice, by standard deviation), and no floor of any
number of pairs knows; but it is hardly ever quieter by far, which is what five pairs alone have to
allow for."""

EITHER = 1.2
"""By how much the smaller of two p-values, with a floor and without, is to be raised. They are of
the same mean, so that far less than Bonferroni's 2 holds them (simulated in the bench)."""


@dataclass(frozen=True)
class Floor:
    """What equal sides differed by, for one machine, cell and figure. All in logarithms."""

    pairs: int
    campaigns: int
    within: Spread
    """Variance of one run beside its twin in a block."""
    between: Between | None
    """How much campaigns differ; None when too few told."""
    median_difference: float
    p95_difference: float
    largest_difference: float
    """Of |difference| of single pairs, relative (0.05 = 5 %)."""

    def of_pairs(self, blocks: int) -> float:
        """The relative difference below which equal sides of so many blocks stay in 95 of 100."""
        deviation = math.sqrt(2 * float(self.within.variance) / blocks)
        quantile = special.stdtrit(self.within.freedom, 0.5 + FLOOR_CONFIDENCE / 2)
        return math.expm1(float(quantile) * deviation)

    def of_campaigns(self, base_repeats: Sequence[int], repeats: int, within: Spread) -> float:
        """The same for a campaign of `repeats` against a base of campaigns.

        `within` is the variance of repeats inside a campaign, which here is not that beside a
        twin: what blocks differ in does not cancel between campaigns.
        """
        if self.between is None:
            return 0.0
        count = len(base_repeats)
        inside = 1 / repeats + sum(1 / size for size in base_repeats) / count**2
        equal = two_level(0.0, count, inside, within, self.between)
        return math.expm1(float(equal.half_width(FLOOR_CONFIDENCE)))

    def lend(self, own: LogDifference, blocks: int) -> LogDifference | None:
        """A paired difference that knows from the floor how little it may scatter; None when it
        scatters more than the floor's machine does.

        Five pairs know their own variance badly (t with 4 degrees of freedom); a machine that has
        been weighed before is known better. Source: a prior of the variance as in Smyth (2004),
        Statistical Applications in Genetics and Molecular Biology 3; its freedom and scale hold on
        machines up to twice as noisy as their floor (docs/verdicts.md).
        """
        variance = float(own.error) ** 2 * blocks
        expected = 2 * float(self.within.variance)
        freedom = float(self.within.freedom)
        if variance > expected * float(special.fdtri(float(own.freedom), freedom, 1 - TOO_NOISY)):
            return None
        total = float(own.freedom) + LENT_FREEDOM
        prior = LENT_FREEDOM * LENT_VARIANCE * expected
        pooled = (float(own.freedom) * variance + prior) / total
        return LogDifference(
            own.estimate, np.asarray(math.sqrt(pooled / blocks)), np.asarray(total)
        )


def floor_of(campaigns: Mapping[str, Sequence[tuple[float, float]]]) -> Floor | None:
    """The floor out of A/A pairs, gathered by campaign: figures in the metric's unit, above 0.

    None below FEWEST_PAIRS pairs, where a floor would be a guess. That the two runs of a pair are
    equal is known, so their mean difference is taken as 0; if the second run of a block were always
    slower, the floor would rise by it.
    """
    logs = {key: np.log(np.asarray(pairs)) for key, pairs in campaigns.items() if len(pairs)}
    if sum(len(pairs) for pairs in logs.values()) < FEWEST_PAIRS:
        return None
    differences = np.concatenate([pairs[:, 1] - pairs[:, 0] for pairs in logs.values()])
    sizes = np.abs(np.expm1(differences))
    count = differences.size
    return Floor(
        pairs=count,
        campaigns=len(logs),
        within=Spread(np.asarray(np.mean(differences**2) / 2), np.asarray(float(count))),
        between=between_campaigns({key: pairs.mean(axis=1) for key, pairs in logs.items()}),
        median_difference=float(np.median(sizes)),
        p95_difference=float(np.quantile(sizes, 0.95)),
        largest_difference=float(sizes.max()),
    )


def between_campaigns(logs: Mapping[str, Sequence[float] | Floats]) -> Between | None:
    """How much campaigns differ, from logarithms of repeats by campaign; None if too few.

    Serves A/A campaigns and the points of a series alike (of one segment: a step in it would count
    as noise).
    """
    groups = [np.asarray(values, dtype=np.float64) for values in logs.values() if len(values)]
    return means_of(groups) if len(groups) >= FEWEST_CAMPAIGNS else None


def means_of(groups: Sequence[Floats]) -> Between:
    """How much the means of two or more campaigns differ."""
    means = np.array([group.mean() for group in groups])
    return Between(
        np.asarray(means.var(ddof=1)),
        np.asarray(float(len(groups) - 1)),
        np.asarray(mean_share(groups)),
        within=told_within(groups),
    )


def within_campaigns(groups: Sequence[Floats]) -> Spread:
    """The pooled variance of repeats inside their campaigns."""
    freedom = sum(group.size - 1 for group in groups)
    squares = sum(float(np.square(group - group.mean()).sum()) for group in groups)
    return Spread(np.asarray(squares / max(freedom, 1)), np.asarray(float(max(freedom, 1))))


def told_within(groups: Sequence[Floats]) -> Spread | None:
    """The same, and how much alike neighbours are; None where each campaign has but one repeat."""
    if max(group.size for group in groups) < FEWEST_FOR_A_SPREAD:
        return None
    return replace(within_campaigns(groups), memory=told_memory(groups))


def against_base(
    base: Sequence[Floats], other: Floats, between: Between, within: Spread | None = None
) -> LogDifference:
    """A campaign against its base by the two-level model; logarithms of repeats by campaign.

    `within` is the variance inside campaigns; default: of the campaigns given.
    """
    centre = float(np.mean([group.mean() for group in base]))
    return two_level(
        float(other.mean()) - centre,
        len(base),
        1 / other.size + mean_share(base) / len(base),
        within or within_campaigns([*base, other]),
        between,
    )


def mean_share(groups: Sequence[Floats]) -> float:
    """How much of the variance of repeats is in the variance of campaigns' means: mean(1/n)."""
    return float(np.mean([1 / group.size for group in groups]))
