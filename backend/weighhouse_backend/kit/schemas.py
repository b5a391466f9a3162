"""What bodies of the API have in common."""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

Read = TypeVar("Read", bound=BaseModel)


class Body(BaseModel):
    """What a request says: a field that nobody knows is refused and not passed over."""

    model_config = ConfigDict(extra="forbid")


def read_of(kind: type[Read], row: object, /, **said: Any) -> Read:
    """What is told of a row: its attributes by the fields' names, but for those that are said.

    :raises AttributeError: when the row has no such attribute, and nothing is said in its place.
    """
    copied = {name: getattr(row, name) for name in kind.model_fields if name not in said}
    return kind(**copied, **said)
