"""Blocks: the targets of one repetition, workload and load level stay on the same machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.orm import Session
from weighhouse_protocol.machine_kinds import alike

from weighhouse_backend.campaigns.placement import Spot
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.models import Attempt, AttemptMember, Campaign, Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import LIVE_ATTEMPTS, RunStatus

ALIVE = frozenset({"online", "busy"})


@dataclass
class Earlier:
    """What a campaign's blocks were on until now; read once, and only where it matters."""

    campaign_id: UUID
    gangs: GangRepository

    @cached_property
    def has_gangs(self) -> bool:
        """Whether an attempt had several members."""
        return self.gangs.has_gangs(self.campaign_id)

    @cached_property
    def agents(self) -> frozenset[UUID]:
        """Agents that ever took up a run."""
        return frozenset(self.gangs.agents_used(self.campaign_id))

    def like_before(
        self, kind: str | None, free: Sequence[Spot], spots: Sequence[Spot]
    ) -> Sequence[Spot]:
        """For the next block: only machines like the one that the campaign began on, while one of
        those that it used is there.

        :param kind: of the machine that it began on; None: it has not begun.
        """
        if kind is None:
            return free
        like = [spot for spot in free if alike(spot.kind, kind)]
        if len(like) == len(free) or self.has_gangs:
            return free
        there = like or any(
            spot.agent_id in self.agents for spot in spots if alike(spot.kind, kind)
        )
        return like if there else free


@dataclass(frozen=True)
class BlockService:
    """Which machines a block is on, and what becomes of it when one is lost."""

    session: Session
    repository: CampaignRepository
    gangs: GangRepository
    transitions: Transitions
    fleet: FleetService

    def begun(self, campaign_id: UUID) -> dict[int, list[AttemptMember]]:
        """Blocks of a campaign that have begun, with the members of what counts of them so far, or
        is under way: an agent once, the first first.
        """
        rows = self.session.execute(
            select(Run.block, AttemptMember)
            .join(Attempt, Attempt.run_id == Run.id)
            .join(AttemptMember, AttemptMember.attempt_id == Attempt.id)
            .where(
                Run.campaign_id == campaign_id,
                or_(Attempt.status.in_(LIVE_ATTEMPTS), Attempt.id == Run.result_attempt_id),
            )
            .order_by(Attempt.offered_at, AttemptMember.index)
        )
        found: dict[int, dict[UUID, AttemptMember]] = {}
        for block, member in rows:
            found.setdefault(block, {}).setdefault(member.agent_id, member)
        return {block: list(members.values()) for block, members in found.items()}

    def is_there(self, agent_id: UUID) -> bool:
        """Whether an agent may still take work."""
        return self.fleet.status(self.fleet.agent(agent_id), busy=False) in ALIVE

    def earlier(self, campaign_id: UUID) -> Earlier:
        """What a campaign's blocks were on so far."""
        return Earlier(campaign_id, self.gangs)

    def begin_again(self, campaign: Campaign, block: int, lost: str) -> bool:
        """Measure a block again in full: a machine is gone, and none alike takes its place.

        What was measured is kept, marked, and out of the figures; its runs are queued again.

        :param lost: names of the agents that are gone.
        :returns: False while something of the block is under way or being settled, or another
            holds the campaign: later; and where it is being cancelled: never.
        """
        held = self.repository.lock_campaign(campaign.id, skip_locked=True)
        if held is None or held.cancel_requested_at is not None:
            return False
        runs = self.repository.lock_block(campaign.id, block)
        moving = {RunStatus.ALLOCATED, RunStatus.RUNNING, RunStatus.SETTLING}
        if any(run.status in moving for run in runs):
            return False
        done = [run for run in runs if run.status == RunStatus.COMPLETED]
        for run in done:
            attempt = (
                None
                if run.result_attempt_id is None
                else self.gangs.lock_attempt(run.result_attempt_id)
            )
            if attempt is not None:
                attempt.set_aside = (
                    f"{lost} was lost before its block was complete, and no machine alike was "
                    "there: the block was measured again"
                )
            run.result_attempt_id = None
            run.throughput = None
            run.p99_us = None
        if done:
            self.transitions.runs(held, done, RunStatus.QUEUED)
        return True
