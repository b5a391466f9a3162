"""All queries of attempts and their members."""

import datetime
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from weighhouse_backend.runs.models import Attempt, AttemptMember, Campaign, Cell, Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import (
    LIVE_ATTEMPTS,
    LIVE_MEMBERS,
    AttemptStatus,
    MemberStatus,
)


@dataclass(frozen=True)
class Held:
    """A gang with what it belongs to, all locked until the transaction ends."""

    campaign: Campaign
    run: Run
    attempt: Attempt
    members: Sequence[AttemptMember]
    """All of them, in order of their index."""

    @property
    def alone(self) -> bool:
        """Whether one agent does everything."""
        return self.attempt.members_count == 1


@dataclass(frozen=True)
class GangRepository:
    """Reads and locks attempts and members; a campaign and its run are locked before them."""

    session: Session
    campaigns: CampaignRepository

    # One

    def attempt(self, attempt_id: UUID) -> Attempt | None:
        """An attempt as it stands."""
        return self.session.get(Attempt, attempt_id)

    def placed(self, attempt_id: UUID) -> tuple[UUID, UUID] | None:
        """The campaign and the run that an attempt is a try at."""
        row = self.session.execute(
            select(Run.campaign_id, Run.id)
            .join(Attempt, Attempt.run_id == Run.id)
            .where(Attempt.id == attempt_id)
        ).one_or_none()
        return None if row is None else (row.campaign_id, row.id)

    def attempts(self, run_id: UUID) -> Sequence[Attempt]:
        """Attempts at a run, oldest first."""
        return self.session.scalars(
            select(Attempt).where(Attempt.run_id == run_id).order_by(Attempt.number)
        ).all()

    def members(self, attempt_id: UUID, *, locked: bool = False) -> Sequence[AttemptMember]:
        """Members of an attempt in order of their index."""
        query = select(AttemptMember).where(AttemptMember.attempt_id == attempt_id)
        if locked:
            query = query.with_for_update(key_share=True).execution_options(populate_existing=True)
        return self.session.scalars(query.order_by(AttemptMember.index)).all()

    def member(self, attempt_id: UUID, index: int) -> AttemptMember | None:
        """A member as it stands."""
        return self.session.get(AttemptMember, (attempt_id, index))

    def member_by_token(self, attempt_id: UUID, token_hash: str) -> AttemptMember | None:
        """The member of an attempt with a token."""
        return self.session.scalar(
            select(AttemptMember).where(
                AttemptMember.token_hash == token_hash, AttemptMember.attempt_id == attempt_id
            )
        )

    def hold(self, attempt_id: UUID) -> Held | None:
        """An attempt with its members, run and campaign, all read anew and locked, in the house's
        order.
        """
        run_id = self.session.execute(
            select(Attempt.run_id).where(Attempt.id == attempt_id)
        ).scalar_one_or_none()
        found = self.campaigns.lock_run(run_id) if run_id else None
        if found is None:
            return None
        campaign, run = found
        return Held(
            campaign, run, self.lock_attempt(attempt_id), self.members(attempt_id, locked=True)
        )

    def lock_attempt(self, attempt_id: UUID) -> Attempt:
        """An attempt's row, read anew and locked; only its members may follow."""
        return self.session.scalars(
            select(Attempt)
            .where(Attempt.id == attempt_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).one()

    def lock_member(self, attempt_id: UUID, index: int) -> AttemptMember:
        """A member alone, read anew and locked; no other lock may follow."""
        return self.session.scalars(
            select(AttemptMember)
            .where(AttemptMember.attempt_id == attempt_id, AttemptMember.index == index)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).one()

    def attempts_in(
        self, run_id: UUID, statuses: Iterable[AttemptStatus], *, locked: bool = False
    ) -> Sequence[Attempt]:
        """Attempts at a run in some states, oldest first."""
        query = select(Attempt).where(Attempt.run_id == run_id, Attempt.status.in_(list(statuses)))
        if locked:
            query = query.with_for_update(key_share=True).execution_options(populate_existing=True)
        return self.session.scalars(query.order_by(Attempt.number)).all()

    # Of agents

    def latest_before(
        self, attempt: Attempt, campaign_id: UUID, targets: Collection[int]
    ) -> tuple[Attempt, Run, Cell] | None:
        """The latest attempt of a campaign that had begun on some of its targets before another was
        offered; of a chain the one that leads it.

        :param targets: positions in the campaign's document.
        """
        row = self.session.execute(
            select(Attempt, Run, Cell)
            .join(Run, Run.id == Attempt.run_id)
            .join(Cell, Cell.id == Run.cell_id)
            .where(
                Run.campaign_id == campaign_id,
                Run.leader_id.is_(None),
                Cell.target_index.in_(list(targets)),
                Attempt.id != attempt.id,
                Attempt.started_at.is_not(None),
                Attempt.offered_at <= attempt.offered_at,
            )
            .order_by(Attempt.offered_at.desc(), Attempt.id.desc())
            .limit(1)
        ).first()
        return None if row is None else (row[0], row[1], row[2])

    def claimed_as(self, agent_id: UUID, claim_id: UUID) -> AttemptMember | None:
        """The membership an agent took with a claim, whatever became of it."""
        return self.session.scalar(
            select(AttemptMember).where(
                AttemptMember.agent_id == agent_id, AttemptMember.claim_id == claim_id
            )
        )

    def live_member_of(self, agent_id: UUID, slot: str) -> AttemptMember | None:
        """What occupies an agent's slot; there is one at most."""
        return self.session.scalar(
            select(AttemptMember).where(
                AttemptMember.agent_id == agent_id,
                AttemptMember.slot == slot,
                AttemptMember.status.in_(LIVE_MEMBERS),
            )
        )

    def busy_slots(self, agent_ids: Iterable[UUID] | None = None) -> set[tuple[UUID, str]]:
        """Agents' slots that are occupied.

        :param agent_ids: default: of all agents.
        """
        query = select(AttemptMember.agent_id, AttemptMember.slot).where(
            AttemptMember.status.in_(LIVE_MEMBERS)
        )
        if agent_ids is not None:
            query = query.where(AttemptMember.agent_id.in_(list(agent_ids)))
        return {(agent_id, slot) for agent_id, slot in self.session.execute(query)}

    def agents_of(self, campaign_id: UUID) -> list[tuple[UUID, str]]:
        """Agents that took up runs of a campaign, or are offered one: id and name."""
        found = self.session.execute(
            select(AttemptMember.agent_id, AttemptMember.agent_name)
            .join(Attempt, Attempt.id == AttemptMember.attempt_id)
            .join(Run, Run.id == Attempt.run_id)
            .where(
                Run.campaign_id == campaign_id,
                AttemptMember.claimed_at.is_not(None) | AttemptMember.status.in_(LIVE_MEMBERS),
            )
            .order_by(AttemptMember.agent_name)
            .distinct()
        )
        return [(agent_id, name) for agent_id, name in found]

    def agents_of_runs(self, run_ids: Collection[UUID]) -> set[UUID]:
        """Agents whose results count as those of some runs."""
        return set(
            self.session.scalars(
                select(AttemptMember.agent_id)
                .join(Run, Run.result_attempt_id == AttemptMember.attempt_id)
                .where(Run.id.in_(list(run_ids)))
            )
        )

    def agents_used(self, campaign_id: UUID) -> Sequence[UUID]:
        """Agents that ever took up a run of a campaign."""
        return self.session.scalars(
            select(AttemptMember.agent_id)
            .join(Attempt, Attempt.id == AttemptMember.attempt_id)
            .join(Run, Run.id == Attempt.run_id)
            .where(Run.campaign_id == campaign_id, AttemptMember.claimed_at.is_not(None))
            .distinct()
        ).all()

    def has_gangs(self, campaign_id: UUID) -> bool:
        """Whether an attempt of a campaign has several members."""
        found = self.session.scalar(
            select(Attempt.id)
            .join(Run, Run.id == Attempt.run_id)
            .where(Run.campaign_id == campaign_id, Attempt.members_count > 1)
            .limit(1)
        )
        return found is not None

    # Counted

    def attempts_under_way(self, campaign_id: UUID) -> int:
        """How many runs of a campaign are at work right now."""
        return self.session.scalars(
            select(func.count())
            .select_from(Attempt)
            .join(Run, Run.id == Attempt.run_id)
            .where(Run.campaign_id == campaign_id, Attempt.status.in_(LIVE_ATTEMPTS))
        ).one()

    def running_by_project(self) -> dict[UUID, int]:
        """Members under way, counted by project: what fairness looks at."""
        found = self.session.execute(
            select(AttemptMember.project_id, func.count())
            .where(AttemptMember.status.in_(LIVE_MEMBERS))
            .group_by(AttemptMember.project_id)
        )
        return {project_id: count for project_id, count in found}  # noqa: C416 - typed rows

    # Watched

    def silent_attempts(
        self, statuses: Iterable[MemberStatus], before: datetime.datetime
    ) -> Sequence[UUID]:
        """Attempts with a member in some states without a sign of life since before an instant."""
        last_sign: ColumnElement[datetime.datetime] = func.coalesce(
            AttemptMember.heartbeat_at, AttemptMember.offered_at
        )
        return self.session.scalars(
            select(AttemptMember.attempt_id)
            .where(AttemptMember.status.in_(list(statuses)), last_sign < before)
            .distinct()
            .order_by(AttemptMember.attempt_id)
        ).all()

    def live(self) -> Sequence[tuple[Attempt, AttemptMember]]:
        """Every member that occupies a slot, with its attempt."""
        found = self.session.execute(
            select(Attempt, AttemptMember)
            .join(AttemptMember, AttemptMember.attempt_id == Attempt.id)
            .where(AttemptMember.status.in_(LIVE_MEMBERS))
            .order_by(Attempt.id, AttemptMember.index)
        )
        return [(attempt, member) for attempt, member in found]

    def live_gangs(self) -> Sequence[UUID]:
        """Attempts under way that are the work of more than one agent."""
        return self.session.scalars(
            select(Attempt.id)
            .where(Attempt.status.in_(LIVE_ATTEMPTS), Attempt.members_count > 1)
            .order_by(Attempt.id)
        ).all()
