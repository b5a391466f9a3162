"""Lists by keyset: a cursor names a row and a direction, so that no page costs more than the first,
and rows that come in meanwhile move nothing.
"""

import base64
import binascii
import datetime
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from fastapi import Depends, Query
from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, func, literal, select, tuple_
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
NEWER, OLDER = "newer", "older"


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
    cursor: Annotated[str | None, Query(max_length=200)] = None
    """Of another part's answer; or `oldest`: the last part."""
    total: bool = False
    """Count all parts together, up to `MOST_COUNTED`."""


PageDep = Annotated[PageQuery, Depends()]


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a list, and on which side of it the wanted part lies."""

    key: UUID
    at: datetime.datetime | None = None
    """Of a list that is ordered by an instant before the key."""
    newer: bool = False


def encode_cursor(place: Place) -> str:
    """A place as an opaque text."""
    told = [NEWER if place.newer else OLDER, str(place.key)]
    if place.at is not None:
        told.append(place.at.isoformat())
    return base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> Place:
    """:raises BadCursor: when it is none of ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        match json.loads(base64.urlsafe_b64decode(padded)):
            case [str(side), str(key)] if side in {NEWER, OLDER}:
                return Place(UUID(key), newer=side == NEWER)
            case [str(side), str(key), str(at)] if side in {NEWER, OLDER}:
                instant = datetime.datetime.fromisoformat(at)
                if instant.tzinfo is not None:
                    return Place(UUID(key), instant, newer=side == NEWER)
    except (ValueError, binascii.Error, TypeError) as error:
        raise BadCursor from error
    raise BadCursor


@dataclass(frozen=True, slots=True)
class Order:
    """What a list is ordered by, the newest first."""

    key: ColumnElement[UUID] | Any
    at: ColumnElement[datetime.datetime] | Any = None

    @property
    def columns(self) -> list[Any]:
        """From what counts most."""
        return [self.key] if self.at is None else [self.at, self.key]

    def beyond(self, place: Place) -> ColumnElement[bool]:
        """That a row lies on the wanted side of a place.

        :raises BadCursor: when the place is one of a list in another order.
        """
        if (place.at is None) != (self.at is None):
            raise BadCursor
        if self.at is None:
            row: ColumnElement[Any] = self.key
            limit: ColumnElement[Any] = literal(place.key)
        else:
            row = tuple_(self.at, self.key)
            limit = tuple_(literal(place.at), literal(place.key))
        found: ColumnElement[bool] = row > limit if place.newer else row < limit
        return found


def page_of(
    session: Session,
    statement: Select[Any],
    key: ColumnElement[UUID] | Any,
    query: PageQuery,
    read: Callable[[Any], R],
    *,
    key_of: Callable[[Any], UUID] = lambda row: row.id,
    at: ColumnElement[datetime.datetime] | Any = None,
) -> Page[R]:
    """One page of a list, newest first.

    :param statement: selects one entity; neither ordered nor limited yet.
    :param key: the UUIDv7 column to order by.
    :param read: makes the item of a row.
    :param at: the entity's column of instants to order by before the key; None: the key alone.
    """
    total = _total(session, statement, key) if query.total else None
    rows, is_first, is_last = _rows(session, statement, Order(key, at), query)

    def cursor(row: Any, *, newer: bool) -> str:
        instant = None if at is None else getattr(row, str(at.key))
        return encode_cursor(Place(key_of(row), instant, newer=newer))

    return Page[Any](
        items=[read(row) for row in rows],
        next_cursor=None if is_last or not rows else cursor(rows[-1], newer=False),
        previous_cursor=None if is_first or not rows else cursor(rows[0], newer=True),
        total=total,
    )


def _rows(
    session: Session, statement: Select[Any], order: Order, query: PageQuery
) -> tuple[Sequence[Any], bool, bool]:
    """Rows of a page, newest first; whether it is the first, and the last."""

    def found(narrowed: Select[Any], *, ascending: bool) -> tuple[list[Any], bool]:
        columns = [one.asc() if ascending else one.desc() for one in order.columns]
        rows = list(session.scalars(narrowed.order_by(*columns).limit(query.limit + 1)).all())
        return rows[: query.limit], len(rows) > query.limit

    if query.cursor == OLDEST:
        rows, more = found(statement, ascending=True)
        return rows[::-1], not more, True
    place = None if query.cursor is None else decode_cursor(query.cursor)
    if place is not None and place.newer:
        rows, more = found(statement.where(order.beyond(place)), ascending=True)
        if more:
            return rows[::-1], False, False
        place = None  # the first page begins at the newest, not in the middle
    if place is not None:
        statement = statement.where(order.beyond(place))
    rows, more = found(statement, ascending=False)
    return rows, place is None, not more


def _total(session: Session, statement: Select[Any], key: ColumnElement[UUID] | Any) -> Total:
    some = statement.with_only_columns(key).limit(MOST_COUNTED + 1).subquery()
    count = session.scalar(select(func.count()).select_from(some)) or 0
    return Total(count=min(count, MOST_COUNTED), is_exact=count <= MOST_COUNTED)
