"""What the API says of machines that are made."""

import datetime
from uuid import UUID

from pydantic import BaseModel
from weighhouse_protocol.provisioner import HourlyPrice, MachineKind

from weighhouse_backend.provisions.models import State


class CostAtMost(BaseModel):
    """What machines cost until they are ended at the latest."""

    amount: float
    currency: str


class ProvisionerRead(BaseModel):
    """What the installation's provisioner makes."""

    there: bool
    """False: the installation has none, and `placement.provision` is refused."""
    kinds: list[MachineKind]
    problem: str | None
    """Why it could not be asked the last time."""
    told_at: datetime.datetime | None


class ProvisionEstimate(BaseModel):
    """What a document asks to be made."""

    machine: str
    machines: int
    minutes: int
    hourly: HourlyPrice | None
    """Of one machine; null: nobody says."""
    at_most: CostAtMost | None


class ProvisionRead(BaseModel):
    """The machines of one campaign."""

    id: UUID
    campaign_id: UUID | None
    state: State
    machine: str
    machines: int
    at_most: CostAtMost | None
    so_far: CostAtMost | None
    """From when they were asked for until now, or until they were gone."""
    requested_by: str | None
    wanted_at: datetime.datetime
    made_at: datetime.datetime | None
    ends_at: datetime.datetime
    ended_at: datetime.datetime | None
    problem: str | None
