"""Tables: organizations, users, memberships, projects, api_tokens, login_sessions, …"""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.identity.roles import MemberRole, Role
from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.seals import SEALED

_ROLE = f"role IN ({', '.join(repr(role.value) for role in Role)})"
MEMBER_ROLE = f"role IN ({', '.join(repr(role.value) for role in MemberRole)})"


class Organization(Base):
    """A tenant."""

    __tablename__ = "organizations"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(Text, unique=True)
    name: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    factor_required_at: Mapped[datetime.datetime | None]
    """Since when roles in it take a second factor; none: they do not."""


class User(Base):
    """A person."""

    __tablename__ = "users"
    __table_args__ = (Index("uq_users_email_lower", text("lower(email)"), unique=True),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    email: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    password_hash: Mapped[str | None] = mapped_column(Text, deferred=True)
    """Argon2id; none: this person cannot log in by password. Read where somebody logs in, alone."""
    created_at: Mapped[datetime.datetime]


class Project(Base):
    """What everything else belongs to."""

    __tablename__ = "projects"
    __table_args__ = (UniqueConstraint("organization_id", "slug"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    organization_id: Mapped[UUID] = reference("organizations")
    slug: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    archived_at: Mapped[datetime.datetime | None]
    """Since when nothing new is measured in it; none: it is in use."""
    archived_by: Mapped[str | None] = mapped_column(Text)
    restored_at: Mapped[datetime.datetime | None]
    """When it was brought back last: dates of its schedules before then started nothing."""


class Membership(Base):
    """A person's role in an organization, and so in all its projects; a guest's is in none."""

    __tablename__ = "memberships"
    __table_args__ = (CheckConstraint(MEMBER_ROLE, name="role"),)

    organization_id: Mapped[UUID] = reference("organizations", primary_key=True)
    user_id: Mapped[UUID] = reference("users", primary_key=True, index=True)
    role: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]


class ProjectMembership(Base):
    """A member's role in one project, where it is higher than the one in the organization."""

    __tablename__ = "project_memberships"
    __table_args__ = (CheckConstraint(_ROLE, name="role"),)

    project_id: Mapped[UUID] = reference("projects", primary_key=True)
    user_id: Mapped[UUID] = reference("users", primary_key=True, index=True)
    role: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]


class Invitation(Base):
    """Somebody is asked to join an organization. The link they get is signed, not stored."""

    __tablename__ = "invitations"
    __table_args__ = (CheckConstraint(MEMBER_ROLE, name="role"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    organization_id: Mapped[UUID] = reference("organizations", index=True)
    project_id: Mapped[UUID | None] = reference("projects", index=True)
    """The one project that the role is for; none: the whole organization."""
    email: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(Text)
    invited_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    expires_at: Mapped[datetime.datetime]
    mailed_at: Mapped[datetime.datetime | None]
    accepted_at: Mapped[datetime.datetime | None]
    revoked_at: Mapped[datetime.datetime | None]


class PasswordReset(Base):
    """Somebody asked to set a password anew. The link they get is signed, not stored."""

    __tablename__ = "password_resets"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[UUID] = reference("users", index=True)
    created_at: Mapped[datetime.datetime]
    expires_at: Mapped[datetime.datetime]
    mailed_at: Mapped[datetime.datetime | None]
    used_at: Mapped[datetime.datetime | None]


class ApiToken(Base):
    """A token of a pipeline, bound to one project; a personal one ends with its owner's access."""

    __tablename__ = "api_tokens"
    __table_args__ = (CheckConstraint(_ROLE, name="role"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects", index=True)
    name: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(Text)
    prefix: Mapped[str] = mapped_column(Text)
    """The token's readable beginning."""
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    created_by: Mapped[str] = mapped_column(Text)
    owner_id: Mapped[UUID | None] = reference("users", index=True)
    """Whose personal token it is; none: the project's."""
    scopes: Mapped[list[Any] | None]
    """What it may do within its role; none: all of it."""
    created_at: Mapped[datetime.datetime]
    last_used_at: Mapped[datetime.datetime | None]
    last_used_from: Mapped[str | None] = mapped_column(Text)
    """The address it was last used from."""
    expires_at: Mapped[datetime.datetime | None]
    revoked_at: Mapped[datetime.datetime | None]
    replaced_by: Mapped[UUID | None] = reference("api_tokens", ondelete="SET NULL")
    """The token that was made in its place; this one ends at `expires_at`."""
    trust_id: Mapped[UUID | None] = reference("pipeline_trusts", ondelete="SET NULL", index=True)
    """The trust of a pipeline that it was given by, while there is that trust."""
    pipeline: Mapped[str | None] = mapped_column(Text)
    """Whom the CI service said the pipeline to be; none: people made the token."""


class PipelineTrust(Base):
    """A CI service whose word is taken for some of its pipelines, within a project."""

    __tablename__ = "pipeline_trusts"
    __table_args__ = (CheckConstraint(_ROLE, name="role"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects", index=True)
    name: Mapped[str] = mapped_column(Text)
    """Stands beside what its pipelines do."""
    issuer: Mapped[str] = mapped_column(Text)
    audience: Mapped[str] = mapped_column(Text)
    conditions: Mapped[dict[str, Any]]
    """Claim → what it has to be; see `pipeline_claims`."""
    role: Mapped[str] = mapped_column(Text)
    scopes: Mapped[list[Any]]
    lifetime_seconds: Mapped[int]
    created_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    last_used_at: Mapped[datetime.datetime | None]
    last_pipeline: Mapped[str | None] = mapped_column(Text)
    """Whom it last let in."""


class SpentToken(Base):
    """A token that holds once, and was taken: a CI service's, a provider's word that somebody
    signed out, a question to add a passkey.
    """

    __tablename__ = "pipeline_uses"

    digest: Mapped[str] = mapped_column(Text, primary_key=True)
    """Of what names it."""
    expires_at: Mapped[datetime.datetime] = mapped_column(index=True)
    """From then on the token does not hold anyway."""


class LoginSession(Base):
    """A browser that is signed in."""

    __tablename__ = "login_sessions"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[UUID] = reference("users", index=True)
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    provider_id: Mapped[UUID | None] = reference("identity_providers", index=True)
    """The provider that vouched for them: the login is for its organization alone."""
    sign_out_sealed: Mapped[str | None] = mapped_column(Text, info=SEALED)
    """Where they sign out of the provider; sealed, for it carries what the provider said."""
    address: Mapped[str | None] = mapped_column(Text)
    """Where they signed in from."""
    user_agent: Mapped[str | None] = mapped_column(Text)
    """What their browser calls itself."""
    created_at: Mapped[datetime.datetime]
    last_used_at: Mapped[datetime.datetime]


class LoginFailure(Base):
    """A refused login, or one under way, for the limits."""

    __tablename__ = "login_failures"
    __table_args__ = (
        Index("ix_login_failures_email_at", "email", "at"),
        Index("ix_login_failures_address_at", "address", "at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    email: Mapped[str] = mapped_column(Text)
    address: Mapped[str] = mapped_column(Text)
    """Whence; of IPv6 the network."""
    device_id: Mapped[UUID | None] = reference("login_devices", index=True)
    """The person's own device it came from."""
    known_address: Mapped[bool]
    """Whether the person had signed in from there lately."""
    at: Mapped[datetime.datetime]


class LoginDevice(Base):
    """A browser that a person signed in from."""

    __tablename__ = "login_devices"
    __table_args__ = (Index("ix_login_devices_user_id_address", "user_id", "address"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[UUID] = reference("users")
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    """Of its cookie, which is another one after each login."""
    address: Mapped[str] = mapped_column(Text)
    """Whence the last login came."""
    created_at: Mapped[datetime.datetime]
    last_login_at: Mapped[datetime.datetime]


class IdentityProvider(Base):
    """An OpenID Connect provider that vouches for an organization's people."""

    __tablename__ = "identity_providers"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    organization_id: Mapped[UUID] = reference("organizations", unique=True)
    name: Mapped[str] = mapped_column(Text)
    """As it stands on the button."""
    issuer: Mapped[str] = mapped_column(Text)
    client_id: Mapped[str] = mapped_column(Text)
    client_secret_sealed: Mapped[str | None] = mapped_column(Text, info=SEALED)
    """None: a public client, which PKCE alone guards."""
    groups_claim: Mapped[str] = mapped_column(Text)
    mappings: Mapped[list[Any]]
    """Group → role, of the organization or of one project; see `group_roles`."""
    only_way: Mapped[bool]
    """Passwords open nothing of the organization, but to its owners."""
    listed: Mapped[bool]
    """Strangers see it on the page to sign in."""
    created_at: Mapped[datetime.datetime]
    updated_at: Mapped[datetime.datetime]


class Identity(Base):
    """Whom a provider's subject is here."""

    __tablename__ = "identities"
    __table_args__ = (UniqueConstraint("provider_id", "issuer", "subject"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    provider_id: Mapped[UUID] = reference("identity_providers")
    issuer: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    user_id: Mapped[UUID] = reference("users", index=True)
    by_groups: Mapped[bool]
    """Groups gave them a role once: without any they have none any more."""
    created_at: Mapped[datetime.datetime]
    last_login_at: Mapped[datetime.datetime]


class SignIn(Base):
    """Somebody who was sent to a provider and is not back yet; gone as soon as they are."""

    __tablename__ = "sign_ins"

    state_hash: Mapped[str] = mapped_column(Text, primary_key=True)
    browser_hash: Mapped[str] = mapped_column(Text)
    """Of the cookie of the browser that was sent."""
    provider_id: Mapped[UUID] = reference("identity_providers", index=True)
    nonce: Mapped[str] = mapped_column(Text)
    verifier_sealed: Mapped[str] = mapped_column(Text, info=SEALED)
    next: Mapped[str] = mapped_column(Text)
    """Where they wanted to go: a path of this interface."""
    created_at: Mapped[datetime.datetime] = mapped_column(index=True)


class AuditEntry(Base):
    """Who did what to what, when."""

    __tablename__ = "audit_entries"
    __table_args__ = (Index("ix_audit_entries_project_id_at", "project_id", "at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID | None] = reference("projects")
    actor: Mapped[str] = mapped_column(Text)
    action: Mapped[str] = mapped_column(Text)
    """For example `api_token.created`."""
    subject: Mapped[str] = mapped_column(Text)
    details: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    at: Mapped[datetime.datetime]
    address: Mapped[str | None] = mapped_column(Text)
    """Where it was asked from; None: on the machine itself, by the worker, or before 0027."""
    person_id: Mapped[UUID | None]
    token_id: Mapped[UUID | None]
