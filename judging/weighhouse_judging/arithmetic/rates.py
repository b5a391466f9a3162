"""Rates of failures: intervals and a test that are right for few and for none. Pure."""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from scipy import special

from weighhouse_judging.arithmetic.intervals import CONFIDENCE, Bounds


@dataclass(frozen=True)
class Rate:
    """So many of so many."""

    failed: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.failed <= self.total:
            message = f"{self.failed} of {self.total} is no rate"
            raise ValueError(message)

    @property
    def share(self) -> float | None:
        """The rate, 0 to 1; None of nothing."""
        return self.failed / self.total if self.total else None


def wilson(rate: Rate, confidence: float = CONFIDENCE) -> Bounds | None:
    """Interval of a rate; None of nothing.

    Source: Wilson (1927), JASA 22, as Newcombe (1998), Statistics in Medicine 17, writes it. Unlike
    the estimate ± 1.96 errors it neither leaves 0 … 1 nor shrinks to nothing when none of few
    failed (0 of 5: 0 to 43 %). (scipy has it behind a binomial test, which takes 50 times as long.)
    """
    if rate.total == 0:
        return None
    total, share = rate.total, rate.failed / rate.total
    z = float(special.ndtri(0.5 + 0.5 * confidence))
    whole = 2 * (total + z * z)
    centre = (2 * total * share + z * z) / whole
    half = z / whole * math.sqrt(4 * total * share * (1 - share) + z * z)
    return Bounds(
        centre - half if rate.failed else 0.0,
        centre + half if rate.failed < total else 1.0,
    )


def more_failures(baseline: Rate, other: Rate) -> float:
    """One-sided p: does `other` fail more often than the baseline? 1.0 when a side is empty.

    Source: Fisher's exact test (1935, The Design of Experiments); by scipy. 1 of 10 against 0 of 10
    gives 0.5, 5 of 5 against 0 of 10 gives 0.0003.
    """
    if baseline.total == 0 or other.total == 0:
        return 1.0
    table = np.array(
        [
            [other.failed, other.total - other.failed],
            [baseline.failed, baseline.total - baseline.failed],
        ]
    )
    return float(scipy.stats.fisher_exact(table, alternative="greater").pvalue)
