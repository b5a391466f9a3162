"""A list's items as a table: a column a field, as the API names it. Pure."""

import datetime
import json
from collections.abc import Collection, Iterable, Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from weighhouse_backend.exports.tables import Column, Kind, Row, Table, Value

KINDS: dict[type, Kind] = {
    bool: "flag", int: "integer", float: "number", datetime.datetime: "instant",
}  # fmt: skip
"""All else is text; what has parts of its own is JSON."""


def table_of(
    name: str, model: type[BaseModel], items: Iterable[BaseModel], leave: Collection[str] = ()
) -> Table:
    """A row an item.

    A field that is one document becomes a column for each of its fields (`campaign.number`:
    `campaign_number`); a list, a mapping and one of several documents are JSON.

    :param leave: names of fields that stay out.
    """
    named = [one for one in _columns(model) if one[0][0] not in leave]
    columns = [Column("_".join(path), kind) for path, kind in named]
    return Table(name, columns, (_row(item, [path for path, _ in named]) for item in items))


def _columns(model: type[BaseModel]) -> Iterator[tuple[tuple[str, ...], Kind]]:
    for name, field in model.model_fields.items():
        kind = _alone(field.annotation)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from (((name, *path), inner) for path, inner in _columns(kind))
        else:
            yield (name,), KINDS.get(kind, "text")


def _alone(annotation: Any) -> Any:
    """A type without what is said about it, and without null."""
    if get_origin(annotation) is Annotated:
        return _alone(get_args(annotation)[0])
    if get_origin(annotation) in {Union, UnionType}:
        others = [one for one in get_args(annotation) if one is not NoneType]
        return _alone(others[0]) if len(others) == 1 else None
    return annotation


def _row(item: BaseModel, paths: Iterable[tuple[str, ...]]) -> Row:
    return [_value(item, path) for path in paths]


def _value(item: Any, path: tuple[str, ...]) -> Value:
    for name in path:
        item = None if item is None else getattr(item, name)
    if item is None or isinstance(item, bool | int | float | datetime.datetime):
        return item
    if isinstance(item, BaseModel):
        return item.model_dump_json()
    if isinstance(item, list | tuple):
        if all(isinstance(one, str) for one in item):
            return ", ".join(item)
        return json.dumps([one.model_dump(mode="json") for one in item], ensure_ascii=False)
    if isinstance(item, dict):
        return json.dumps(item, ensure_ascii=False)
    return str(item)
