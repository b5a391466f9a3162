"""How far a campaign is, and how long it will still take. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from weighhouse_backend.runs.states import RunStatus

GAP_SECONDS = 0.5
"""Between two runs of an agent: reporting, allocation, claim."""

SHOWN_AS: Mapping[str, str] = {
    RunStatus.QUEUED: "queued",
    RunStatus.ALLOCATED: "running",
    RunStatus.RUNNING: "running",
    RunStatus.SETTLING: "running",
    RunStatus.COMPLETED: "completed",
    RunStatus.FAILED: "failed",
    RunStatus.CANCELLED: "cancelled",
}
"""Status of a run → the count it belongs to."""


@dataclass(frozen=True)
class RunCounts:
    """Runs of a campaign by what people want to know."""

    total: int
    queued: int
    running: int
    completed: int
    failed: int
    cancelled: int


@dataclass(frozen=True)
class RunGroup:
    """All runs of one target in one status: a campaign has a few of these, however many runs."""

    target_index: int
    status: str
    count: int
    planned_seconds: float
    """Sum of the plan's estimates."""
    taken_seconds: float
    """Sum of what they took: begin to end, or begin to now."""


def count_runs(by_status: Mapping[str, int]) -> RunCounts:
    """Gather counts by status into those that are shown."""
    shown = dict.fromkeys(("queued", "running", "completed", "failed", "cancelled"), 0)
    for status, count in by_status.items():
        shown[SHOWN_AS[status]] += count
    return RunCounts(total=sum(by_status.values()), **shown)


def count_groups(groups: Iterable[RunGroup]) -> RunCounts:
    """Gather groups into the counts that are shown."""
    by_status: dict[str, int] = {}
    for group in groups:
        by_status[group.status] = by_status.get(group.status, 0) + group.count
    return count_runs(by_status)


def seconds_left(groups: Sequence[RunGroup], agents_count: int) -> float:
    """Estimate how long the open runs of a campaign will still take.

    Finished runs correct the plan's estimate: first those of the same target (systems differ in
    how long they take to start), else all of the campaign.

    :param agents_count: agents at work; they share what is queued.
    :returns: seconds, from now; 0 when nothing is open.
    """
    factors = _factors(groups)
    overall = factors.get(None, 1.0)
    left = 0.0
    for group in groups:
        expected = group.planned_seconds * factors.get(group.target_index, overall)
        if group.status in {RunStatus.QUEUED, RunStatus.ALLOCATED}:
            left += expected + GAP_SECONDS * group.count
        elif group.status == RunStatus.RUNNING:
            left += max(expected - group.taken_seconds, 0.0)
    return round(left / max(agents_count, 1), 1)


def _factors(groups: Iterable[RunGroup]) -> dict[int | None, float]:
    taken: dict[int | None, float] = {}
    planned: dict[int | None, float] = {}
    for group in groups:
        if group.status in {RunStatus.COMPLETED, RunStatus.SETTLING}:
            for key in (group.target_index, None):
                taken[key] = taken.get(key, 0.0) + group.taken_seconds
                planned[key] = planned.get(key, 0.0) + group.planned_seconds
    return {key: taken[key] / planned[key] for key in taken if planned[key] > 0}
