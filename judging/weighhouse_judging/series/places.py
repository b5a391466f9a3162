"""Where something of a machine changed along a series that makes no other kind of it. Pure.

A step exactly there is the machine's or the build's, nobody knows which: it is told as one that
moved with the machine. It is looked for like any other, for a machine that was patched has no level
of its own before a step says so. A machine that is patched before each campaign says nothing by
that: its series is watched like others, and its steps are steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from weighhouse_judging.identity.places import memory_changed, memory_words
from weighhouse_judging.series.changes import Change, Known, Point, Rule
from weighhouse_judging.series.course import Piece


@dataclass(frozen=True)
class Stand:
    """What a campaign's machines told of themselves; None where they did not."""

    machines: str | None
    """Digest of which they are."""
    kernel: str | None
    memory_bytes: int | None


def place_changes(stands: Sequence[Stand]) -> dict[int, tuple[str, ...]]:
    """Campaigns before which something of their machines changed, since the last that those
    machines measured: position → what, in words (`kernel 6.1.90 → 6.1.92`).

    Memory counts from what was told last, so that sizes that creep are told once they went far.

    :param stands: of one segment, in its order.
    """
    kernels: dict[str, str] = {}
    sizes: dict[str, int] = {}
    found: dict[int, tuple[str, ...]] = {}
    for index, one in enumerate(stands):
        if one.machines is None:
            continue
        told = []
        if one.kernel is not None:
            before = kernels.setdefault(one.machines, one.kernel)
            if before != one.kernel:
                told.append(f"kernel {before} → {one.kernel}")
                kernels[one.machines] = one.kernel
        if one.memory_bytes is not None:
            size = sizes.setdefault(one.machines, one.memory_bytes)
            if memory_changed(size, one.memory_bytes):
                told.append("memory {} → {}".format(*memory_words(size, one.memory_bytes)))
                sizes[one.machines] = one.memory_bytes
        if told:
            found[index] = tuple(told)
    return found


def as_fitted(known: Sequence[Known], places: npt.NDArray[np.int64]) -> list[Piece]:
    """Changes as the course fits them: what moved with a machine that was altered, and not
    replaced, is a step.

    :param places: which machines measured each point.
    """

    def replaced(index: int) -> bool:
        return 0 < index < places.size and bool(places[index - 1] != places[index])

    return [
        Piece(
            "step" if one.kind == "moved" and not replaced(one.index) else one.kind,
            one.index,
            one.end,
        )
        for one in known
    ]


def as_told(changes: Sequence[Change], points: Sequence[Point], rule: Rule) -> list[Change]:
    """Changes as they are told: a step where a machine was altered for good moved with it. As with
    machines that take over, it has to have been left alone before and after.
    """

    def moved(one: Change) -> bool:
        if one.kind != "step" or not points[one.index].altered:
            return False
        before = points[max(0, one.index - rule.points_before + 1) : one.index]
        after = points[one.index + 1 : one.index + rule.points_after]
        return not any(point.altered for point in (*before, *after))

    return [replace(one, kind="moved") if moved(one) else one for one in changes]
