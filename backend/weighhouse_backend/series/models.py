"""Tables: series, series_points."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, FetchedValue, Index, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id


class Series(Base):
    """The same cell of one experiment over time, by one metric.

    It is the same by identity; target, workload and level are what it was called last.
    """

    __tablename__ = "series"
    __table_args__ = (
        UniqueConstraint("experiment_id", "cell_identity", "side_family", "metric"),
        Index("ix_series_project_id_id", "project_id", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    experiment_id: Mapped[UUID] = reference("experiments")
    cell_identity: Mapped[str | None] = mapped_column(Text)
    """Digest of what was measured; none: from before identities, and not worked out yet."""
    side_family: Mapped[str | None] = mapped_column(Text)
    """Digest of what stays of its side while versions and settings come and go."""
    system_id: Mapped[str] = mapped_column(Text)
    target: Mapped[str] = mapped_column(Text)
    workload: Mapped[str] = mapped_column(Text)
    load_kind: Mapped[str] = mapped_column(Text)
    load_value: Mapped[float]
    load_label: Mapped[str] = mapped_column(Text)
    metric: Mapped[str] = mapped_column(Text)
    points_count: Mapped[int] = mapped_column(server_default=text("0"))
    """Those apart from the main line among them; the database keeps it."""


class SeriesPoint(Base):
    """One campaign in a series: the median of its repeats, with their spread."""

    __tablename__ = "series_points"
    __table_args__ = (
        Index("ix_series_points_campaign_id", "campaign_id"),
        Index(
            "ix_series_points_newest", "series_id", "off_main_line", text("stands_at DESC"),
            text("campaign_id DESC"),
        ),
    )  # fmt: skip

    series_id: Mapped[UUID] = reference("series", primary_key=True)
    campaign_id: Mapped[UUID] = reference("campaigns", primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    campaign_number: Mapped[int]
    at: Mapped[datetime.datetime]
    """When the campaign was asked for."""
    value: Mapped[float]
    low: Mapped[float]
    high: Mapped[float]
    repeats: Mapped[list[Any]] = mapped_column(JSONB)
    """The figure of each repeat."""
    fingerprint: Mapped[str] = mapped_column(Text)
    """The kind of machines that measured the first point of its segment, to which its own are
    alike: points that share it are one segment."""
    environment: Mapped[str] = mapped_column(Text)
    """Its own machines and the workload in words."""
    kernel: Mapped[str | None] = mapped_column(Text)
    """Of its machines, in words; none where they did not say."""
    memory_bytes: Mapped[int | None] = mapped_column(BigInteger)
    """The least that one of them told."""
    version: Mapped[str | None] = mapped_column(Text)
    regressed: Mapped[bool] = mapped_column(default=False)
    """Its cell was worse when it was measured again, or by pairs: what is learned of how much
    campaigns differ leaves it out, unless the campaign was accepted."""
    off_main_line: Mapped[bool] = mapped_column(default=False)
    """Its campaign is of a pull request or another branch than the main one: it is shown, and in no
    course, level or noise. `MainLineService` marks it."""
    place: Mapped[str | None] = mapped_column(Text)
    """Digest of the machines it was measured on; none where they did not say. Another place of the
    same kind stays in the segment, and has a level of its own.
    """
    stands_at: Mapped[datetime.datetime] = mapped_column(server_default=FetchedValue())
    """Where the campaign stands in the history of its experiment: the order of the series. The
    database keeps it as the campaign's.
    """
