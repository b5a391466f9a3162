"""How often the watch over series is wrong, and how late: `make bench-detection`.

Series whose truth is known are extended run by run, and looked at after each run as the platform
does. In those that do not change, every confirmed change is a false alert. In the others, a step,
two steps or a drift is put in, and looked for.

Every bar is measured with the noise that its line names; the spread is 3 % of the level where
nothing changes and 2 % where a change is looked for (and 3 % besides). The last line is JSON with
every figure; the program returns 1 when a bar is missed. The same seed gives the same figures.
`--rules` measures every rule that was tried beside the one that ships.
"""

import argparse
import json
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from weighhouse_judging.bench import generators
from weighhouse_judging.bench.watchers import RULES, SHIPPED, Alert, Watcher
from weighhouse_judging.series.changes import Point, same_change
from weighhouse_judging.series.course import Kind

SEED = 20_261_120
HISTORY, NEW_RUNS, PATIENCE = 100, 100, 25
NOISE_OF_FALSE_ALERTS, NOISE_OF_CHANGES = 0.03, 0.02
STEP, DRIFT = -0.05, -0.0005
MOVES = (-0.05, -0.1, -0.2)
SPREADS_TOLD = {"noise that triples": 0.9, "noise that falls to a third": None}
"""Kinds of noise of which a change of spread is no false alert, and the share that is to be told:
that it is calmer than before takes longer to see, and harms nobody.
"""
SPREAD_TOLERANCE = 30
"""Where a spread changed is known no better than to so many runs when it is told first."""
TRADED = {"wandering level": 0.4, "noise that triples": 0.4, "restless by turns": 0.6}
"""False alerts per 100 runs where fewer cost more than they save; elsewhere 0.2."""
TWO_STEPS_APART = (6, 12, 25)
TWO_STEPS_TOLERANCE = 2
"""Each of two steps has to be found within so many runs of where it is."""


@dataclass(frozen=True)
class Figure:
    """One figure of the bench, and its bar where it has one."""

    name: str
    value: float
    at_most: float | None = None
    at_least: float | None = None

    @property
    def passes(self) -> bool:
        """Is the figure inside its bar? One without a bar always is."""
        return not (
            (self.at_most is not None and self.value > self.at_most)
            or (self.at_least is not None and self.value < self.at_least)
        )

    @property
    def bar(self) -> str:
        """The bar in words."""
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return "" if self.at_least is None else f"at least {self.at_least:g}"


@dataclass(frozen=True)
class Bench:
    """Measures one rule on `series` series of each kind."""

    watcher: Callable[[], Watcher]
    series: int = 200
    seed: int = SEED

    def figures(self) -> Iterator[Figure]:
        """Every figure, in the order of the page, as it is measured."""
        for kind in generators.KINDS:
            yield from self.false_alerts(kind)
        for kind, least, latest in (
            ("normal", 0.95, 5), ("machines in turn", 0.95, 5), ("machines by lot", 0.95, 5),
            ("ar 0.5", 0.85, 10), ("lognormal", None, None), ("outliers", None, None),
        ):  # fmt: skip
            yield from self.step(kind, NOISE_OF_CHANGES, least, latest)
        for kind in ("normal", "lognormal", "outliers"):
            yield from self.step(kind, NOISE_OF_FALSE_ALERTS, None, None)
        for apart in TWO_STEPS_APART:
            yield self.two_steps(apart)
        yield from self.drift()
        for kind in SPREADS_TOLD:
            yield from self.spread(kind)
        for relative in MOVES:
            yield self.moved(relative)
        yield from self.from_the_first_run("normal")
        yield from self.from_the_first_run("ar 0.5")

    def false_alerts(self, kind: str) -> list[Figure]:
        """Confirmed changes of series that do not change, per 100 new runs."""
        alerts = [
            alert
            for number in range(self.series)
            for alert in self._false_alerts(kind, "false", number, HISTORY)
            if not (kind in SPREADS_TOLD and _tells_of_spread(alert))
        ]
        share = 100.0 / (self.series * NEW_RUNS)
        name = f"false alerts per 100 runs, {kind}"
        strict = sum(alert.strict for alert in alerts)
        return [
            Figure(name, len(alerts) * share, at_most=TRADED.get(kind, 0.2)),
            Figure(f"{name}, strict", strict * share, at_most=0.2),
        ]

    def spread(self, kind: str) -> list[Figure]:
        """Changes of spread that are told within 25 runs, and after how many."""
        delays = [self._spread_delay(kind, number) for number in range(self.series)]
        found = [delay for delay in delays if delay is not None]
        return [
            Figure(f"{kind}: told", len(found) / self.series, at_least=SPREADS_TOLD[kind]),
            Figure(f"{kind}: median delay", float(np.median(found or [PATIENCE]))),
        ]

    def moved(self, relative: float) -> Figure:
        """Steps at which the machine was replaced as well, told so within 25 runs."""
        told = sum(self._moved(relative, number) for number in range(self.series))
        name = f"step of {relative:.0%} where a machine is replaced: told so"
        return Figure(name, told / self.series, at_least=0.9)

    def from_the_first_run(self, kind: str) -> list[Figure]:
        """The same of series that have no history yet."""
        alerts = sum(
            len(self._false_alerts(kind, "first", number, 0)) for number in range(self.series // 2)
        )
        value = 100.0 * alerts / (self.series // 2 * NEW_RUNS)
        return [Figure(f"false alerts per 100 runs, {kind}, from the first run on", value)]

    def step(
        self, kind: str, spread: float, least: float | None, latest: float | None
    ) -> list[Figure]:
        """Steps of -5 % that are found within 25 runs, and after how many."""
        delays = [self._delay(kind, spread, number) for number in range(self.series)]
        found = [delay for delay in delays if delay is not None]
        name = f"step of {STEP:.0%}, {kind} {spread:.0%}"
        share = len(found) / self.series
        median = float(np.median(found)) if found else float(PATIENCE)
        return [
            Figure(f"{name}: found", share, at_least=least),
            Figure(f"{name}: median delay", median, at_most=latest),
        ]

    def two_steps(self, apart: int) -> Figure:
        """Series in which both of two steps are found, within 25 runs after the second."""
        found = sum(self._finds_both(apart, number) for number in range(self.series))
        name = f"two steps of {STEP:.0%}, {apart} runs apart: both found"
        return Figure(name, found / self.series, at_least=0.7)

    def drift(self) -> list[Figure]:
        """Drifts that are named so within 100 runs, and never a step."""
        seen = [self._drifting(number) for number in range(self.series)]
        delays = [delay for delay, _ in seen if delay is not None]
        good = sum(delay is not None and not stepped for delay, stepped in seen)
        name = f"drift of {DRIFT:.2%} a run"
        return [
            Figure(f"{name}: named drift, not step", good / self.series, at_least=0.8),
            Figure(f"{name}: a step besides", sum(s for _, s in seen) / self.series),
            Figure(
                f"{name}: median delay",
                float(np.median(delays)) if delays else float(NEW_RUNS),
            ),
        ]

    def _noise(
        self, purpose: str, kind: str, number: int, size: int, spread: float
    ) -> generators.Noise:
        """Noise of one series; the first series are the same however many are asked for."""
        stream = zlib.crc32(f"{purpose}/{kind}/{spread}".encode())
        generator = np.random.default_rng([self.seed, stream, number])
        return generators.KINDS[kind](generator, size, spread)

    def _begun(self, points: Sequence[Point], history: int) -> Watcher:
        watcher = self.watcher()
        if history:
            watcher.look(points[:history])
        return watcher

    def _false_alerts(self, kind: str, purpose: str, number: int, history: int) -> list[Alert]:
        size = history + NEW_RUNS
        points = self._noise(purpose, kind, number, size, NOISE_OF_FALSE_ALERTS).points()
        watcher = self._begun(points, history)
        return [
            alert for end in range(history + 1, size + 1) for alert in watcher.look(points[:end])
        ]

    def _delay(self, kind: str, spread: float, number: int) -> int | None:
        """Runs after a step at HISTORY until it is confirmed."""
        size = HISTORY + PATIENCE
        noise = self._noise("step", kind, number, size, spread)
        points = noise.points(generators.step(size, HISTORY, STEP))
        watcher = self._begun(points, HISTORY)
        for end in range(HISTORY + 1, size + 1):
            alerts = watcher.look(points[:end])
            if any(one.kind == "step" and same_change(one.index, HISTORY) for one in alerts):
                return end - HISTORY
        return None

    def _spread_delay(self, kind: str, number: int) -> int | None:
        """Runs after a spread changed at HISTORY until that is told."""
        points = self._noise("spread", kind, number, 2 * HISTORY, NOISE_OF_CHANGES / 2).points()
        return self._told(points, "spread", SPREAD_TOLERANCE)

    def _moved(self, relative: float, number: int) -> bool:
        """Is a step told as one that came with another machine?"""
        size = HISTORY + PATIENCE
        stream = zlib.crc32(f"moved/{relative}".encode())
        generator = np.random.default_rng([self.seed, stream, number])
        noise = generators.replaced_at(HISTORY)(generator, size, NOISE_OF_CHANGES)
        points = noise.points(generators.step(size, HISTORY, relative))
        return self._told(points, "moved", 0) is not None

    def _told(self, points: Sequence[Point], kind: Kind, apart: int) -> int | None:
        """Runs after HISTORY until a change of that kind is told, so near to it."""
        watcher = self._begun(points, HISTORY)
        for end in range(HISTORY + 1, HISTORY + PATIENCE + 1):
            alerts = watcher.look(points[:end])
            if any(one.kind == kind and abs(one.index - HISTORY) <= apart for one in alerts):
                return end - HISTORY
        return None

    def _finds_both(self, apart: int, number: int) -> bool:
        second = HISTORY + apart
        size = second + PATIENCE
        course = generators.step(size, HISTORY, STEP) * generators.step(size, second, STEP)
        noise = self._noise(f"two {apart}", "normal", number, size, NOISE_OF_CHANGES)
        points = noise.points(course)
        watcher = self._begun(points, HISTORY)
        for end in range(HISTORY + 1, size + 1):
            watcher.look(points[:end])
        return all(
            any(abs(found - place) <= TWO_STEPS_TOLERANCE for found in watcher.steps())
            for place in (HISTORY, second)
        )

    def _drifting(self, number: int) -> tuple[int | None, bool]:
        """After how many runs a drift is named one, and whether a step is ever claimed."""
        size = HISTORY + NEW_RUNS
        noise = self._noise("drift", "normal", number, size, NOISE_OF_CHANGES)
        points = noise.points(generators.drift(size, HISTORY, DRIFT))
        watcher = self._begun(points, HISTORY)
        named, stepped = None, False
        for end in range(HISTORY + 1, size + 1):
            for alert in watcher.look(points[:end]):
                stepped = stepped or alert.kind == "step"
                if named is None and alert.kind == "drift":
                    named = end - HISTORY
        return named, stepped


def _tells_of_spread(alert: Alert) -> bool:
    """Is it of a change of spread, about where there is one?"""
    return alert.kind == "spread" and abs(alert.index - HISTORY) <= SPREAD_TOLERANCE


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every figure beside its bar, then all of them as JSON; 0 when all bars are cleared."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--series", type=int, default=200, help="of each kind")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--rules", action="store_true", help="all rules that were tried")
    options = parser.parse_args(arguments)
    measured = {}
    for name in RULES if options.rules else [SHIPPED]:
        sys.stdout.write(f"\n{name}\n")
        figures = []
        for figure in Bench(RULES[name], options.series, options.seed).figures():
            figures.append(figure)
            state = "" if figure.passes else "   MISSED"
            sys.stdout.write(f"  {figure.name:<62} {figure.value:7.3f}   {figure.bar}{state}\n")
            sys.stdout.flush()
        measured[name] = figures
    missed = [figure.name for figure in measured[SHIPPED] if not figure.passes]
    document = {
        "bench": "detection",
        "seed": options.seed,
        "series": options.series,
        "passed": not missed,
        "missed": missed,
        "rules": {
            name: [asdict(figure) for figure in figures] for name, figures in measured.items()
        },
    }
    sys.stdout.write(json.dumps(document) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
