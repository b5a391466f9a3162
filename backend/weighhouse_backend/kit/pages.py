"""Lists by keyset: a cursor names the last row seen, so that no page costs more than the first."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select
from sqlalchemy.orm import Session

from weighhouse_backend.kit.problems import BadCursor

R = TypeVar("R")
Item = TypeVar("Item")
MAX_LIMIT = 200


class Page(BaseModel, Generic[Item]):
    """A part of a list."""

    items: list[Item]
    next_cursor: str | None = None
    """For the next part; null: this was the last."""


class PageQuery(BaseModel):
    """How much of a list, from where."""

    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 50
    cursor: Annotated[str | None, Query(max_length=200)] = None


def encode_cursor(key: UUID) -> str:
    """A row's key as an opaque text."""
    return base64.urlsafe_b64encode(json.dumps(str(key)).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> UUID:
    """:raises BadCursor: when it is none of ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return UUID(str(json.loads(base64.urlsafe_b64decode(padded))))
    except (ValueError, binascii.Error, TypeError) as error:
        raise BadCursor from error


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
    if query.cursor is not None:
        statement = statement.where(key < decode_cursor(query.cursor))
    rows: Sequence[Any] = session.scalars(
        statement.order_by(key.desc()).limit(query.limit + 1)
    ).all()
    shown = rows[: query.limit]
    more = len(rows) > query.limit
    return Page[Any](
        items=[read(row) for row in shown],
        next_cursor=encode_cursor(key_of(shown[-1])) if more else None,
    )
