"""What was reported before is written as it was then: rows are copied, not reckoned again.

A campaign of ten runs costs 1,300 statements over the endpoints, and hardly any test is about them.
The first run that reports something goes that way; those that report the same get copies of its
rows.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.services import Services
from weighhouse_backend.measurements import models
from weighhouse_backend.results.settlement import SettlementService
from weighhouse_backend.runs.models import Attempt, AttemptMember, Cell, Run
from weighhouse_backend.runs.states import RunStatus
from weighhouse_protocol.report import Completion

OF_RESULTS = [
    mapper.local_table
    for mapper in Base.registry.mappers
    if mapper.class_.__module__ == models.__name__ and "attempt_id" in mapper.local_table.columns
]
ASKED = ("scenario", "workloads", "phases")
"""What a document says, beside target and load, that what is kept of a run hangs on."""
Events = list[dict[str, Any]]


@dataclass(frozen=True)
class Kept:
    """An attempt whose run was settled."""

    attempt_id: UUID
    run_id: UUID
    throughput: float
    p99_us: float | None
    version: str | None


@dataclass
class Memory:
    """Settled attempts of one machine, by what they were asked and what they told."""

    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By campaign."""
    kept: dict[str, Kept] = field(default_factory=dict)

    def key(self, campaign_id: str, order: dict[str, Any], events: Events) -> str | None:
        """What two runs have alike that keep the same; None where that is not known."""
        document = self.documents.get(campaign_id)
        if document is None or order.get("chain") or not events:
            return None
        (target,) = (one for one in document["targets"] if one["name"] == order["target"]["name"])
        load = order["load"].get("clients"), order["load"].get("rate_per_second")
        asked = [document.get(name) for name in ASKED]
        return json.dumps([asked, target, load, events], sort_keys=True)

    def recall(self, session: Session, key: str | None) -> Kept | None:
        """What was kept, if it is still stored: campaigns may have been deleted."""
        kept = self.kept.get(key) if key else None
        if kept is None or session.get(Attempt, kept.attempt_id) is None:
            return None
        return kept

    def remember(self, session: Session, key: str, run_id: UUID) -> None:
        """Keep in mind what a run came to, if it was completed."""
        run = session.get_one(Run, run_id)
        if run.status == RunStatus.COMPLETED and run.throughput and run.result_attempt_id:
            version = session.get_one(Cell, run.cell_id).version
            self.kept[key] = Kept(
                run.result_attempt_id, run.id, run.throughput, run.p99_us, version
            )

    def complete(self, services: Services, kept: Kept, order: dict[str, Any], count: int) -> None:
        """End an attempt that has begun as one that told the same."""
        session = services.get(Session)
        attempt_id = UUID(order["attempt_id"])
        copy_rows(session, results_of(kept.attempt_id, attempt_id))
        session.get_one(AttemptMember, (attempt_id, 0)).events_stored = count
        done = Completion(fence=order["fence"], outcome="completed", events_count=count)
        assert services.get(AttemptService).complete(attempt_id, done).result == "accepted"
        services.get(SettlementService).runs.complete(
            UUID(order["run_id"]),
            throughput=kept.throughput,
            p99_us=kept.p99_us,
            version=kept.version,
        )

    def write(
        self, session: Session, campaign_id: str, report: Callable[[dict[str, Any]], Events]
    ) -> dict[str, Events]:
        """Write all queued runs of a campaign but the last that tell what was told before.

        :returns: what the others tell, by run: they are still to be measured.
        """
        document, others = self.documents[campaign_id], {}
        asked = (
            select(Run, Cell)
            .join(Cell, Cell.id == Run.cell_id)
            .where(Run.campaign_id == UUID(campaign_id), Run.status == RunStatus.QUEUED)
            .order_by(Run.position)
        )
        rows = session.execute(asked).all()
        for run, cell in rows:
            order = {
                "run_id": str(run.id), "seed": run.seed, "target": {"name": cell.target},
                "load": load_of(document["load_levels"][cell.load_index], cell.target),
            }  # fmt: skip
            events = report(order)
            key = self.key(campaign_id, order, events)
            kept = self.recall(session, key)
            if kept is None or run is rows[-1][0]:
                others[str(run.id)] = events
            else:
                copy_rows(session, attempt_of(kept, run))
        return others


def load_of(level: dict[str, Any], target: str) -> dict[str, Any]:
    """A level's load of a target, as the document writes it."""
    loads = {point["target"]: point["load"] for point in level.get("points", ())}
    found: dict[str, Any] = loads.get(target, level)
    return found


def copy_rows(session: Session, statements: list[str]) -> None:
    """Carry statements without parameters out, in one go."""
    session.flush()
    session.connection().exec_driver_sql("; ".join(statements))


def results_of(old: UUID, new: UUID) -> list[str]:
    """Statements that give an attempt the results of another."""
    return [_copy(table, {"attempt_id": f"'{new}'"}, f"attempt_id = '{old}'")
            for table in OF_RESULTS]  # fmt: skip


def attempt_of(kept: Kept, run: Run) -> list[str]:
    """Statements that give a queued run a settled attempt as another has one."""
    new = uuid4()
    changed = {"id": f"'{new}'", "run_id": f"'{run.id}'"}
    member = {"attempt_id": f"'{new}'", "claim_id": "NULL", "token_hash": "NULL"}
    return [
        _copy(Attempt.__table__, changed, f"id = '{kept.attempt_id}'"),
        _copy(AttemptMember.__table__, member, f"attempt_id = '{kept.attempt_id}'"),
        *results_of(kept.attempt_id, new),
        (
            "UPDATE runs SET status = done.status, phase = done.phase, attempts_count = 1, "
            f"result_attempt_id = '{new}', throughput = done.throughput, p99_us = done.p99_us, "
            "started_at = clock_timestamp(), finished_at = clock_timestamp(), "
            "changed_at = clock_timestamp() FROM runs AS done "
            f"WHERE runs.id = '{run.id}' AND done.id = '{kept.run_id}'"
        ),
        (
            "UPDATE cells SET last_finished_at = clock_timestamp(), version = done.version "
            "FROM runs JOIN cells AS done ON done.id = runs.cell_id "
            f"WHERE cells.id = '{run.cell_id}' AND runs.id = '{kept.run_id}'"
        ),
    ]


def _copy(table: Any, changed: dict[str, str], where: str) -> str:
    others = [f'"{column.name}"' for column in table.columns if column.name not in changed]
    return (
        f"INSERT INTO {table.name} ({', '.join([*changed, *others])}) "
        f"SELECT {', '.join([*changed.values(), *others])} FROM {table.name} WHERE {where}"
    )
