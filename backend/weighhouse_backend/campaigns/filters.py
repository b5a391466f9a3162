"""What lists of campaigns are narrowed to, and how they are searched."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from sqlalchemy import ColumnElement, Select, exists, false, or_, select
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.commits import GitFilter, begins_with
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.moments import Moment
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.runs.commit_models import CampaignCommit
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import CampaignStatus, RunStatus, Trigger, Verdict

NUMBER = re.compile(r"(?:№|#|no\.?)?\s*([0-9]{1,9})", re.IGNORECASE)
COMMIT = re.compile(r"[0-9a-f]{4,64}", re.IGNORECASE)
NAMED_ONE_BY_ONE = 500
"""Of what a search finds beside the campaigns; when it is more, it is asked for in the same
question."""
TEXT = 100


class CampaignFilter(GitFilter):
    """Which campaigns; all conditions hold at once."""

    experiment_id: UUID | None = None
    experiment: Annotated[str | None, Query(max_length=63)] = None
    """The experiment's slug, instead of the id."""
    status: CampaignStatus | None = None
    verdict: Verdict | Literal["none"] | None = None
    """`none`: those without one."""
    trigger: Trigger | None = None
    requested_by: Annotated[str | None, Query(max_length=200)] = None
    """Name of the person or token that asked."""
    label: Annotated[str | None, Query(max_length=200, pattern=r"^[^=]+=.*$")] = None
    """That its machines had to carry, as `rack=a`."""
    release: Annotated[str | None, Query(max_length=TEXT)] = None
    """The release it stands for."""
    measured: bool | None = None
    """Whether a run of it was completed."""
    since: Moment | None = None
    """Asked for then, or later."""
    until: Moment | None = None
    """Asked for before."""
    text: Annotated[str | None, Query(max_length=TEXT)] = None
    """Part of its experiment's name or slug, its number (`12`, `#12`), the first four or more
    digits of its commit, or the release it stands for."""


@dataclass(frozen=True)
class CampaignSearch:
    """Narrows lists of campaigns."""

    session: Session
    experiments: ExperimentService
    repository: CampaignRepository

    def narrow(
        self, query: Select[Campaign], project_ids: Iterable[UUID], wanted: CampaignFilter
    ) -> Select[Campaign]:
        """A query for campaigns of projects, narrowed.

        What is searched for by text is looked up first, so that the list itself goes along one of
        its indexes.
        """
        projects = list(project_ids)
        query = wanted.of_commit(query)
        if wanted.experiment:
            named = self.experiments.with_slug(projects, wanted.experiment)
            query = query.where(Campaign.experiment_id.in_(named))
        if wanted.text and (text := wanted.text.strip()):
            query = query.where(self._found(projects, text))
        return query.where(*_conditions(wanted))

    def listed(
        self,
        caller: Caller,
        page: PageQuery,
        wanted: CampaignFilter,
        project_id: UUID | None = None,
    ) -> "Page[Campaign]":
        """Campaigns of a project, or of all the caller's, newest first.

        :raises NotFound: when the project is not the caller's to see.
        """
        if project_id is not None:
            caller.require(project_id)
        projects = [project_id] if project_id else sorted(caller.project_ids)
        query = self.narrow(self.repository.listed(projects), projects, wanted)
        return page_of(
            self.session, query, Campaign.id, page, lambda one: one, at=Campaign.created_at
        )

    def _found(self, projects: list[UUID], text: str) -> ColumnElement[bool]:
        ways = [self._among(Campaign.experiment_id, self.experiments.called(projects, text))]
        number = NUMBER.fullmatch(text)
        own = Campaign.number == int(number.group(1)) if number else Campaign.release == text
        ways.append(
            self._among(
                Campaign.id, select(Campaign.id).where(Campaign.project_id.in_(projects), own)
            )
        )
        if COMMIT.fullmatch(text):
            commits = select(CampaignCommit.campaign_id).where(
                CampaignCommit.project_id.in_(projects), *begins_with(text)
            )
            ways.append(self._among(Campaign.id, commits))
        return or_(*ways)

    def _among(self, column: Any, found: Select[UUID]) -> ColumnElement[bool]:
        few = self.session.scalars(found.limit(NAMED_ONE_BY_ONE + 1)).all()
        among: ColumnElement[bool] = column.in_(found if len(few) > NAMED_ONE_BY_ONE else few)
        return among if few else false()


def _conditions(wanted: CampaignFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [
        column == value
        for column, value in (
            (Campaign.experiment_id, wanted.experiment_id),
            (Campaign.status, wanted.status),
            (Campaign.trigger, wanted.trigger),
            (Campaign.requested_by, wanted.requested_by),
            (Campaign.release, wanted.release),
        )
        if value is not None
    ]
    if wanted.verdict is not None:
        none = wanted.verdict == "none"
        found.append(Campaign.verdict.is_(None) if none else Campaign.verdict == wanted.verdict)
    if wanted.label is not None:
        name, _, value = wanted.label.partition("=")
        found.append(Campaign.labels.contains({name: value}))
    if wanted.since is not None:
        found.append(Campaign.created_at >= wanted.since)
    if wanted.until is not None:
        found.append(Campaign.created_at < wanted.until)
    if wanted.measured is not None:
        run = exists().where(Run.campaign_id == Campaign.id, Run.status == RunStatus.COMPLETED)
        found.append(run if wanted.measured else ~run)
    return found
