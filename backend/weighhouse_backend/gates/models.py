"""Tables: campaign_verdicts, rejudgements, rejudged_campaigns."""

import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id


class CampaignVerdict(Base):
    """What a campaign said against its base when it was judged. One of a campaign's rows holds; the
    others were superseded, and are kept as they were.
    """

    __tablename__ = "campaign_verdicts"
    __table_args__ = (
        CheckConstraint(
            "(superseded_at IS NULL) = (superseded_because IS NULL)", name="superseded"
        ),
        Index(
            "uq_campaign_verdicts_campaign_id_holds",
            "campaign_id",
            unique=True,
            postgresql_where=text("superseded_at IS NULL"),
        ),
    )

    campaign_id: Mapped[UUID] = reference("campaigns", primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Counts a campaign's verdicts from 1."""
    project_id: Mapped[UUID] = reference("projects")
    base_campaign_id: Mapped[UUID | None] = reference("campaigns", ondelete="SET NULL")
    """The latest of its bases."""
    bases: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    """Identifiers of all campaigns it was judged by, latest first."""
    anchor_campaign_id: Mapped[UUID | None] = reference("campaigns", ondelete="SET NULL")
    verdict: Mapped[str] = mapped_column(Text)
    threshold: Mapped[float]
    """Practical threshold for throughput, relative."""
    message: Mapped[str] = mapped_column(Text)
    rules_version: Mapped[int]
    """`weighhouse_judging.rules.RULES_VERSION` of its day."""
    details: Mapped[dict[str, Any] | None]
    """`schemas.GateDetails`: what it rests on; None of verdicts from before it was kept."""
    judged_at: Mapped[datetime.datetime]
    superseded_at: Mapped[datetime.datetime | None]
    superseded_because: Mapped[str | None] = mapped_column(Text)


class Rejudgement(Base):
    """Somebody's wish that campaigns be judged again by today's rules."""

    __tablename__ = "rejudgements"
    __table_args__ = (
        Index("ix_rejudgements_open", "id", postgresql_where=text("finished_at IS NULL")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[UUID] = reference("projects")
    rules_version: Mapped[int]
    """Of the day it was asked for."""
    dry_run: Mapped[bool]
    """Nothing but what would change is worked out."""
    requested_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    finished_at: Mapped[datetime.datetime | None]


class Outcome(StrEnum):
    """What judging a campaign again came to."""

    JUDGED = "judged"
    """It has a new verdict, by other rules or with another outcome."""
    UNCHANGED = "unchanged"
    NO_VERDICT = "no_verdict"
    """It has none: it is open, was cancelled, or measured noise."""
    FAILED = "failed"
    """It could not be judged; its verdict is the one it had."""


class RejudgedCampaign(Base):
    """One campaign of a rejudgement, and what became of it."""

    __tablename__ = "rejudged_campaigns"
    __table_args__ = (
        CheckConstraint(
            f"outcome IN ({', '.join(repr(str(one)) for one in Outcome)})", name="outcome"
        ),
        Index("ix_rejudged_campaigns_campaign_id", "campaign_id"),
    )

    rejudgement_id: Mapped[UUID] = reference("rejudgements", primary_key=True)
    campaign_id: Mapped[UUID] = reference("campaigns", primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    tries: Mapped[int] = mapped_column(default=0)
    outcome: Mapped[str | None] = mapped_column(Text)
    """`Outcome`; None: it waits for its turn."""
    reason: Mapped[str | None] = mapped_column(Text)
    """Why it has no verdict, or what failed."""
    verdict_before: Mapped[str | None] = mapped_column(Text)
    rules_before: Mapped[int | None]
    verdict_now: Mapped[str | None] = mapped_column(Text)
    message: Mapped[str | None] = mapped_column(Text)
    """Of the verdict now."""
    findings_new: Mapped[int] = mapped_column(default=0)
    """Findings of its runs that were not there, or said something else."""
    findings_gone: Mapped[int] = mapped_column(default=0)
