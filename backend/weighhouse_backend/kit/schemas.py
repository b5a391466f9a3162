"""What bodies of the API have in common."""

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """What a request says: a field that nobody knows is refused and not passed over."""

    model_config = ConfigDict(extra="forbid")
