"""Tables: agents, registration_tokens."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Text, UniqueConstraint, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id

HOME = "home"
"""Beside the facts of a machine: which copy of the agent's directory told them."""


class Agent(Base):
    """The program on a registered machine."""

    __tablename__ = "agents"
    __table_args__ = (UniqueConstraint("project_id", "instance_id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects", index=True)
    """The project that it was enrolled in; entries about it stand in that project's audit log."""
    organization_id: Mapped[UUID] = reference("organizations", index=True)
    """Whose it is."""
    lent_to: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid()))
    """Projects of the organization that it works for. Null, of machines enrolled before they were
    lent one by one: all of them, those to come too; nobody lends to all any more."""
    trusted: Mapped[bool] = mapped_column(default=False)
    """The platform's own machine: what it brings is in force in its own project by itself."""
    instance_id: Mapped[UUID]
    """Made by the agent's home directory; tells a restart from a second machine."""
    process_id: Mapped[UUID | None]
    """Of the running program; new with each start."""
    name: Mapped[str] = mapped_column(Text)
    roles: Mapped[list[Any]] = mapped_column(JSONB)
    labels: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    facts: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """A `weighhouse_protocol.facts.MachineFacts`."""
    fingerprint: Mapped[str] = mapped_column(Text)
    """The machine's kind, as `machine_kinds.kind_of`."""
    policy: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    plugins: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Plugin id → version."""
    deployments: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Plugin id → deployments its manifest offers."""
    set_aside: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Plugin id → why its manifest could not be read."""
    resting: Mapped[str | None] = mapped_column(Text)
    """Why it asks for no work, in its own words."""
    agent_version: Mapped[str] = mapped_column(Text, default="")
    software_update: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """The latest `fleet.software.AgentUpdate`; null: none was ever asked for."""
    spool_bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    draining: Mapped[bool] = mapped_column(default=False)
    registered_at: Mapped[datetime.datetime]
    seen_at: Mapped[datetime.datetime | None]
    """Last call of any kind."""
    revoked_at: Mapped[datetime.datetime | None]


class RegistrationToken(Base):
    """Lets one machine enrol, once, for a short time."""

    __tablename__ = "registration_tokens"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    labels: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    roles: Mapped[list[Any]] = mapped_column(JSONB)
    created_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    expires_at: Mapped[datetime.datetime]
    trusted: Mapped[bool] = mapped_column(default=False)
    """It enrols the platform's own machine."""
    used_at: Mapped[datetime.datetime | None]
    used_by: Mapped[UUID | None]
    """The instance that used it: it alone may repeat the call."""
