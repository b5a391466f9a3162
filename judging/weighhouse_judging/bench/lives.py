"""Lives of projects: builds one after the other, each judged by the shipped gate.

The base are the ten latest campaigns that are none (a regression is no base), what is known of how
much campaigns differ comes from all that were measured, and the first campaign is the release. A
cell that is worse is measured once more before the verdict, as the gate has it.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from weighhouse_judging.arithmetic.intervals import Floats
from weighhouse_judging.bench.bars import Bar, Effort, bar, chance_limit
from weighhouse_judging.bench.between import (
    HEAVY,
    RARE_SLOW,
    REMEMBERED,
    TWO_SPEEDS,
    Noise,
    effects,
)
from weighhouse_judging.bench.comparison import CAMPAIGNS
from weighhouse_judging.bench.trials import repeats
from weighhouse_judging.verdicts.campaigns import MOST_PAST, PastCampaign
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.gate_cells import ANCHOR_THRESHOLD, GATE_THRESHOLD, judge_cells
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.lone_anchors import NEXT

BUILDS = 200
SIZE = 5
"""Repeats of each campaign."""

BARE = 1e-9
"""Rounding that no cell is spared a verdict for."""


@dataclass(frozen=True)
class Project:
    """What is built and how it is measured."""

    noise: Noise = field(default_factory=Noise)
    cells: int = 1
    cv: float = 0.01
    shared: bool = False
    """Is what a campaign is off by the same in all cells?"""
    again: bool = True
    """Is a cell that is worse measured once more before the verdict?"""
    level: Callable[[int], float] = lambda _: 0.0
    """By build: what the first cell gained; logarithmic."""


@dataclass
class Life:
    """What came of the builds of a project."""

    builds: int = 0
    alarms: list[int] = field(default_factory=list)
    """Builds of which the first measurement said regression."""
    stops: list[int] = field(default_factory=list)
    """Builds that were called regressions."""


@dataclass(frozen=True)
class Campaign:
    """One measurement of every cell: its repeats, as a campaign before, and mean logarithms."""

    repeats: tuple[Repeats, ...]
    past: tuple[PastCampaign, ...]
    means: Floats

    @classmethod
    def of(cls, name: int, logs: Floats) -> "Campaign":
        """From logarithms (cell, repeat)."""
        rows = np.exp(logs).tolist()
        return cls(
            tuple({(name, block): value for block, value in enumerate(row)} for row in rows),
            tuple(PastCampaign(tuple(row)) for row in rows),
            logs.mean(axis=-1),
        )


def lived(project: Project, builds: int, seed: int, *, to_the_end: bool = True) -> Life:
    """The life of a project; not `to_the_end`: until a build is stopped."""
    measure = _measuring(project, builds, seed)
    history, life = [measure(0)], Life()
    for build in range(1, builds):
        life.builds += 1
        candidate = measure(build)
        bases = history[-CAMPAIGNS:]
        found = worse(candidate, history, bases)
        if found:
            life.alarms.append(build)
        if found and project.again:
            found = judged_worse(candidate, history, bases, dict.fromkeys(found, measure(build)))
        if not found:
            history.append(candidate)
            continue
        life.stops.append(build)
        if not to_the_end:
            break
    return life


def worse(candidate: Campaign, history: list[Campaign], bases: list[Campaign]) -> set[int]:
    """Which cells the gate calls worse than the base, or than the first campaign of all.

    A gate none of whose cells is beyond the threshold is not asked: it calls none worse.
    """
    if not _may_be_worse(candidate, history[0], bases):
        return set()
    return judged_worse(candidate, history, bases)


def judged_worse(
    candidate: Campaign,
    history: list[Campaign],
    bases: list[Campaign],
    again: Mapping[int, Campaign] = MappingProxyType({}),
) -> set[int]:
    """The same, by the gate.

    :param again: by cell, what measured it once more.
    """
    cells = [
        CellEvidence(
            str(cell),
            str(cell),
            "closed",
            candidate.repeats[cell],
            base={str(place): one.repeats[cell] for place, one in enumerate(bases)},
            anchor={"release": history[0].repeats[cell]},
            again=again[cell].repeats[cell] if cell in again else {},
            past=[one.past[cell] for one in history[-MOST_PAST:]],
            next_to_anchor=[one.past[cell] for one in history[1 : 1 + NEXT]],
        )
        for cell in range(candidate.means.size)
    ]
    verdicts = judge_cells(cells)
    return {cell for cell, verdict in enumerate(verdicts) if verdict.outcome == "worse"}


def _may_be_worse(candidate: Campaign, release: Campaign, bases: list[Campaign]) -> bool:
    to_base = candidate.means - np.mean([one.means for one in bases], axis=0)
    to_release = candidate.means - release.means
    return bool(
        (np.expm1(to_base) < BARE - GATE_THRESHOLD).any()
        or (np.expm1(to_release) < BARE - ANCHOR_THRESHOLD).any()
    )


def _measuring(project: Project, builds: int, seed: int) -> Callable[[int], Campaign]:
    """Measures a build, each time in a campaign of its own."""
    generator = np.random.default_rng([seed, project.cells])
    off = effects(generator, project.noise, (1 if project.shared else project.cells, 2 * builds))
    campaigns = iter(range(2 * builds))

    def measure(build: int) -> Campaign:
        name = next(campaigns)
        logs = repeats(generator, "normal", project.cv, (project.cells, SIZE))
        logs += off[:, name, None]
        logs[0] += project.level(build)
        return Campaign.of(name, logs)

    return measure


@dataclass(frozen=True)
class Shares:
    """Of all builds of some lives; and how many there were."""

    alarms: float
    stops: float
    builds: int


def shares(project: Project, lives: int, seed: int) -> Shares:
    """How many builds of projects in which nothing changes are stopped."""
    all_lives = [lived(project, BUILDS, seed + life) for life in range(lives)]
    builds = sum(life.builds for life in all_lives)
    return Shares(
        sum(len(life.alarms) for life in all_lives) / builds,
        sum(len(life.stops) for life in all_lives) / builds,
        builds,
    )


def stopped(project: Project, build: int, within: int, lives: int, seed: int) -> list[float]:
    """Of projects that get worse at a build: the share stopped before, at it, at the next, …, and
    the share never stopped within so many.
    """
    found = [0] * (within + 2)
    for life in range(lives):
        stops = lived(project, build + within, seed + life, to_the_end=False).stops
        found[max(0, stops[0] - build + 1) if stops else -1] += 1
    return [count / lives for count in found]


def stopped_in_youth(lives: int, seed: int) -> float:
    """Share of equal builds called regressions against bases of one to three campaigns."""
    project = Project(Noise("normal", 0.03), again=False)
    all_lives = [lived(project, 4, seed + life) for life in range(lives)]
    return sum(len(life.stops) for life in all_lives) / sum(life.builds for life in all_lives)


def step_at(build: int, step: float) -> Callable[[int], float]:
    """A level that falls once, at a build, by a relative step."""
    return lambda now: float(np.log1p(step)) if now >= build else 0.0


def slope_from(build: int, step: float) -> Callable[[int], float]:
    """A level that falls by a relative step at a build and at each after it."""
    return lambda now: float(np.log1p(step)) * max(0, now - build + 1)


USUAL = tuple(Noise("normal", deviation) for deviation in (0.01, 0.02, 0.03))
UNUSUAL = (TWO_SPEEDS, HEAVY, RARE_SLOW)
LIVES = {1: 30, 6: 6, 24: 2}
"""Of each kind, by cells."""
DRIFTING = Project(cv=0.002, level=slope_from(CAMPAIGNS, -0.005))
LOSING = Project(cv=0.002, level=slope_from(CAMPAIGNS, -0.045))
STEPPING = {
    f"cells={cells} after {build}": Project(
        Noise("normal", 0.01), cells, level=step_at(build, -0.08)
    )
    for cells, build in ((1, 12), (1, 30), (6, 30))
}


def bars(effort: Effort, seed: int) -> Iterator[Bar]:
    """Lives of 200 builds in which nothing changes, and what is stopped in others."""
    usual = _all_shares(USUAL, effort, seed, again=True)
    usual |= _shared(effort, seed)
    unusual = _all_shares(UNUSUAL, effort, seed, again=True)
    for (name, group), cells in itertools.product(
        (
            ("usual noise", usual),
            ("two speeds, tails of t with 3, one of ten slow", unusual),
        ),
        _cells(effort),
    ):
        those = {case: one for case, one in group.items() if case.split()[0] == f"cells={cells}"}
        yield bar(
            f"equal builds of a project's life called regression, {cells} cells: {name}",
            {case: one.stops for case, one in those.items()},
            at_most=chance_limit(0.01, min(one.builds for one in those.values())),
        )
    yield bar(
        "equal builds called regression, base of one to three campaigns",
        {"three builds": stopped_in_youth(effort.projects, seed)},
        at_most=0.0,
    )
    steps = {
        name: stopped(project, int(name.split()[-1]), 1, effort.projects // 2, seed)[1]
        for name, project in STEPPING.items()
    }
    yield bar("-8 %, sd between 1 %: stopped at once", steps, at_least=0.95)
    drift = stopped(DRIFTING, CAMPAIGNS, 12, effort.projects // 4, seed)
    yield bar("-0.5 % a build: stopped by the twelfth", {"by 12": sum(drift[1:-1])}, at_least=0.95)
    losses = stopped(LOSING, CAMPAIGNS, 5, effort.projects, seed)
    yield bar("five builds of -4.5 %: stopped at build 2", {"at build 2": losses[2]}, at_least=0.99)


def shown(effort: Effort, seed: int) -> dict[str, object]:
    """What one measurement alone says; and losses under more noise."""
    return {
        "equal builds called regression by one measurement alone": {
            name: one.stops
            for name, one in _all_shares(UNUSUAL, effort, seed, again=False, most=SMALL).items()
        },
        "-8 % found at once, sd between 2 %, after 30 builds": stopped(
            Project(Noise("normal", 0.02), level=step_at(30, -0.08)), 30, 3, effort.projects, seed
        ),
        "builds of -4.5 % at 1 % noise: stopped before, at build 1, 2, … , never": stopped(
            replace(LOSING, cv=0.01), CAMPAIGNS, 5, effort.projects, seed
        ),
    }


def _all_shares(
    noises: Iterable[Noise], effort: Effort, seed: int, *, again: bool, most: int = max(LIVES)
) -> dict[str, Shares]:
    return {
        f"cells={cells} {noise}": shares(
            Project(noise, cells, again=again), _lives(cells, effort), seed
        )
        for cells, noise in itertools.product(_cells(effort), noises)
        if cells <= most
    }


def _shared(effort: Effort, seed: int) -> dict[str, Shares]:
    """Campaigns that remember; and campaigns that are off in all cells alike."""
    found = {
        f"cells={cells} {REMEMBERED}": shares(
            Project(REMEMBERED, cells), _lives(cells, effort), seed
        )
        for cells in (1, 6)
    }
    alike = Project(USUAL[1], 6, shared=True)
    return found | {f"cells=6 {USUAL[1]} in all alike": shares(alike, _lives(6, effort), seed)}


def _cells(effort: Effort) -> list[int]:
    """Not the largest gates, where lives are few: they alone take as long as all the rest."""
    return [cells for cells in LIVES if cells <= SMALL or effort.projects >= MANY_PROJECTS]


def _lives(cells: int, effort: Effort) -> int:
    return max(1, LIVES[cells] * effort.projects // MANY_PROJECTS)


SMALL = 6
MANY_PROJECTS = 400
"""As many give LIVES of them."""
