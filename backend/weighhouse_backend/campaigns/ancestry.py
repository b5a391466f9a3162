"""Which commits are known to be before which: where campaigns stand, and what a pull request is
held against.

A commit's place is its time, moved behind the places of its ancestors where clocks disagree: the
corrected commit date of git's commit graphs (git's documentation, technical/commit-graph).
"""

import datetime
import graphlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select, text, update
from sqlalchemy.orm import Session
from weighhouse_protocol.git import GitContext
from weighhouse_protocol.text import numbered

from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.runs.commit_models import CampaignCommit, KnownCommit
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import CampaignStatus

MOST_BEFORE = 2_000
"""Commits before one among which a measured ancestor is looked for."""
MOST_GENERATIONS = 500
"""Of commits that a piece of history moves at most; lies have no end."""
A_SECOND = datetime.timedelta(seconds=1)
Commits = Mapping[str, KnownCommit]


@dataclass(frozen=True)
class MeasuredAncestor:
    """The nearest commit before one that was measured."""

    campaigns: tuple[UUID, ...]
    """That measured it, the latest first; at least one."""
    sentence: str
    """Which commit it is, and how many lie between."""


@dataclass(frozen=True)
class AncestryService:
    """Keeps what is told of the histories of a project's repositories."""

    session: Session
    clock: Clock

    def learn(self, project_id: UUID, git: GitContext) -> datetime.datetime | None:
        """Keep a commit's history, and move campaigns to where it says they stand.

        :returns: where a campaign of the commit stands; None: when its commit was made is not told.
        """
        told = {one.commit: one for one in git.history}
        times = {one.commit: one.committed_at for one in git.history}
        if git.committed_at is not None:
            times.setdefault(git.commit, git.committed_at)
        if not times:
            known = self._known(project_id, [git.commit]).get(git.commit)
            return None if known is None else known.stands_at
        self._lock(project_id)
        now = self.clock.now()
        parents = {name: told[name].parents if name in told else None for name in times}
        every = {*times, *(one for of in parents.values() for one in of or ())}
        kept = dict(self._known(project_id, every))
        moved = []
        for name, at in times.items():
            row = kept.get(name)
            if row is None:
                # No commit is newer than the moment in which it is first heard of.
                made = min(at, now)
                row = KnownCommit(
                    project_id=project_id,
                    commit=name,
                    parents=None,
                    committed_at=made,
                    stands_at=made,
                )
                self.session.add(row)
                kept[name] = row
                moved.append(name)
            if row.parents is None and parents[name] is not None:
                row.parents = parents[name]
                moved.append(name)
        self.session.flush()
        self._move(project_id, kept, moved)
        return kept[git.commit].stands_at if git.commit in kept else None

    def nearest(self, campaign: Campaign) -> MeasuredAncestor | str:
        """The campaigns that a campaign's commit is held against: of its merge base, or of that
        one's nearest measured ancestor; of a pull request none of its own. Else why there is none.
        """
        own = self.session.get(CampaignCommit, campaign.id)
        if own is None:
            return "no commit is known of this campaign"
        begin = own.merge_base or own.commit
        lineage = self._before(campaign.project_id, begin)
        distances = _distances(lineage, begin)
        measured = self._measured(campaign, own, distances)
        if not measured:
            if len(distances) == 1:
                return (
                    f"nothing is known of what came before the commit {begin[:10]}, and it was not "
                    "measured; a clone with its history tells (`fetch-depth: 0`)"
                )
            return f"no ancestor of the commit {begin[:10]} has been measured"
        commit = min(measured, key=lambda name: (distances[name], name))
        ids = tuple(row.id for row in measured[commit])
        number = measured[commit][0].number
        between = len(distances.keys() - _distances(lineage, commit).keys())
        return MeasuredAncestor(ids, _sentence(own, commit, between, number))

    def _measured(
        self, campaign: Campaign, own: CampaignCommit, commits: Iterable[str]
    ) -> Mapping[str, Sequence[Any]]:
        """Campaigns of the experiment that measured one of some commits, the latest first."""
        query = (
            select(Campaign.id, Campaign.number, CampaignCommit.commit)
            .join(CampaignCommit, CampaignCommit.campaign_id == Campaign.id)
            .where(
                Campaign.experiment_id == campaign.experiment_id,
                Campaign.id != campaign.id,
                Campaign.status == CampaignStatus.COMPLETED,
                ~Campaign.noise,
                ~CampaignCommit.dirty,
                CampaignCommit.commit.in_(list(commits)),
            )
            .order_by(Campaign.id.desc())
        )
        if own.pull_request is not None:
            query = query.where(CampaignCommit.pull_request.is_distinct_from(own.pull_request))
        if own.merge_base is None:
            query = query.where(CampaignCommit.commit != own.commit)
            if own.pull_request is not None:
                query = query.where(CampaignCommit.branch.is_distinct_from(own.branch))
        found: dict[str, list[Any]] = {}
        for row in self.session.execute(query):
            found.setdefault(row.commit, []).append(row)
        return found

    def _known(self, project_id: UUID, commits: Collection[str]) -> Commits:
        rows = self.session.scalars(
            select(KnownCommit).where(
                KnownCommit.project_id == project_id, KnownCommit.commit.in_(list(commits))
            )
        )
        return {row.commit: row for row in rows}

    def _before(self, project_id: UUID, commit: str) -> Commits:
        """A commit and the latest of those that stand before it, its ancestors among them."""
        begin = self._known(project_id, [commit])
        if not begin:
            return begin
        rows = self.session.scalars(
            select(KnownCommit)
            .where(
                KnownCommit.project_id == project_id,
                KnownCommit.stands_at < begin[commit].stands_at,
            )
            .order_by(KnownCommit.stands_at.desc())
            .limit(MOST_BEFORE)
        )
        return {**begin, **{row.commit: row for row in rows}}

    def _move(self, project_id: UUID, kept: dict[str, KnownCommit], moved: Sequence[str]) -> None:
        """Put commits behind their parents, and those after them, and campaigns with them."""
        waiting, touched = set(moved), set(moved)
        for _ in range(MOST_GENERATIONS):
            if not waiting:
                break
            for name in _ordered(kept, waiting):
                kept[name].stands_at = _place(kept, kept[name])
            self.session.flush()
            touched |= waiting
            after = self.session.scalars(
                select(KnownCommit).where(
                    KnownCommit.project_id == project_id,
                    KnownCommit.parents.overlap(list(waiting)),
                )
            ).all()
            kept |= {row.commit: row for row in after}
            waiting = {row.commit for row in after if _place(kept, row) > row.stands_at}
        self._move_campaigns(project_id, touched)

    def _move_campaigns(self, project_id: UUID, commits: Collection[str]) -> None:
        named = (
            select(CampaignCommit.campaign_id, KnownCommit.stands_at)
            .join(
                KnownCommit,
                (KnownCommit.project_id == CampaignCommit.project_id)
                & (KnownCommit.commit == CampaignCommit.commit),
            )
            .where(
                CampaignCommit.project_id == project_id, CampaignCommit.commit.in_(list(commits))
            )
            .subquery()
        )
        self.session.execute(
            update(Campaign)
            .where(Campaign.id == named.c.campaign_id, Campaign.stands_at != named.c.stands_at)
            .values(stands_at=named.c.stands_at)
            .execution_options(synchronize_session=False)
        )

    def _lock(self, project_id: UUID) -> None:
        self.session.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
            {"key": f"known-commits:{project_id}"},
        )


def _place(commits: Commits, row: KnownCommit) -> datetime.datetime:
    """Where a commit stands: at its time, or behind those of its parents that are given."""
    behind = [commits[one].stands_at + A_SECOND for one in row.parents or () if one in commits]
    return max([row.stands_at, *behind])


def _ordered(commits: Commits, names: Collection[str]) -> list[str]:
    """Some commits, ancestors first as far as they are known; where they are told to be ancestors
    of each other, as they come.
    """
    graph = {name: [one for one in commits[name].parents or () if one in names] for name in names}
    try:
        return list(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError:
        return sorted(names)


def _distances(commits: Commits, begin: str) -> dict[str, int]:
    """A commit and its known ancestors, with how many steps they are away."""
    found = {begin: 0}
    level = [begin]
    while level:
        after: list[str] = []
        for name in level:
            row = commits.get(name)
            for parent in (row.parents if row is not None else None) or ():
                if parent not in found:
                    found[parent] = found[name] + 1
                    after.append(parent)
        level = after
    return found


def _sentence(own: CampaignCommit, commit: str, between: int, number: int) -> str:
    base = f"commit {commit[:10]} (campaign {numbered(number)})"
    begin = own.merge_base or own.commit
    what = "the merge base" if own.merge_base else "this commit"
    if commit == begin:
        return f"The base is {what}, {base}."
    commits = "1 commit" if between == 1 else f"{between} commits"
    before = f"the merge base {begin[:10]}" if own.merge_base else "this one"
    return f"The base is {base}, {commits} before {before}: the nearest ancestor that was measured."
