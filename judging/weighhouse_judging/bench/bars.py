"""Promises of docs/verdicts.md, what came out of them, and how many trials each gets."""

from collections.abc import Sequence
from dataclasses import dataclass, field

SIZES = range(4, 21)
SPREADS = (0.01, 0.03, 0.05)
EQUAL_SPREADS = (0.01, 0.02, 0.03, 0.04, 0.05)
EQUAL_SIZES = (5, 6, 7, 8, 10, 15, 20)


@dataclass(frozen=True)
class Effort:
    """How many trials each figure gets."""

    covers: int
    equals: int
    tables: int
    gates: int
    """Cells in all, whatever the size of a gate."""
    sequential: int
    projects: int
    sizes: Sequence[int]
    equal_sizes: Sequence[int]


FULL = Effort(10_000, 200_000, 10_000, 240_000, 1_000, 400, SIZES, EQUAL_SIZES)
SHORT = Effort(3_000, 20_000, 500, 24_000, 100, 30, (4, 5, 20), (5, 10))


@dataclass(frozen=True)
class Bar:
    """One promise and what came out."""

    name: str
    low: float
    high: float
    limits: tuple[float, float]
    """The figures' least and greatest value allowed."""
    figures: dict[str, float] = field(default_factory=dict)
    traded: str | None = None
    """Why this bar cannot be met together with another."""

    @property
    def met(self) -> bool:
        """Do all figures lie inside the limits?"""
        return self.limits[0] <= self.low and self.high <= self.limits[1]

    @property
    def judgement(self) -> str:
        """How the figures stand to the bar, in a word."""
        if self.met:
            return "met"
        return "traded" if self.traded else "MISSED"


def bar(
    name: str,
    figures: dict[str, float],
    *,
    at_least: float = 0.0,
    at_most: float = 1.0,
    traded: str | None = None,
) -> Bar:
    """A bar over figures that all have to lie inside the limits."""
    values = figures.values()
    return Bar(name, min(values), max(values), (at_least, at_most), figures, traded)


def chance_limit(share: float, trials: int) -> float:
    """What a share that is exactly so much stays under in so many trials, but for one in 700."""
    return float(share + 3 * (share * (1 - share) / trials) ** 0.5)
