"""How much is judged and read: work that is counted, where a clock would tell of the machine."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from weighhouse_backend.comparisons import estimates
from weighhouse_backend.results.figures import FigureService
from weighhouse_judging.verdicts import ranks, sides


@dataclass
class Worked:
    """What was worked out meanwhile."""

    asked: Counter[Hashable] = field(default_factory=Counter)
    """Pairs of sides of comparisons, by the two sides, the cell and the figure."""
    judged: int = 0
    """Differences that were judged, whoever asked."""
    ranked: int = 0
    readings: int = 0
    """How often figures of campaigns were read."""

    @property
    def again(self) -> list[Hashable]:
        """What was asked more than once."""
        return [one for one, times in self.asked.items() if times > 1]

    def clear(self) -> None:
        """Begin anew."""
        self.asked.clear()
        self.judged = self.ranked = self.readings = 0


@contextmanager
def counted() -> Iterator[Worked]:
    """Count what this process judges, ranks and reads."""
    worked = Worked()
    ask, judge, decide, read = (
        estimates._opposed, sides._judged, ranks._decided, FigureService._read
    )  # fmt: skip

    def asking(asked: estimates.Asked, *rest: Any) -> Any:
        keys = tuple(side.key for side in asked.sides)
        worked.asked[keys, asked.cell, asked.metric.name] += 1
        return ask(asked, *rest)

    def judging(opposed: Any, *rest: Any, **how: Any) -> Any:
        worked.judged += len(opposed)
        return judge(opposed, *rest, **how)

    def deciding(*arguments: Any) -> Any:
        worked.ranked += 1
        return decide(*arguments)

    def reading(*arguments: Any) -> Any:
        worked.readings += 1
        return read(*arguments)

    with ExitStack() as patches:
        patches.enter_context(patch.object(estimates, "_opposed", asking))
        patches.enter_context(patch.object(sides, "_judged", judging))
        patches.enter_context(patch.object(ranks, "_decided", deciding))
        patches.enter_context(patch.object(FigureService, "_read", reading))
        yield worked
