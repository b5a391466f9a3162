"""As many repeats as the question needs: which cells get one more block. Pure.

After each block the campaign asks which cells are undecided and plans one more block of those.
Their figures are judged with `looked_at=True`, by p-values and intervals that hold at every look
(`arithmetic/looks.py`), so that stopping when it suits makes no error more likely; and "add k
repeats" on a finished comparison is the same thing.

A difference that the blocks left would hardly decide gets none of them (`verdicts/futility.py`).
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.intervals import (
    FEWEST_FOR_AN_INTERVAL,
    LogDifference,
    paired,
)
from weighhouse_judging.verdicts.futility import HARDLY, chance_of_decision
from weighhouse_judging.verdicts.gate_cells import CellVerdict
from weighhouse_judging.verdicts.sides import FAMILY_LEVEL, LEVEL, REPEATS_FOR_A_CLAIM, Judgement


@dataclass(frozen=True)
class Repetitions:
    """How many blocks each cell gets."""

    at_least: int
    at_most: int
    half_width: float | None = None
    """Until the 95 % interval is ± this, relative; None: until decided."""

    def __post_init__(self) -> None:
        if not REPEATS_FOR_A_CLAIM <= self.at_least <= self.at_most:
            message = (
                f"repetitions from {self.at_least} to {self.at_most}: at_least has to be "
                f"{REPEATS_FOR_A_CLAIM} or more, and at_most no less"
            )
            raise ValueError(message)


@dataclass(frozen=True)
class Progress:
    """Where one cell stands after its latest block."""

    cell: Hashable
    blocks: int
    """Completed or failed, all sides."""
    decided: bool
    half_width: float | None
    """Of the interval that is to become narrow, relative; None when there is none yet."""
    hopeless: bool = False
    """Would more repeats change nothing, because whole campaigns differ by as much?"""
    futile: bool = False
    """Would the blocks left until `at_most` hardly decide it?"""


def undecided(plan: Repetitions, cells: Sequence[Progress]) -> tuple[Hashable, ...]:
    """The cells that get one more block, in the order given; empty when the campaign is done."""
    return tuple(cell.cell for cell in cells if wants_more(plan, cell))


def wants_more(plan: Repetitions, cell: Progress) -> bool:
    """Does this cell get one more block?"""
    if cell.blocks < plan.at_least:
        return True
    if cell.blocks >= plan.at_most or cell.hopeless:
        return False
    if plan.half_width is None:
        return not (cell.decided or cell.futile)
    return cell.half_width is None or cell.half_width > plan.half_width


def blocks_saved(plan: Repetitions, cells: Sequence[Progress]) -> int:
    """Blocks of cells that a campaign of `at_most` fixed repetitions would have run besides."""
    return sum(plan.at_most - cell.blocks for cell in cells if not wants_more(plan, cell))


def of_judgement(
    cell: Hashable, plan: Repetitions, blocks: int, judgement: Judgement | None
) -> Progress:
    """The progress of a difference between two sides (`judge(…, looked_at=True)`)."""
    if judgement is None or judgement.low is None or judgement.high is None:
        return Progress(cell, blocks, decided=False, half_width=None)
    decided = judgement.verdict in {"changed", "equivalent"}
    return Progress(
        cell,
        blocks,
        decided=decided,
        half_width=(judgement.high - judgement.low) / 2,
        futile=not decided and _is_futile(judgement, plan.at_most - blocks),
    )


def _is_futile(judgement: Judgement, left: int) -> bool:
    """Would so many blocks more hardly decide a difference of pairs?"""
    if judgement.error is None or judgement.freedom is None or left <= 0:
        return False
    if judgement.method != "paired" or judgement.verdict == "insufficient":
        return False
    level = LEVEL
    if judgement.p_value and judgement.p_family:
        level = min(LEVEL, FAMILY_LEVEL * judgement.p_value / judgement.p_family)
    chance = chance_of_decision(
        LogDifference(
            np.asarray(math.log1p(judgement.relative)),
            np.asarray(judgement.error),
            np.asarray(judgement.freedom),
        ),
        judgement.repeats,
        judgement.repeats + left,
        judgement.threshold,
        level,
        LEVEL,
    )
    return float(chance) < HARDLY


def of_gate_cell(cell: Hashable, blocks: int, verdict: CellVerdict) -> Progress:
    """The progress of a cell of the gate (`judge_cells(…, looked_at=True)`)."""
    against = verdict.base
    return Progress(
        cell,
        blocks,
        decided=verdict.decided,
        half_width=None if against is None else (against.high - against.low) / 2,
        hopeless=against is not None and against.hopeless,
    )


def level_half_width(values: Sequence[float]) -> float | None:
    """Half-width, relative, of one side's level at every look; None below 4 repeats or at 0.

    For campaigns in which nothing is compared. Student's t on logarithms.
    """
    if len(values) < FEWEST_FOR_AN_INTERVAL or min(values) <= 0:
        return None
    side = paired(np.log(np.asarray(values, dtype=np.float64)))
    information = len(values) / looks.SHARPEST_AT
    return math.expm1(float(looks.half_width_at_every_look(side, information)))
