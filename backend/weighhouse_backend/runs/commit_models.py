"""Tables: campaign_commits, known_commits."""

import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Index, Text, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, aliased, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.runs.models import Campaign


class CampaignCommit(Base):
    """The commit of a campaign that was started for one; never changed."""

    __tablename__ = "campaign_commits"
    __table_args__ = (
        Index(
            "ix_campaign_commits_commit",
            "project_id",
            "commit",
            postgresql_ops={"commit": "text_pattern_ops"},
        ),
        Index("ix_campaign_commits_branch", "project_id", "branch"),
    )

    campaign_id: Mapped[UUID] = reference("campaigns", primary_key=True)
    project_id: Mapped[UUID] = reference("projects")
    commit: Mapped[str] = mapped_column(Text)
    """Hexadecimal, small letters."""
    repository: Mapped[str | None] = mapped_column(Text)
    branch: Mapped[str | None] = mapped_column(Text)
    pull_request: Mapped[int | None]
    pull_request_url: Mapped[str | None] = mapped_column(Text)
    subject: Mapped[str | None] = mapped_column(Text)
    dirty: Mapped[bool] = mapped_column(default=False)
    committed_at: Mapped[datetime.datetime | None]
    merge_base: Mapped[str | None] = mapped_column(Text)
    default_branch: Mapped[str | None] = mapped_column(Text)
    """The repository's main branch, as was told with it."""


def of_pull_request() -> ColumnElement[bool]:
    """That a campaign in the same query was started for a pull request."""
    own = aliased(CampaignCommit)
    told = select(own.campaign_id).where(
        own.campaign_id == Campaign.id, own.pull_request.is_not(None)
    )
    return told.correlate(Campaign).exists()


class KnownCommit(Base):
    """A commit that was told of with a campaign's, its own or one before it."""

    __tablename__ = "known_commits"
    __table_args__ = (
        Index("ix_known_commits_parents", "parents", postgresql_using="gin"),
        Index("ix_known_commits_project_id_stands_at", "project_id", "stands_at"),
    )

    project_id: Mapped[UUID] = reference("projects", primary_key=True)
    commit: Mapped[str] = mapped_column(Text, primary_key=True)
    parents: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    """None where nobody told of them."""
    committed_at: Mapped[datetime.datetime]
    stands_at: Mapped[datetime.datetime]
    """Its time, moved behind that of each of its ancestors by a second where clocks disagree."""
