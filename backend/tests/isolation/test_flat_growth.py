"""What each reading operation costs does not grow with the history: statements, and rows that the
database looks at, by its own count, at two sizes ten times apart.

Every GET of the API's description is asked. The database's planner is kept from reading whole
tables: what it has an index for is read by it at both sizes, and what it has none for is seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, text
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_testing.multiplied import Multiplier, know_all_tables, numbered

from backend.tests.isolation.operations import RULES
from backend.tests.isolation.stored import Access, ask, headers_of
from backend.tests.isolation.test_isolation import OPERATIONS

FEW, MANY = 60, 600
"""Campaigns; a page holds fifty."""
A_DAY = 86_400_000
ASKED = sorted(
    name
    for name, (method, _) in OPERATIONS.items()
    if method == "GET"
    and RULES[name].kind in {"public", "named", "mine"}
    and not RULES[name].endless
)
SLACK = 40
"""Rows: what the depth of an index, and notes of what was asked before, may add."""
GROWING = {
    "alerts_read_series": "a point a campaign",
    "exports_list_campaigns": "every campaign leaves",
    "exports_read_series": "every point leaves",
    "exports_list_runs": "every run leaves",
    "gates_read_record": "verdicts are counted, by an index",
    "quotas_read_usage": "sizes of attempts are added up, by an index",
    "retention_read_keeping": "verdicts that rest on a campaign are looked for among all",
}
"""What grows with what it answers, or counts it: no faster than the history, and in as many
statements.
"""
LOOKED_AT = """
SELECT sum(pg_stat_get_xact_tuples_returned(oid)) FROM pg_class
WHERE relkind IN ('r', 'i', 'p') AND relnamespace = 'public'::regnamespace
"""


@dataclass
class Cost:
    """Counts what transactions ask of the database."""

    statements: int = 0
    rows: int = 0
    _own: bool = False
    _before: WeakKeyDictionary[Connection, int] = field(default_factory=WeakKeyDictionary)
    """What a connection had looked at when its transaction began: the database forgets later."""

    def begun(self, connection: Connection) -> None:
        """A transaction begins."""
        self._aside(connection, "SET LOCAL enable_seqscan = off")
        self._before[connection] = self._looked_at(connection)

    def asked(self, *_: Any) -> None:
        """A statement is carried out."""
        self.statements += not self._own

    def ending(self, connection: Connection) -> None:
        """A transaction is about to end."""
        self.rows += self._looked_at(connection) - self._before.pop(connection)

    def _looked_at(self, connection: Connection) -> int:
        return int(self._aside(connection, LOOKED_AT).scalar_one() or 0)

    def _aside(self, connection: Connection, statement: str) -> Any:
        self._own = True
        try:
            return connection.exec_driver_sql(statement)
        finally:
            self._own = False


@pytest.fixture(scope="module")
def counted() -> Iterator[Cost]:
    """Of every engine of this process, from here on."""
    cost = Cost()
    listened = [
        ("begin", cost.begun), ("before_cursor_execute", cost.asked),
        ("commit", cost.ending), ("rollback", cost.ending),
    ]  # fmt: skip
    for name, listener in listened:
        event.listen(Engine, name, listener)
    yield cost
    for name, listener in listened:
        event.remove(Engine, name, listener)


@pytest.fixture(scope="module")
def sizes(client, session_factory, objects, tenants, owner_database_url, counted):
    """What each operation costs, at both sizes."""
    owner = create_engine(owner_database_url)
    access = Access(tenants[0].project_id, tenants[0].user_id, Role.OWNER)

    def grow(first: int, last: int) -> None:
        with owner.begin() as connection:
            writer = Multiplier(connection, "campaigns", A_DAY, changes=numbered(1))
            writer.copy([UUID(objects["campaign_id"])], first, last)
        with owner.begin() as connection:
            connection.execute(text("ANALYZE"))

    def look() -> dict[str, tuple[int, int]]:
        found = {}
        for name in ASKED:
            rule = RULES[name]
            with unit_of_work(session_factory) as session:
                headers = headers_of(session, access, by_person=rule.by_person)
            for _ in range(2):  # the first may find out what is kept
                counted.statements = counted.rows = 0
                ask(client, OPERATIONS[name], rule, objects, headers)
            found[name] = (counted.statements, counted.rows)
        return found

    know_all_tables()
    grow(1, FEW)
    small = look()
    grow(FEW + 1, MANY)
    yield small, look()
    owner.dispose()


@pytest.mark.parametrize("name", ASKED)
def test_it_costs_the_same_however_long_the_history_is(sizes, name):
    (few, few_rows), (many, many_rows) = (size[name] for size in sizes)
    assert many <= few
    longer = MANY // FEW if name in GROWING else 1
    assert many_rows <= longer * few_rows + SLACK


def test_what_grows_is_asked_for():
    assert set(GROWING) <= set(ASKED)
