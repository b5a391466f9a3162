"""What the present rules conclude from figures that never change.

`python judging/tests/concluding.py` records it under the present number of the rules.
"""

import json
import math
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

from weighhouse_judging.arithmetic.rates import Rate
from weighhouse_judging.findings.observation import OperationFigures, RunObservation
from weighhouse_judging.findings.run_checks import check_run
from weighhouse_judging.findings.steadiness import Course
from weighhouse_judging.identity.digests import FieldChange
from weighhouse_judging.rules import RULES_VERSION
from weighhouse_judging.verdicts.campaigns import PastCampaign
from weighhouse_judging.verdicts.failures import Attempts
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.gate_verdict import decide
from weighhouse_judging.verdicts.noise import floor_of

RECORDED = Path(__file__).with_name("conclusions.json")
LEVELS = 29
"""As many different sizes of noise there are; a prime, so that steps through them meet them all."""


def noise(seed: int, index: int) -> float:
    """A standard normal quantile: no generator, whose figures could change with its library."""
    place = (seed * 7 + index * 11) % LEVELS
    return statistics.NormalDist().inv_cdf((place + 0.5) / LEVELS)


def repeats(name: str, seed: int, level: float, cv: float, size: int) -> Repeats:
    """Figures of one cell in one campaign."""
    return {(name, block): level * math.exp(cv * noise(seed, block)) for block in range(size)}


def gates() -> dict[str, Any]:
    """Verdicts of a gate over differences, noises, bases and repeats; failures, floors, anchors."""
    found = {}
    for factor in (1.0, 0.975, 0.955, 0.93, 0.8, 1.07):
        for cv in (0.003, 0.01, 0.03):
            for campaigns, size in ((1, 5), (1, 3), (4, 5), (10, 5), (10, 10)):
                for model in ("closed", "open"):
                    case = f"{model} ×{factor} cv {cv} {campaigns} of {size}"
                    found[case] = _gate(model, factor, cv, campaigns, size)
    plain = _cell("closed", 1.0, 0.01, 10, 5, 3)
    wide = floor_of({"noise": [(100.0, 100.0 * math.exp(0.05 * noise(1, n))) for n in range(20)]})
    failed = Attempts(5, ("database",) * 5, (Rate(500, 1000),) * 5)
    special = {
        "another record count": replace(
            plain, mismatches=(FieldChange("workload.record_count", "50", "100"),)
        ),
        "a noisy machine": replace(_cell("closed", 0.955, 0.003, 10, 5, 3), floor=wide),
        "every repeat failed": replace(
            plain, candidate={}, candidate_attempts=Attempts(0, ("database",) * 5)
        ),
        "lost agents": replace(
            plain, candidate={}, candidate_attempts=Attempts(0, ("infrastructure",) * 5)
        ),
        "many failures": replace(plain, candidate_attempts=failed),
        "one timeout of ten": replace(plain, candidate_attempts=Attempts(9, ("timeout",))),
        "small steps from the anchor": replace(
            _cell("closed", 0.955, 0.003, 10, 5, 3),
            anchor={"release": repeats("release", 9, 109.0, 0.003, 5)},
        ),
    }
    alone = [PastCampaign(tuple(repeats("p", n, 100.0, 0.01, 5).values())) for n in range(60)]
    lone = replace(
        _cell("closed", 1.0, 0.01, 10, 5, 3),
        anchor={"release": repeats("release", 9, 115.0, 0.01, 5)},
        past=alone,
    )
    special |= {
        "an anchor far above": lone,
        "an anchor by itself": replace(lone, next_to_anchor=alone[:10]),
    }
    mixed = [("here" if n % 2 else "there", (1.0, 1.09)[n % 2]) for n in range(16)]
    past = [
        PastCampaign(tuple(repeats(f"p{n}", n, 100.0 * by, 0.01, 5).values()), place)
        for n, (place, by) in enumerate(mixed)
    ]
    there = dict.fromkeys(plain.base, "there")
    special |= {
        "another machine": replace(plain, place="here", places=there, past=past),
        "an unknown machine": replace(plain, place="new", places=there, past=past),
    }
    for name, cell in special.items():
        found[name] = _said([cell])
        found[f"{name}, looked at"] = _said([cell], looked_at=True)
    return found


def _gate(model: str, factor: float, cv: float, campaigns: int, size: int) -> list[str]:
    cells = [_cell(model, factor if n == 0 else 1.0, cv, campaigns, size, n) for n in range(4)]
    return _said(cells)


def _cell(
    model: str, factor: float, cv: float, campaigns: int, size: int, seed: int
) -> CellEvidence:
    return CellEvidence(
        identity=f"{seed}",
        label=f"cell {seed}",
        load_model="closed" if model == "closed" else "open",
        candidate=repeats("new", seed, 100.0 * factor, cv, size),
        base={f"c{n}": repeats(f"c{n}", seed + n + 1, 100.0, cv, size) for n in range(campaigns)},
    )


def _said(cells: list[CellEvidence], *, looked_at: bool = False) -> list[str]:
    result = decide(cells, looked_at=looked_at)
    outcomes = [f"{cell.outcome} by {cell.stopped_by}" for cell in result.cells]
    return [result.verdict, *outcomes]


def findings() -> dict[str, Any]:
    """What checks find of runs that each lack one thing, a little and a lot."""
    found = {}
    for name, run in _runs().items():
        found[name] = sorted(f"{one.id}: {one.severity}" for one in check_run(run))
    return found


def _runs() -> dict[str, RunObservation]:
    everything = OperationFigures(
        ok=1_000_000, throughput=10_000.0, mean_us=90.0, quantiles_us={0.5: 80.0, 0.99: 200.0}
    )
    sound = RunObservation(
        load_model="open", everything=everything, clients=8, seconds=100.0,
        rate_per_second=10_000.0, course=_course(0.0), co_located=False, records_asked=1000,
        records_loaded=1000, records_held=1000, steal_percent=0.0, governor="performance",
        other_cpu_percent=20.0, swapped_bytes=0.0, throttled_seconds=0.0, thermal_throttles=0.0,
        cores=8,
    )  # fmt: skip
    runs = {"sound": sound, "co-located": replace(sound, co_located=True)}
    for mean_us in (60.0, 90.0, 600.0, 800.0, 1000.0, 8000.0):
        runs[f"closed, {mean_us} µs"] = replace(
            sound, load_model="closed", rate_per_second=None,
            everything=replace(everything, mean_us=mean_us),
        )  # fmt: skip
    for errors in (1, 500, 2_000, 20_000, 100_000):
        runs[f"{errors} errors"] = replace(sound, everything=replace(everything, errors=errors))
        runs[f"{errors} not found"] = replace(
            sound, everything=replace(everything, not_found=errors)
        )
    for rate in (10_050.0, 10_200.0, 11_000.0, 15_000.0):
        runs[f"{rate} asked"] = replace(sound, rate_per_second=rate)
    for steal in (0.5, 2.0, 20.0):
        runs[f"{steal} % stolen"] = replace(sound, steal_percent=steal)
    for used in (50.0, 79.0, 81.0, 400.0):
        runs[f"{used} % used by others"] = replace(sound, other_cpu_percent=used)
    for trend in (-0.02, -0.005, -0.001, 0.001, 0.005, 0.02):
        runs[f"trend {trend}"] = replace(sound, course=_course(trend))
    for held in (1_000, 999, 900):
        runs[f"{held} held"] = replace(sound, records_held=held)
    return runs


def _course(trend: float) -> Course:
    throughputs = [
        10_000.0 * math.exp(trend * index + 0.003 * noise(5, index)) for index in range(60)
    ]
    return Course(throughputs, seconds=60.0)


def conclusions() -> dict[str, Any]:
    """Everything, under the number of the rules that say so."""
    return {"rules_version": RULES_VERSION, "gates": gates(), "findings": findings()}


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(conclusions(), indent=1, ensure_ascii=False) + "\n", "utf-8")
