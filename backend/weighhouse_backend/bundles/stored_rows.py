"""Rows as JSON, and back: what a bundle holds of them is made into the same rows again. Pure.

Columns that no figure follows from are left out: whose they are, and what only agents need.
"""

import base64
import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from sqlalchemy import Table

from weighhouse_backend.kit.db import Base
from weighhouse_backend.measurements.models import (
    ResourceSample,
    RunRecord,
    RunSummary,
    TimelineMark,
)
from weighhouse_backend.runs.models import AttemptMember, Campaign, Cell, Run

Row = TypeVar("Row", bound=Base)
LEFT_OUT = frozenset({"project_id"})
KEPT: Mapping[type[Base], frozenset[str]] = {
    Campaign: frozenset(
        {
            "id", "number", "status", "verdict", "trigger", "seed", "repetitions", "noise",
            "labels", "environment", "base", "release", "chosen_levels", "beside", "paused",
            "created_at",
            "started_at", "finished_at",
        }
    ),
    AttemptMember: frozenset(
        {
            "attempt_id", "index", "agent_name", "roles", "nodes", "share", "fingerprint",
            "clock_offset_us", "clock_error_us",
        }
    ),
}  # fmt: skip
"""Of tables that hold more than what was measured, the columns that are taken along."""
WHOLE = (Cell, Run, RunRecord, RunSummary, ResourceSample, TimelineMark)
"""Tables of which all columns are, but whose rows they are."""


def columns(kind: type[Base]) -> list[str]:
    """The columns of a table that stand in bundles."""
    table = cast("Table", kind.__table__)
    names = [column.name for column in table.columns if column.name not in LEFT_OUT]
    return [name for name in names if kind in WHOLE or name in KEPT[kind]]


def told(row: Base) -> dict[str, Any]:
    """A row as JSON."""
    return {name: _plain(getattr(row, name)) for name in columns(type(row))}


def row_of(kind: type[Row], told: Mapping[str, Any]) -> Row:
    """The row that JSON tells; it belongs to no database.

    :raises ValueError: when a column is missing, or is not of its type.
    """
    table = cast("Table", kind.__table__)
    found: dict[str, Any] = {}
    for name in columns(kind):
        if name not in told:
            raise ValueError(f"{table.name}: {name} is missing")
        try:
            found[name] = _typed(told[name], table.columns[name].type.python_type)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{table.name}.{name}: {error}") from error
    return kind(**found)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value) if isinstance(value, UUID) else value


def _typed(value: Any, kind: type) -> Any:
    if value is None:
        return None
    if kind is datetime.datetime:
        return datetime.datetime.fromisoformat(_text(value))
    if kind is bytes:
        return base64.b64decode(_text(value), validate=True)
    if kind is UUID:
        return UUID(_text(value))
    if kind is float and isinstance(value, int):
        return float(value)
    if isinstance(value, bool) and kind is not bool:
        raise TypeError(f"{value} is no {kind.__name__}")
    if kind in {int, float, str, bool} and not isinstance(value, kind):
        raise TypeError(f"{str(value)[:40]!r} is no {kind.__name__}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:40]!r} is no text")
    return value
