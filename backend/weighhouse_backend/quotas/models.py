"""Tables: organization_quotas, project_quotas, result_sizes."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Index, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference


class OrganizationQuotas(Base):
    """What an organization may use, as the installation's operator says."""

    __tablename__ = "organization_quotas"

    organization_id: Mapped[UUID] = reference("organizations", primary_key=True)
    limits: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """A `schemas.QuotaLimits`."""
    version: Mapped[int] = mapped_column(default=0)
    """Counts savings. 0: none yet."""
    updated_by: Mapped[str | None] = mapped_column(Text)
    updated_at: Mapped[datetime.datetime | None]


class ProjectQuotas(Base):
    """What a project may use of its organization's, as the organization's owners say."""

    __tablename__ = "project_quotas"

    project_id: Mapped[UUID] = reference("projects", primary_key=True)
    limits: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    version: Mapped[int] = mapped_column(default=0)
    updated_by: Mapped[str | None] = mapped_column(Text)
    updated_at: Mapped[datetime.datetime | None]


class ResultSize(Base):
    """How large the rows are that a member of an attempt left; kept by triggers of the tables of
    results, with every statement that writes some.
    """

    __tablename__ = "result_sizes"
    __table_args__ = (
        Index("ix_result_sizes_project_id", "project_id", postgresql_include=["bytes"]),
    )

    attempt_id: Mapped[UUID] = reference("attempts", primary_key=True)
    member: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """-1: what is the attempt's own, and no member's."""
    project_id: Mapped[UUID] = reference("projects")
    bytes: Mapped[int] = mapped_column(BigInteger)
