"""What the API says of a second factor that an organization requires."""

import datetime

from pydantic import BaseModel, StrictBool

from weighhouse_backend.kit.schemas import Body


class FactorPolicyRead(BaseModel):
    """Whether an organization requires a second factor."""

    required: bool
    since: datetime.datetime | None


class FactorPolicySet(Body):
    """Whether an organization shall require a second factor."""

    required: StrictBool
