"""Tables: published_sources, published_source_versions."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, LargeBinary, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id


class PublishedSourceRow(Base):
    """Somebody else's results, as the latest of its versions has them."""

    __tablename__ = "published_sources"
    __table_args__ = (
        CheckConstraint("(removed_at IS NULL) = (removed_by IS NULL)", name="removed"),
        CheckConstraint("version > 0", name="version"),
        Index(
            "uq_published_sources_project_id_digest",
            "project_id",
            "digest",
            unique=True,
            postgresql_where=text("removed_at IS NULL"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    version: Mapped[int]
    """The latest."""
    title: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(Text)
    """SHA-256 of the latest version's document: the same results are kept once."""
    kept_by: Mapped[str] = mapped_column(Text)
    """Name of the person or token."""
    kept_at: Mapped[datetime.datetime]
    changed_at: Mapped[datetime.datetime]
    removed_at: Mapped[datetime.datetime | None]
    removed_by: Mapped[str | None] = mapped_column(Text)


class PublishedSourceVersion(Base):
    """One version of a source's results; never changed."""

    __tablename__ = "published_source_versions"
    __table_args__ = (
        CheckConstraint("number > 0", name="number"),
        Index("ix_published_source_versions_project_id", "project_id"),
    )

    source_id: Mapped[UUID] = reference("published_sources", primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """From 1."""
    project_id: Mapped[UUID] = reference("projects")
    document: Mapped[dict[str, Any]] = mapped_column(JSONB(none_as_null=True))
    """`PublishedResults` without intervals and histograms."""
    whole: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    """All of it: JSON, deflated."""
    digest: Mapped[str] = mapped_column(Text)
    because: Mapped[str] = mapped_column(Text)
    """Why the version before was corrected; empty of the first."""
    made_by: Mapped[str] = mapped_column(Text)
    made_at: Mapped[datetime.datetime]
