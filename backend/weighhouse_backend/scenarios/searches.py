"""A campaign's searches: what each has measured, in order. Pure.

A search is one target under one workload, from a load level of the file on. Its measurements are
its runs that have ended, in the order of their blocks, so that the same rows give the same steps
whoever asks, and whenever.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_judging.scenarios.scenario import Axis, FailedBy, Failure, Measurement
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import ClosedLoad

from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.runs.states import FINISHED_RUNS, RunStatus

ELSEWHERE = frozenset({"infrastructure", "cancelled", "policy", "missing_binary"})
"""Kinds of failure that say nothing of the system."""


@dataclass(frozen=True)
class Search:
    """One search, and what it has measured."""

    target_index: int
    workload_index: int
    load_index: int
    """Of the load level where it begins."""
    axis: Axis
    runs: tuple[RunFigures, ...]
    """Those that have ended, in the order they were planned."""
    values: tuple[float, ...]
    """What each of them was measured at: clients, operations a second, requests in flight."""

    @property
    def measured(self) -> tuple[Measurement, ...]:
        """Its runs as a planner takes them."""
        return tuple(map(measurement, self.runs, self.values))


def searches(
    document: Experiment, begun: Sequence[int], runs: Sequence[RunFigures]
) -> list[Search]:
    """All searches of a campaign, by target, workload and load level of the file.

    :param document: the campaign's, with its chosen levels.
    :param begun: for each of its levels the one of the file where the search began.
    """
    levels = {level.label: index for index, level in enumerate(document.load_levels)}
    own = set(begun)
    found: dict[tuple[int, int, int], list[RunFigures]] = {
        place: [] for place in document.cells if place[2] in own
    }
    targets = {target.name: index for index, target in enumerate(document.targets)}
    workloads = {workload.name: index for index, workload in enumerate(document.workloads)}
    ended = (run for run in runs if run.status in FINISHED_RUNS)
    for run in sorted(ended, key=lambda one: (one.block, one.repetition)):
        level = begun[levels[run.load_label]]
        found[targets[run.target], workloads[run.workload], level].append(run)
    value = {level.label: document.varies(level) for level in document.load_levels}
    return [
        Search(
            *place,
            axis_of(document, place[2]),
            tuple(mine),
            tuple(value[run.load_label] for run in mine),
        )
        for place, mine in found.items()
    ]


def axis_of(document: Experiment, load_index: int) -> Axis:
    """What a search from a load level varies."""
    if document.scenario == "peak":
        return "depth"
    return "clients" if isinstance(document.load_levels[load_index], ClosedLoad) else "rate"


def regular(document: Experiment, begun: Sequence[int]) -> set[str]:
    """Labels of the levels that every campaign of the experiment measures again: those of the file,
    and their doublings; of a ladder all, for it is the file's. What lies between is one campaign's
    own.
    """
    if document.scenario == "peak":
        return {level.label for level in document.load_levels}
    found = set()
    for index, level in enumerate(document.load_levels):
        first = document.begun(begun[index]).value
        doublings = math.log2(document.begun(index).value / first)
        if doublings >= 0 and doublings == round(doublings):
            found.add(level.label)
    return found


def measurement(run: RunFigures, value: float) -> Measurement:
    """A run that has ended as a planner takes it.

    :param value: what it was measured at.
    """
    if run.status != RunStatus.COMPLETED:
        failure = run.failure or {}
        kind = run.failure_kind or "cancelled"
        words = str(failure.get("message") or f"the run was {run.status}")
        by: FailedBy = "elsewhere" if kind in ELSEWHERE else "system"
        return Measurement(value, failure=Failure(by, words))
    asked, failed = run.operations or 0, run.failed_operations or 0
    return Measurement(
        value,
        {name: one.value for name, one in run.figures.items()},
        error_share=failed / asked if asked else 0.0,
    )
