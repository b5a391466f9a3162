"""A project's life of 200 builds, told by the platform's own services: `make bench-life`.

Two machines of one kind measure one build a day in turn, over a PostgreSQL of its own: campaigns
are planned, measured (by figures that are drawn), settled, measured again where they seem worse,
and watched as on any platform. What is true is known: noise of three kinds in turn, a regression
that is mended, a trend that is mended. The last line is JSON; the bars are those of
`weighhouse_judging.bench`, and 1 is the exit code when one is missed.

Beside each verdict stands what the bench's rule says of the same figures, given the same builds
before: where services and rule differ, `differ` names the build.
"""

import argparse
import datetime
import json
import math
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import UUID

import numpy as np
from sqlalchemy import select
from weighhouse_backend.alerts.models import ChangePoint
from weighhouse_backend.campaigns.acceptance import StandingService
from weighhouse_backend.campaigns.plan import AGAIN
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_judging.bench.bars import Bar, bar, chance_limit
from weighhouse_judging.bench.between import HEAVY, TWO_SPEEDS, Noise, effects
from weighhouse_judging.bench.comparison import CAMPAIGNS
from weighhouse_judging.verdicts.campaigns import MOST_PAST, PastCampaign
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.gate_cells import judge_cells
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.lone_anchors import NEXT
from weighhouse_worker.seeding.plan import Sown
from weighhouse_worker.seeding.seed_writer import SetClock, carry_out, enrolled
from weighhouse_worker.tools import Tools

from weighhouse_testing.clusters import DATA, as_application, lay_cluster
from weighhouse_testing.own_postgres import own_postgres
from weighhouse_testing.services import services_in
from weighhouse_testing.world import manifest

BUILDS = 200
MACHINES = ("one", "another")
SLOWER = math.log1p(-0.04)
"""What the second machine is slower by than the first, of the same kind."""
NOISE = {0: Noise("normal", 0.01), 100: TWO_SPEEDS, 150: HEAVY}
"""Build from which on → how campaigns differ."""
LOST, LOSS = range(30, 38), -0.08
TREND, SLOPE = range(60, 80), -0.005
WITHIN = 5
"""Campaigns from a true change within which what the watch places is that change; of the trend,
anywhere in it."""
TREND_TOLD = 16
"""Its 5 % are lost at the tenth build. Where campaigns differ by 1 %, the rule stops 40 % of such
trends by the twelfth build and 93 % by this one (`bench.lives`)."""
ALERTS_PER_BUILD = 0.002
BEGIN = datetime.datetime(2026, 1, 1, 3, tzinfo=datetime.UTC)
EMAIL, PASSWORD = "one@example.test", "a long password"
NOBODY = "redis://127.0.0.1:1/0"


@dataclass(frozen=True)
class Alert:
    """A cause that the watch told."""

    told_at: int
    """The build after which it was."""
    kind: str
    build: int
    """Where it was said to be."""
    relative: float

    @property
    def true(self) -> bool:
        """Is it one of the changes that there were?"""
        if self.kind == "spread":
            return any(abs(self.build - begin) <= 2 * WITHIN for begin in NOISE if begin)
        steps = (LOST.start, LOST.stop)
        trend = range(TREND.start - WITHIN, TREND.stop + WITHIN + 1)
        return self.build in trend or any(abs(self.build - one) <= WITHIN for one in steps)


@dataclass(frozen=True)
class Build:
    """A build, its figures, and what was told of it."""

    number: int
    verdict: str
    first: Repeats
    again: Repeats

    @property
    def machine(self) -> str:
        """Who measured it."""
        return MACHINES[self.number % len(MACHINES)]

    @property
    def stopped(self) -> bool:
        """Was it told a regression?"""
        return self.verdict == "regression"

    @property
    def quiet(self) -> bool:
        """Is it as good as the first?"""
        return self.number not in LOST and self.number not in TREND


@dataclass(frozen=True)
class Life:
    """What was told of a project; builds by number."""

    seed: int
    quiet: int
    """Builds as good as the first, but for the first."""
    false_stops: list[int]
    taken_back: list[int]
    loss_stopped: list[int]
    trend_stopped: list[int]
    alerts: list[Alert]
    false_alerts: list[Alert]
    differ: dict[int, str]
    """Builds of which the services tell otherwise than the bench's rule, and how."""

    @property
    def loss_after(self) -> int:
        """Which slow build was the first to be stopped, from 1; beyond all: none."""
        return next(iter(self.loss_stopped), LOST.stop) - LOST.start + 1

    @property
    def trend_after(self) -> int:
        """The same of the trend."""
        return next(iter(self.trend_stopped), TREND.stop) - TREND.start + 1


def course(seed: int) -> Sown:
    """What happens to a project, as drawn by a seed."""
    generator = np.random.default_rng([seed, BUILDS])
    drawn = {begin: effects(generator, noise, (BUILDS, 2)) for begin, noise in NOISE.items()}
    chance: dict[tuple[int, bool], float] = {}
    for build in range(BUILDS):
        off = drawn[max(begin for begin in NOISE if begin <= build)][build]
        slower = SLOWER * (build % len(MACHINES))
        chance |= {(build, again): math.exp(off[int(again)] + slower) for again in (False, True)}
    losses = {LOST.start: 1 + LOSS, LOST.stop: 1 / (1 + LOSS)}
    losses |= dict.fromkeys(TREND, 1 + SLOPE) | {TREND.stop: (1 + SLOPE) ** -len(TREND)}
    return Sown(
        f"life-{seed}", f"A life: {seed}", ("redis",), (16,), campaigns=BUILDS, seconds=2,
        interval_seconds=1.0, shifts={"redis": losses}, chance=chance,
        machines={build: MACHINES[build % len(MACHINES)] for build in range(BUILDS)},
    )  # fmt: skip


def live(tools: Tools, seed: int, builds: int) -> Life:
    """Let the services tell of a project's builds, one after the other."""
    sown = course(seed)
    machines = enrolled(tools, [manifest("redis")], MACHINES, BEGIN)
    numbers: dict[UUID, int] = {}
    lived: list[Build] = []
    alerts: list[Alert] = []
    known: set[UUID] = set()
    for number in range(builds):
        at = BEGIN + datetime.timedelta(days=number)
        campaign_id = carry_out(tools, machines, sown, number, at)
        numbers[campaign_id] = number
        if not number:
            _release(tools, campaign_id, at)
        lived.append(_told(tools, campaign_id, number))
        alerts += _alerts(tools, numbers, known, number)
        if (number + 1) % 10 == 0:
            _say(f"seed {seed}: {number + 1} builds, {len(alerts)} alerts")
    return _life(seed, lived, alerts)


def _life(seed: int, lived: Sequence[Build], alerts: Sequence[Alert]) -> Life:
    stopped = [one.number for one in lived if one.stopped]
    return Life(
        seed,
        quiet=sum(one.quiet for one in lived[1:]),
        false_stops=[one.number for one in lived if one.stopped and one.quiet],
        taken_back=[one.number for one in lived if one.again and not one.stopped],
        loss_stopped=[number for number in stopped if number in LOST],
        trend_stopped=[number for number in stopped if number in TREND],
        alerts=list(alerts),
        false_alerts=[one for one in alerts if not one.true],
        differ=dict(_differences(lived)),
    )


def _release(tools: Tools, campaign_id: UUID, at: datetime.datetime) -> None:
    with unit_of_work(tools.sessions) as session:
        project = session.get_one(Campaign, campaign_id).project_id
        caller = Caller("user", project, "life", {project: Role.OWNER})
        with services_in(session, tools.settings, clock=SetClock(at)) as services:
            services.get(StandingService).release(caller, campaign_id, "1.0")


def _told(tools: Tools, campaign_id: UUID, number: int) -> Build:
    with unit_of_work(tools.sessions) as session:
        verdict = session.get_one(Campaign, campaign_id).verdict
        rows = session.execute(
            select(Run.twin, Run.block, Run.throughput)
            .where(Run.campaign_id == campaign_id)
            .order_by(Run.position)
        ).all()
    figures: dict[bool, dict[tuple[int, int], float]] = {False: {}, True: {}}
    for twin, block, throughput in rows:
        figures[twin == AGAIN][number, block] = float(throughput or 0.0)
    return Build(number, str(verdict), figures[False], figures[True])


def _alerts(
    tools: Tools, numbers: Mapping[UUID, int], known: set[UUID], number: int
) -> Iterator[Alert]:
    """Causes that have an alert since the latest build."""
    with unit_of_work(tools.sessions) as session:
        rows = session.scalars(
            select(ChangePoint)
            .where(ChangePoint.alert_id.is_not(None), ChangePoint.campaign_id.in_(list(numbers)))
            .order_by(ChangePoint.downstream_of_id.is_not(None), ChangePoint.id)
        )
        for row in rows:
            if row.alert_id is not None and row.alert_id not in known:
                known.add(row.alert_id)
                yield Alert(number, row.kind, numbers[row.campaign_id], round(row.relative, 4))


def _differences(lived: Sequence[Build]) -> Iterator[tuple[int, str]]:
    """Builds of which the bench's rule says otherwise, given what was told of those before."""
    for place, build in enumerate(lived):
        before = [one for one in lived[:place] if not one.stopped]
        alike = [one for one in before if one.machine == build.machine]
        if not alike:
            continue
        seemed = _worse(build, alike, before, {})
        stopped = seemed and _worse(build, alike, before, build.again)
        told = (bool(build.again), build.stopped)
        if (seemed, stopped) != told:
            yield build.number, f"{_word(*told)}; by the bench's rule {_word(seemed, stopped)}"


def _worse(build: Build, alike: Sequence[Build], before: Sequence[Build], again: Repeats) -> bool:
    """Is it worse than builds of the same machine, the ten latest, or than the release?"""
    release = before[0]
    past = [PastCampaign(tuple(one.first.values()), one.machine) for one in before]
    evidence = CellEvidence(
        "life", "life", "closed", build.first,
        base={str(one.number): one.first for one in alike[-CAMPAIGNS:]},
        anchor={"release": release.first},
        again=again,
        place=build.machine,
        places={
            **{str(one.number): one.machine for one in alike}, "release": release.machine,
        },
        past=past[-MOST_PAST:],
        next_to_anchor=past[1 : NEXT + 1],
    )  # fmt: skip
    (verdict,) = judge_cells([evidence])
    return verdict.outcome == "worse"


def _word(seemed: bool, stopped: bool) -> str:
    if stopped:
        return "stopped"
    return "taken back" if seemed else "not stopped"


def bars(lives: Sequence[Life]) -> Iterator[Bar]:
    """What the lives have to agree with: the bars of `weighhouse_judging.bench`, and what chance
    adds in so few builds.
    """
    quiet = sum(life.quiet for life in lives)
    yield bar(
        "builds as good as the first called regression",
        {"all": sum(len(life.false_stops) for life in lives) / quiet},
        at_most=chance_limit(0.01, quiet),
    )
    yield bar(
        "-8 %: stopped at the first or second build",
        {f"seed {life.seed}": float(life.loss_after) for life in lives},
        at_least=1,
        at_most=2,
    )
    yield bar(
        f"-0.5 % a build: stopped by build {TREND_TOLD}",
        {f"seed {life.seed}": float(life.trend_after) for life in lives},
        at_least=1,
        at_most=TREND_TOLD,
    )
    yield bar(
        "alerts of changes that there were not, per build",
        {"all": sum(len(life.false_alerts) for life in lives) / quiet},
        at_most=chance_limit(ALERTS_PER_BUILD, quiet),
    )


@contextmanager
def platform() -> Iterator[Tools]:
    """A fresh database of a PostgreSQL of its own, with one project."""
    with tempfile.TemporaryDirectory(prefix="weighhouse-bench-", ignore_cleanup_errors=True) as at:
        place = Path(at)
        place.chmod(0o711)
        lay_cluster(place / DATA)
        with own_postgres(place) as server:
            yield from _project(as_application(server.url), place / "artifacts")


def _project(database_url: str, artifacts: Path) -> Iterator[Tools]:
    tools = Tools(Settings(database_url=database_url, redis_url=NOBODY, artifact_dir=artifacts))
    with unit_of_work(tools.sessions) as session:
        FirstUserService(session, SystemClock()).ensure(EMAIL, PASSWORD)
    try:
        yield tools
    finally:
        tools.engine.dispose()


def all_lives(seeds: Iterable[int], builds: int) -> list[Life]:
    """A life of each seed, each on a platform of its own."""
    lives = []
    for seed in seeds:
        with platform() as tools:
            lives.append(live(tools, seed, builds))
        _say(json.dumps(asdict(lives[-1])))
    return lives


def _say(text: str) -> None:
    print(text, flush=True)


def main() -> int:
    """Live, and print what was told."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--builds", type=int, default=BUILDS)
    options = parser.parse_args()
    lives = all_lives(options.seeds, options.builds)
    found = list(bars(lives))
    for one in found:
        _say(f"{one.judgement}: {one.name}: {one.figures}, limits {one.limits}")
    _say(json.dumps({"bars": [asdict(one) for one in found],
                     "lives": [asdict(one) for one in lives]}))  # fmt: skip
    return 0 if all(one.met for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
