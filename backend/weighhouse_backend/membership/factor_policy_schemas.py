"""What the API says of a second factor that an organization requires."""

import datetime

from pydantic import BaseModel, ConfigDict, StrictBool


class FactorPolicyRead(BaseModel):
    """Whether an organization requires a second factor."""

    required: bool
    since: datetime.datetime | None


class FactorPolicySet(BaseModel):
    """Whether an organization shall require a second factor."""

    model_config = ConfigDict(extra="forbid")

    required: StrictBool
