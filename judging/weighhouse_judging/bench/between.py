"""How often sides of two campaigns are wrongly told apart, or ranked, and how often their intervals
hold: by what earlier campaigns say of how much campaigns differ.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.arithmetic.intervals import Between, Floats, LogDifference, two_campaigns
from weighhouse_judging.bench.bars import Bar, Effort, bar
from weighhouse_judging.bench.comparison import THRESHOLD, means_of, within
from weighhouse_judging.bench.trials import Bools, Shape, repeats
from weighhouse_judging.series.changes import RULE
from weighhouse_judging.verdicts.campaigns import (
    PastCampaign,
    as_decided,
    learned,
)
from weighhouse_judging.verdicts.ranks import rank
from weighhouse_judging.verdicts.sides import LEVEL, judge

SLOW = float(np.log1p(-0.08))
"""What a campaign of a machine's other speed loses."""

SIDES = 6
KNOWN = (4, 10)
"""Campaigns from which is learned how much they differ."""
LONG = 20
"""As many that their course can have changes."""
ENOUGH = 1000
SIZES = ((5, 5), (10, 5), (5, 20), (20, 20))
SPREADS = (0.01, 0.03)
DEVIATIONS = (0.0, 0.01, 0.02, 0.03)
STEPS = (-0.05, -0.08, -0.2)


@dataclass(frozen=True)
class Noise:
    """How campaigns of one thing differ."""

    kind: Literal["normal", "t3", "two speeds", "rare slow"] = "normal"
    """t3: tails of a t of three degrees of freedom; two speeds: three of ten are slow by SLOW; rare
    slow: one of ten is."""
    deviation: float = 0.0
    """Standard deviation of normal and t3; logarithmic."""
    correlation: float = 0.0
    """Of neighbouring campaigns (normal)."""

    def __str__(self) -> str:
        own = f" {self.deviation:.0%}" if self.kind in {"normal", "t3"} else ""
        return f"{self.kind}{own}{' remembered' if self.correlation else ''}"


TWO_SPEEDS, RARE_SLOW = Noise("two speeds"), Noise("rare slow")
NORMAL = tuple(Noise("normal", deviation) for deviation in DEVIATIONS)
REMEMBERED = Noise("normal", 0.02, correlation=0.5)
HEAVY = Noise("t3", 0.02)


def effects(generator: np.random.Generator, noise: Noise, shape: Shape) -> Floats:
    """What each campaign (last axis, in order) is off by; logarithms."""
    if noise.kind == "t3":
        return np.asarray(generator.standard_t(3, shape) * noise.deviation / np.sqrt(3))
    if noise.kind != "normal":
        share = 0.3 if noise.kind == "two speeds" else 0.1
        return np.where(generator.random(shape) < share, SLOW, 0.0)
    return remembering(generator, noise.correlation, noise.deviation, shape)


def remembering(
    generator: np.random.Generator, correlation: float, deviation: float, shape: Shape
) -> Floats:
    """Normal noise whose neighbours (last axis) are so much alike; the deviation is the whole."""
    found = generator.normal(0.0, deviation, shape)
    if correlation:
        fresh = np.sqrt(1 - correlation**2)
        for place in range(1, shape[-1]):
            found[..., place] *= fresh
            found[..., place] += correlation * found[..., place - 1]
    return found


@dataclass(frozen=True)
class Case:
    """Two campaigns of one thing, after others from which is learned how much they differ."""

    noise: Noise
    known: int
    """Campaigns before, of as many repeats as the first of the two."""
    sizes: tuple[int, int] = (5, 5)
    """Repeats of the two."""
    cv: float = 0.01
    apart: int = 1
    """How many campaigns the second comes after the first."""
    other_cv: float | None = None
    """Noise of the second's repeats; None: that of all others."""
    correlation: float = 0.0
    """Of neighbouring repeats in each campaign."""

    def __str__(self) -> str:
        first, second = self.sizes
        later = f" {self.apart} later" if self.apart > 1 else ""
        other = "" if self.other_cv is None else f"/{self.other_cv}"
        alike = f" AR {self.correlation}" if self.correlation else ""
        return (
            f"known={self.known} n={first}/{second} cv={self.cv}{other}{alike} {self.noise}{later}"
        )

    def drawn(self, trials: int, seed: int) -> tuple[Floats, Floats, Between]:
        """Logarithms of the two (trial, repeat), equal but for noise; what is known of it."""
        generator = np.random.default_rng([seed, *str(self).encode()])
        off = effects(generator, self.noise, (trials, self.known + 1 + self.apart))[..., None]
        first, second = self.sizes
        past = self._repeats(generator, self.cv, (trials, self.known, first))
        a = self._repeats(generator, self.cv, (trials, first)) + off[:, self.known]
        b = self._repeats(generator, self.other_cv or self.cv, (trials, second)) + off[:, -1]
        return a, b, learned_of(past + off[:, : self.known])

    def _repeats(self, generator: np.random.Generator, cv: float, shape: Shape) -> Floats:
        if not self.correlation:
            return repeats(generator, "normal", cv, shape)
        return cv * remembering(generator, self.correlation, 1.0, shape)


@dataclass(frozen=True)
class Told:
    """What is told of campaigns that are equal but for noise; shares."""

    covered: float
    """Drawn 95 % intervals that hold the truth."""
    changed: float
    """Pairs called changed."""


def told(case: Case, trials: int, seed: int) -> Told:
    """How often an interval holds, and equal sides are called changed."""
    drawn, decided = differences(*case.drawn(trials, seed))
    return Told(
        covered=float(np.mean(np.abs(drawn.estimate) <= drawn.half_width())),
        changed=float(np.mean(changed(drawn, decided))),
    )


def found(case: Case, trials: int, seed: int) -> dict[float, float]:
    """By relative step: the share of sides that differ by it and are called changed."""
    a, b, between = case.drawn(trials, seed)
    return {
        step: float(np.mean(changed(*differences(a, b + np.log1p(step), between))))
        for step in STEPS
    }


def learned_of(past: Floats) -> Between:
    """`campaigns.learned` of many series (trial, campaign, repeat) at once. Where they are too
    short for a change to be confirmed, there is no course but a level.
    """
    if past.shape[1] < RULE.points_before + RULE.points_of_a_candidate:
        return means_of(past)
    taught = [
        learned([PastCampaign(tuple(one)) for one in series]) for series in np.exp(past).tolist()
    ]
    known = [one.between for one in taught if one is not None]
    return Between(
        np.array([float(one.variance) for one in known]),
        np.array([float(one.freedom) for one in known]),
        known[0].share,
        within=within(past),
    )


def differences(a: Floats, b: Floats, between: Between) -> tuple[LogDifference, LogDifference]:
    """What is drawn and what is decided by, of many pairs of campaigns (trial, repeat) at once."""
    return two_campaigns(a, b, between), as_decided(a, b, between)


def changed(drawn: LogDifference, decided: LogDifference) -> Bools:
    """Which are called changed, alone (the rule of `verdicts.sides`)."""
    return np.asarray(
        (np.abs(np.expm1(drawn.estimate)) > THRESHOLD)
        & (decided.p_two_sided() <= LEVEL)
        & (np.abs(drawn.estimate) > drawn.half_width())
    )


def claimed_of_nothing(trials: int, seed: int) -> dict[str, float]:
    """Share of pairs and of rankings of which anything is claimed while nothing is known of how
    much campaigns differ: by the judge and the ranks themselves, the last side 40 % slower.
    """
    generator = np.random.default_rng([seed, trials])
    judged = ranked = 0
    for _ in range(trials):
        sides = _sides(generator, 0.02, 10, 0.001)
        sides[SIDES - 1] = {block: value * 0.6 for block, value in sides[SIDES - 1].items()}
        found = judge(CATALOGUE["throughput"], sides[0], sides[SIDES - 1])
        assert found is not None  # noqa: S101 - figures above 0
        judged += found.verdict in {"changed", "equivalent"} or found.low is not None
        places = rank(sides, higher_is_better=True)
        ranked += any((one.best_rank, one.worst_rank) != (1, SIDES) for one in places)
    return {"sides": judged / trials, "ranks": ranked / trials}


def ranks_held(known: int, deviation: float, trials: int, seed: int) -> float:
    """Share of rankings of six sides, each a campaign of its own, better by 0.2 % than the next,
    that hold all true ranks.
    """
    generator = np.random.default_rng([seed, known, round(deviation * 1e4)])
    held = 0
    for _ in range(trials):
        past = [
            PastCampaign(tuple(one.values()))
            for one in _sides(generator, deviation, 10, 0.0, known).values()
        ]
        found = learned(past)
        assert found is not None  # noqa: S101 - four campaigns and more
        sides = _sides(generator, deviation, 10, 0.002)
        places = rank(sides, higher_is_better=True, between=found.between)
        held += all(one.best_rank <= int(str(one.side)) + 1 <= one.worst_rank for one in places)
    return held / trials


def _sides(
    generator: np.random.Generator, deviation: float, size: int, apart: float, count: int = SIDES
) -> dict[int, dict[tuple[int, int], float]]:
    """Campaigns of `size` repeats, each slower than the one before by `apart`."""
    logs = repeats(generator, "normal", 0.02, (count, size))
    logs += generator.normal(0.0, deviation, (count, 1)) - apart * np.arange(count)[:, None]
    return {
        side: {(side, block): float(value) for block, value in enumerate(row)}
        for side, row in enumerate(np.exp(logs))
    }


def bars(effort: Effort, seed: int) -> Iterator[Bar]:
    """Sides and ranks between campaigns."""
    usual = _told(_cases(NORMAL, effort), effort, seed)
    remembered = _told(
        [
            replace(case, apart=apart)
            for case in _cases((REMEMBERED,), effort)
            for apart in ((1,) if case.known == LONG else (1, 10))
        ],
        effort,
        seed,
    )
    unequal = _told(UNEQUAL, effort, seed)
    alike = _told(ALIKE, effort, seed)
    heavy = _told(_cases((HEAVY,), effort), effort, seed)
    speeds = _told(_cases((TWO_SPEEDS,), effort), effort, seed)
    yield bar(
        "cover of 95 % intervals between campaigns",
        {name: one.covered for name, one in usual.items()},
        at_least=0.93,
        at_most=0.985,
    )
    yield bar(
        "cover of 95 % intervals between campaigns that remember",
        {name: one.covered for name, one in remembered.items()},
        at_least=0.93,
        at_most=0.985,
        traded=REMEMBERING,
    )
    yield bar(
        "cover of 95 % intervals between campaigns of unequal noise",
        {name: one.covered for name, one in unequal.items()},
        at_least=0.93,
        at_most=0.985,
        traded=QUIETER,
    )
    yield bar(
        "cover of 95 % intervals between campaigns, repeats that remember",
        {name: one.covered for name, one in alike.items()},
        at_least=0.93,
        at_most=0.985,
    )
    yield bar(
        "equal sides of two campaigns called changed",
        {name: one.changed for name, one in (usual | remembered | unequal | alike).items()},
        at_most=0.01,
    )
    for name, group in (("tails of t with 3", heavy), ("two speeds", speeds)):
        yield bar(
            f"equal sides of two campaigns called changed, {name}",
            {case: one.changed for case, one in group.items()},
            at_most=0.01,
        )
    yield bar(
        "sides of two campaigns told apart or ranked, nothing known",
        claimed_of_nothing(effort.sequential // 10, seed),
        at_most=0.0,
    )
    yield bar(
        "six sides, each a campaign of its own: all true ranks held",
        {
            f"known={known} between={deviation}": ranks_held(
                known, deviation, effort.sequential // 4, seed
            )
            for known, deviation in itertools.product((*KNOWN, LONG), (0.01, 0.02))
        },
        at_least=0.95,
    )


UNEQUAL = [
    Case(Noise("normal", deviation), known, sizes, cv, other_cv=other)
    for known, sizes, (cv, other), deviation in itertools.product(
        KNOWN, (*SIZES, (20, 5)), ((0.01, 0.03), (0.01, 0.05), (0.03, 0.01), (0.05, 0.01)),
        DEVIATIONS[:3],
    )
]  # fmt: skip
ALIKE = [
    Case(Noise("normal", deviation), known, sizes, cv, correlation=0.5)
    for known, sizes, cv, deviation in itertools.product(
        KNOWN, (*SIZES, (20, 5)), SPREADS, DEVIATIONS[:3]
    )
]
QUIETER = "where the series is the noisier side's, it tells little of what campaigns differ by"
REMEMBERING = (
    "neighbours of campaigns that remember are more alike than any two, and four of them "
    "more alike than ten; the interval is that of any two"
)


def shown(effort: Effort, seed: int) -> dict[str, object]:
    """What no rule can tell, and what is found."""
    trials = 2 * effort.sequential
    return {
        "equal sides of two campaigns called changed, one campaign of ten slow": {
            f"known={known}": told(Case(RARE_SLOW, known), trials, seed).changed
            for known in (*KNOWN, LONG)
        },
        "steps between campaigns called changed": {
            f"known={known} {noise}": found(Case(noise, known), trials, seed)
            for known, noise in itertools.product((*KNOWN, LONG), NORMAL)
        },
    }


def _told(cases: Iterable[Case], effort: Effort, seed: int) -> dict[str, Told]:
    trials = {LONG: 2 * effort.sequential}
    return {
        str(case): told(case, trials.get(case.known, 3 * effort.covers), seed) for case in cases
    }


def _cases(noises: Iterable[Noise], effort: Effort) -> list[Case]:
    """Every case of few campaigns; of many, whose course is fitted one by one, one size, where
    trials are not too few for a share.
    """
    few = [
        Case(noise, known, sizes, cv)
        for noise, known, sizes, cv in itertools.product(noises, KNOWN, SIZES, SPREADS)
    ]
    if effort.sequential < ENOUGH:
        return few
    return [*few, *(Case(noise, LONG) for noise in noises)]
