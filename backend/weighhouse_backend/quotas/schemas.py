"""Quotas and use, as the API takes and shows them."""

import datetime
from uuid import UUID

from pydantic import BaseModel, Field, StrictInt

from weighhouse_backend.kit.schemas import Body
from weighhouse_backend.quotas.kinds import Kind, Level, Unit

MOST = 2**53 - 1
"""The largest number that every reader of JSON knows."""
MOST_COUNTED = 2**31 - 1


class QuotaLimits(Body):
    """What may be used; what is not set is not limited."""

    agents: StrictInt | None = Field(default=None, ge=0, le=MOST_COUNTED)
    """Machines that are enrolled and not revoked."""
    concurrent_runs: StrictInt | None = Field(default=None, ge=0, le=MOST_COUNTED)
    """Runs that machines hold at one time."""
    machine_hours: float | None = Field(default=None, ge=0, le=1e9, strict=True)
    """In a calendar month, by UTC."""
    result_bytes: StrictInt | None = Field(default=None, ge=0, le=MOST)
    """Rows of results in the database."""
    artifact_bytes: StrictInt | None = Field(default=None, ge=0, le=MOST)
    """Files that runs left."""
    campaigns: StrictInt | None = Field(default=None, ge=0, le=MOST_COUNTED)
    """Campaigns that are kept."""

    def of(self, kind: Kind) -> float | None:
        """The limit of a kind; None: there is none."""
        found: float | None = getattr(self, kind.value)
        return found


class QuotasRead(BaseModel):
    """What an organization or project may use."""

    limits: QuotaLimits
    version: int
    """0: none were saved."""
    updated_by: str | None
    updated_at: datetime.datetime | None


class OrganizationQuotasRead(QuotasRead):
    """The same of an organization, as the operator sees it."""

    id: UUID
    slug: str
    name: str


class UseRead(BaseModel):
    """How much of one kind is used, and how much may be."""

    kind: Kind
    name: str
    unit: Unit
    used: float
    limit: float | None
    """None: not limited."""
    level: Level
    """near: from 80 % on; reached: from 100 % on."""
    words: str
    """`84.0 h of 100.0 h`."""
    effect: str
    """What follows when the limit is reached."""
    mend: str
    """What makes room, and who may raise the limit."""
    resets_at: datetime.datetime | None
    """When counting begins anew; of machine-hours alone."""


class ScopeUsageRead(QuotasRead):
    """The use of a project, or of an organization with all its projects."""

    id: UUID
    name: str
    may_change: bool
    """Whether the caller may set these quotas."""
    use: list[UseRead]


class UsageRead(BaseModel):
    """What a project and its organization use, and may."""

    project: ScopeUsageRead
    organization: ScopeUsageRead
    warnings: list[str]
    """What is used by 80 % or more, one sentence each, what is reached first."""
