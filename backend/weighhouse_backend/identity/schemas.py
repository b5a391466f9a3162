"""What the API says of people, projects and tokens."""

import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from weighhouse_backend.identity.roles import Role


class SessionCreate(BaseModel):
    """A login."""

    model_config = ConfigDict(extra="forbid")

    email: str = Field(max_length=320, examples=["admin@weighhouse.local"])
    password: str = Field(max_length=1000)


class UserRead(BaseModel):
    """A person."""

    id: UUID
    email: str
    name: str


class OrganizationRead(BaseModel):
    """A tenant."""

    id: UUID
    slug: str
    name: str


class ProjectRead(BaseModel):
    """A project, with the caller's role in it."""

    id: UUID
    slug: str
    name: str
    organization_id: UUID
    organization_name: str
    role: Role


class ProjectCreate(BaseModel):
    """A project to make."""

    model_config = ConfigDict(extra="forbid")

    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=63, examples=["storage"])
    name: str = Field(min_length=1, max_length=120, examples=["Storage team"])
    organization_id: UUID | None = None
    """Default: the caller's only organization."""


class SessionRead(BaseModel):
    """Who is signed in."""

    user: UserRead
    organizations: list[OrganizationRead]
    projects: list[ProjectRead]


class ApiTokenCreate(BaseModel):
    """A token to make."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=80, examples=["nightly build"])
    role: Role = Role.MEMBER
    project_id: UUID | None = None
    expires_in_days: int | None = Field(default=None, ge=1, le=3650)


class ApiTokenRead(BaseModel):
    """A token, without what makes it work."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    role: Role
    prefix: str
    created_at: datetime.datetime
    last_used_at: datetime.datetime | None
    expires_at: datetime.datetime | None
    revoked_at: datetime.datetime | None


class ApiTokenMade(ApiTokenRead):
    """A token that was just made; the token itself is shown this once."""

    token: str


class MemberRead(BaseModel):
    """A person of an organization."""

    id: UUID
    email: str
    name: str
    role: Role


class MemberCreate(BaseModel):
    """A person to add; a new one gets a password to hand over."""

    model_config = ConfigDict(extra="forbid")

    email: str = Field(min_length=3, max_length=320, pattern=r"^[^@\s]+@[^@\s]+$")
    name: str = Field(min_length=1, max_length=120)
    role: Role = Role.MEMBER
    password: str | None = Field(default=None, min_length=12, max_length=1000)


class MemberUpdate(BaseModel):
    """A person's new role."""

    model_config = ConfigDict(extra="forbid")

    role: Role


class AuditEntryRead(BaseModel):
    """Who did what to what, when."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    at: datetime.datetime
    actor: str
    action: str
    subject: str
    details: dict[str, Any]
