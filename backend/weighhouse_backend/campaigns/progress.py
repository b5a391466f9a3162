"""How far a campaign is, and how long it will still take. Pure."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.campaigns.models import Run
from weighhouse_backend.campaigns.states import RunStatus

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


def count_runs(by_status: Mapping[str, int]) -> RunCounts:
    """Gather counts by status into those that are shown."""
    shown = dict.fromkeys(("queued", "running", "completed", "failed", "cancelled"), 0)
    for status, count in by_status.items():
        shown[SHOWN_AS[status]] += count
    return RunCounts(total=sum(by_status.values()), **shown)


def seconds_left(
    runs: Sequence[Run],
    target_of: Mapping[UUID, int],
    now: datetime.datetime,
    agents_count: int,
) -> float:
    """Estimate how long the open runs of a campaign will still take.

    Finished runs correct the plan's estimate: first those of the same target (systems differ in
    how long they take to start), else all of the campaign.

    :param target_of: cell → target.
    :param agents_count: agents at work; they share what is queued.
    :returns: seconds, from now; 0 when nothing is open.
    """
    factors = _factors(runs, target_of)
    overall = factors.get(None, 1.0)
    left = 0.0
    for run in runs:
        expected = run.estimated_seconds * factors.get(target_of[run.cell_id], overall)
        if run.status in {RunStatus.QUEUED, RunStatus.ALLOCATED}:
            left += expected + GAP_SECONDS
        elif run.status == RunStatus.RUNNING and run.started_at is not None:
            left += max(expected - (now - run.started_at).total_seconds(), 0.0)
    return round(left / max(agents_count, 1), 1)


def _factors(runs: Iterable[Run], target_of: Mapping[UUID, int]) -> dict[int | None, float]:
    actual: dict[int | None, float] = {}
    planned: dict[int | None, float] = {}
    for run in runs:
        if run.status not in {RunStatus.COMPLETED, RunStatus.SETTLING}:
            continue
        if run.started_at is None or run.finished_at is None:
            continue
        duration = (run.finished_at - run.started_at).total_seconds()
        for key in (target_of[run.cell_id], None):
            actual[key] = actual.get(key, 0.0) + duration
            planned[key] = planned.get(key, 0.0) + run.estimated_seconds
    return {key: actual[key] / planned[key] for key in actual if planned[key] > 0}
