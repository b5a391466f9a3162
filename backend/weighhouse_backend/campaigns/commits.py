"""Which commit a campaign was started for: kept, shown, and what lists are narrowed to."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import Session
from weighhouse_protocol.git import BRANCH_LENGTH, GitContext, commit_page

from weighhouse_backend.campaigns.ancestry import AncestryService
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.runs.commit_models import CampaignCommit
from weighhouse_backend.runs.models import Campaign


class GitRead(BaseModel):
    """The commit that a campaign measures, and where it stands."""

    commit: str
    repository: str | None
    commit_url: str | None
    """The commit's page; null when the repository's address is not one of http or https."""
    branch: str | None
    """For a pull request the branch that is to be merged."""
    pull_request: int | None
    pull_request_url: str | None
    subject: str | None
    """First line of the commit's message."""
    dirty: bool
    """Files that git knows differed from the commit."""
    committed_at: datetime.datetime | None
    """When it was made; null: nobody told."""
    merge_base: str | None
    """Of a pull request: the commit that it is held against."""


class GitFilter(BaseModel):
    """Campaigns of some commit, branch or pull request alone."""

    commit: Annotated[
        str | None, Field(pattern=r"^[0-9a-fA-F]{4,64}$", description="Its first digits suffice.")
    ] = None
    branch: Annotated[str | None, Field(min_length=1, max_length=BRANCH_LENGTH)] = None
    pull_request: Annotated[int | None, Field(ge=1, le=2**31 - 1)] = None

    def of_commit(self, query: Select[Campaign]) -> Select[Campaign]:
        """A query for campaigns, narrowed to these."""
        conditions: list[ColumnElement[bool]] = []
        if self.commit is not None:
            conditions += begins_with(self.commit)
        if self.branch is not None:
            conditions.append(CampaignCommit.branch == self.branch)
        if self.pull_request is not None:
            conditions.append(CampaignCommit.pull_request == self.pull_request)
        if not conditions:
            return query
        return query.join(CampaignCommit, CampaignCommit.campaign_id == Campaign.id).where(
            CampaignCommit.project_id == Campaign.project_id, *conditions
        )


def begins_with(digits: str) -> list[ColumnElement[bool]]:
    """That a commit begins with some digits, put so that row-level security lets its index be used:
    LIKE might tell of rows that nobody may see, the comparison of its ends does not.
    """
    first = digits.lower()
    beyond = first[:-1] + chr(ord(first[-1]) + 1)
    return [
        CampaignCommit.commit.bool_op("~>=~")(first),
        CampaignCommit.commit.bool_op("~<~")(beyond),
    ]


@dataclass(frozen=True)
class CommitService:
    """Keeps and shows the commits of campaigns."""

    session: Session
    ancestry: AncestryService

    def note(self, campaign: Campaign, git: GitContext) -> None:
        """Keep the commit of a campaign that is being made, and its history; the campaign stands
        where they say.
        """
        at = {one.commit: one.committed_at for one in git.history}
        row = CampaignCommit(
            campaign_id=campaign.id,
            project_id=campaign.project_id,
            **git.model_dump(exclude={"history", "committed_at"}),
            committed_at=at.get(git.commit, git.committed_at),
        )
        self.session.add(row)
        self.session.flush()
        stands_at = self.ancestry.learn(campaign.project_id, git)
        if stands_at is not None:
            campaign.stands_at = stands_at
            self.session.flush()

    def of(self, campaign_ids: Iterable[UUID]) -> dict[UUID, GitRead]:
        """The commits of campaigns that were started for one."""
        found = self.session.scalars(
            select(CampaignCommit).where(CampaignCommit.campaign_id.in_(list(campaign_ids)))
        )
        return {row.campaign_id: _read(row) for row in found}


def _read(row: CampaignCommit) -> GitRead:
    return read_of(GitRead, row, commit_url=commit_page(row.repository, row.commit))
