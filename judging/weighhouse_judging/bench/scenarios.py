"""How often scenarios are wrong: `python -m weighhouse_judging.bench.scenarios`.

Servers and courses whose truth is known, answered or read by the very functions that decide in real
campaigns. Each bar is a promise of docs/scenarios.md. The last line is JSON with every figure; the
exit code is 1 when a bar is missed. `--short` takes the first seeds of the same draws.

A bar may be *traded* where what was measured cannot tell: `possible` beside it is the most that
any way of searching could reach.
"""

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import Pool
from typing import TypeVar

import numpy as np

from weighhouse_judging.bench import calibration, courses, knees
from weighhouse_judging.bench.bars import Bar, bar
from weighhouse_judging.bench.calibration import REACHABLE, TIGHT, Case, Scored
from weighhouse_judging.scenarios import sweep
from weighhouse_judging.scenarios.scalability import Parameter, Peak, Scalability, fit
from weighhouse_judging.scenarios.scenario import Measurement, Result

SEED = 20_261_122
NOISE = 0.05
REPEATS = (1, 5)
"""Of each level of a sweep."""
LAWS = ((0.05, 0.0005), (0.2, 0.002), (0.01, 0.01), (0.05, 0.0), (0.0, 0.0005), (0.0, 0.0))
"""True σ and κ; the last three on the ends of what they can be."""
RUNGS = {
    "1 to 64 by doubling": np.array([1, 2, 4, 8, 16, 32, 64], dtype=np.float64),
    "1 to 64, refined": np.array([1, 2, 4, 8, 12, 16, 24, 32, 48, 64], dtype=np.float64),
}
T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Effort:
    """How many seeds each figure gets."""

    laws: int
    sweeps: int
    peaks: int
    calibrations: int
    courses: int
    reachable: Sequence[Case]
    tight: Sequence[Case]


FULL = Effort(100, 300, 40, 100, 200, REACHABLE, TIGHT)
SHORT = Effort(12, 40, 2, 8, 60, (REACHABLE[1], REACHABLE[3], REACHABLE[-3]), ())


def law_recovered(case: tuple[str, float, float], fits: int, seed: int) -> tuple[float, ...]:
    """Shares of fits whose intervals hold σ, κ, both."""
    rungs, sigma, kappa = case
    n = RUNGS[rungs]
    truth, held = knees.usl(sigma, kappa)(n), np.zeros(3)
    for number in range(fits):
        noise = np.random.default_rng([seed, number]).normal(0.0, NOISE, n.size)
        found = fit(n.tolist(), (truth * np.exp(noise)).tolist())
        assert isinstance(found, Scalability)  # noqa: S101 - seven levels are enough
        both = _holds(found.contention, sigma), _holds(found.coherency, kappa)
        held += [both[0], both[1], all(both)]
    return tuple((held / fits).tolist())


def _holds(one: Parameter, truth: float) -> bool:
    return one.low <= truth and (one.high is None or truth <= one.high)


def bars(effort: Effort, seed: int, processes: int) -> Iterator[Bar]:
    """Every bar, in the order of docs/scenarios.md."""
    yield from laws(effort, seed, processes)
    yield from peaks(effort, seed, processes)
    yield from swept(effort, seed)
    yield from calibrations(effort, seed, processes)
    yield from read(effort, seed)


def _each(run: Callable[[T], U], cases: Sequence[T], processes: int) -> list[U]:
    if processes < 2:  # noqa: PLR2004 - nothing to share
        return [run(case) for case in cases]
    with Pool(processes) as pool:
        return pool.map(run, cases, chunksize=1)


def laws(effort: Effort, seed: int, processes: int) -> Iterator[Bar]:
    """The Universal Scalability Law."""
    cases = [(rungs, *law) for rungs in RUNGS for law in LAWS]
    run = partial(law_recovered, fits=effort.laws, seed=seed)
    found = _each(run, cases, processes)
    for place, what in enumerate(("σ", "κ", "σ and κ together")):
        figures = {
            f"{rungs}, σ={sigma} κ={kappa}": shares[place]
            for (rungs, sigma, kappa), shares in zip(cases, found, strict=True)
        }
        yield bar(f"{what} inside the stated interval, noise 5 %", figures, at_least=0.90)


def peaks(effort: Effort, seed: int, processes: int) -> Iterator[Bar]:
    """Whole sweeps of closed loops, with and without a peak inside the range."""
    cases = [(curve, repeats) for curve in knees.CURVES for repeats in REPEATS]
    run = partial(peak_told, sweeps=effort.peaks, seed=seed)
    found = dict(zip(cases, _each(run, cases, processes), strict=True))

    def of(names: Collection[str]) -> dict[str, float]:
        return {f"{curve}, {repeats} each": told for (curve, repeats), told in found.items()
                if curve in names}  # fmt: skip

    without = knees.CURVES.keys() - knees.PEAKS.keys()
    yield bar("peaks told of closed loops that have none, noise 3 %", of(without), at_most=0.05)
    yield bar("peaks told of those that have one, noise 3 %", of(knees.PEAKS), at_least=0.8)


def peak_told(case: tuple[str, int], sweeps: int, seed: int) -> float:
    """Share of sweeps to 128 clients in which the law tells a peak."""
    name, repeats = case
    told, law = 0, knees.CURVES[name]
    plan = sweep.Plan("clients", 1, 128, repeats=repeats, most_measurements=200)
    for number in range(sweeps):
        generator = np.random.default_rng([seed, list(knees.CURVES).index(name), repeats, number])
        measured = list[Measurement]()
        while not isinstance(step := sweep.advance(plan, measured), Result):
            done = float(law(np.asarray([step.level]))[0]) * math.exp(generator.normal(0.0, 0.03))
            latency = step.level / done * 1e6
            figures = {"throughput": done, "mean_us": latency, "p99_us": latency}
            measured.append(Measurement(step.level, figures))
        found = step.figures.scalability
        told += isinstance(found, Scalability) and isinstance(found.peak, Peak)
    return told / sweeps


def swept(effort: Effort, seed: int) -> Iterator[Bar]:
    """Knees of noisy doublings against the brute-force grid."""
    for name in knees.CANDIDATES:
        if "shipped" not in name:
            continue
        found = {
            curve: knees.score(name, curve, effort.sweeps, 0.03, seed) for curve in knees.CURVES
        }
        near = {curve: one.within_a_step for curve, one in found.items()}
        yield bar("knee within a step of the brute-force grid's", near, at_least=0.95)
        moved = {curve: one.moves for curve, one in found.items()}
        yield bar("doublings the knee moves in a longer sweep", moved, at_most=0.1)


def calibrations(effort: Effort, seed: int, processes: int) -> Iterator[Bar]:
    """Queues with noise of 5 %."""
    run = partial(calibration.score, seeds=effort.calibrations, seed=seed)
    slow = partial(run, slowed=calibration.SLOWED)
    cases = [*effort.reachable, *effort.tight]
    scored = dict(zip([case.name for case in cases], _each(run, cases, processes), strict=True))
    near = {case.name: scored[case.name].near for case in effort.reachable}
    yield bar("calibration within 3 % or one client", near, at_least=0.95)
    # Clients that wait for their answers pile up nothing that the next run would be slowed by.
    open_ = [case for case in effort.reachable if case.axis == "rate"]
    slowed = zip(open_, _each(slow, open_, processes), strict=True)
    name = "the same of rates, by servers that lack a tenth in the run after one past the envelope"
    yield bar(name, {case.name: one.near for case, one in slowed}, at_least=0.95)
    if effort.tight:
        yield _tight(effort, scored)
    yield from _told(effort, scored, seed)


def _tight(effort: Effort, scored: Mapping[str, Scored]) -> Bar:
    tight = {case.name: scored[case.name].near for case in effort.tight}
    possible = ", ".join(f"{case.name}: {case.possible():.0%}" for case in effort.tight)
    traded = f"noise hides it; the most that is possible: {possible}"
    name = "calibration within 3 % or one client, envelope hardly above idle or flat"
    return bar(name, tight, at_least=0.95, traded=traded)


def _told(effort: Effort, scored: Mapping[str, Scored], seed: int) -> Iterator[Bar]:
    covered = {name: one.covered for name, one in scored.items()}
    yield bar("calibration's interval holds the truth", covered, at_least=0.85)
    counts = {name: float(one.most_measurements) for name, one in scored.items()}
    yield bar("most measurements of a calibration", counts, at_most=20.0)
    unmet = calibration.unmet(max(4, effort.calibrations // 2), seed)
    yield bar("envelopes that no load, or every load, meets: said so", unmet, at_least=0.95)


def read(effort: Effort, seed: int) -> Iterator[Bar]:
    """What is read from courses."""
    returned = {
        f"noise {noise}": courses.recovery(effort.courses, seed, noise)
        for noise in (0.03, 0.1, 0.2)
    }
    near = {name: one["near"] for name, one in returned.items()}
    yield bar("return to the old p99 told within 5 intervals", near, at_least=0.90)
    first = {name: one["first success"] for name, one in returned.items()}
    yield bar("first success told to the interval", first, at_least=1.0)
    found = {f"AR(1) {phi}": courses.trends(effort.courses, seed, phi) for phi in (0.0, 0.5, 0.9)}
    covered = {name: one["covered"] for name, one in found.items()}
    yield bar("trend of two hours inside its 95 % interval", covered, at_least=0.90)
    false = {name: one["false"] for name, one in found.items()}
    yield bar("trends seen where there is none", false, at_most=0.10)
    seen = {f"AR(1) {phi}": courses.periods(effort.courses, seed, phi) for phi in (0.0, 0.5, 0.9)}
    yield bar(
        "stalls every minute: period found",
        {name: one["found"] for name, one in seen.items()},
        at_least=0.95,
    )
    yield bar(
        "periods seen where there are none",
        {name: one["false"] for name, one in seen.items()},
        at_most=0.05,
    )


def shown(effort: Effort, seed: int) -> dict[str, object]:
    """Figures beside the bars: what other rules would give."""
    return {
        "candidates for the knee": {
            name: {
                curve: asdict(knees.score(name, curve, effort.sweeps, 0.03, seed))
                for curve in knees.CURVES
            }
            for name in knees.CANDIDATES
        },
        "within 3 % or one client by plain probabilistic bisection": {
            case.name: calibration.by_bisection(case, effort.calibrations, seed)
            for case in (*effort.reachable, *effort.tight)
        },
        "the most that is possible": {
            case.name: case.possible() for case in (*effort.reachable, *effort.tight)
        },
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a bar, and all figures as JSON; returns 1 when a bar is missed, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--short", action="store_true", help="fewer seeds, and the bars alone")
    parser.add_argument("--processes", type=int, default=min(4, os.cpu_count() or 1))
    options = parser.parse_args(arguments)
    effort = SHORT if options.short else FULL
    found = []
    for item in bars(effort, options.seed, 1 if options.short else options.processes):
        found.append(item)
        sys.stdout.write(
            f"{item.judgement:<7} {item.low:8.3f} … {item.high:8.3f}   "
            f"[{item.limits[0]:g}, {item.limits[1]:g}]  {item.name}"
            f"{f': {item.traded}' if item.traded and not item.met else ''}\n"
        )
        sys.stdout.flush()
    report = {
        "seed": options.seed,
        "missed": [item.name for item in found if item.judgement == "MISSED"],
        "bars": [{**asdict(item), "judgement": item.judgement} for item in found],
        "shown": {} if options.short else shown(effort, options.seed),
    }
    sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
    return 1 if report["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
