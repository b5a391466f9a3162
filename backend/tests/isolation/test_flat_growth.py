"""What a page costs does not grow with the history behind it: statements, and rows that the
database looks at, of every operation that reads, with ten times the campaigns, runs and points.

Rows are the plan's own count, with whatever index there is taken: a table that is gone through from
end to end has none that would do.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.models import SeriesPoint
from weighhouse_testing.multiplied import Multiplier, know_all_tables

from backend.tests.described import described
from backend.tests.isolation.operations import RULES
from backend.tests.isolation.stored import Access, ask, headers_of

DAY_MS = 86_400_000
FEW, MANY = 60, 600
"""Campaigns beside the first: more than a page of a list in both cases."""
READING = {
    operation["operationId"]: ("GET", path)
    for path, methods in described()["paths"].items()
    for method, operation in methods.items()
    if method == "get"
    and RULES[operation["operationId"]].kind not in {"agent", "directory", "vendor"}
}
ALL_POINTS: Mapping[str, str] = {}
"""Operations that read a series from end to end, and why."""
FLAT, SOME_ROWS = 1.2, 60


def rows_of(plan: dict[str, Any]) -> float:
    """Rows that a plan's scans gave or threw away."""
    own = 0.0
    if "Scan" in plan["Node Type"] and "Bitmap Index" not in plan["Node Type"]:
        thrown = plan.get("Rows Removed by Filter", 0) + plan.get(
            "Rows Removed by Index Recheck", 0
        )
        own = (plan["Actual Rows"] + thrown) * plan["Actual Loops"]
    return own + sum(rows_of(each) for each in plan.get("Plans", []))


@dataclass
class Cost:
    """Of one answer."""

    status: int = 0
    statements: int = 0
    rows: float = 0.0
    dearest: dict[str, float] = field(default_factory=dict)
    """Statement → rows."""


@contextmanager
def counted(engine: sa.Engine) -> Iterator[Cost]:
    """Count what is asked of the database meanwhile; each statement that reads is explained."""
    cost, busy = Cost(), []

    def note(
        connection: sa.Connection, cursor: Any, statement: str, parameters: Any, *_: Any
    ) -> None:
        if busy or not statement.lstrip("( ").upper().startswith(("SELECT", "WITH")):
            return
        if "set_config" in statement or "pg_advisory" in statement:
            return
        cost.statements += 1
        busy.append(1)
        try:
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            found = connection.exec_driver_sql(
                f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}", parameters
            ).scalar_one()
        finally:
            busy.clear()
        rows = rows_of((json.loads(found) if isinstance(found, str) else found)[0]["Plan"])
        cost.rows += rows
        cost.dearest[statement] = cost.dearest.get(statement, 0) + rows

    sa.event.listen(engine, "after_cursor_execute", note)
    try:
        yield cost
    finally:
        sa.event.remove(engine, "after_cursor_execute", note)


class History:
    """The tenant's campaign, again and again."""

    def __init__(self, url: str, campaign: UUID) -> None:
        self.engine, self.campaign, self.copies = sa.create_engine(url), campaign, 0
        know_all_tables()

    def grow(self, copies: int) -> None:
        """Until there are so many copies."""
        number = Campaign.__table__.c.number
        of_point = SeriesPoint.__table__.c.campaign_number
        with self.engine.begin() as connection:
            writer = Multiplier(
                connection, "campaigns", DAY_MS,
                changes={
                    ("campaigns", "number"): lambda copy: number + copy * 1000,
                    ("series_points", "campaign_number"): lambda copy: of_point + copy * 1000,
                },
            )  # fmt: skip
            writer.copy([self.campaign], self.copies + 1, copies)
        self.copies = copies
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text("VACUUM ANALYZE"))


@pytest.fixture(scope="module")
def costs(
    client, objects, tenants, session_factory, owner_database_url
) -> dict[str, tuple[Cost, Cost]]:
    """Of every operation that reads, with few campaigns and with many."""
    history = History(owner_database_url, UUID(objects["campaign_id"]))
    owner = Access(tenants[0].project_id, tenants[0].user_id, Role.OWNER)
    found: dict[str, list[Cost]] = {name: [] for name in READING}
    for copies in (FEW, MANY):
        history.grow(copies)
        for name, called in READING.items():
            for warm in (True, False):
                with unit_of_work(session_factory) as session:
                    headers = headers_of(session, owner, by_person=RULES[name].by_person)
                with counted(client.app.state.engine) as cost:
                    cost.status = ask(client, called, RULES[name], objects, headers).status_code
                if not warm:
                    found[name].append(cost)
    history.engine.dispose()
    return {name: (few, many) for name, (few, many) in found.items()}


def test_what_is_asked_does_not_grow(costs):
    grown = {
        name: (few.statements, many.statements)
        for name, (few, many) in costs.items()
        if many.statements > few.statements
    }
    assert not grown


def test_what_is_read_does_not_grow(costs):
    grown = {}
    for name, (few, many) in costs.items():
        if name not in ALL_POINTS and many.rows > few.rows * FLAT + SOME_ROWS:
            dearest = max(many.dearest, key=lambda one: many.dearest[one] - few.dearest.get(one, 0))
            grown[name] = (few.rows, many.rows, many.dearest[dearest], dearest[:3000])
    assert not grown


def test_most_of_it_was_read(costs):
    assert {name for name, (few, many) in costs.items() if few.status != many.status} == set()
    assert sum(few.status == 200 for few, _ in costs.values()) > 80
