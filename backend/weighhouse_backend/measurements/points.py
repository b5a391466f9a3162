"""Points of a run's charts: what is drawn of a window, worked out once. Pure.

A window is some neighbouring intervals of one phase, merged. Its figures come out of its merged
histograms; once they are stored, a chart is drawn without a histogram being opened.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from weighhouse_backend.measurements.packed_intervals import ALL, Extremes, PhaseKind
from weighhouse_backend.measurements.summaries import OperationSum, PhaseSum

STEPS_OF_AN_OCTAVE = 4
"""Rows of a heat map for each doubling of latency."""
SERIES_QUANTILES = (0.5, 0.99, 0.999, 0.9999)


class PointFigures(NamedTuple):
    """One operation in a window. Counts; latencies of the successes in µs, None where none was."""

    ok: int = 0
    errors: int = 0
    """Failed, or came back wrong."""
    not_found: int = 0
    p50_us: float | None = None
    p99_us: float | None = None
    p999_us: float | None = None
    p9999_us: float | None = None
    wait_us: float | None = None
    """How long the successes were due before they were sent, on average; only in an open loop."""

    @property
    def came_back(self) -> int:
        """Operations of any outcome."""
        return self.ok + self.errors + self.not_found


POINT_FIGURES = len(PointFigures._fields)


@dataclass(frozen=True)
class Window:
    """Neighbouring intervals of one phase, merged."""

    phase: PhaseKind
    start_us: int
    end_us: int
    figures: Mapping[str, PointFigures]
    """By operation and for `ALL`."""
    heat: Mapping[int, int] = field(default_factory=dict)
    """Successes by latency: 4 × log₂ of ns, rounded down → how many."""
    extremes: Mapping[str, Extremes] = field(default_factory=dict)
    """By operation and for `ALL`; empty when nothing was merged."""
    drain: bool = False
    """Whether it lies after the end of its phase: what was due in the phase comes back."""
    due: Sequence[Sequence[int]] = ()
    """Of an open loop, `weighhouse_protocol.driver.Due` each."""


def window_of(phase: PhaseSum, extremes: Mapping[str, Extremes]) -> Window:
    """The window of some summed intervals."""
    total = phase.everything()
    figures = {name: _figures(item) for name, item in phase.operations.items()}
    figures[ALL] = _figures(total)
    return Window(
        phase.phase,
        phase.start_us,
        phase.end_us,
        figures,
        _heat(total),
        extremes,
        drain=phase.ended_us is not None and phase.ended_us <= phase.start_us,
        due=[(at, *counts) for at, counts in phase.due.items()],
    )


def packed_points(window: Window) -> tuple[dict[str, list[Any]], list[list[int]]]:
    """Figures and heat as they are stored, in JSON: `unpacked_points` reads them.

    Extremes stand behind the figures of their operation.
    """
    figures = {}
    for name, point in window.figures.items():
        figures[name] = list(point)
        edges = window.extremes.get(name)
        if edges is not None:
            figures[name] += [*edges.throughput, *(edges.p99_us or (None, None))]
    return figures, [[step, count] for step, count in sorted(window.heat.items())]


def unpacked_points(
    phase: PhaseKind, start_us: int, end_us: int, figures: Mapping[str, list[Any]]
) -> Window:
    """The window whose figures `packed_points` made; without its heat."""
    points, extremes = {}, {}
    for name, values in figures.items():
        points[name] = PointFigures(*values[:POINT_FIGURES])
        if len(values) > POINT_FIGURES:
            least, most, low, high = values[POINT_FIGURES:]
            slow = None if low is None or high is None else (low, high)
            extremes[name] = Extremes((least, most), slow)
    return Window(phase, start_us, end_us, points, {}, extremes)


def _figures(operation: OperationSum) -> PointFigures:
    p50, p99, p999, p9999 = operation.response.quantiles_us(SERIES_QUANTILES)
    return PointFigures(
        operation.ok,
        operation.errors + operation.verify_failed,
        operation.not_found,
        p50,
        p99,
        p999,
        p9999,
        _wait_us(operation),
    )


def _wait_us(operation: OperationSum) -> float | None:
    if operation.service is None:
        return None
    response, service = operation.response.mean_us, operation.service.mean_us
    return None if response is None or service is None else max(0.0, response - service)


def _heat(operation: OperationSum) -> dict[int, int]:
    ends, amounts = operation.response.filled()
    if not ends.size:
        return {}
    steps = np.floor(STEPS_OF_AN_OCTAVE * np.log2(ends.astype(np.float64))).astype(np.int64)
    lowest = int(steps[0])
    counts = np.bincount(steps - lowest, weights=amounts).astype(int).tolist()
    return {lowest + place: count for place, count in enumerate(counts) if count}


def lower_end_us(step: int) -> float:
    """Where a row of the heat begins, in µs."""
    return math.pow(2, step / STEPS_OF_AN_OCTAVE) / 1000.0
