"""What the API says of trusted pipelines."""

import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StringConstraints
from weighhouse_protocol.text import Named

from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.scopes import Scope
from weighhouse_backend.kit.schemas import Body

Claim = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:/-]{1,100}$")]
Wanted = Annotated[str, Named(300)]


class TrustCreate(Body):
    """Pipelines to be trusted."""

    name: Annotated[str, Named(80)] = Field(examples=["store, main"])
    """Stands beside what they do."""
    issuer: str = Field(
        min_length=8, max_length=500, pattern=r"^\S+$",
        examples=["https://token.actions.githubusercontent.com"],
    )  # fmt: skip
    audience: str | None = Field(default=None, min_length=1, max_length=500, pattern=r"^\S+$")
    """Whom the CI service's token has to be for; default: the platform's address."""
    conditions: dict[Claim, Wanted] = Field(
        min_length=1, max_length=20,
        examples=[{"repository": "acme/store", "ref": "refs/heads/main"}],
    )  # fmt: skip
    """Claim → what it has to be, `*` in it for any characters; all hold at once. One has to say
    whose pipelines they are, with no `*` before its first slash: `repository`, `project_path`,
    `sub`, …"""
    role: Role = Role.MEMBER
    scopes: list[Scope] = Field(min_length=1, max_length=len(Scope))
    """What the tokens may; all but `people:manage`."""
    lifetime_seconds: StrictInt = Field(default=3600, ge=60, le=3600)
    """How long a token holds."""
    project_id: UUID | None = None


class TrustRead(BaseModel):
    """Pipelines that are trusted."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    """Named by the pipeline; no secret."""
    name: str
    issuer: str
    audience: str
    conditions: dict[str, str]
    role: Role
    scopes: list[Scope]
    lifetime_seconds: int
    created_by: str
    created_at: datetime.datetime
    last_used_at: datetime.datetime | None
    last_pipeline: str | None
    """Whom it last let in, in the CI service's words (`sub`)."""


class PipelineTokenExchange(Body):
    """A CI service's token, to be exchanged for one of ours."""

    trust_id: UUID
    token: str = Field(min_length=1, max_length=16_000)
    """A JWT, as the CI service gives it to the job; taken once."""


class PipelineTokenMade(BaseModel):
    """A token for a pipeline, shown this once."""

    token: str
    expires_at: datetime.datetime
    project_id: UUID
    role: Role
    scopes: list[Scope]
