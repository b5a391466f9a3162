"""A history of any size out of one that was measured: rows of experiments and campaigns, again and
again.

A million runs through the services would take a week. What the services wrote once is written again
by the database itself: every row that hangs on a campaign, with identifiers, numbers, dates and
figures of its own. It is reproducible, and each row is as large as a real one.

Identifiers hold the time at which they were made (version 7), and so do those made here: indexes
are filled as by a platform that lived through it.
"""

import importlib
import pkgutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
import weighhouse_backend
from weighhouse_backend.kit.db import Base

BULK = frozenset(
    {
        "artifacts", "intervals", "level_windows", "resource_samples", "run_logs", "sample_windows",
        "timeline_marks",
    }
)  # fmt: skip
"""Tables of which a run has many rows."""
MEASURED = BULK | {
    "attempt_members", "attempts", "campaign_commits", "campaign_verdicts", "campaigns", "cells",
    "experiment_revisions", "experiments", "fault_costs", "findings", "result_sizes", "run_records",
    "run_summaries", "runs", "series", "series_points",
}  # fmt: skip
"""What planning, measuring and settling write; all else is said by people, or passes."""
NOT_KEYED = {
    "runs": {"result_attempt_id"},
    "attempt_members": {"claim_id"},
    "experiments": {"last_campaign_id"},
}
"""Columns that hold an identifier of a row without a key that says so, or one of their own."""
FIGURES = {
    "series_points": ("value", "low", "high"),
    "runs": ("throughput", "p99_us"),
}
"""What differs from one night to the next, by a percent or two."""
MOVED = """
CREATE FUNCTION pg_temp.moved(id uuid, copy bigint, milliseconds bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (
    lpad(to_hex(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
      + copy * milliseconds), 12, '0')
    || '7' || substr(md5(id::text || ':' || copy), 14)
  )::uuid
$$
"""
DRAWN = """
CREATE FUNCTION pg_temp.drawn(id uuid, copy bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT 0.98 + 0.04 * (('x' || left(md5(copy || ':' || id::text), 8))::bit(32)::bigint
    / 4294967296.0 + 0.5)
$$
"""
Change = Callable[[sa.ColumnElement[int]], sa.ColumnElement[Any]]
"""What a column holds in a copy, by the copy's number."""
COUNTED: dict[tuple[str, str], Change] = {("series", "points_count"): lambda _: sa.literal(0)}
"""Columns that the database counts by itself."""


@dataclass(frozen=True)
class Multiplier:
    """Copies rows that hang on rows of one table, over a connection of the owner's.

    :param root: the table; its rows are named by their identifiers.
    :param every: time between a copy and the next, in milliseconds.
    :param changes: what a column of a table holds in a copy.
    """

    connection: sa.Connection
    root: str
    every: int
    changes: Mapping[tuple[str, str], Change] = field(default_factory=dict)
    project: Change | None = None
    """Whose a copy is; none: of the same project."""
    without: Collection[str] = BULK

    def __post_init__(self) -> None:
        self.connection.execute(sa.text("DROP FUNCTION IF EXISTS pg_temp.moved, pg_temp.drawn"))
        self.connection.execute(sa.text(MOVED))
        self.connection.execute(sa.text(DRAWN))

    def copy(self, ids: Collection[object], first: int, last: int) -> int:
        """Write copies `first` to `last` of all that hangs on some rows; how many rows."""
        asked = sa.select(self._tables[self.root].c.id).where(
            self._tables[self.root].c.id.in_(list(ids))
        )
        chosen: dict[str, sa.ColumnElement[bool]] = {}
        written = 0
        for table in Base.metadata.sorted_tables:
            if table.name == self.root:
                chosen[table.name] = table.c.id.in_(asked)
            elif table.name in self.without or table.name not in MEASURED:
                continue
            elif (found := self._hangs(table, chosen)) is not None:
                chosen[table.name] = found
            else:
                continue
            written += self._write(table, chosen, first, last)
        return written

    @property
    def _tables(self) -> Mapping[str, sa.Table]:
        return Base.metadata.tables

    def _hangs(
        self, table: sa.Table, chosen: Mapping[str, sa.ColumnElement[bool]]
    ) -> sa.ColumnElement[bool] | None:
        """Which rows of a table hang on rows that are copied; by the first column that says so."""
        for column in table.columns:
            if column.nullable:
                continue
            for key in column.foreign_keys:
                parent = key.column.table
                if parent.name in chosen and isinstance(column.type, sa.Uuid):
                    rows = sa.select(key.column).where(chosen[parent.name])
                    return column.in_(rows)
        return None

    def _write(
        self,
        table: sa.Table,
        chosen: Mapping[str, sa.ColumnElement[bool]],
        first: int,
        last: int,
    ) -> int:
        counted = sa.func.generate_series(first, last)
        copies = counted.table_valued(sa.column("copy", sa.BigInteger), name="copies")
        copies = copies.render_derived()
        columns = [one for one in table.columns if one.identity is None and one.computed is None]
        made = [self._made(one, chosen, copies.c.copy).label(one.name) for one in columns]
        rows = sa.select(*made).select_from(table.join(copies, sa.true()))
        if table.name in chosen:
            rows = rows.where(chosen[table.name])
        statement = sa.insert(table).from_select([one.name for one in columns], rows)
        return self.connection.execute(statement).rowcount

    def _made(
        self,
        column: sa.Column[object],
        chosen: Mapping[str, sa.ColumnElement[bool]],
        number: sa.ColumnElement[int],
    ) -> sa.ColumnElement[object]:
        table = column.table.name
        if change := {**COUNTED, **self.changes}.get((table, column.name)):
            return change(number)
        if self._is_moved(column, chosen):
            return sa.func.pg_temp.moved(column, number, self.every)
        if column.name == "project_id" and self.project is not None:
            return self.project(number)
        if isinstance(column.type, sa.DateTime):
            return column + number * sa.text(f"interval '{self.every} milliseconds'")
        if column.name in FIGURES.get(table, ()):
            row = next(iter(column.table.primary_key.columns))
            return column * sa.func.pg_temp.drawn(row, number)
        return column

    def _is_moved(
        self, column: sa.Column[object], chosen: Mapping[str, sa.ColumnElement[bool]]
    ) -> bool:
        table = column.table.name
        if column.name in NOT_KEYED.get(table, ()):
            return True
        if column.name == "id" and column.primary_key:
            return True
        keyed = any(key.column.table.name in chosen for key in column.foreign_keys)
        return keyed and isinstance(column.type, sa.Uuid)


def numbered(apart: int) -> dict[tuple[str, str], Change]:
    """Numbers of campaigns: those of a copy stand so far behind those of the copy before."""
    number = Base.metadata.tables["campaigns"].c.number
    of_point = Base.metadata.tables["series_points"].c.campaign_number
    return {
        ("campaigns", "number"): lambda copy: number + copy * apart,
        ("series_points", "campaign_number"): lambda copy: of_point + copy * apart,
    }


def know_all_tables() -> None:
    """Import every module of tables, so that none is forgotten."""
    for module in pkgutil.walk_packages(weighhouse_backend.__path__, "weighhouse_backend."):
        if "models" in module.name.rsplit(".", 1)[-1]:
            importlib.import_module(module.name)
