"""Cells of a comparison as the question who leads takes them: pairs, and what follows. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from weighhouse_judging.verdicts.readings import Word

State = Literal["led", "level", "undecided", "too_few", "missing"]


@dataclass(frozen=True)
class Pair:
    """Two sides in one cell, as the judge left them."""

    first: str
    second: str
    word: Word
    """Where the second's figure stands to the first's."""
    ratio: float = 1.0
    """Second : first."""


@dataclass(frozen=True)
class LeadCell:
    """One cell, with the sides that gave a figure there."""

    workload: str
    load: str
    level: float
    """What loads of one kind are ordered by."""
    repeats: Mapping[str, int]
    """By side."""
    pairs: Sequence[Pair]
    """Of these sides; two that are not there were not told apart."""


@dataclass(frozen=True)
class JudgedCell:
    """A cell with what follows from its pairs."""

    cell: LeadCell
    higher_is_better: bool

    @cached_property
    def better(self) -> frozenset[tuple[str, str]]:
        """Pairs (better, worse)."""
        found = set()
        for pair in self.cell.pairs:
            if pair.word in {"more", "less"}:
                second = (pair.word == "more") == self.higher_is_better
                found.add((pair.second, pair.first) if second else (pair.first, pair.second))
        return frozenset(found)

    @cached_property
    def front(self) -> tuple[str, ...]:
        """The sides that nobody is beyond doubt better than."""
        behind = {worse for _, worse in self.better}
        return tuple(side for side in self.cell.repeats if side not in behind)

    @cached_property
    def first(self) -> str | None:
        """The side that is better than all others."""
        sides = self.cell.repeats
        if len(sides) < 2 or len(self.front) != 1:  # noqa: PLR2004 - a lead takes two
            return None
        foremost = self.front[0]
        ahead = all((foremost, other) in self.better for other in sides if other != foremost)
        return foremost if ahead else None

    @cached_property
    def state(self) -> State:
        """How the question who leads it was answered."""
        if len(self.cell.repeats) < 2:  # noqa: PLR2004 - a lead takes two
            return "missing"
        if self.first is not None:
            return "led"
        front = set(self.front)
        said = [pair.word for pair in self.cell.pairs if {pair.first, pair.second} <= front]
        if "too_few" in said:
            return "too_few"
        pairs = len(front) * (len(front) - 1) / 2
        return "level" if pairs and said.count("as_much") == pairs else "undecided"

    @property
    def margin(self) -> float | None:
        """The leader's figure : that of the side nearest to it."""
        ratios = [
            pair.ratio if pair.second == self.first else 1 / pair.ratio
            for pair in self.cell.pairs
            if self.first in {pair.first, pair.second}
        ]
        if self.first is None or not ratios:
            return None
        return min(ratios) if self.higher_is_better else max(ratios)

    def rank(self, side: str) -> tuple[int, int]:
        """At best and at worst."""
        ahead = sum((other, side) in self.better for other in self.cell.repeats)
        beaten = sum((side, other) in self.better for other in self.cell.repeats)
        return 1 + ahead, len(self.cell.repeats) - beaten
