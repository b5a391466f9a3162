"""Tables: reports, report_revisions, report_editions."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id

AUDIENCES = ("internal", "others", "public")
_AUDIENCE = f"audience IN ({', '.join(map(repr, AUDIENCES))})"


class Report(Base):
    """A text of a project with references to what was measured; what it says is its revisions'."""

    __tablename__ = "reports"
    __table_args__ = (Index("ix_reports_project_id_id", "project_id", "id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    title: Mapped[str] = mapped_column(Text)
    """Of the current revision, as lists show it."""
    template: Mapped[str] = mapped_column(Text)
    revision: Mapped[int]
    """The current one's number."""
    made_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    changed_by: Mapped[str] = mapped_column(Text)
    changed_at: Mapped[datetime.datetime]


class ReportRevision(Base):
    """A report as somebody saved it; never changed."""

    __tablename__ = "report_revisions"
    __table_args__ = (
        UniqueConstraint("report_id", "number"),
        CheckConstraint(_AUDIENCE, name="audience"),
        Index("ix_report_revisions_project_id", "project_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    report_id: Mapped[UUID] = reference("reports")
    number: Mapped[int]
    title: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    sources: Mapped[list[Any]] = mapped_column(JSONB)
    """What references are to, each by its name."""
    audience: Mapped[str] = mapped_column(Text)
    author: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]


class ReportEdition(Base):
    """A revision with its figures as they stood; never changed."""

    __tablename__ = "report_editions"
    __table_args__ = (
        UniqueConstraint("report_id", "number"),
        Index("ix_report_editions_project_id", "project_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    report_id: Mapped[UUID] = reference("reports")
    number: Mapped[int]
    revision: Mapped[int]
    frozen: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """Title, text, authors, and what each reference was resolved to."""
    digest: Mapped[str] = mapped_column(Text)
    """SHA-256 of `frozen` as canonical JSON."""
    made_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
