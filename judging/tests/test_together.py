"""What is worked out of many at once is, to the last bit, what each gives alone."""

import random

import scipy
from weighhouse_judging.arithmetic.intervals import Bounds, Spread, level, levels
from weighhouse_judging.arithmetic.rates import Rate, wilson
from weighhouse_judging.verdicts.noise import Floor
from weighhouse_judging.verdicts.sides import Opposed, judge, judge_each
from weighhouse_protocol.figures import CATALOGUE

DRAWN = random.Random(31)
FLOOR = Floor(12, 4, Spread(0.0001, 12.0), None, 0.01, 0.02, 0.03)


def opposed(metric: str, blocks: int, shift: float, **known) -> Opposed:
    """Two sides, the second with a block of its own; as figures are told, with a digit or two."""
    sides = [
        {block: round(DRAWN.gauss(100 * factor, 3), 2) for block in range(blocks + more)}
        for factor, more in ((1.0, 0), (shift, 1))
    ]
    return Opposed(CATALOGUE[metric], *sides, **known)


def table() -> list[Opposed]:
    """Of many sizes and kinds, those that are worked out together never beside each other."""
    found = [
        opposed(metric, blocks, shift, **known)
        for shift in (1.0, 1.02, 1.3)
        for blocks in (1, 3, 4, 5, 6, 12)
        for metric in ("throughput", "p99_us", "memory_after_bytes")
        for known in ({}, {"threshold": 0.1}, {"floor": FLOOR})
    ]
    apart = Opposed(CATALOGUE["throughput"], {1: 10.0, 2: 11.0}, {3: 10.5, 4: 12.0})
    nothing = Opposed(CATALOGUE["throughput"], {}, {1: 1.0})
    return [*found, apart, nothing]


def test_a_table_is_judged_as_each_difference_alone():
    for looked_at in (False, True):
        asked = table()
        alone = [
            judge(
                one.metric, one.baseline, one.other, threshold=one.threshold, floor=one.floor,
                looked_at=looked_at,
            )
            for one in asked
        ]  # fmt: skip
        together = judge_each(asked, looked_at=looked_at)
        assert together == alone
        assert together[-1] is None
        assert {"changed", "equivalent", "inconclusive", "insufficient"} == {
            one.verdict for one in together if one is not None
        }


def test_levels_are_those_of_each_row():
    rows = [[DRAWN.gauss(100, 5) for _ in range(size)] for size in (1, 3, 4, 5, 5, 7, 5)]
    rows.append([-1.0, 0.0, 1.0, 2.0, 3.0])
    for row, found in zip(rows, levels(rows), strict=True):
        ends = level(row)
        assert found == (None if ends is None else Bounds(*map(float, ends)))


def test_wilsons_interval_is_scipys():
    for total in (1, 5, 17, 4_000, 3_000_000):
        for failed in {0, 1, total // 3, total - 1, total}:
            found = scipy.stats.binomtest(failed, total).proportion_ci(method="wilson")
            assert wilson(Rate(failed, total)) == Bounds(found.low, found.high)
