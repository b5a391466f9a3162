"""More than two sides: their ranks in each cell and figure, as far as they can be told. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.ranks import Rank, rank
from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM
from weighhouse_protocol.figures import CATALOGUE, Figure

from weighhouse_backend.comparisons.estimates import SideCells, load_level, told_each
from weighhouse_backend.comparisons.floors import NOTHING_KNOWN, SideNoise
from weighhouse_backend.comparisons.schemas import RankingRead, RankRead
from weighhouse_backend.results.figures import RunFigures

FEWEST_SIDES = 3
"""Of two, the difference says all."""
FEWEST_APART = 2
"""With fewer sides that were repeated often enough there are no two to tell apart."""


def rankings(
    sides: Sequence[SideCells], noise: SideNoise = NOTHING_KNOWN, *, looked_at: bool = False
) -> list[RankingRead]:
    """Every metric of every cell that three sides or more have a figure of, in document order.

    :param noise: what is known of it.
    :param looked_at: whether somebody saw figures while they grew.
    """
    cells = dict.fromkeys(cell for side in sides for cell in side.cells)
    found = []
    for cell in cells:
        runs = {side.key: side.cells[cell] for side in sides if cell in side.cells}
        apart = len({mine[0].campaign_id for mine in runs.values()}) > 1
        for metric in CATALOGUE.judged:
            repeats = {
                side.key: side.blocks(cell, metric.name) for side in sides if side.key in runs
            }
            if sum(map(bool, repeats.values())) < FEWEST_SIDES:
                continue
            ranks = rank(
                repeats,
                higher_is_better=metric.higher_is_better,
                looked_at=looked_at,
                between=noise.between(runs, cell, metric.name) if apart else None,
            )
            if len(ranks) >= FEWEST_SIDES:
                found.append(_ranking(metric, runs, repeats, ranks))
    return found


def _ranking(
    metric: Figure,
    runs: Mapping[str, Sequence[RunFigures]],
    repeats: Mapping[str, Repeats],
    ranks: Sequence[Rank],
) -> RankingRead:
    run = next(iter(runs.values()))[0]
    enough = sum(len(values) >= REPEATS_FOR_A_CLAIM for values in repeats.values())
    return RankingRead(
        metric=metric.name,
        workload=run.workload,
        load_level=load_level(run),
        told_apart=any(one.behind for one in ranks),
        repeats_wanted=REPEATS_FOR_A_CLAIM if enough < FEWEST_APART else None,
        ranks=[
            _rank(one, said)
            for one, said in zip(
                ranks,
                told_each([list(repeats[str(one.side)].values()) for one in ranks]),
                strict=True,
            )
        ],
    )


def _rank(one: Rank, told: dict[str, Any]) -> RankRead:
    return RankRead(
        side=str(one.side),
        **told,
        best_rank=one.best_rank,
        worst_rank=one.worst_rank,
        among_best=one.among_best,
        behind=[str(other) for other in one.behind],
    )
