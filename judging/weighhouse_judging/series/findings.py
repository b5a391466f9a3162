"""What a look at a series finds, and where one machine takes over from another. Pure."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weighhouse_judging.series.changes import Rule
from weighhouse_judging.series.course import Course, Piece
from weighhouse_judging.series.scan import Evidence

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Best:
    """Where a kind of change is most evident."""

    index: int = 0
    likelihood: float = 0.0
    p_value: float = 1.0
    size: float = 0.0


@dataclass(frozen=True)
class Found:
    """What a look finds."""

    pieces: list[Piece]
    weighed: list[Piece]
    """Changes of spread too small or too new to be told, by which points are weighed."""
    candidate: Piece | None


def best_of(course: Course, evidence: Evidence, places: Codes) -> Best:
    """The most evident of some places, its p adjusted for their number."""
    if not places.size:
        return Best()
    index = int(places[np.argmax(evidence.likelihood[places])])
    likelihood = float(evidence.likelihood[index])
    p_value = min(1.0, course.p_value(likelihood) * places.size)
    return Best(index, likelihood, p_value, float(evidence.size[index]))


def handovers(places: Codes, beginnings: Codes, rule: Rule) -> list[int]:
    """Which of some points one machine stands in from for another, which never comes back.

    Around such a point the old one alone measured all that comes before, as many points as a step
    wants there, and the new one alone all that comes after. Machines in turn hand over nothing.
    """
    found = []
    for index in beginnings:
        old, new = places[index - 1], places[index]
        around = places[index - rule.points_before : index + rule.points_after]
        expected = np.repeat((old, new), (rule.points_before, rule.points_after))
        if old == new or not np.array_equal(around, expected):
            continue
        if not np.any(places[index:] == old) and not np.any(places[:index] == new):
            found.append(int(index))
    return found
