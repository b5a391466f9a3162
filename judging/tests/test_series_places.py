"""A machine that was altered: where, and what a step there is told as."""

from itertools import pairwise

import numpy as np
import pytest
from weighhouse_judging.series.change_points import find_changes, known_of, watched
from weighhouse_judging.series.changes import Point
from weighhouse_judging.series.places import Stand, place_changes

GIBIBYTE = 2**30


def test_what_changed_is_told_of_each_machine_by_itself() -> None:
    stands = [
        Stand("one", "6.1.90", 16 * GIBIBYTE),
        Stand("two", "6.1.92", 16 * GIBIBYTE),
        Stand("one", "6.1.90", 16 * GIBIBYTE - 40960),
        Stand(None, None, None),
        Stand("one", "6.1.92", 16 * GIBIBYTE),
        Stand("two", None, None),
        Stand("two", "6.1.92", int(15.8 * GIBIBYTE)),
    ]
    assert place_changes(stands) == {
        4: ("kernel 6.1.90 → 6.1.92",),
        6: ("memory 16.0 GiB → 15.8 GiB",),
    }


def test_memory_that_creeps_is_told_once_it_went_far() -> None:
    sizes = [16 * GIBIBYTE - n * 2 * 2**20 for n in range(20)]
    found = place_changes([Stand("one", "6.1", size) for size in sizes])
    apart = [sizes[before] - sizes[after] for before, after in pairwise([0, *found])]
    assert len(found) == 2
    assert all(one > 0.001 * sizes[-1] for one in apart)


def points(step: float, at: int, altered: set[int], size: int = 30) -> list[Point]:
    noise = np.random.default_rng(7).normal(0, 0.01, size)
    return [
        Point(float(100 * np.exp(one) * (step if n >= at else 1)), "one", altered=n in altered)
        for n, one in enumerate(noise)
    ]


@pytest.mark.parametrize(
    ("altered", "kind"),
    [
        ({16}, "moved"), ({15}, "step"), (set(), "step"), ({8, 16, 20}, "moved"),
        ({9, 16}, "step"), ({16, 19}, "step"),
    ],
)  # fmt: skip
def test_a_step_where_the_machine_was_altered_moved_with_it(altered: set[int], kind: str) -> None:
    seen = points(0.9, 16, altered)
    (found,) = watched(seen)
    assert (found.kind, found.index, found.status) == (kind, 16, "confirmed")
    assert find_changes(seen, known_of([found]))[0] == found


def test_a_machine_that_is_patched_each_time_is_watched_like_others() -> None:
    every = set(range(1, 30))
    (plain,) = watched(points(0.95, 16, set()))
    (patched,) = watched(points(0.95, 16, every))
    assert patched == plain
    assert plain.kind == "step"
    assert watched(points(1.0, 16, every)) == []
