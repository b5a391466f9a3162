"""What each reading operation costs does not grow with the history: statements, and rows that the
database looks at, by its own count, at two sizes ten times apart.

Every GET of the API's description is asked. The database's planner is kept from reading whole
tables: what it has an index for is read by it at both sizes, and what it has none for is seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, Pool, create_engine, event, text
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_testing.multiplied import Multiplier, know_all_tables, numbered
from weighhouse_testing.waits import until

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
"""What grows with what it answers, or counts it: no faster than the history."""
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
    _before: dict[Any, int] = field(default_factory=dict)
    """What a connection had looked at when its transaction began: the database forgets later."""

    def begun(self, connection: Connection) -> None:
        """A transaction begins."""
        self._own = True
        try:
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        finally:
            self._own = False
        raw = connection.connection.dbapi_connection
        self._before[raw] = _looked_at(raw)

    def asked(self, *_: Any) -> None:
        """A statement is carried out."""
        self.statements += not self._own

    def ending(self, connection: Connection) -> None:
        """A transaction is about to end."""
        self.left(connection.connection.dbapi_connection)

    def left(self, raw: Any, *_: Any) -> None:
        """A connection is given back; with it ends what has not ended."""
        if raw in self._before:
            seen = _looked_at(raw) - self._before[raw]
            self.rows += seen
            del self._before[raw]  # last: it is over

    def is_over(self) -> bool:
        """Nothing is under way: a file is read when its answer has begun, and closed after it."""
        return not self._before


def _looked_at(raw: Any) -> int:
    with raw.cursor() as cursor:
        return int(cursor.execute(LOOKED_AT).fetchone()[0] or 0)


@pytest.fixture(scope="module")
def counted() -> Iterator[Cost]:
    """Of every engine of this process, from here on."""
    cost = Cost()
    listened = [
        (Engine, "begin", cost.begun), (Engine, "before_cursor_execute", cost.asked),
        (Engine, "commit", cost.ending), (Engine, "rollback", cost.ending),
        (Pool, "reset", cost.left),
    ]  # fmt: skip
    for one in listened:
        event.listen(*one)
    yield cost
    for one in listened:
        event.remove(*one)


@pytest.fixture(scope="module")
def sizes(client, session_factory, objects, tenants, owner_database_url, counted):
    """What each operation costs, at both sizes."""
    owner = create_engine(owner_database_url)
    access = Access(tenants[0].project_id, tenants[0].user_id, Role.OWNER)
    with unit_of_work(session_factory) as session:
        headers = {way: headers_of(session, access, by_person=way) for way in (False, True)}

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
            asked = []
            # The first may find out what is kept, and another may be noted as somebody's last use.
            for _ in range(3):
                counted.statements = counted.rows = 0
                ask(client, OPERATIONS[name], rule, objects, headers[rule.by_person])
                until("all that was asked is read", counted.is_over)
                asked.append((counted.statements, counted.rows))
            found[name] = min(asked[1:])
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
    longer = MANY // FEW if name in GROWING else 1
    assert many <= longer * few
    assert many_rows <= longer * few_rows + SLACK


def test_what_grows_is_asked_for():
    assert set(GROWING) <= set(ASKED)
