"""Lists by keyset: a cursor names a row and a direction, so that no page costs more than the first,
and rows that come in meanwhile move nothing.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from weighhouse_backend.kit.problems import BadCursor

R = TypeVar("R")
Item = TypeVar("Item")
Other = TypeVar("Other")
MAX_LIMIT = 200
MOST_COUNTED = 10_000
"""Further nobody counts: the work of a page does not grow with the list."""
OLDEST = "oldest"
"""The cursor of the last page, which nobody has to walk to."""
NEWER = "newer"


class Total(BaseModel):
    """How many there are in all, over all pages."""

    count: int
    is_exact: bool
    """False: there are more than `count`; further nobody counts."""


class Page(BaseModel, Generic[Item]):
    """A part of a list."""

    items: list[Item]
    next_cursor: str | None = None
    """For the next part; null: this was the last."""
    previous_cursor: str | None = None
    """For the part before; null: this is the first."""
    total: Total | None = None
    """Of all parts together; null: it was not asked for (`total=true`)."""

    def of(self, items: Iterable[Other]) -> "Page[Other]":
        """The same part, its items shown in another way."""
        return Page[Any](
            items=list(items),
            next_cursor=self.next_cursor,
            previous_cursor=self.previous_cursor,
            total=self.total,
        )


class PageQuery(BaseModel):
    """How much of a list, from where."""

    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 50
    cursor: Annotated[
        str | None,
        Query(max_length=200, description="Of another part's answer, or `oldest`: the last part."),
    ] = None
    total: Annotated[
        bool, Query(description=f"Count all parts together, up to {MOST_COUNTED:,}.")
    ] = False


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a list, and on which side of it the wanted part lies."""

    key: UUID
    newer: bool = False


def encode_cursor(key: UUID, *, newer: bool = False) -> str:
    """A row's key as an opaque text: for what is older than it, or newer."""
    place = [NEWER, str(key)] if newer else str(key)
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> Place:
    """:raises BadCursor: when it is none of ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        place = json.loads(base64.urlsafe_b64decode(padded))
        match place:
            case [str(side), str(key)] if side == NEWER:
                return Place(UUID(key), newer=True)
            case str(key):
                return Place(UUID(key))
    except (ValueError, binascii.Error, TypeError) as error:
        raise BadCursor from error
    raise BadCursor


def page_of(
    session: Session,
    statement: Select[Any],
    key: ColumnElement[UUID] | Any,
    query: PageQuery,
    read: Callable[[Any], R],
    *,
    key_of: Callable[[Any], UUID] = lambda row: row.id,
) -> Page[R]:
    """One page of a list, newest first.

    :param statement: selects one entity; neither ordered nor limited yet.
    :param key: the UUIDv7 column to order by.
    :param read: makes the item of a row.
    """
    total = _total(session, statement, key) if query.total else None
    rows, is_first, is_last = _rows(session, statement, key, query)
    return Page[Any](
        items=[read(row) for row in rows],
        next_cursor=None if is_last or not rows else encode_cursor(key_of(rows[-1])),
        previous_cursor=(
            None if is_first or not rows else encode_cursor(key_of(rows[0]), newer=True)
        ),
        total=total,
    )


def _rows(
    session: Session, statement: Select[Any], key: ColumnElement[UUID] | Any, query: PageQuery
) -> tuple[Sequence[Any], bool, bool]:
    """Rows of a page, newest first; whether it is the first, and the last."""

    def found(narrowed: Select[Any], order: ColumnElement[Any]) -> tuple[list[Any], bool]:
        rows = list(session.scalars(narrowed.order_by(order).limit(query.limit + 1)).all())
        return rows[: query.limit], len(rows) > query.limit

    if query.cursor == OLDEST:
        rows, more = found(statement, key.asc())
        return rows[::-1], not more, True
    place = None if query.cursor is None else decode_cursor(query.cursor)
    if place is not None and place.newer:
        rows, more = found(statement.where(key > place.key), key.asc())
        if more:
            return rows[::-1], False, False
        place = None  # the first page begins at the newest, not in the middle
    if place is not None:
        statement = statement.where(key < place.key)
    rows, more = found(statement, key.desc())
    return rows, place is None, not more


def _total(session: Session, statement: Select[Any], key: ColumnElement[UUID] | Any) -> Total:
    some = statement.with_only_columns(key).limit(MOST_COUNTED + 1).subquery()
    count = session.scalar(select(func.count()).select_from(some)) or 0
    return Total(count=min(count, MOST_COUNTED), is_exact=count <= MOST_COUNTED)
