"""Tables: manifests, by organization and digest; manifest_offers, what agents bring now;
manifest_decisions, what of it is in force.
"""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKeyConstraint, Index, Text, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id


class StoredManifest(Base):
    """A manifest that an organization's agent brought. Content: it never changes."""

    __tablename__ = "manifests"
    __table_args__ = (
        Index("ix_manifests_organization_id_plugin_id", "organization_id", "plugin_id"),
    )

    organization_id: Mapped[UUID] = reference("organizations", primary_key=True)
    digest: Mapped[str] = mapped_column(Text, primary_key=True)
    """SHA-256 of the manifest's canonical JSON."""
    plugin_id: Mapped[str] = mapped_column(Text)
    version: Mapped[str] = mapped_column(Text)
    manifest: Mapped[dict[str, Any]] = mapped_column(JSONB)
    first_seen_at: Mapped[datetime.datetime]
    last_seen_at: Mapped[datetime.datetime]


class ManifestOffer(Base):
    """A plugin that an agent has now."""

    __tablename__ = "manifest_offers"
    __table_args__ = (
        ForeignKeyConstraint(
            ["organization_id", "digest"],
            ["manifests.organization_id", "manifests.digest"],
            ondelete="CASCADE",
        ),
        Index("ix_manifest_offers_organization_id_digest", "organization_id", "digest"),
    )

    agent_id: Mapped[UUID] = reference("agents", primary_key=True)
    plugin_id: Mapped[str] = mapped_column(Text, primary_key=True)
    organization_id: Mapped[UUID]
    digest: Mapped[str] = mapped_column(Text)
    projects: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid()))
    """Projects that the agent is lent to; none named: all of the organization's."""
    offered_at: Mapped[datetime.datetime]


class ManifestDecision(Base):
    """Whether a manifest is in force in a project, or in an organization's projects that have not
    decided for themselves.
    """

    __tablename__ = "manifest_decisions"
    __table_args__ = (
        Index(
            "uq_manifest_decisions_project_id_digest", "project_id", "digest", unique=True,
            postgresql_where=text("project_id IS NOT NULL"),
        ),
        Index(
            "uq_manifest_decisions_organization_id_digest", "organization_id", "digest",
            unique=True, postgresql_where=text("project_id IS NULL"),
        ),
    )  # fmt: skip

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    organization_id: Mapped[UUID] = reference("organizations")
    project_id: Mapped[UUID | None] = reference("projects")
    """None: every project of the organization that has no word of its own."""
    plugin_id: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(Text)
    """Of the manifest; it may be decided before anybody brings it."""
    accepted: Mapped[bool]
    decided_by: Mapped[str] = mapped_column(Text)
    """A person or token; or why it was accepted by itself."""
    decided_at: Mapped[datetime.datetime]
