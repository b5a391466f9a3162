"""What figures are worked out of, read for hundreds of runs: no more than they take."""

from collections.abc import Collection
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from weighhouse_backend.kit.db import among
from weighhouse_backend.measurements.models import RunRecord, RunSummary
from weighhouse_backend.measurements.packed_intervals import ALL
from weighhouse_backend.measurements.records import AttemptRecord, by_attempt, memory_of_all


class Totals(NamedTuple):
    """All operations of one phase of an attempt together, as `RunSummary` has them."""

    attempt_id: UUID
    phase: str
    ok: int
    not_found: int
    errors: int
    verify_failed: int
    throughput: float
    mean_us: float | None
    p50_us: float | None
    p95_us: float | None
    p99_us: float | None
    p999_us: float | None
    p9999_us: float | None
    max_us: float | None


class OperationRow(NamedTuple):
    """One operation of one phase of an attempt, as `RunSummary` has it."""

    attempt_id: UUID
    phase: str
    operation: str
    duration_seconds: float
    ok: int
    not_found: int
    errors: int
    verify_failed: int
    never_sent: int | None
    answered_late: int | None
    throughput: float
    mean_us: float | None
    p50_us: float | None
    p95_us: float | None
    p99_us: float | None
    p999_us: float | None
    p9999_us: float | None
    max_us: float | None
    errors_by_kind: dict[str, int]
    overflow: int
    asked: dict[str, Any] | None


class FigureFacts(NamedTuple):
    """The facts of an attempt that figures are worked out of, as `AttemptRecord` has them."""

    memory: dict[str, Any]
    driver: dict[str, Any] | None


def operations(
    session: Session, attempt_ids: Collection[UUID]
) -> dict[UUID, dict[tuple[str, str], OperationRow]]:
    """What was done of each operation in each phase of several attempts; one query."""
    columns = [getattr(RunSummary, name) for name in OperationRow._fields]
    rows = session.execute(
        select(*columns)
        .where(among(RunSummary.attempt_id, attempt_ids))
        .order_by(RunSummary.operation)
    )
    found: dict[UUID, dict[tuple[str, str], OperationRow]] = {one: {} for one in attempt_ids}
    for row in rows:
        found[row[0]][row[1], row[2]] = OperationRow(*row)
    return found


def facts(session: Session, attempt_ids: Collection[UUID]) -> dict[UUID, FigureFacts]:
    """What figures take of the facts of several attempts; one query."""
    rows = session.execute(
        select(RunRecord.attempt_id, RunRecord.memory, RunRecord.driver)
        .where(among(RunRecord.attempt_id, attempt_ids))
        .order_by(RunRecord.member)
    )
    parts: dict[UUID, list[FigureFacts]] = {}
    for attempt_id, memory, driver in rows:
        parts.setdefault(attempt_id, []).append(FigureFacts(memory, driver))
    return {
        attempt_id: FigureFacts(
            memory_of_all([one.memory for one in told]),
            next((one.driver for one in told if one.driver is not None), None),
        )
        for attempt_id, told in parts.items()
    }


def totals(session: Session, attempt_ids: Collection[UUID]) -> dict[tuple[UUID, str], Totals]:
    """All operations together of several attempts, by attempt and phase; one query."""
    columns = [getattr(RunSummary, name) for name in Totals._fields]
    rows = session.execute(
        select(*columns).where(
            among(RunSummary.attempt_id, attempt_ids), RunSummary.operation == ALL
        )
    )
    return {(row[0], row[1]): Totals(*row) for row in rows}


def records(session: Session, attempt_ids: Collection[UUID]) -> dict[UUID, AttemptRecord]:
    """The facts of several attempts, without commands and phases, which nobody may ask for; one
    query.
    """
    query = select(RunRecord).where(among(RunRecord.attempt_id, attempt_ids))
    left = (RunRecord.commands, RunRecord.phases)
    return by_attempt(session.scalars(query.options(*(defer(one, raiseload=True) for one in left))))
