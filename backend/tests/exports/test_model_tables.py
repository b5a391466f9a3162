"""A list's items as a table: columns by their fields, whatever those are."""

import datetime
import json
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field
from weighhouse_backend.exports.model_tables import table_of

AT = datetime.datetime(2026, 11, 29, 16, 30, tzinfo=datetime.UTC)
ID = UUID("01890000-0000-7000-8000-0123456789ab")


class Inner(BaseModel):
    number: int
    at: datetime.datetime | None


class One(BaseModel):
    kind: Literal["one"] = "one"


class Other(BaseModel):
    kind: Literal["other"] = "other"


class Item(BaseModel):
    id: UUID
    flag: bool
    share: float | None
    inner: Inner | None
    words: list[str]
    inners: list[Inner]
    pairs: dict[str, str]
    subject: Annotated[One | Other, Field(discriminator="kind")]
    secret: str


def item(**said):
    whole = {
        "id": ID, "flag": True, "share": 0.5, "inner": {"number": 3, "at": AT}, "words": ["a", "b"],
        "inners": [{"number": 4, "at": None}], "pairs": {"é": "ü"}, "subject": {"kind": "other"},
        "secret": "s",
    }  # fmt: skip
    return Item.model_validate(whole | said)


def test_a_field_is_a_column_of_its_kind():
    table = table_of("things", Item, [], {"secret"})
    assert [(one.name, one.kind) for one in table.columns] == [
        ("id", "text"), ("flag", "flag"), ("share", "number"), ("inner_number", "integer"),
        ("inner_at", "instant"), ("words", "text"), ("inners", "text"), ("pairs", "text"),
        ("subject", "text"),
    ]  # fmt: skip


def test_an_item_is_a_row():
    full, bare = table_of(
        "things", Item, [item(), item(share=None, inner=None, words=[], inners=[])], {"secret"}
    ).rows
    assert full[:6] == [str(ID), True, 0.5, 3, AT, "a, b"]
    assert json.loads(full[6]) == [{"number": 4, "at": None}]
    assert (full[7], json.loads(full[8])) == ('{"é": "ü"}', {"kind": "other"})
    assert bare[:7] == [str(ID), True, None, None, None, "", ""]
