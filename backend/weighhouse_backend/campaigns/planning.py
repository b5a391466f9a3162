"""The plan of a campaign: its cells, its runs, and their order. Pure.

Order: repetitions are blocks, one after the other; inside a block the combinations of workload and
load level are shuffled, and inside a combination the targets, which follow each other directly.
So all sides of a comparison are measured close together in time, none always first, and a drift of
the machine hits them alike. Everything follows from the seed, by hashes and not by a generator
whose algorithm could change.
"""

import hashlib
import itertools
from dataclasses import dataclass

from weighhouse_protocol.experiment import Experiment

from weighhouse_backend.experiments.estimates import run_seconds

SEED_BITS = 53
"""Seeds stay exact in JavaScript numbers."""


@dataclass(frozen=True)
class PlannedCell:
    """A point of the matrix, by positions in the document."""

    target_index: int
    workload_index: int
    load_index: int


@dataclass(frozen=True)
class PlannedRun:
    """One repetition of a cell."""

    cell: PlannedCell
    repetition: int
    """From 1."""
    position: int
    """Place in the order, from 0."""
    block: int
    """Number, from 0, of the targets that are measured together: one repetition of a workload at
    a load level."""
    seed: int
    estimated_seconds: float


@dataclass(frozen=True)
class Plan:
    """All cells in document order, all runs in the order they are to be measured."""

    cells: tuple[PlannedCell, ...]
    runs: tuple[PlannedRun, ...]


def plan(experiment: Experiment, seed: int) -> Plan:
    """Lay out a campaign.

    :param experiment: the revision's document.
    :param seed: of the order and of the operations; 0 ≤ seed < 2⁶³.
    :returns: every cell, every repetition of it once; the same for the same arguments, always.
    """
    targets = range(len(experiment.targets))
    combinations = list(
        itertools.product(range(len(experiment.workloads)), range(len(experiment.load_levels)))
    )
    cells = tuple(
        PlannedCell(target, workload, load)
        for target, (workload, load) in itertools.product(targets, combinations)
    )
    runs: list[PlannedRun] = []
    blocks = itertools.count()
    for repetition in range(1, experiment.repetitions + 1):
        shuffled = sorted(combinations, key=lambda c: _draw(seed, "combination", repetition, *c))
        for workload, load in shuffled:
            block = next(blocks)
            order = sorted(
                targets, key=lambda t: _draw(seed, "target", repetition, workload, load, t)
            )
            runs += [
                PlannedRun(
                    cell=PlannedCell(target, workload, load),
                    repetition=repetition,
                    position=len(runs) + place,
                    block=block,
                    seed=run_seed(experiment, seed, workload, load, repetition),
                    estimated_seconds=run_seconds(experiment, experiment.workloads[workload]),
                )
                for place, target in enumerate(order)
            ]
    return Plan(cells=cells, runs=tuple(runs))


def run_seed(experiment: Experiment, seed: int, workload: int, load: int, repetition: int) -> int:
    """Seed of a run's operations.

    It follows from the campaign's seed, the names of workload and load level, and the repetition;
    the target is left out, so that all sides are asked for the same operations.

    :param workload: index in the experiment, and so for `load`.
    :returns: a number below 2⁵³.
    """
    return _draw(
        seed,
        "operations",
        experiment.workloads[workload].name,
        experiment.load_levels[load].label,
        repetition,
    )


def _draw(*parts: object) -> int:
    text = "\x1f".join(str(part) for part in parts)
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8]) >> (64 - SEED_BITS)
