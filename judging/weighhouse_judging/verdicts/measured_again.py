"""A base that was measured again beside a build, against what its own campaign had. Pure.

What became of it is no build's doing: it is the same program with the same settings. So whatever
changed alike in all its cells is the machine's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from weighhouse_protocol.figures import Figure
from weighhouse_protocol.percent import signed_percent

from weighhouse_judging.verdicts.gate_measures import LATENCY_FACTOR


@dataclass(frozen=True)
class ThenAndNow:
    """A cell of a base: its repeats' figures in its own campaign, and measured again."""

    label: str
    metric: Figure
    then: tuple[float, ...]
    now: tuple[float, ...]

    @property
    def relative(self) -> float | None:
        """The change of the median; None where either has no figure above 0."""
        if not (self.then and self.now) or min(*self.then, *self.now) <= 0:
            return None
        return float(np.median(self.now) / np.median(self.then) - 1)


def machine_changed(cells: Sequence[ThenAndNow], threshold: float) -> str | None:
    """By how much the machine changed, in a sentence; None where nothing as large as the threshold
    changed in the same direction in all cells.

    It describes, and decides nothing: how much campaigns differ by themselves is not asked.

    :param threshold: for throughput, relative; latency has `LATENCY_FACTOR` times it.
    """
    changes = [(cell, change) for cell in cells if (change := cell.relative) is not None]
    if not changes:
        return None
    # In thresholds, better up.
    sizes = [
        change / threshold if cell.metric.higher_is_better else -change / threshold / LATENCY_FACTOR
        for cell, change in changes
    ]
    if len({size > 0 for size in sizes}) > 1 or abs(float(np.median(sizes))) < 1:
        return None
    place = int(np.argsort(np.abs(sizes))[len(sizes) // 2])
    cell, change = changes[place]
    alike = "" if len(changes) == 1 else f", and so it is in all {len(changes)} cells"
    return (
        "The base itself, measured again, is not where it was in its own campaign: "
        f"{cell.label}: {cell.metric.label.lower()} {signed_percent(change)}{alike}. "
        "The machine changed by so much, not the build."
    )
