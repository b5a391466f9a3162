"""All queries of campaigns, cells, runs and attempts."""

import datetime
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, and_, exists, func, or_, select, text, tuple_
from sqlalchemy.orm import Session

from weighhouse_backend.kit.db import among
from weighhouse_backend.runs.commit_models import CampaignCommit, of_pull_request
from weighhouse_backend.runs.models import (
    Campaign,
    CampaignLook,
    Cell,
    Run,
)
from weighhouse_backend.runs.progress import RunGroup
from weighhouse_backend.runs.states import (
    BASE_VERDICTS,
    FINISHED_RUNS,
    CampaignStatus,
    RunStatus,
    Trigger,
)
from weighhouse_backend.runs.tombstones import Tombstones

_MAY_GO_ON = (
    Campaign.status.in_((CampaignStatus.QUEUED, CampaignStatus.RUNNING)),
    Campaign.paused.is_(False),
    Campaign.cancel_requested_at.is_(None),
    Campaign.set_aside.is_(None),
)


CellName = tuple[str, str, str]
"""Target, workload and label of the load level."""


@dataclass(frozen=True)
class CampaignRepository:
    """Reads and locks. Locks are taken campaign first, then run; attempts and members follow in
    `attempt_repository.py`.
    """

    session: Session

    # Campaigns

    def campaign(self, campaign_id: UUID) -> Campaign | None:
        """A campaign as it stands."""
        return self.session.get(Campaign, campaign_id)

    def lock_campaign(self, campaign_id: UUID, *, skip_locked: bool = False) -> Campaign | None:
        """A campaign, read anew and locked; None when gone, or held by another and skipped."""
        return self.session.scalar(
            select(Campaign)
            .where(Campaign.id == campaign_id)
            .with_for_update(key_share=True, skip_locked=skip_locked)
            .execution_options(populate_existing=True)
        )

    def listed(
        self,
        project_ids: Iterable[UUID],
        experiment_id: UUID | None = None,
        status: CampaignStatus | None = None,
    ) -> Select[Campaign]:
        """Campaigns of projects, not ordered yet."""
        query = select(Campaign).where(Campaign.project_id.in_(list(project_ids)))
        if experiment_id is not None:
            query = query.where(Campaign.experiment_id == experiment_id)
        if status is not None:
            query = query.where(Campaign.status == status)
        return query

    def that_planned(
        self, experiment_id: UUID, since: datetime.datetime, cell: CellName, but: Collection[UUID]
    ) -> Sequence[Campaign]:
        """Ended campaigns of an experiment that had a cell in their plan, oldest first.

        :param but: those that are left out.
        """
        target, workload, load_label = cell
        planned = exists().where(
            Cell.campaign_id == Campaign.id,
            Cell.target == target,
            Cell.workload == workload,
            Cell.load_label == load_label,
        )
        ended = (CampaignStatus.COMPLETED, CampaignStatus.FAILED, CampaignStatus.CANCELLED)
        return self.session.scalars(
            select(Campaign)
            .where(
                Campaign.experiment_id == experiment_id,
                Campaign.created_at >= since,
                Campaign.status.in_(ended),
                ~among(Campaign.id, but),
                planned,
            )
            .order_by(Campaign.created_at)
        ).all()

    def next_number(self, project_id: UUID) -> int:
        """The next campaign's number in a project; waits for others who are numbering."""
        self.session.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
            {"key": f"campaign-number:{project_id}"},
        )
        highest = self.session.scalar(
            select(func.max(Campaign.number)).where(Campaign.project_id == project_id)
        )
        return max(highest or 0, Tombstones(self.session).highest(project_id)) + 1

    def of_release(self, experiment_id: UUID, name: str) -> Campaign | None:
        """The campaign that stands for a release."""
        return self.session.scalar(
            select(Campaign).where(
                Campaign.experiment_id == experiment_id, Campaign.release == name
            )
        )

    def latest_base(self, experiment_id: UUID, branch: str | None) -> Campaign | None:
        """The latest campaign of an experiment that may be a base; of a branch, if one is given,
        else of no pull request.
        """
        query = select(Campaign).where(
            Campaign.experiment_id == experiment_id,
            Campaign.status == CampaignStatus.COMPLETED,
            or_(Campaign.verdict.in_(list(BASE_VERDICTS)), Campaign.accepted_at.is_not(None)),
        )
        if branch is not None:
            query = query.join(CampaignCommit, CampaignCommit.campaign_id == Campaign.id).where(
                CampaignCommit.branch == branch
            )
        else:
            query = query.where(~of_pull_request())
        return self.session.scalar(
            query.order_by(Campaign.stands_at.desc(), Campaign.id.desc()).limit(1)
        )

    def open_scheduled(self, experiment_ids: Iterable[UUID]) -> Sequence[Campaign]:
        """Campaigns of experiments' schedules that are still under way, oldest first."""
        return self.session.scalars(
            select(Campaign)
            .where(
                Campaign.experiment_id.in_(list(experiment_ids)),
                Campaign.trigger == Trigger.SCHEDULE,
                Campaign.status.in_((CampaignStatus.QUEUED, CampaignStatus.RUNNING)),
            )
            .order_by(Campaign.id)
            .execution_options(populate_existing=True)
        ).all()

    def projects_waiting(self) -> set[UUID]:
        """Projects with a campaign that waits or runs, and is not paused."""
        open_ones = [CampaignStatus.QUEUED, CampaignStatus.RUNNING]
        return set(
            self.session.scalars(
                select(Campaign.project_id)
                .where(Campaign.status.in_(open_ones), ~Campaign.paused)
                .distinct()
            )
        )

    def settling_campaigns(self, before: datetime.datetime) -> Sequence[UUID]:
        """Campaigns that have been settling since before an instant."""
        return self.session.scalars(
            select(Campaign.id).where(
                Campaign.status == CampaignStatus.SETTLING, Campaign.changed_at < before
            )
        ).all()

    def looks(self, campaign_id: UUID) -> Sequence[CampaignLook]:
        """Looks at a campaign in their order."""
        return self.session.scalars(
            select(CampaignLook)
            .where(CampaignLook.campaign_id == campaign_id)
            .order_by(CampaignLook.number)
        ).all()

    # Cells and runs

    def cells(self, campaign_id: UUID) -> Sequence[Cell]:
        """Cells of a campaign in the document's order."""
        return self.session.scalars(
            select(Cell)
            .where(Cell.campaign_id == campaign_id)
            .order_by(Cell.workload_index, Cell.load_index, Cell.target_index)
        ).all()

    def note_end(self, cell_id: UUID, at: datetime.datetime) -> None:
        """A run of a cell ended; the campaign is locked."""
        self.cell(cell_id).last_finished_at = at

    def cell(self, cell_id: UUID) -> Cell:
        """A cell that is known to exist."""
        return self.session.get_one(Cell, cell_id)

    def runs(self, campaign_id: UUID) -> Sequence[Run]:
        """Runs of a campaign in the order they are to be measured."""
        return self.session.scalars(
            select(Run).where(Run.campaign_id == campaign_id).order_by(Run.position)
        ).all()

    def run(self, run_id: UUID) -> Run | None:
        """A run as it stands."""
        return self.session.get(Run, run_id)

    def lock_runs(self, campaign_id: UUID, statuses: Iterable[RunStatus]) -> Sequence[Run]:
        """Runs of a locked campaign in some states, locked."""
        return self.session.scalars(
            select(Run)
            .where(Run.campaign_id == campaign_id, Run.status.in_(list(statuses)))
            .order_by(Run.position)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).all()

    def lock_run(self, run_id: UUID) -> tuple[Campaign, Run] | None:
        """A run with its campaign, both read anew and locked, the campaign first."""
        known = self.session.execute(
            select(Run.campaign_id).where(Run.id == run_id)
        ).scalar_one_or_none()
        campaign = self.lock_campaign(known) if known else None
        if campaign is None:
            return None
        run = self.session.scalars(
            select(Run)
            .where(Run.id == run_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).one()
        return campaign, run

    def queued_runs(self, campaign_id: UUID, limit: int) -> Sequence[tuple[Run, Cell]]:
        """The next queued runs of a campaign with their cells, as they stand."""
        found = self.session.execute(
            select(Run, Cell)
            .join(Cell, Cell.id == Run.cell_id)
            .where(
                Run.campaign_id == campaign_id,
                Run.status == RunStatus.QUEUED,
                Run.leader_id.is_(None),
            )
            .order_by(Run.position)
            .limit(limit)
        )
        return [(run, cell) for run, cell in found]

    def lock_queued(self, run_id: UUID) -> bool:
        """Lock a run if it is still queued; False when it is not, or another holds it."""
        found = self.session.scalar(
            select(Run)
            .where(Run.id == run_id, Run.status == RunStatus.QUEUED)
            .with_for_update(key_share=True, skip_locked=True)
            .execution_options(populate_existing=True)
        )
        return found is not None

    def lock_block(self, campaign_id: UUID, block: int) -> Sequence[Run]:
        """Runs of a block of a locked campaign, locked."""
        return self.session.scalars(
            select(Run)
            .where(Run.campaign_id == campaign_id, Run.block == block)
            .order_by(Run.position)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).all()

    def chain(self, leader_id: UUID) -> Sequence[Run]:
        """A run and those that follow it in its chain, in the order they are measured."""
        return self.session.scalars(
            select(Run)
            .where((Run.id == leader_id) | (Run.leader_id == leader_id))
            .order_by(Run.position)
        ).all()

    def leads(self, run_id: UUID) -> bool:
        """Whether other runs follow one in a chain."""
        found = self.session.scalar(select(Run.id).where(Run.leader_id == run_id).limit(1))
        return found is not None

    def lock_followers(self, leader_id: UUID) -> Sequence[Run]:
        """Runs that follow one in its chain, locked, in their order; their campaign is locked."""
        return self.session.scalars(
            select(Run)
            .where(Run.leader_id == leader_id)
            .order_by(Run.position)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).all()

    def open_runs_count(self, campaign_id: UUID) -> int:
        """Runs of a campaign that have not ended."""
        self.session.flush()
        return self.session.scalars(
            select(func.count())
            .select_from(Run)
            .where(Run.campaign_id == campaign_id, Run.status.not_in(FINISHED_RUNS))
        ).one()

    def counts(self, campaign_ids: Iterable[UUID]) -> dict[UUID, dict[str, int]]:
        """Runs of campaigns by status."""
        self.session.flush()
        found: dict[UUID, dict[str, int]] = {}
        for campaign_id, status, count in self.session.execute(
            select(Run.campaign_id, Run.status, func.count())
            .where(Run.campaign_id.in_(list(campaign_ids)))
            .group_by(Run.campaign_id, Run.status)
        ):
            found.setdefault(campaign_id, {})[status] = count
        return found

    def run_groups(self, campaign_id: UUID, now: datetime.datetime) -> list[RunGroup]:
        """Runs of a campaign by target and status, with their planned and taken time."""
        self.session.flush()
        taken = func.extract("epoch", func.coalesce(Run.finished_at, now) - Run.started_at)
        found = self.session.execute(
            select(
                Cell.target_index,
                Run.status,
                func.count(),
                func.sum(Run.estimated_seconds),
                func.coalesce(func.sum(taken), 0),
            )
            .join(Cell, Cell.id == Run.cell_id)
            .where(Run.campaign_id == campaign_id)
            .group_by(Cell.target_index, Run.status)
            .order_by(Cell.target_index, Run.status)
        )
        return [
            RunGroup(target, status, count, float(planned), float(spent))
            for target, status, count, planned, spent in found
        ]

    def settling_runs(self, before: datetime.datetime) -> Sequence[UUID]:
        """Runs that have been settling since before an instant."""
        return self.session.scalars(
            select(Run.id).where(Run.status == RunStatus.SETTLING, Run.changed_at < before)
        ).all()

    def any_queued_run(self) -> bool:
        """Whether some run waits for an agent."""
        return (
            self.session.scalar(
                select(Run.id)
                .where(Run.status == RunStatus.QUEUED, Run.leader_id.is_(None))
                .limit(1)
            )
            is not None
        )

    def ahead_of(self, campaign: Campaign) -> tuple[int, int]:
        """Campaigns of its project that are given machines before it, and their runs not measured
        yet: by priority, then by age, as the allocator goes.
        """
        older = tuple_(Campaign.created_at, Campaign.id) < (campaign.created_at, campaign.id)
        first = or_(
            Campaign.priority > campaign.priority,
            and_(Campaign.priority == campaign.priority, older),
        )
        campaigns, runs = self.session.execute(
            select(func.count(Campaign.id.distinct()), func.count(Run.id))
            .join(Run, Run.campaign_id == Campaign.id)
            .where(
                Campaign.project_id == campaign.project_id,
                *_MAY_GO_ON,
                Run.status.in_((RunStatus.QUEUED, RunStatus.ALLOCATED, RunStatus.RUNNING)),
                first,
            )
        ).one()
        return campaigns, runs

    def waiting_campaigns(self) -> Sequence[Campaign]:
        """Campaigns with queued runs that may be given to agents, oldest first."""
        queued = select(Run.id).where(
            Run.campaign_id == Campaign.id,
            Run.status == RunStatus.QUEUED,
            Run.leader_id.is_(None),
        )
        return self.session.scalars(
            select(Campaign)
            .where(*_MAY_GO_ON, queued.exists())
            .order_by(Campaign.created_at, Campaign.id)
        ).all()
