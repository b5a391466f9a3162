"""The plan of a campaign: its cells, its runs, and their order. Pure.

Order: repetitions are blocks, one after the other; inside a block the combinations of workload and
load level are shuffled, and inside a combination the targets, which follow each other directly.
So all sides of a comparison are measured close together in time, none always first, and a drift of
the machine hits them alike. Everything follows from the seed, by hashes and not by a generator
whose algorithm could change.

Blocks that are added later (`more`) follow the same rules: their draws hang on the seed and the
number of the repetition, not on when they were asked for, nor on who else is measured with them.

Where phases are chained, a combination is the whole chain at a load level, and the runs of a target
in it follow each other in the chain's order, which is never shuffled: the first leads the others.

A campaign measured as noise (A/A) has every target twice in each block, as *twins*: equal but for
their place in the order, which is drawn for each.
"""

import hashlib
import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from weighhouse_protocol.experiment import Experiment

from weighhouse_backend.experiments.estimates import run_seconds

Combination = tuple[int, int]
"""Positions of a workload and a load level in the document."""

TWINS = 2
"""Runs of a target in a block where noise is measured."""

AGAIN = 2
"""The twin of runs by which a cell that seemed worse is measured again: they are no repeats of it,
and in no figure but that of the verdict."""

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
    twin: int = 0
    """Which of the two runs of a target in a block of an A/A campaign: 0 or 1; else 0, or AGAIN."""
    leader: int | None = None
    """Position of the first run of its chain, whose attempt measures it; None: its own does."""


@dataclass(frozen=True)
class Progress:
    """What a campaign has planned so far."""

    repetitions: Mapping[Combination, int]
    """The last repetition of each combination that has any."""
    runs: int
    blocks: int


@dataclass(frozen=True)
class Plan:
    """All cells in document order, all runs in the order they are to be measured."""

    cells: tuple[PlannedCell, ...]
    runs: tuple[PlannedRun, ...]


def plan(
    experiment: Experiment,
    seed: int,
    *,
    twins: int = 1,
    beside: Collection[PlannedCell] = (),
) -> Plan:
    """Lay out a campaign.

    :param experiment: the revision's document.
    :param seed: of the order and of the operations; 0 ≤ seed < 2⁶³.
    :param twins: runs of each target in a block: 2 measures noise.
    :param beside: cells of the base, measured again in the blocks of the experiment's own.
    :returns: every cell, every repetition of it once (with a rule of repetitions, the fewest); the
        same for the same arguments, always.
    """
    cells = (*itertools.starmap(PlannedCell, experiment.cells), *beside)
    combinations = {(cell.workload_index, cell.load_index) for cell in cells}
    nothing = Progress(dict.fromkeys(combinations, 0), runs=0, blocks=0)
    count = experiment.first_repetitions
    return Plan(cells, more(experiment, seed, cells, nothing, count=count, twins=twins))


def more(
    experiment: Experiment,
    seed: int,
    cells: Collection[PlannedCell],
    so_far: Progress,
    *,
    count: int = 1,
    twins: int = 1,
    again: bool = False,
) -> tuple[PlannedRun, ...]:
    """Lay out further blocks of some cells, behind what is planned already.

    :param seed: the campaign's.
    :param cells: which; those of one workload and load level share their blocks.
    :param count: blocks for each of them.
    :param twins: as in `plan`.
    :param again: they are the second measurement of cells that seemed worse.
    :returns: the runs in the order they are to be measured; a combination goes on counting its
        repetitions, so that the sides of a block have one number and one seed.
    """
    runs: list[PlannedRun] = []
    last = dict(so_far.repetitions)
    by_combination = _combinations(experiment, cells)
    blocks = itertools.count(so_far.blocks)
    sides = (AGAIN,) if again else range(twins)
    for _ in range(count):
        for combination in by_combination:
            last[combination] = last.get(combination, 0) + 1
        shuffled = sorted(by_combination, key=lambda c: _draw(seed, "combination", last[c], *c))
        for combination in shuffled:
            block, repetition = next(blocks), last[combination]
            workload, load = combination
            run = run_seed(experiment, seed, workload, load, repetition)
            for target, twin in _order(seed, repetition, combination,
                                       by_combination[combination], sides):  # fmt: skip
                leader = so_far.runs + len(runs)
                runs += [
                    PlannedRun(
                        cell=PlannedCell(target, link, load),
                        repetition=repetition,
                        position=position,
                        block=block,
                        seed=run,
                        estimated_seconds=run_seconds(experiment, experiment.workloads[link]),
                        twin=twin,
                        leader=None if position == leader else leader,
                    )
                    for position, link in enumerate(experiment.chain or (workload,), start=leader)
                ]
    return tuple(runs)


def _combinations(
    experiment: Experiment, cells: Collection[PlannedCell]
) -> dict[Combination, list[int]]:
    """Targets of each combination; a chain is one, under its first workload."""
    found: dict[Combination, dict[int, None]] = {}
    for cell in cells:
        workload = experiment.chain[0] if experiment.chain else cell.workload_index
        found.setdefault((workload, cell.load_index), {})[cell.target_index] = None
    return {combination: list(targets) for combination, targets in found.items()}


def _order(
    seed: int,
    repetition: int,
    combination: Combination,
    targets: Collection[int],
    twins: Collection[int],
) -> Iterator[tuple[int, int]]:
    def drawn(side: tuple[int, int]) -> int:
        target, twin = side
        which = (target, "twin") if twin else (target,)
        return _draw(seed, "target", repetition, *combination, *which)

    yield from sorted(itertools.product(targets, twins), key=drawn)


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
