"""What the API says of people, projects and tokens."""

import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt
from weighhouse_protocol.text import Named

from weighhouse_backend.identity.roles import MemberRole, Role
from weighhouse_backend.identity.scopes import Scope
from weighhouse_backend.kit.mail import MailAddress
from weighhouse_backend.kit.schemas import Body


class SessionCreate(Body):
    """A login."""

    email: str = Field(max_length=320, examples=["admin@weighhouse.local"])
    password: str = Field(max_length=1000)
    code: str | None = Field(default=None, max_length=40, examples=["123456"])
    """Of the second factor, or a recovery code; where one is needed and missing, the answer is
    the problem `second-factor-needed`, and nobody is signed in."""


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
    archived_at: datetime.datetime | None = None
    """Since when nothing new is measured in it; null: it is in use."""
    archived_by: str | None = None


class ProjectUpdate(Body):
    """A project's new name; its slug stays."""

    name: Annotated[str, Named(120)] = Field(examples=["Storage team"])


class ProjectCreate(Body):
    """A project to make."""

    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=63, examples=["storage"])
    name: Annotated[str, Named(120)] = Field(examples=["Storage team"])
    organization_id: UUID | None = None
    """Default: the caller's only organization."""


class SessionRead(BaseModel):
    """Who is signed in."""

    user: UserRead
    organizations: list[OrganizationRead]
    projects: list[ProjectRead]
    factor_required_by: list[str]
    """Names of organizations that open once this person has a second factor."""


class ApiTokenCreate(Body):
    """A token to make."""

    name: Annotated[str, Named(80)] = Field(examples=["nightly build"])
    role: Role = Role.MEMBER
    scopes: list[Scope] | None = Field(default=None, min_length=1, max_length=len(Scope))
    """What it may do within its role; default: all of it."""
    personal: StrictBool = False
    """Of the caller, and ending with their access; otherwise the project's."""
    project_id: UUID | None = None
    expires_in_days: StrictInt | None = Field(default=None, ge=1, le=3650)


class ApiTokenRead(BaseModel):
    """A token, without what makes it work."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    role: Role
    scopes: list[Scope] | None
    """Null: all that its role may."""
    prefix: str
    created_by: str
    owner_id: UUID | None
    """Whose personal token it is; null: the project's."""
    created_at: datetime.datetime
    last_used_at: datetime.datetime | None
    last_used_from: str | None
    """The address it was last used from."""
    expires_at: datetime.datetime | None
    revoked_at: datetime.datetime | None
    replaced_by: UUID | None
    """The token that was made in its place."""
    pipeline: str | None
    """Whom a CI service said the pipeline to be that got it (`sub`); null: people made it."""


class ApiTokenMade(ApiTokenRead):
    """A token that was just made; the token itself is shown this once."""

    token: str


class ApiTokenRotate(Body):
    """A token to be replaced."""

    overlap_hours: float = Field(default=24, ge=0, le=30 * 24, strict=True)
    """How long the old one holds beside the new one."""


class MemberRead(BaseModel):
    """A person of an organization, as they stand in a project."""

    id: UUID
    email: str
    name: str
    role: MemberRole
    """In the organization."""
    project_role: Role | None
    """In this project, where they have one of their own."""
    second_factor: bool | None = None
    """Whether their logins take one; null: only owners of the organization are told."""


class MemberUpdate(Body):
    """A person's new role in the organization."""

    role: MemberRole


class ProjectRoleUpdate(Body):
    """A member's role in one project."""

    role: Role


class InvitationCreate(Body):
    """A person to ask in."""

    email: MailAddress
    role: MemberRole = MemberRole.MEMBER
    only_this_project: StrictBool = False
    """The role is for the project alone; in the organization they are a guest."""


class InvitationRead(BaseModel):
    """An invitation that waits."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    email: str
    role: MemberRole
    project_id: UUID | None
    """The one project that it is for; null: the organization."""
    invited_by: str
    created_at: datetime.datetime
    expires_at: datetime.datetime
    mailed_at: datetime.datetime | None


class InvitationMade(InvitationRead):
    """An invitation that was just made."""

    link: str | None
    """To hand over, where the installation sends no mail; shown this once."""


class InvitationOpened(BaseModel):
    """What a link invites to."""

    email: str
    role: MemberRole
    organization: str
    project: str | None
    invited_by: str
    expires_at: datetime.datetime
    has_account: bool
    """Whether the address has an account, whose password is asked for."""


class InvitationAccept(Body):
    """Somebody joins."""

    name: Annotated[str, Named(120)] | None = None
    """Of a new account."""
    password: str = Field(max_length=1000)
    """A new account's, or the one that the address' account has."""


class PasswordChange(Body):
    """A new password for oneself."""

    current: str = Field(max_length=1000)
    password: str = Field(max_length=1000)


class PasswordResetAsk(Body):
    """Somebody forgot a password."""

    email: str = Field(max_length=320)


class PasswordResetOpened(BaseModel):
    """Whose password a link sets."""

    email: str


class PasswordResetSet(Body):
    """A password over a link."""

    password: str = Field(max_length=1000)


class LoginRead(BaseModel):
    """A browser that is signed in."""

    id: UUID
    address: str | None
    user_agent: str | None
    created_at: datetime.datetime
    last_used_at: datetime.datetime
    current: bool
    """The one that asks."""


class OrganizationCreate(Body):
    """An organization to make, with its first project."""

    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=63, examples=["storage-inc"])
    name: Annotated[str, Named(120)] = Field(examples=["Storage Inc."])


class AuditEntryRead(BaseModel):
    """Who did what to what, when."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    at: datetime.datetime
    actor: str
    action: str
    subject: str
    details: dict[str, Any]
    address: str | None = None
    """Where it was asked from; none: on the machine itself, by the platform, or long ago."""
    person_id: UUID | None = None
    """Whose login or personal token it was; none: a project's token, or nobody signed in yet."""
    token_id: UUID | None = None
