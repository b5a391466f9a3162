"""What figures are worked out of, read for hundreds of runs: no more than they take."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from weighhouse_backend.kit.db import among
from weighhouse_backend.measurements.models import RunRecord, RunSummary
from weighhouse_backend.measurements.packed_intervals import ALL
from weighhouse_backend.measurements.records import AttemptRecord, by_attempt


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
